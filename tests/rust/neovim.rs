//! A real Neovim with the plugin, alone in temporary directories and driven over its own RPC.

use std::{
    fs,
    io::{BufReader, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};

use super::{
    msgpack,
    peer::{PATIENCE, Peer},
    server::until,
};

/// What every Neovim under test runs first: messages to the user are kept, as a plugin for notifications does.
const INIT: &str = r#"
  vim.o.swapfile, vim.o.shada = false, ""
  local told = {}
  vim.notify = function(text, level) table.insert(told, { level = level, text = text }) end
  function _G.told() local all = told told = {} return all end
  -- Goes to the proposal of this name; whether there is one.
  function _G.proposal(tab_name)
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      local buf = vim.api.nvim_win_get_buf(win)
      if vim.b[buf].claudecode_diff_tab_name == tab_name and vim.bo[buf].buftype == "acwrite" then
        return vim.api.nvim_set_current_win(win) == nil
      end
    end
    return false
  end
"#;

/// How a test wants its Neovim.
#[derive(Default)]
pub struct Wish {
    /// Command-line arguments, for example files to open.
    pub args: Vec<String>,
    /// Environment on top of a clean one; None removes a variable.
    pub env: Vec<(String, Option<String>)>,
    /// Lua code run before any plugin is sourced.
    pub init: String,
    /// The working directory; the project itself when empty.
    pub cwd: Option<PathBuf>,
}

/// Directories of one test: a home and a project.
pub struct Place {
    root: tempfile::TempDir,
    /// `$HOME`.
    pub home: PathBuf,
    /// The project.
    pub dir: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`.
    pub config: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        let place = Self { home: path.join("home"), dir: path.join("project"), config: path.join("home/claude"), root };
        for dir in [&place.dir, &place.config] {
            fs::create_dir_all(dir).unwrap();
        }
        place
    }

    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The readable lock files, oldest pid first.
    pub fn locks(&self) -> Vec<Lock> {
        let entries = fs::read_dir(self.config.join("ide")).into_iter().flatten().flatten();
        let mut locks: Vec<Lock> = entries.filter_map(|entry| Lock::read(&entry.path())).collect();
        locks.sort_by_key(Lock::pid);
        locks
    }
}

/// A lock file as a CLI finds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lock {
    pub path: PathBuf,
    pub port: u16,
    pub json: Value,
}

impl Lock {
    fn read(path: &Path) -> Option<Self> {
        let port = path.file_name()?.to_str()?.strip_suffix(".lock")?.parse().ok()?;
        let json = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        Some(Self { path: path.into(), port, json })
    }

    pub fn pid(&self) -> u64 {
        self.json["pid"].as_u64().expect("a pid")
    }

    pub fn token(&self) -> &str {
        self.json["authToken"].as_str().expect("a token")
    }

    pub fn connect(&self) -> Peer {
        Peer::initialized(self.port, self.token())
    }
}

/// The path of the Neovim under test.
pub fn binary() -> String {
    std::env::var("NVIM_BIN").expect("NVIM_BIN names no Neovim to test; `make test` brings them and runs these tests")
}

/// The library under test.
pub fn library() -> PathBuf {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/target/release/libclaudecode_native.so");
    let path = PathBuf::from(std::env::var("CLAUDECODE_NATIVE").unwrap_or_else(|_| built.into()));
    assert!(path.exists(), "{} is not there; `make test` builds it and runs these tests", path.display());
    path
}

/// The process.
pub struct Neovim {
    child: Child,
    replies: Receiver<Value>,
    last: u32,
    errors: PathBuf,
}

impl Neovim {
    /// Starts one in `place` and waits until its start-up is over.
    pub fn start(place: &Place, wish: &Wish) -> Self {
        let init = place.root().join("init.lua");
        fs::write(&init, [INIT, &wish.init].concat()).unwrap();
        let errors = place.root().join(format!("stderr-{}", place.locks().len()));
        let mut command = Command::new(binary());
        command.args(["--clean", "-n", "-i", "NONE", "--embed", "--headless", "--cmd"]);
        command.arg(concat!("set runtimepath^=", env!("CARGO_MANIFEST_DIR")));
        command.arg("--cmd").arg(format!("luafile {}", init.display())).args(&wish.args);
        command.current_dir(wish.cwd.as_ref().unwrap_or(&place.dir)).env_clear();
        for name in ["PATH", "LANG", "TMPDIR", "LD_LIBRARY_PATH"] {
            command.envs(std::env::var(name).map(|value| (name, value)));
        }
        for name in ["CONFIG", "DATA", "STATE", "CACHE"] {
            command.env(format!("XDG_{name}_HOME"), place.home.join(format!(".{name}")));
        }
        command.env("NVIM_LOG_FILE", place.root().join("nvim.log"));
        command.env("HOME", &place.home).env("CLAUDE_CONFIG_DIR", &place.config).env("CLAUDECODE_NATIVE", library());
        for (name, value) in &wish.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // Its own group, so that a signal reaches it and nobody else.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(fs::File::create(&errors).unwrap());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("{} does not run: {e}", binary()));
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, replies) = channel();
        std::thread::spawn(move || {
            while let Ok(message) = msgpack::read(&mut stdout) {
                if message[0] == 1 && sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut neovim = Self { child, replies, last: 0, errors };
        until("Neovim has started", || neovim.lua("return vim.v.vim_did_enter") == 1);
        neovim
    }

    /// Starts one with `setup{}` called and its server running.
    pub fn with_server(place: &Place, wish: &Wish) -> (Self, Lock) {
        let mut neovim = Self::start(place, wish);
        neovim.lua("require('claudecode').setup({ terminal = { provider = 'none' } })");
        let lock = neovim.lock(place);
        (neovim, lock)
    }

    /// Its lock file.
    pub fn lock(&self, place: &Place) -> Lock {
        let mut found = None;
        until("the lock file is there", || {
            found = place.locks().into_iter().find(|lock| lock.pid() == u64::from(self.pid()));
            found.is_some()
        });
        found.unwrap()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Calls an API function; None when Neovim is gone.
    fn call(&mut self, method: &str, params: &Value) -> Option<Value> {
        self.last += 1;
        let sent = self.child.stdin.as_mut()?.write_all(&msgpack::request(self.last, method, params));
        sent.ok().and_then(|()| self.replies.recv_timeout(PATIENCE).ok())
    }

    /// Runs Lua code and returns its value.
    pub fn try_lua(&mut self, code: &str) -> Result<Value, String> {
        let reply = self.call("nvim_exec_lua", &json!([code, []]));
        let reply = reply.ok_or_else(|| format!("Neovim did not answer\n{}", self.said()))?;
        if reply[2].is_null() { Ok(reply[3].clone()) } else { Err(reply[2][1].to_string()) }
    }

    /// As [`Neovim::try_lua`], for code that works.
    pub fn lua(&mut self, code: &str) -> Value {
        self.try_lua(code).unwrap_or_else(|why| panic!("{code}\n{why}"))
    }

    /// As [`Neovim::lua`], for an expression or a chunk.
    pub fn eval(&mut self, code: &str) -> Value {
        let run = "local code = ... return assert(loadstring('return ' .. code) or loadstring(code))()";
        let reply = self.call("nvim_exec_lua", &json!([run, [code]]));
        let reply = reply.unwrap_or_else(|| panic!("Neovim did not answer\n{}", self.said()));
        assert!(reply[2].is_null(), "{}", reply[2][1]);
        reply[3].clone()
    }

    /// Types keys.
    pub fn input(&mut self, keys: &str) {
        self.call("nvim_input", &json!([keys]));
    }

    /// Types keys and lets Neovim take them.
    pub fn keys(&mut self, keys: &str) {
        self.input(keys);
        self.lua("return 1");
    }

    /// Runs Lua code that does not return, as one that ends Neovim.
    pub fn send(&mut self, code: &str) {
        self.last += 1;
        let request = msgpack::request(self.last, "nvim_exec_lua", &json!([code, []]));
        let _ = self.child.stdin.as_mut().map(|pipe| pipe.write_all(&request));
    }

    /// What it wrote to its screen's error output.
    pub fn said(&self) -> String {
        fs::read_to_string(&self.errors).unwrap_or_default()
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid().cast_signed()), signal).expect("the process is there");
    }

    /// Waits for its end.
    pub fn ended(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "Neovim did not end\n{}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Neovim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
