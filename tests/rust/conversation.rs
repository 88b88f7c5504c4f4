//! Conversations: transcripts played over a real socket with a real Neovim of their own.
//!
//! A transcript is `tests/transcripts/NAME.jsonl`, one step a line, played from top to bottom. A step that waits gives
//! up after ten seconds. Texts may hold `${dir}` (the project), `${home}`, `${config}`, `${root}` (all of them lie in
//! it), `${pid}`, and `${port}` and `${token}` of the first lock file. `tests/rust/pattern.rs` says how a PATTERN fits.
//!
//! ```text
//! {"about": "what the next steps show"}
//! {"file": "a.txt", "text": "one\n"}            writes a file of the project;  "is" instead compares (null: no file)
//! {"link": "l.txt", "to": "a.txt"}              makes a symbolic link
//! {"neovim": {"args": [], "env": {}, "init": LUA, "setup": LUA, "cwd": "sub"}}   how Neovim starts; else as usual
//! {"nvim": LUA, "gives": PATTERN}               runs an expression or a chunk in Neovim
//! {"until": LUA}                                waits until it gives something true
//! {"keys": "ggVj<Esc>"}                         types
//! {"told": ["part of a message", …]}            all that the user was told since the last such step
//! {"log": "part of a line"}                     waits for it in the log
//! {"lock": PATTERN}                             waits for such a lock file of this Neovim;  null: for none
//! {"http": "GET /", "headers": {}, "status": 401, "gives": PATTERN}   a good upgrade but for these headers
//! {"client": "A"}                               connects, introduces itself, lists the tools;  "only": "upgrade" stops there
//! {"A": {"TOOL": {…}}, ANSWER}                  calls a tool and waits for its answer
//! {"A": {"TOOL": {…}}, "as": "diff"}            calls it and goes on;  {"A": "diff", ANSWER} waits
//! {"A>": {…} or "raw text"}  {"A!": "81 85 …"}  sends a message (jsonrpc is added);  sends bytes
//! {"A<": PATTERN}                               the next reply, or the next notification if the pattern has a method
//! {"A<<": PATTERN}                              the very next message
//! {"A pong": "68 69"}                           the next thing is a pong with these bytes
//! {"A-": 1002}                                  the server closes with this code;  null: without a close frame
//! {"gone": "A"}                                 drops the connection
//! ```
//! ANSWER is one of `"gives": "text"` (the only part), `"gives": PATTERN` (of its JSON), `"parts": PATTERN` (the texts),
//! `"fails": "part of the text"` (isError), `"error": [code, "part of the message"]`.
//!
//! At the end Neovim must be alive, without an error message and without a warning that no step expected.

use std::{collections::HashMap, fs, os::unix::fs::symlink, path::PathBuf, sync::LazyLock};

use serde_json::{Value, json};

use super::{
    neovim::{Lock, Neovim, Place, Wish},
    pattern::{fill, misfit},
    peer::{Got, Peer, http},
    server::until,
};

static DIR: LazyLock<PathBuf> = LazyLock::new(|| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts").into());

/// What a step may say besides its verb.
const DETAILS: [&str; 11] = ["text", "is", "to", "gives", "status", "headers", "only", "as", "parts", "fails", "error"];

macro_rules! transcripts {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { play(stringify!($name)) })*
    };
}

transcripts! {
    arguments clients diagnostics diff_accept diff_bytes diff_closed diff_dirty diff_ends diff_reject
    diff_replaced discovery documents folders frames handshake home jsonrpc life_cycle mentions no_selection
    open_editors open_file open_file_behind paths restart selection selection_off throwing_tool
}

#[test]
fn every_transcript_is_played() {
    let mut found: Vec<String> =
        fs::read_dir(&*DIR).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, NAMES.iter().map(|name| format!("{name}.jsonl")).collect::<Vec<_>>());
}

/// Names the step that is being played, should the test fail in it.
struct Step<'a>(&'a str, usize, &'a str);

impl Drop for Step<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self(name, number, line) = self;
            eprintln!("\ntests/transcripts/{name}.jsonl:{number}: {line}");
        }
    }
}

fn play(name: &str) {
    let text = fs::read_to_string(DIR.join(format!("{name}.jsonl"))).unwrap();
    let mut stage = Stage::new();
    for (index, line) in text.lines().enumerate() {
        let _step = Step(name, index + 1, line);
        let step: Value = serde_json::from_str(line).expect("a step is a JSON object");
        stage.play(&step);
    }
    let _step = Step(name, text.lines().count() + 1, "the end");
    stage.end();
}

struct Client {
    peer: Peer,
    /// Came while something else was waited for.
    kept: Vec<Value>,
    /// Calls that were not waited for yet: name → id.
    calls: HashMap<String, Value>,
    last: u64,
}

impl Client {
    fn send(&mut self, message: Value) {
        match message {
            Value::String(text) => self.peer.text(&text),
            mut message => {
                message["jsonrpc"] = "2.0".into();
                self.peer.text(&message.to_string());
            }
        }
    }

    fn call(&mut self, call: &Value) -> Value {
        self.last += 1;
        let id = json!(format!("call {}", self.last));
        let (name, arguments) = call.as_object().and_then(|call| call.iter().next()).expect("one tool");
        self.send(json!({"id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}));
        id
    }

    /// The oldest message that is one of these.
    fn take(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.kept.iter().position(&is_it) {
                return self.kept.remove(at);
            }
            let message = self.peer.message();
            self.kept.push(message);
        }
    }

    fn next_like(&mut self, pattern: &Value) -> Value {
        match pattern.get("method") {
            Some(method) => self.take(|message| message["method"] == *method),
            None => self.take(|message| message.get("method").is_none()),
        }
    }
}

struct Stage {
    place: Place,
    wish: Wish,
    setup: Option<String>,
    neovim: Option<Neovim>,
    lock: Option<Lock>,
    clients: HashMap<String, Client>,
}

impl Stage {
    fn new() -> Self {
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

    fn play(&mut self, step: &Value) {
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
            "gone" => self.clients.remove(text()).expect("a client").peer.vanish(),
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
            std::thread::sleep(std::time::Duration::from_millis(25));
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
        let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let (_, status, head, _) = http(lock.port, &format!("{request} HTTP/1.1\r\n{lines}\r\n"));
        fits(&step["status"], &json!(status));
        let answered = head.lines().filter_map(|line| line.split_once(": "));
        let answered: HashMap<&str, &str> = answered.collect();
        fits(step.get("gives").unwrap_or(&json!("$any")), &json!(answered));
    }

    fn connect(&mut self, name: &str, only_upgrade: bool) {
        let lock = self.lock();
        let peer = if only_upgrade { Peer::connect(lock.port, lock.token()) } else { lock.connect() };
        self.clients.insert(name.into(), Client { peer, kept: Vec::new(), calls: HashMap::new(), last: 0 });
    }

    fn talk(&mut self, verb: &str, with: &Value, step: &Value) {
        let (name, how) = verb.split_at(1);
        let client = self.clients.get_mut(name).unwrap_or_else(|| panic!("no step is called {verb}"));
        match how {
            ">" => client.send(with.clone()),
            "<" => fits(with, &client.next_like(with)),
            "<<" => {
                let kept = (!client.kept.is_empty()).then(|| client.kept.remove(0));
                fits(with, &kept.unwrap_or_else(|| client.peer.message()));
            }
            " pong" => assert_eq!(client.peer.next(), Got::Pong(bytes(with.as_str().expect("hex digits")))),
            "!" => client.peer.raw(&bytes(with.as_str().expect("hex digits"))),
            "-" => {
                let code = with.as_u64().map(|code| u16::try_from(code).unwrap());
                let end = loop {
                    match client.peer.next() {
                        Got::Text(_) | Got::Pong(_) => {}
                        end => break end,
                    }
                };
                assert_eq!(end, code.map_or(Got::Gone, |code| Got::Close(Some(code))));
            }
            "" => {
                let id = match with {
                    Value::String(call) => client.calls.remove(call).expect("a call of this name"),
                    call => client.call(call),
                };
                match &step["as"] {
                    Value::String(call) => drop(client.calls.insert(call.clone(), id)),
                    _ => answers(step, &client.take(|message| message["id"] == id)),
                }
            }
            _ => panic!("no step is called {verb}"),
        }
    }

    fn end(&mut self) {
        let neovim = self.neovim();
        assert_eq!(neovim.lua("return vim.v.errmsg"), json!(""), "no error message");
        let told = neovim.lua("return vim.tbl_filter(function(m) return m.level > vim.log.levels.INFO end, _G.told())");
        assert_eq!(told, json!([]), "the user was told what no step expected");
    }
}

fn fits(pattern: &Value, got: &Value) {
    if let Some(why) = misfit(pattern, got) {
        panic!("{why}");
    }
}

/// Whether `answer` is what the step expects.
fn answers(step: &Value, answer: &Value) {
    if let Some(error) = step.get("error") {
        let wanted = json!({"code": error[0], "message": {"$contains": error[1]}});
        return fits(&json!({"error": wanted, "result": "$absent"}), answer);
    }
    if let Some(why) = step.get("fails") {
        let wanted = json!({"content": [{"type": "text", "text": {"$contains": why}}], "isError": true});
        return fits(&json!({"result": wanted}), answer);
    }
    fits(&json!({"result": {"isError": "$absent", "content": "$any"}}), answer);
    let texts: Value =
        answer["result"]["content"].as_array().expect("a list").iter().map(|p| p["text"].clone()).collect();
    match (step.get("parts"), step.get("gives")) {
        (Some(parts), _) => fits(parts, &texts),
        (None, Some(text)) if text.is_string() || text.get("$contains").is_some() => fits(&json!([text]), &texts),
        (None, Some(json)) => fits(&json!([{"$json": json}]), &texts),
        (None, None) => {}
    }
}

/// `"81 05 …"` → bytes.
fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("hex digits")).collect()
}
