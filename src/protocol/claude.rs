//! The words that only Claude Code uses, beyond MCP.

use serde_json::{Map, Value};

/// Entry of a call's `_meta` when the model made it; the CLI's own calls lack it (2.1.332).
const TOOL_USE_ID: &str = "claudecode/toolUseId";

/// WebSocket subprotocol; CLI 2.1.332 drops the connection for good if it is not echoed.
pub const SUBPROTOCOL: &str = "mcp";
/// Header with the lock file's token.
pub const TOKEN_HEADER: &str = "x-claude-code-ide-authorization";
/// Notification of the CLI, right after `notifications/initialized`, with its process id.
pub const IDE_CONNECTED: &str = "ide_connected";
/// How the CLI names itself in `initialize`.
pub const CLIENT_NAME: &str = "claude-code";
/// Notification of ours: the user's selection or cursor.
pub const SELECTION_CHANGED: &str = "selection_changed";

/// The CLI's process id out of `ide_connected`. A hint for routing, never for ownership.
#[must_use]
pub fn peer_pid(params: &Map<String, Value>) -> Option<u32> {
    params.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok())
}

/// Whether the model asked for this `tools/call`, and not the CLI by itself.
#[must_use]
pub fn is_by_model(params: &Map<String, Value>) -> bool {
    params.get("_meta").is_some_and(|meta| meta.get(TOOL_USE_ID).is_some())
}
