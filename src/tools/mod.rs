//! The catalogue of tools: descriptors that Lua registers, and their list as clients see it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::protocol::jsonrpc::to_raw;

/// What Lua says of one tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Descriptor {
    /// The name on the wire.
    pub name: String,
    /// For the model, and for the CLI's permission dialog.
    pub description: String,
    /// JSON Schema of the arguments: an object.
    #[serde(rename = "inputSchema")]
    pub schema: Value,
    /// Other names that older clients use; not listed.
    #[serde(default, skip_serializing)]
    pub aliases: Vec<String>,
}

/// All tools by name, and the ready-made answer to `tools/list`.
#[derive(Debug)]
pub struct Catalog {
    tools: Vec<Descriptor>,
    by_name: HashMap<String, usize>,
    list: Box<RawValue>,
}

impl Catalog {
    /// A catalogue that lists the tools in the order given.
    #[must_use]
    pub fn new(tools: Vec<Descriptor>) -> Self {
        let list = to_raw(&serde_json::json!({ "tools": tools }));
        let mut by_name = HashMap::new();
        for (index, tool) in tools.iter().enumerate() {
            for name in std::iter::once(&tool.name).chain(&tool.aliases) {
                by_name.insert(name.clone(), index);
            }
        }
        Self { tools, by_name, list }
    }

    /// The tool of this name or alias.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Descriptor> {
        self.by_name.get(name).map(|index| &self.tools[*index])
    }

    /// The result of `tools/list`.
    #[must_use]
    pub fn list(&self) -> &RawValue {
        &self.list
    }
}
