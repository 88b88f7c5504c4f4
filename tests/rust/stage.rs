//! What each step of a transcript does; `conversation.rs` lists them.

use std::{collections::HashMap, fs, os::unix::fs::symlink, path::PathBuf, time::Duration};

use serde_json::{Value, json};

use super::{
    client::Client,
    neovim::{Lock, Neovim, Place, Wish},
    pattern::{fill, fits, misfit},
    peer::{Peer, http},
    server::until,
};

/// What a step may say besides its verb.
const DETAILS: [&str; 11] = ["text", "is", "to", "gives", "status", "headers", "only", "as", "parts", "fails", "error"];

/// What one transcript plays on: a Neovim, its directories and its clients.
pub struct Stage {
    clients: HashMap<String, Client>,
    /// Before its place, so that it ends before its directories do.
    neovim: Option<Neovim>,
    lock: Option<Lock>,
    place: Place,
    wish: Wish,
    setup: Option<String>,
}

impl Stage {
    pub fn new() -> Self {
        let setup = "require('claudecode').setup({ terminal = { provider = 'none' } })";
        Self {
            place: Place::new(),
            wish: Wish::default(),
            setup: Some(setup.into()),
            neovim: None,
            lock: None,
            clients: HashMap::new(),
        }
    }

    fn neovim(&mut self) -> &mut Neovim {
        if self.neovim.is_none() {
            let mut neovim = Neovim::start(&self.place, &self.wish);
            if let Some(setup) = &self.setup {
                neovim.lua(setup);
            }
            self.lock = self.place.locks().into_iter().find(|lock| lock.pid() == u64::from(neovim.pid()));
            self.neovim = Some(neovim);
        }
        self.neovim.as_mut().unwrap()
    }

    fn lock(&mut self) -> Lock {
        self.neovim();
        self.lock.clone().expect("the server runs")
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        let path = |path: &PathBuf| path.display().to_string();
        let place = &self.place;
        let mut names = vec![
            ("dir", path(&place.dir)),
            ("home", path(&place.home)),
            ("config", path(&place.config)),
            ("root", path(&place.root())),
        ];
        if let Some(neovim) = &self.neovim {
            names.push(("pid", neovim.pid().to_string()));
        }
        if let Some(lock) = &self.lock {
            names.extend([("port", lock.port.to_string()), ("token", lock.token().to_string())]);
        }
        names
    }

    /// Plays one step.
    pub fn play(&mut self, step: &Value) {
        let mut keys = step.as_object().expect("a step is an object").keys();
        let verb = keys.find(|key| !DETAILS.contains(&key.as_str())).expect("a step has a verb");
        if !matches!(verb.as_str(), "about" | "file" | "link" | "neovim") {
            self.neovim();
        }
        let step = fill(step, &self.names());
        let with = step[verb].clone();
        let text = || with.as_str().expect("a text");
        match verb.as_str() {
            "about" => {}
            "file" => self.file(text(), &step),
            "link" => symlink(step["to"].as_str().unwrap(), self.place.dir.join(text())).unwrap(),
            "neovim" => self.wishes(&step["neovim"]),
            "nvim" => {
                let neovim = self.neovim();
                match step.get("gives") {
                    Some(wanted) => fits(wanted, &neovim.eval(text())),
                    None => drop(neovim.lua(text())),
                }
            }
            "until" => until(text(), || !matches!(self.neovim().eval(text()), Value::Null | Value::Bool(false))),
            "keys" => self.neovim().keys(text()),
            "told" => self.told(&with),
            "log" => self.logged(text()),
            "lock" => self.locked(&with),
            "http" => self.http(text(), &step),
            "client" => self.connect(text(), step.get("only").is_some()),
            "gone" => self.clients.remove(text()).expect("a client").vanish(),
            _ => self.talk(verb, &with, &step),
        }
    }

    fn file(&mut self, name: &str, step: &Value) {
        match step.get("is") {
            None => drop(self.place.write(name, step["text"].as_str().expect("a text"))),
            Some(wanted) => {
                let read = fs::read_to_string(self.place.dir.join(name)).ok();
                fits(wanted, &json!(read));
            }
        }
    }

    fn wishes(&mut self, wish: &Value) {
        assert!(self.neovim.is_none(), "Neovim runs already");
        let text = |value: &Value| value.as_str().map(String::from);
        self.wish.args = wish["args"].as_array().into_iter().flatten().filter_map(text).collect();
        let env = wish["env"].as_object().into_iter().flatten();
        self.wish.env = env.map(|(name, value)| (name.clone(), text(value))).collect();
        self.wish.init = text(&wish["init"]).unwrap_or_default();
        self.wish.cwd = text(&wish["cwd"]).map(|cwd| self.place.dir.join(cwd));
        if let Some(setup) = wish.get("setup") {
            self.setup = text(setup);
        }
    }

    fn told(&mut self, wanted: &Value) {
        let wanted: Vec<Value> = wanted.as_array().unwrap().iter().map(|part| json!({"$contains": part})).collect();
        let mut told = Vec::new();
        until("the user is told so many things", || {
            let new = self.neovim().lua("return _G.told()");
            told.extend(new.as_array().unwrap().iter().map(|one| one["text"].clone()));
            told.len() >= wanted.len()
        });
        fits(&json!(wanted), &json!(told));
    }

    fn logged(&mut self, part: &str) {
        let path = self.neovim().lua("return vim.fn.stdpath('log') .. '/claudecode.log'");
        until(&format!("the log has: {part}"), || {
            fs::read_to_string(path.as_str().unwrap()).is_ok_and(|log| log.contains(part))
        });
    }

    fn locked(&mut self, wanted: &Value) {
        let pid = u64::from(self.neovim().pid());
        let mut found = Value::Null;
        let mut holds = || {
            found = self.place.locks().into_iter().find(|lock| lock.pid() == pid).map_or(Value::Null, |lock| lock.json);
            misfit(wanted, &found).is_none()
        };
        for _ in 0..400 {
            if holds() {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        fits(wanted, &found);
    }

    fn http(&mut self, request: &str, step: &Value) {
        let lock = self.lock();
        let mut headers: Vec<(String, String)> = [
            ("Host", format!("127.0.0.1:{}", lock.port).as_str()),
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("X-Claude-Code-Ide-Authorization", lock.token()),
        ]
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .into();
        for (name, value) in step["headers"].as_object().into_iter().flatten() {
            headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            headers.extend(value.as_str().map(|value| (name.clone(), value.to_string())));
        }
        let lines: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let (_, status, head, _) = http(lock.port, &format!("{request} HTTP/1.1\r\n{}\r\n", lines.concat()));
        fits(&step["status"], &json!(status));
        let answered = head.lines().filter_map(|line| line.split_once(": "));
        let answered: HashMap<&str, &str> = answered.collect();
        fits(step.get("gives").unwrap_or(&json!("$any")), &json!(answered));
    }

    fn connect(&mut self, name: &str, only_upgrade: bool) {
        let lock = self.lock();
        let peer = if only_upgrade { Peer::connect(lock.port, lock.token()) } else { lock.connect() };
        self.clients.insert(name.into(), Client::new(peer));
    }

    fn talk(&mut self, verb: &str, with: &Value, step: &Value) {
        let (name, how) = verb.split_at(1);
        let client = self.clients.get_mut(name).unwrap_or_else(|| panic!("no step is called {verb}"));
        client.play(how, with, step);
    }

    /// Looks whether Neovim is as it should be after the last step.
    pub fn end(&mut self) {
        let neovim = self.neovim();
        assert_eq!(neovim.lua("return vim.v.errmsg"), json!(""), "no error message");
        let told = neovim.lua("return vim.tbl_filter(function(m) return m.level > vim.log.levels.INFO end, _G.told())");
        assert_eq!(told, json!([]), "the user was told what no step expected");
    }
}
