//! What Lua hands over at start, and the limits that the server keeps.

use std::{path::PathBuf, time::Duration};

use serde::Deserialize;

use crate::{discovery::workspace::Places, tools::Descriptor};

/// Everything `start` needs. JSON, field names as here.
#[derive(Debug, Clone, Deserialize)]
pub struct Config {
    /// First port to try, inclusive.
    pub port_min: u16,
    /// Last port to try, inclusive.
    pub port_max: u16,
    /// Directory of the lock files: `$CLAUDE_CONFIG_DIR/ide` or `~/.claude/ide`.
    pub lock_dir: PathBuf,
    /// The user's home, which is never offered as a workspace folder unless it is the cwd.
    pub home: PathBuf,
    /// Neovim's process id.
    pub pid: u32,
    /// The plugin's version, told to clients.
    pub version: String,
    /// A few lines for the model, sent with the answer to `initialize`.
    pub instructions: String,
    /// Milliseconds from the first `tools/list` reply until a client takes notifications.
    pub ready_delay_ms: u64,
    /// Host names allowed in the `Host` header besides the loopback ones.
    #[serde(default)]
    pub allowed_hosts: Vec<String>,
    /// Whether a CLI that tells of its edits beforehand is to ask about each.
    #[serde(default)]
    pub ask_first: bool,
    /// The tools that Lua runs.
    pub tools: Vec<Descriptor>,
    /// Directories that Neovim works in.
    pub places: Places,
    /// File that carries port and token over Neovim's own `:restart`; read once and removed.
    #[serde(default)]
    pub handover: Option<PathBuf>,
}

/// Bounds on what peers may cost. Tests set their own; users get [`Limits::default`].
#[derive(Debug, Clone)]
pub struct Limits {
    /// Time for the HTTP upgrade, and again for `initialize`.
    pub handshake: Duration,
    /// WebSocket sessions at once; the next gets 503.
    pub sessions: usize,
    /// TCP connections at once, upgraded or not; the next is closed unanswered.
    pub connections: usize,
    /// Bytes of one incoming message; over it the connection ends with 1009.
    pub message_in: usize,
    /// Bytes of one outgoing message: CLI 2.1.332 hangs up on more than 16 MiB.
    pub message_out: usize,
    /// Calls of one session that wait for an answer at the same time.
    pub calls: usize,
    /// Notifications and replies that wait for a slow reader.
    pub outbox: usize,
    /// From this size on, in bytes, a message is parsed off the reactor.
    pub parse_aside: usize,
    /// A client that never asks for `tools/list` is ready this long after `notifications/initialized`.
    pub ready_unasked: Duration,
    /// How long the CLI has for the pings that show that it listens.
    pub ready_pings: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            sessions: 64,
            connections: 128,
            message_in: 64 << 20,
            message_out: 16 << 20,
            calls: 256,
            outbox: 256,
            parse_aside: 1 << 20,
            ready_unasked: Duration::from_secs(1),
            ready_pings: Duration::from_millis(500),
        }
    }
}
