//! Calls that the editor has not answered yet: id → who waits.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::{bridge::CallId, protocol::mcp};

/// The editor's answer.
#[derive(Debug)]
pub enum Outcome {
    /// The `result` of the reply.
    Result(Box<RawValue>),
    /// The `error` of the reply.
    Error {
        /// JSON-RPC error code.
        code: i32,
        /// For the peer.
        message: String,
    },
}

#[derive(Deserialize)]
struct Answer {
    result: Option<Box<RawValue>>,
    error: Option<AnswerError>,
}

#[derive(Deserialize)]
struct AnswerError {
    code: i32,
    message: String,
}

impl Outcome {
    /// Reads `{"result": …}` or `{"error": {"code", "message"}}` as Lua wrote it. Bytes that are not UTF-8 (a buffer
    /// may hold any) become U+FFFD. From `aside` bytes on this happens off the reactor.
    pub async fn read(bytes: Vec<u8>, aside: usize) -> Self {
        if bytes.len() < aside {
            return Self::of(&bytes);
        }
        let read = tokio::task::spawn_blocking(move || Self::of(&bytes));
        read.await.unwrap_or_else(|_| Self::broken("the answer could not be read"))
    }

    fn of(bytes: &[u8]) -> Self {
        match serde_json::from_str::<Answer>(&String::from_utf8_lossy(bytes)) {
            Ok(Answer { error: Some(AnswerError { code, message }), .. }) => Self::Error { code, message },
            Ok(Answer { result: Some(result), .. }) => Self::Result(result),
            Ok(_) => Self::broken("neither result nor error"),
            Err(e) => Self::broken(&crate::log::json_fault(&e)),
        }
    }

    fn broken(why: &str) -> Self {
        log::error!(target: "claudecode::session", "the editor's answer is no answer: {why}");
        Self::Result(mcp::failed_result("The editor's answer could not be sent; its log has the details."))
    }
}

type Table = Mutex<HashMap<CallId, oneshot::Sender<Vec<u8>>>>;

/// The table of open calls of all sessions.
#[derive(Default)]
pub struct Pending {
    last: AtomicU64,
    waiting: Arc<Table>,
}

/// Who waits for a call's answer. Dropped, it leaves the table, whatever ended the wait.
pub struct Ticket {
    call: CallId,
    answer: oneshot::Receiver<Vec<u8>>,
    waiting: Arc<Table>,
}

impl Ticket {
    /// The call.
    #[must_use]
    pub fn call(&self) -> CallId {
        self.call
    }

    /// The editor's answer; None when the call was ended without one.
    pub async fn answer(mut self) -> Option<Vec<u8>> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.waiting.lock().remove(&self.call);
    }
}

impl Pending {
    /// A new call.
    pub fn register(&self) -> Ticket {
        let call = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().insert(call, sender);
        Ticket { call, answer, waiting: self.waiting.clone() }
    }

    /// Hands the answer over; false when nobody waits for it (answered, cancelled, connection gone).
    pub fn complete(&self, call: CallId, answer: Vec<u8>) -> bool {
        let waiting = self.waiting.lock().remove(&call);
        waiting.is_some_and(|sender| sender.send(answer).is_ok())
    }

    /// Ends a call without an answer; false when it was not open.
    pub fn forget(&self, call: CallId) -> bool {
        self.waiting.lock().remove(&call).is_some()
    }

    /// How many calls wait.
    pub fn len(&self) -> usize {
        self.waiting.lock().len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
