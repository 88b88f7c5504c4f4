//! The words that only Claude Code uses, beyond MCP.

use serde_json::{Map, Value};

/// WebSocket subprotocol; CLI 2.1.332 drops the connection for good if it is not echoed.
pub const SUBPROTOCOL: &str = "mcp";
/// Header with the lock file's token.
pub const TOKEN_HEADER: &str = "x-claude-code-ide-authorization";
/// Notification of the CLI, right after `notifications/initialized`, with its process id.
pub const IDE_CONNECTED: &str = "ide_connected";
/// Notification of ours: the user's selection or cursor.
pub const SELECTION_CHANGED: &str = "selection_changed";

/// The CLI's process id out of `ide_connected`. A hint for routing, never for ownership.
#[must_use]
pub fn peer_pid(params: &Map<String, Value>) -> Option<u32> {
    params.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok())
}
