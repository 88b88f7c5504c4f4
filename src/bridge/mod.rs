//! The counter between the network and the editor: what crosses it, and the trait of the editor's side.

pub mod doorbell;
pub mod queue;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::protocol::hooks::Hook;

/// Names one connection for its whole life; never used twice.
pub type ClientId = u64;
/// Names one tool call for its whole life; never used twice.
pub type CallId = u64;

/// A tool call on its way to the editor, arguments already checked.
#[derive(Debug)]
pub struct Call {
    /// To answer with.
    pub call: CallId,
    /// Whose call it is.
    pub client: ClientId,
    /// The tool's listed name, also when an alias was called.
    pub tool: String,
    /// Whether the model asked for it, and not the client by itself.
    pub by_model: bool,
    /// As the tool's schema allows them.
    pub arguments: Map<String, Value>,
}

/// What the editor is told. Lua receives it as one JSON object with these names.
#[derive(Debug, Serialize, PartialEq, Eq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A call needs no answer any more.
    Ended {
        /// The call.
        call: CallId,
        /// `cancelled` or `disconnected`.
        reason: &'static str,
    },
    /// A client has introduced itself with `initialize`.
    Connected {
        /// The client.
        client: ClientId,
        /// Its name, for example `claude-code`.
        name: String,
        /// Its version.
        version: String,
    },
    /// A client has told its process id.
    Identified {
        /// The client.
        client: ClientId,
        /// The process id.
        pid: u32,
    },
    /// A client takes notifications from now on.
    Ready {
        /// The client.
        client: ClientId,
    },
    /// A client has told what it is doing.
    Hook {
        /// The client.
        client: ClientId,
        /// What it told.
        #[serde(flatten)]
        hook: Hook,
    },
    /// A client that was connected is gone.
    Disconnected {
        /// The client.
        client: ClientId,
        /// For the log: how it ended.
        reason: String,
    },
    /// Something the user should know.
    Fault {
        /// One sentence: what failed, and what to do.
        what: String,
    },
}

/// The editor has more calls waiting than it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy;

/// The editor as the sessions see it.
pub trait Editor: Send + Sync + 'static {
    /// Hands over a call; the answer comes through `Pending`.
    ///
    /// # Errors
    /// [`Busy`]: the call was not taken.
    fn call(&self, call: Call) -> Result<(), Busy>;

    /// Tells an event; never refused, since each is bounded by a connection or a call that was accepted.
    fn tell(&self, event: Event);

    /// Whether new connections are welcome; false while the editor is far behind.
    fn has_room(&self) -> bool;
}
