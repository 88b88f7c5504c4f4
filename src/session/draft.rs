//! The published selection: taken from the main thread as bytes, made a message when the first client is to get it.

use std::sync::OnceLock;

use serde_json::{Map, Value};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::protocol::{claude, jsonrpc};

/// One state of the selection, as Lua handed it over.
#[derive(Debug)]
pub struct Draft {
    head: Vec<u8>,
    text: Vec<u8>,
    message: OnceLock<Option<Utf8Bytes>>,
}

impl Draft {
    /// `head` is a JSON object with all params but `text`; `text` may hold any bytes.
    #[must_use]
    pub fn new(head: Vec<u8>, text: Vec<u8>) -> Self {
        Self { head, text, message: OnceLock::new() }
    }

    /// The whole notification; None when it is over `limit` bytes or `head` is no JSON object.
    pub fn message(&self, limit: usize) -> Option<Utf8Bytes> {
        self.message.get_or_init(|| self.compose(limit)).clone()
    }

    fn compose(&self, limit: usize) -> Option<Utf8Bytes> {
        let composed = serde_json::from_slice::<Map<String, Value>>(&self.head).map(|mut params| {
            params.insert("text".into(), String::from_utf8_lossy(&self.text).into());
            jsonrpc::notification(claude::SELECTION_CHANGED, &jsonrpc::to_raw(&params))
        });
        match composed {
            Ok(message) if message.len() <= limit => Some(message.into()),
            Ok(message) => {
                log::error!(target: "claudecode::session", "a selection of {} bytes is not sent", message.len());
                None
            }
            Err(e) => {
                let fault = crate::log::json_fault(&e);
                log::error!(target: "claudecode::session", "a selection that is no JSON object is not sent: {fault}");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_become_a_valid_message_and_too_much_becomes_none() {
        let draft = |text: &[u8]| Draft::new(b"{\"filePath\":\"/a\"}".to_vec(), text.to_vec());
        let message = draft(b"a\xff\0\"").message(1000).unwrap();
        let read: Value = serde_json::from_str(&message).unwrap();
        assert_eq!(read["params"], serde_json::json!({"filePath": "/a", "text": "a\u{fffd}\0\""}));
        assert_eq!(draft(&[b'x'; 1000]).message(1000), None);
        assert_eq!(Draft::new(b"[]".to_vec(), Vec::new()).message(1000), None);
    }
}
