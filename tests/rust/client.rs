//! A client in a transcript: what it sends, calls and expects.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    pattern::fits,
    peer::{Got, Peer},
};

/// A client of a transcript.
pub struct Client {
    peer: Peer,
    /// Came while something else was waited for.
    kept: Vec<Value>,
    /// Calls that were not waited for yet: name → id.
    calls: HashMap<String, Value>,
    last: u64,
}

impl Client {
    /// A client that is connected.
    pub fn new(peer: Peer) -> Self {
        Self { peer, kept: Vec::new(), calls: HashMap::new(), last: 0 }
    }

    /// Drops the connection.
    pub fn vanish(self) {
        self.peer.vanish();
    }

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

    /// Plays a step of this client: what stands behind its name, what that has, and the whole step.
    pub fn play(&mut self, how: &str, with: &Value, step: &Value) {
        match how {
            ">" => self.send(with.clone()),
            "<" => fits(with, &self.next_like(with)),
            "<<" => {
                let kept = (!self.kept.is_empty()).then(|| self.kept.remove(0));
                fits(with, &kept.unwrap_or_else(|| self.peer.message()));
            }
            " pong" => assert_eq!(self.peer.next(), Got::Pong(bytes(with.as_str().expect("hex digits")))),
            "!" => self.peer.raw(&bytes(with.as_str().expect("hex digits"))),
            "-" => {
                let code = with.as_u64().map(|code| u16::try_from(code).unwrap());
                let end = loop {
                    match self.peer.next() {
                        Got::Text(_) | Got::Pong(_) => {}
                        end => break end,
                    }
                };
                assert_eq!(end, code.map_or(Got::Gone, |code| Got::Close(Some(code))));
            }
            "" => {
                let id = match with {
                    Value::String(call) => self.calls.remove(call).expect("a call of this name"),
                    call => self.call(call),
                };
                match &step["as"] {
                    Value::String(call) => drop(self.calls.insert(call.clone(), id)),
                    _ => answers(step, &self.take(|message| message["id"] == id)),
                }
            }
            _ => panic!("a client has no step \"{how}\""),
        }
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
