//! Who is connected: one entry per WebSocket session.

use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::mpsc::error::TrySendError;

use super::outbox::{Outbox, Outgoing};
use crate::{bridge::ClientId, protocol::mcp::ClientInfo};

/// What is known of a peer; also what `status` shows of it.
#[derive(Debug, Clone, Serialize)]
pub struct Peer {
    /// The client's id.
    pub id: ClientId,
    /// Name and version from `initialize`.
    #[serde(flatten)]
    pub info: ClientInfo,
    /// Whether `initialize` has come.
    pub initialized: bool,
    /// Process id, if it told one.
    pub pid: Option<u32>,
    /// Whether it takes notifications.
    pub ready: bool,
    /// When it connected: seconds since 1970.
    pub since: u64,
}

/// Why a message did not go out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// The session has ended.
    #[error("client {0} is not connected")]
    Gone(ClientId),
    /// The peer does not read.
    #[error("client {0} does not read what it is sent")]
    Stuck(ClientId),
    /// The message is larger than clients take.
    #[error("the message has {0} bytes, more than a client takes")]
    TooBig(usize),
}

struct Entry {
    peer: Peer,
    outbox: Outbox,
}

#[derive(Default)]
struct State {
    last: ClientId,
    entries: BTreeMap<ClientId, Entry>,
}

/// The register. Its lock is held for a look-up, never for anything that waits.
#[derive(Default)]
pub struct Registry(Mutex<State>);

/// Seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Registry {
    /// Enters a new session under an id of its own.
    pub fn add(&self, outbox: Outbox) -> ClientId {
        let mut state = self.0.lock();
        state.last += 1;
        let id = state.last;
        let peer = Peer { id, info: ClientInfo::default(), initialized: false, pid: None, ready: false, since: now() };
        state.entries.insert(id, Entry { peer, outbox });
        id
    }

    /// Notes something about a session.
    pub fn note(&self, id: ClientId, change: impl FnOnce(&mut Peer)) {
        if let Some(entry) = self.0.lock().entries.get_mut(&id) {
            change(&mut entry.peer);
        }
    }

    /// Strikes a session.
    pub fn remove(&self, id: ClientId) {
        self.0.lock().entries.remove(&id);
    }

    /// Puts a message into a session's outbox without waiting.
    ///
    /// # Errors
    /// [`Undelivered`]: the message is not sent.
    pub fn send(&self, id: ClientId, message: Outgoing) -> Result<(), Undelivered> {
        let state = self.0.lock();
        let entry = state.entries.get(&id).ok_or(Undelivered::Gone(id))?;
        entry.outbox.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) => Undelivered::Stuck(id),
            TrySendError::Closed(_) => Undelivered::Gone(id),
        })
    }

    /// All peers, oldest first.
    pub fn peers(&self) -> Vec<Peer> {
        self.0.lock().entries.values().map(|entry| entry.peer.clone()).collect()
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.0.lock().entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
