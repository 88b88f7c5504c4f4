//! A real server with a scripted editor behind it.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use claudecode_native::{
    bridge::{Busy, Call, Editor, Event},
    config::{Config, Limits},
    discovery::lockfile::Contents,
    error::StartError,
    server::Server,
    session::hub::Hub,
};
use parking_lot::Mutex;
use serde_json::json;

use super::peer::{PATIENCE, Peer};

/// Plays the editor: keeps what it is told, answers calls of `echo` at once and of `wait` never, refuses `refuse`.
#[derive(Default)]
pub struct Script {
    pub events: Mutex<Vec<Event>>,
    pub calls: Mutex<Vec<Call>>,
    hub: Mutex<Weak<Hub>>,
}

impl Editor for Script {
    fn call(&self, call: Call) -> Result<(), Busy> {
        match call.tool.as_str() {
            "panic" => panic!("the editor's side panics"),
            "refuse" => return Err(Busy),
            "echo" => {
                let answer =
                    json!({"result": {"content": [{"type": "text", "text": json!(call.arguments).to_string()}]}});
                self.hub().pending.complete(call.call, answer.to_string().into_bytes());
            }
            _ => {}
        }
        self.calls.lock().push(call);
        Ok(())
    }

    fn tell(&self, event: Event) {
        self.events.lock().push(event);
    }

    fn has_room(&self) -> bool {
        true
    }
}

impl Script {
    pub fn hub(&self) -> Arc<Hub> {
        self.hub.lock().upgrade().expect("the server runs")
    }
}

/// A server under test; stops when dropped.
pub struct Served {
    pub server: Option<Server>,
    pub editor: Arc<Script>,
    pub dir: tempfile::TempDir,
    pub port: u16,
    pub token: String,
}

pub fn config(dir: &Path) -> Config {
    let tool = |name: &str| {
        json!({"name": name, "description": "for tests", "aliases": [format!("{name}Alias")],
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}, "count": {"type": "integer"}}}})
    };
    serde_json::from_value(json!({
        "port_min": 10000, "port_max": 65535, "lock_dir": dir.join("ide"), "home": "/nowhere",
        "pid": std::process::id(), "version": "9.9.9", "instructions": "Be kind.", "ready_delay_ms": 150,
        "allowed_hosts": [], "tools": (["echo", "wait", "refuse", "panic"].map(tool)),
        "places": {"cwds": [dir], "lsp": []},
    }))
    .unwrap()
}

impl Served {
    pub fn start() -> Self {
        Self::with(|_| {}, |_| {})
    }

    pub fn with(change: impl FnOnce(&mut Config), bound: impl FnOnce(&mut Limits)) -> Self {
        Self::try_with(change, bound).expect("the server starts")
    }

    pub fn try_with(change: impl FnOnce(&mut Config), bound: impl FnOnce(&mut Limits)) -> Result<Self, StartError> {
        let dir = tempfile::tempdir().unwrap();
        let mut config = config(dir.path());
        change(&mut config);
        let mut limits = Limits::default();
        bound(&mut limits);
        let editor = Arc::new(Script::default());
        let server = Server::start(config, limits, editor.clone(), None)?;
        *editor.hub.lock() = Arc::downgrade(server.hub());
        let address = server.address();
        Ok(Self { server: Some(server), editor, dir, port: address.port, token: address.token })
    }

    pub fn lock_path(&self) -> PathBuf {
        self.dir.path().join("ide").join(format!("{}.lock", self.port))
    }

    pub fn lock(&self) -> Contents {
        serde_json::from_slice(&std::fs::read(self.lock_path()).expect("a lock file")).expect("a readable lock")
    }

    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("it runs")
    }

    pub fn connect(&self) -> Peer {
        Peer::connect(self.port, &self.token)
    }

    pub fn initialized(&self) -> Peer {
        Peer::initialized(self.port, &self.token)
    }

    /// Waits until the editor was told this.
    pub fn told(&self, what: &str, is_it: impl Fn(&Event) -> bool) {
        until(what, || self.editor.events.lock().iter().any(&is_it));
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

/// Waits for a condition, and fails the test when it does not come.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
