//! The bounded queue to Neovim's main loop. The network's thread puts in, `take` on the main thread takes out.

use std::collections::VecDeque;

use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::{Busy, Call, Editor, Event, doorbell::Doorbell};
use crate::protocol::jsonrpc::to_text;

/// A top-level string argument of at least this many bytes travels beside the JSON, not in it: a Lua string made of
/// bytes costs a copy, the same inside JSON costs a parse on the main thread.
const LONG: usize = 16 << 10;
/// Calls that wait; the next is refused.
const MAX_CALLS: usize = 4096;
/// Bytes of calls that wait; a call that would go over it is refused.
const MAX_BYTES: usize = 256 << 20;
/// Above this many messages no new connection is accepted.
const CROWDED: usize = 8192;

/// One message for Lua.
#[derive(Debug, PartialEq, Eq)]
pub struct Delivery {
    /// An object with `kind`, and the fields of the kind.
    pub json: String,
    /// Long string arguments by name, left out of the JSON.
    pub long: Vec<(String, String)>,
}

impl Delivery {
    fn of_call(call: Call) -> Self {
        let Call { call, client, tool, by_model, mut arguments } = call;
        let mut long = Vec::new();
        for (name, value) in &mut arguments {
            if let Value::String(text) = value
                && text.len() >= LONG
            {
                long.push((name.clone(), std::mem::take(text)));
            }
        }
        for (name, _) in &long {
            arguments.remove(name);
        }
        let mut json = Map::new();
        json.insert("kind".into(), "call".into());
        json.insert("call".into(), call.into());
        json.insert("client".into(), client.into());
        json.insert("tool".into(), tool.into());
        json.insert("by_model".into(), by_model.into());
        json.insert("arguments".into(), arguments.into());
        Self { json: to_text(&json), long }
    }

    fn bytes(&self) -> usize {
        self.json.len() + self.long.iter().map(|(_, text)| text.len()).sum::<usize>()
    }
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Delivery>,
    bytes: usize,
    doorbell: Option<Doorbell>,
    /// Whether the doorbell was rung since the queue was last found empty.
    rung: bool,
}

/// The queue. Its lock is held for a push or a pop, never for anything that waits.
#[derive(Default)]
pub struct Queue(Mutex<State>);

impl Queue {
    /// Lets a new reader in; the old one, if any, sees end of file.
    pub fn attach(&self, doorbell: Doorbell) {
        let mut state = self.0.lock();
        state.doorbell = Some(doorbell);
        state.rung = false;
        if !state.waiting.is_empty() {
            ring(&mut state);
        }
    }

    /// Shuts the reader out and forgets what waited.
    pub fn detach(&self) {
        *self.0.lock() = State::default();
    }

    /// The oldest message. None tells that the doorbell will ring for the next one.
    pub fn take(&self) -> Option<Delivery> {
        let mut state = self.0.lock();
        let next = state.waiting.pop_front();
        match &next {
            Some(delivery) => state.bytes -= delivery.bytes(),
            None => state.rung = false,
        }
        next
    }

    /// Rings again, for a reader that stops before the queue is empty.
    pub fn ring(&self) {
        ring(&mut self.0.lock());
    }

    fn push(&self, delivery: Delivery) {
        let mut state = self.0.lock();
        state.bytes += delivery.bytes();
        state.waiting.push_back(delivery);
        if !state.rung {
            ring(&mut state);
        }
    }
}

fn ring(state: &mut State) {
    if let Some(doorbell) = &mut state.doorbell {
        state.rung = true;
        doorbell.ring();
    }
}

impl Editor for Queue {
    fn call(&self, call: Call) -> Result<(), Busy> {
        let delivery = Delivery::of_call(call);
        {
            let state = self.0.lock();
            if state.waiting.len() >= MAX_CALLS || state.bytes + delivery.bytes() > MAX_BYTES {
                return Err(Busy);
            }
        }
        self.push(delivery);
        Ok(())
    }

    fn tell(&self, event: Event) {
        self.push(Delivery { json: to_text(&event), long: Vec::new() });
    }

    fn has_room(&self) -> bool {
        self.0.lock().waiting.len() < CROWDED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: Map<String, Value>) -> Call {
        Call { call: 7, client: 2, tool: "openDiff".into(), by_model: false, arguments }
    }

    #[test]
    fn long_strings_travel_beside_the_json() {
        let queue = Queue::default();
        let text = "x".repeat(LONG);
        let mut arguments = Map::new();
        arguments.insert("new_file_contents".into(), text.clone().into());
        arguments.insert("tab_name".into(), "t".into());
        assert_eq!(queue.call(call(arguments)), Ok(()));
        let got = queue.take().unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&got.json).unwrap(),
            serde_json::json!({"kind": "call", "call": 7, "client": 2, "tool": "openDiff", "by_model": false,
                "arguments": {"tab_name": "t"}})
        );
        assert_eq!(got.long, vec![("new_file_contents".into(), text)]);
    }

    #[test]
    fn calls_are_refused_when_too_many_wait_but_events_are_not() {
        let queue = Queue::default();
        for _ in 0..MAX_CALLS {
            assert_eq!(queue.call(call(Map::new())), Ok(()));
        }
        assert_eq!(queue.call(call(Map::new())), Err(Busy));
        queue.tell(Event::Ready { client: 1 });
        assert!(queue.take().is_some());
        assert_eq!(queue.call(call(Map::new())), Err(Busy), "the event took the place");
        queue.take();
        assert_eq!(queue.call(call(Map::new())), Ok(()));
    }

    #[test]
    fn bytes_are_bounded_and_given_back() {
        let queue = Queue::default();
        let big = || {
            let mut arguments = Map::new();
            arguments.insert("text".into(), "x".repeat(MAX_BYTES / 2).into());
            call(arguments)
        };
        assert_eq!(queue.call(big()), Ok(()));
        assert_eq!(queue.call(big()), Err(Busy));
        queue.take();
        assert_eq!(queue.call(big()), Ok(()));
    }

    #[cfg(unix)]
    #[test]
    fn the_doorbell_rings_once_until_the_queue_was_seen_empty() {
        use std::{fs::File, io::Read, os::fd::FromRawFd};
        let queue = Queue::default();
        let (doorbell, reader) = Doorbell::new().unwrap();
        queue.attach(doorbell);
        for client in 0..3 {
            queue.tell(Event::Ready { client });
        }
        while queue.take().is_some() {}
        queue.tell(Event::Ready { client: 9 });
        queue.detach();
        #[allow(unsafe_code)] // The descriptor is ours alone: `new` gave it away.
        let mut reader = unsafe { File::from_raw_fd(reader) };
        let mut rings = Vec::new();
        reader.read_to_end(&mut rings).unwrap();
        assert_eq!(rings, [1, 1]);
    }
}
