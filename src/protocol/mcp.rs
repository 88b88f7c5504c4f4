//! The Model Context Protocol over JSON-RPC: what `initialize`, `tools/list` and `tools/call` say.

use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use super::jsonrpc::to_raw;

/// Revisions that a client may ask for, oldest first. CLI 2.1.332 asks for the newest.
pub const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Who a client says it is, in `initialize`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ClientInfo {
    /// For example `claude-code`.
    pub name: String,
    /// For example `2.1.332`.
    pub version: String,
}

impl ClientInfo {
    /// Reads `params.clientInfo`; what is missing or no string stays empty, what is long is cut.
    #[must_use]
    pub fn of(params: &Map<String, Value>) -> Self {
        let info = params.get("clientInfo");
        let field = |name: &str| {
            let text = info.and_then(|i| i.get(name)).and_then(Value::as_str).unwrap_or_default();
            text.chars().filter(|c| !c.is_control()).take(100).collect()
        };
        Self { name: field("name"), version: field("version") }
    }
}

/// The revision to answer with: the client's own if we know it, else our newest.
#[must_use]
pub fn negotiate(asked: Option<&str>) -> &'static str {
    VERSIONS.iter().find(|known| Some(**known) == asked).unwrap_or(&VERSIONS[VERSIONS.len() - 1])
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InitializeResult<'a> {
    protocol_version: &'a str,
    // Only tools: for `prompts` or `resources` the CLI would fetch lists, and lose what it is told meanwhile.
    capabilities: Value,
    server_info: Value,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
}

/// The result of `initialize`.
#[must_use]
pub fn initialize_result(asked: Option<&str>, version: &str, instructions: &str) -> Box<RawValue> {
    to_raw(&InitializeResult {
        protocol_version: negotiate(asked),
        capabilities: serde_json::json!({"tools": {"listChanged": true}}),
        server_info: serde_json::json!({"name": "claudecode.nvim", "title": "Neovim", "version": version}),
        instructions,
    })
}

/// A tool call's result with one text part, marked as failed.
#[must_use]
pub fn failed_result(text: &str) -> Box<RawValue> {
    to_raw(&serde_json::json!({"content": [{"type": "text", "text": text}], "isError": true}))
}

/// The result of a tool that has done its work.
#[must_use]
pub fn text_result(text: &str) -> Box<RawValue> {
    to_raw(&serde_json::json!({"content": [{"type": "text", "text": text}]}))
}

/// Name and arguments of a `tools/call`.
///
/// # Errors
/// One sentence for the peer, to be sent with -32602.
pub fn tool_call(mut params: Map<String, Value>) -> Result<(String, Map<String, Value>), String> {
    let Some(Value::String(name)) = params.remove("name") else {
        return Err("tools/call needs params.name, a string".into());
    };
    match params.remove("arguments") {
        None | Some(Value::Null) => Ok((name, Map::new())),
        Some(Value::Object(arguments)) => Ok((name, arguments)),
        Some(_) => Err(format!("{name}: arguments must be an object")),
    }
}
