//! What each method does. Knows messages and a connection, not where they came from.

use std::{collections::HashMap, sync::Arc, time::Duration};

use serde_json::{Map, Value, value::RawValue};
use tokio::time::Instant;

use super::{hub::Hub, pending::Ticket};
use crate::{
    bridge::{Call, CallId, ClientId, Event},
    protocol::{
        claude,
        hooks::{self, Hook},
        jsonrpc::{self, Id, Message},
        mcp::{self, ClientInfo},
        schema,
    },
};

/// What the session is to do next.
pub enum Step {
    /// Nothing to send.
    Nothing,
    /// Send this.
    Reply(String),
    /// The editor answers later.
    Wait {
        /// The request's id.
        id: Id,
        /// Where the answer arrives.
        ticket: Ticket,
    },
}

/// Pings that a CLI must answer, one after the other, before it is told anything.
const PINGS: u8 = 2;
/// Their id; we ask nothing else.
const PING_ID: &str = "claudecode.nvim/ready";

/// When a client may be told things: CLI 2.1.332 silently loses what comes before its first `tools/list` reply, and on a
/// busy machine also what comes before it has drawn its first screen. While it draws, it answers no ping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Readiness {
    /// Neither `notifications/initialized` nor `tools/list` has come.
    Far,
    /// `notifications/initialized` has come: ready then, unless it asks for the list before.
    Unasked(Instant),
    /// The first list was sent: ready then, or for the CLI, to be pinged then.
    Listed(Instant),
    /// A ping is out: ready when it and those `left` are answered, or then.
    Pinged { left: u8, until: Instant },
    /// The editor was told.
    Ready,
}

/// One peer's place in the protocol.
pub struct Connection {
    client: ClientId,
    hub: Arc<Hub>,
    initialized: bool,
    is_cli: bool,
    readiness: Readiness,
    /// Calls that wait for the editor, with the peer's ids for them.
    open: HashMap<CallId, Id>,
}

impl Connection {
    /// A connection that has said nothing yet.
    #[must_use]
    pub fn new(client: ClientId, hub: Arc<Hub>) -> Self {
        Self { client, hub, initialized: false, is_cli: false, readiness: Readiness::Far, open: HashMap::new() }
    }

    /// What all connections share.
    #[must_use]
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// Whether `initialize` has come.
    #[must_use]
    pub fn is_initialized(&self) -> bool {
        self.initialized
    }

    /// When to call [`Connection::on_time`].
    #[must_use]
    pub fn ready_at(&self) -> Option<Instant> {
        match self.readiness {
            Readiness::Unasked(at) | Readiness::Listed(at) | Readiness::Pinged { until: at, .. } => Some(at),
            Readiness::Far | Readiness::Ready => None,
        }
    }

    /// The editor has answered this call, or never will.
    pub fn closed(&mut self, call: CallId) {
        self.open.remove(&call);
    }

    /// The peer is gone: ends what waits.
    pub fn end_all(&mut self) {
        for (call, _) in self.open.drain() {
            self.hub.abandon(call, "disconnected");
        }
    }

    /// The peer no longer wants the answer to one of its requests. What is not open is no fault: the answer may have
    /// crossed with this.
    fn cancel(&mut self, request: &Value) {
        let found = self.open.iter().find(|(_, id)| id.same_as(request)).map(|(call, _)| *call);
        if let Some(call) = found {
            self.open.remove(&call);
            self.hub.abandon(call, "cancelled");
        }
    }

    /// The time has come that [`Connection::ready_at`] told. Returns what is to be sent.
    pub fn on_time(&mut self) -> Option<String> {
        if matches!(self.readiness, Readiness::Listed(_)) && self.is_cli {
            let until = Instant::now() + self.hub.limits.ready_pings;
            return Some(self.ping(PINGS - 1, until));
        }
        self.become_ready();
        None
    }

    fn ping(&mut self, left: u8, until: Instant) -> String {
        self.readiness = Readiness::Pinged { left, until };
        jsonrpc::request(PING_ID, "ping")
    }

    /// An answer has come; only pings are ever asked.
    fn answered(&mut self) -> Step {
        match self.readiness {
            Readiness::Pinged { left: 0, .. } => self.become_ready(),
            Readiness::Pinged { left, until } => return Step::Reply(self.ping(left - 1, until)),
            _ => {}
        }
        Step::Nothing
    }

    /// Tells the editor that this client listens now.
    fn become_ready(&mut self) {
        self.readiness = Readiness::Ready;
        self.hub.registry.note(self.client, |peer| peer.ready = true);
        self.hub.editor.tell(Event::Ready { client: self.client });
    }
}

/// Handles one message. Answers what needs no editor at once.
pub fn dispatch(message: Message, connection: &mut Connection) -> Step {
    match message {
        Message::Request { id, method, params } => request(id, &method, params, connection),
        Message::Notification { method, params } => {
            notification(&method, &params, connection);
            Step::Nothing
        }
        Message::Response { id: Some(id) } if id.same_as(&PING_ID.into()) => connection.answered(),
        Message::Response { .. } => Step::Nothing,
    }
}

fn request(id: Id, method: &str, params: Map<String, Value>, connection: &mut Connection) -> Step {
    match method {
        "initialize" => initialize(&id, &params, connection),
        "ping" => Step::Reply(jsonrpc::result(&id, &jsonrpc::to_raw(&Map::new()))),
        "tools/list" => {
            if matches!(connection.readiness, Readiness::Far | Readiness::Unasked(_)) {
                let delay = Duration::from_millis(connection.hub.manners.read().ready_delay_ms);
                connection.readiness = Readiness::Listed(Instant::now() + delay);
            }
            let catalog = connection.hub.catalog.read().clone();
            Step::Reply(jsonrpc::result(&id, catalog.list()))
        }
        "tools/call" => call_tool(id, params, connection),
        #[cfg(feature = "fault-injection")]
        "fault/panic" => panic!("asked for by the client"),
        _ => Step::Reply(jsonrpc::error(Some(&id), jsonrpc::METHOD_NOT_FOUND, &format!("no method {method}"))),
    }
}

fn initialize(id: &Id, params: &Map<String, Value>, connection: &mut Connection) -> Step {
    let hub = connection.hub.clone();
    let client = connection.client;
    let info = ClientInfo::of(params);
    connection.is_cli = info.name == claude::CLIENT_NAME;
    if !connection.initialized {
        connection.initialized = true;
        log::info!(target: "claudecode::session", "client {client} is {} {}", info.name, info.version);
        hub.admitted(format!("{} {}", info.name, info.version));
        let ClientInfo { name, version } = info.clone();
        hub.editor.tell(Event::Connected { client, name, version });
    }
    hub.registry.note(client, |peer| {
        peer.info = info;
        peer.initialized = true;
    });
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let manners = hub.manners.read();
    Step::Reply(jsonrpc::result(id, &mcp::initialize_result(asked, &manners.version, &manners.instructions)))
}

fn call_tool(id: Id, params: Map<String, Value>, connection: &mut Connection) -> Step {
    let invalid = |why: &str| Step::Reply(jsonrpc::error(Some(&id), jsonrpc::INVALID_PARAMS, why));
    let by_model = claude::is_by_model(&params);
    let (name, arguments) = match mcp::tool_call(params) {
        Ok(call) => call,
        Err(why) => return invalid(&why),
    };
    let hub = &connection.hub;
    if name == hooks::TOOL {
        return Step::Reply(jsonrpc::result(&id, &hook(Hook::of(&arguments), connection.client, hub)));
    }
    let catalog = hub.catalog.read().clone();
    let Some(tool) = catalog.get(&name) else {
        return invalid(&format!("no tool {name}"));
    };
    let arguments = match schema::check(&tool.schema, arguments) {
        Ok(arguments) => arguments,
        Err(why) => return invalid(&format!("{name}: {why}")),
    };
    let ticket = hub.pending.register();
    let (call, client) = (ticket.call(), connection.client);
    let taken = connection.open.len() < hub.limits.calls
        && hub.editor.call(Call { call, client, tool: tool.name.clone(), by_model, arguments }).is_ok();
    if !taken {
        return Step::Reply(jsonrpc::error(Some(&id), jsonrpc::TOOL_ERROR, "the editor is busy; try again"));
    }
    connection.open.insert(call, id.clone());
    Step::Wait { id, ticket }
}

/// Answers a hook here, so that no turn of Claude's waits for the editor; which is told.
fn hook(hook: Hook, client: ClientId, hub: &Hub) -> Box<RawValue> {
    let output = hook.output(hub.manners.read().ask_first);
    // One that is far behind is not told: unlike calls, hooks have no bound of their own.
    if hub.editor.has_room() {
        hub.editor.tell(Event::Hook { client, hook });
    }
    mcp::text_result(&output)
}

fn notification(method: &str, params: &Map<String, Value>, connection: &mut Connection) {
    match method {
        "notifications/initialized" if connection.readiness == Readiness::Far => {
            connection.readiness = Readiness::Unasked(Instant::now() + connection.hub.limits.ready_unasked);
        }
        "notifications/cancelled" => {
            if let Some(request) = params.get("requestId") {
                connection.cancel(request);
            }
        }
        claude::IDE_CONNECTED => {
            if let Some(pid) = claude::peer_pid(params) {
                let client = connection.client;
                connection.hub.registry.note(client, |peer| peer.pid = Some(pid));
                connection.hub.editor.tell(Event::Identified { client, pid });
            }
        }
        _ => {}
    }
}
