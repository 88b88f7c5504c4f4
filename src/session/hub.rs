//! What all sessions of one server share.

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::{
    draft::Draft,
    outbox::Outgoing,
    pending::Pending,
    registry::{Registry, Undelivered, now},
};
use crate::{
    bridge::{CallId, ClientId, Editor, Event},
    config::Limits,
    protocol::jsonrpc,
    tools::Catalog,
};

/// Ends when the server is to stop.
pub async fn stopped(shutdown: &mut watch::Receiver<bool>) {
    // An error means that the server is gone already.
    let _ = shutdown.wait_for(|stop| *stop).await;
}

/// Whom a server lets in, what it tells them about itself, and when it thinks them ready.
#[derive(Debug, Clone, Default)]
pub struct Manners {
    /// The plugin's version.
    pub version: String,
    /// For the model.
    pub instructions: String,
    /// Milliseconds from the first `tools/list` reply to readiness.
    pub ready_delay_ms: u64,
    /// Extra names allowed in `Host`.
    pub allowed_hosts: Vec<String>,
    /// Whether edits are asked for that the CLI tells of beforehand.
    pub ask_first: bool,
}

/// Something that happened, with its time: for `:checkhealth`.
#[derive(Debug, Clone, Serialize)]
pub struct Incident {
    /// Seconds since 1970.
    pub at: u64,
    /// What happened, in one line.
    pub what: String,
}

/// The newest handshake and the newest refusal.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Journal {
    /// The last connection that was let in.
    pub last_handshake: Option<Incident>,
    /// The last one that was refused, or ended by a fault.
    pub last_error: Option<Incident>,
}

/// The shared state.
pub struct Hub {
    /// The way to the editor.
    pub editor: Arc<dyn Editor>,
    /// Bounds.
    pub limits: Limits,
    /// What clients must show to be let in.
    pub token: String,
    /// Manners, replaced when Lua starts anew.
    pub manners: RwLock<Manners>,
    /// Tools, replaced when Lua starts anew.
    pub catalog: RwLock<Arc<Catalog>>,
    /// Calls that wait.
    pub pending: Pending,
    /// Sessions.
    pub registry: Registry,
    /// The newest selection.
    pub published: watch::Sender<Option<Arc<Draft>>>,
    /// For `:checkhealth`.
    pub journal: Mutex<Journal>,
}

impl Hub {
    /// Tells one client something.
    ///
    /// # Errors
    /// [`Undelivered`]: nothing was sent.
    pub fn notify(&self, client: ClientId, method: &str, params: &RawValue) -> Result<(), Undelivered> {
        let text = jsonrpc::notification(method, params);
        if text.len() > self.limits.message_out {
            return Err(Undelivered::TooBig(text.len()));
        }
        self.registry.send(client, Outgoing::Text(text.into()))
    }

    /// Makes this the newest selection, for every client that follows. Cheap: the message is made elsewhere.
    pub fn publish(&self, draft: Draft) {
        self.published.send_replace(Some(Arc::new(draft)));
    }

    /// Ends a call that nobody waits for any more, and tells the editor once.
    pub fn abandon(&self, call: CallId, reason: &'static str) {
        if self.pending.forget(call) {
            self.editor.tell(Event::Ended { call, reason });
        }
    }

    /// Notes that a connection was let in.
    pub fn admitted(&self, what: String) {
        self.journal.lock().last_handshake = Some(Incident { at: now(), what });
    }

    /// Notes that a connection was refused or ended by a fault.
    pub fn fault(&self, what: String) {
        log::warn!(target: "claudecode::server", "{what}");
        self.journal.lock().last_error = Some(Incident { at: now(), what });
    }
}
