//! Claude Code's hooks, as they come over the IDE connection: type `mcp_tool`, a call of a tool that is in no list.
//!
//! Seen in CLI 2.1.332: the text of the answer is the hook's output; `{}` lets things take their course.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The tool's name, as `lua/claudecode/terminal/hooks.lua` writes it into the CLI's hooks.
pub const TOOL: &str = "nvimHook";

/// What the CLI tells; what it has no value for is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Hook {
    /// The hook's event, for example `PreToolUse`.
    pub event: String,
    /// The CLI's session id.
    pub session: String,
    /// Its permission mode, for example `auto`.
    pub mode: String,
    /// The tool that the event is about.
    pub tool: String,
}

impl Hook {
    /// Reads a call's arguments. Those that are no strings count as missing.
    #[must_use]
    pub fn of(arguments: &Map<String, Value>) -> Self {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { event: text("event"), session: text("session"), mode: text("mode"), tool: text("tool") }
    }

    /// The hook's output. `ask_first`: each edit is asked for, so that it opens as a diff in every permission mode.
    #[must_use]
    pub fn output(&self, ask_first: bool) -> String {
        if !(ask_first && self.event == "PreToolUse") {
            return "{}".into();
        }
        let decision = json!({"hookEventName": "PreToolUse", "permissionDecision": "ask"});
        json!({ "hookSpecificOutput": decision }).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_before_a_tool_is_asked_for_and_only_if_the_user_wants_that() {
        let hook = |event: &str| Hook::of(json!({"event": event, "mode": "auto", "tool": 5}).as_object().unwrap());
        assert_eq!(hook("PreToolUse").output(false), "{}");
        assert_eq!(hook("PostToolUse").output(true), "{}");
        let asked: Value = serde_json::from_str(&hook("PreToolUse").output(true)).unwrap();
        assert_eq!(asked["hookSpecificOutput"]["permissionDecision"], "ask");
        assert_eq!(hook("x"), Hook { event: "x".into(), mode: "auto".into(), ..Hook::default() });
    }
}
