//! One peer from handshake to close: reads, dispatches, waits for the editor's answers, writes.

pub mod dispatch;
pub mod draft;
pub mod hub;
pub mod outbox;
pub mod pending;
pub mod registry;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{Instant, sleep_until, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error as WsError, Message as Frame, error::ProtocolError, protocol::frame::coding::CloseCode},
};

use crate::{
    bridge::{CallId, ClientId, Event},
    protocol::jsonrpc::{self, Id, Message, Rejection},
};
use dispatch::{Connection, Step};
use hub::Hub;
use outbox::{Outbox, Outgoing};
use pending::Outcome;

/// How long a closing session waits for a peer that does not read.
const FAREWELL: Duration = Duration::from_millis(500);

/// Why a session ends: the close code to send, if any, and a word for the log.
struct End(Option<(CloseCode, &'static str)>, String);

/// Serves one upgraded connection until either side ends it.
pub async fn run<S>(socket: WebSocketStream<S>, hub: Arc<Hub>, mut shutdown: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sink, mut frames) = socket.split();
    let (outbox, writer) = outbox::spawn(sink, &hub);
    let client = hub.registry.add(outbox.clone());
    let mut session =
        Session { connection: Connection::new(client, hub.clone()), outbox, calls: FuturesUnordered::new() };
    let deadline = Instant::now() + hub.limits.handshake;
    let end = loop {
        let ready_at = session.connection.ready_at();
        tokio::select! {
            biased;
            () = hub::stopped(&mut shutdown) => break End(Some((CloseCode::Away, "Neovim stops")), "server stopped".into()),
            () = sleep_until(deadline), if !session.connection.is_initialized() => {
                break End(Some((CloseCode::Policy, "initialize did not come in time")), "no initialize".into());
            }
            () = at(ready_at), if ready_at.is_some() => {
                if let Some(ping) = session.connection.on_time()
                    && let Err(end) = session.send(ping).await { break end }
            }
            Some(answer) = session.calls.next() => {
                if let Err(end) = session.answer(answer).await { break end }
            }
            frame = frames.next() => {
                if let Err(end) = session.read(frame).await { break end }
            }
        }
    };
    session.finish(end, client).await;
    if timeout(FAREWELL, writer).await.is_err() {
        log::debug!(target: "claudecode::session", "client {client} did not read its close frame");
    }
}

async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// The editor's answer to a call, or None when the call ended without one.
type Answer = (CallId, Id, Option<Outcome>);
type Waiting = std::pin::Pin<Box<dyn Future<Output = Answer> + Send>>;

struct Session {
    connection: Connection,
    outbox: Outbox,
    calls: FuturesUnordered<Waiting>,
}

impl Session {
    async fn read(&mut self, frame: Option<Result<Frame, WsError>>) -> Result<(), End> {
        let text = match frame {
            None => return Err(End(None, "closed by the client".into())),
            Some(Err(e)) => return Err(ending(&e)),
            Some(Ok(Frame::Text(text))) => text,
            // The CLI sends text only; other clients have been seen to send their JSON as binary.
            Some(Ok(Frame::Binary(bytes))) => match bytes.try_into() {
                Ok(text) => text,
                Err(_) => {
                    return Err(End(Some((CloseCode::Invalid, "not UTF-8")), "binary frame that is not UTF-8".into()));
                }
            },
            Some(Ok(_)) => return Ok(()),
        };
        let parsed = if text.len() >= self.connection.hub().limits.parse_aside {
            let parse = tokio::task::spawn_blocking(move || jsonrpc::parse(&text));
            parse.await.unwrap_or(Ok(Message::Response { id: None }))
        } else {
            jsonrpc::parse(&text)
        };
        match parsed {
            Ok(message) => self.handle(message).await,
            Err(Rejection { id, code, message }) => self.send(jsonrpc::error(id.as_ref(), code, &message)).await,
        }
    }

    async fn handle(&mut self, message: Message) -> Result<(), End> {
        let id = if let Message::Request { id, .. } = &message { Some(id.clone()) } else { None };
        let connection = &mut self.connection;
        let step = std::panic::catch_unwind(AssertUnwindSafe(|| dispatch::dispatch(message, connection)));
        match step {
            Ok(Step::Nothing) => Ok(()),
            Ok(Step::Reply(text)) => self.send(text).await,
            Ok(Step::Wait { id, ticket }) => {
                let aside = self.connection.hub().limits.parse_aside;
                let waiting = async move {
                    let call = ticket.call();
                    let outcome = match ticket.answer().await {
                        Some(bytes) => Some(Outcome::read(bytes, aside).await),
                        None => None,
                    };
                    (call, id, outcome)
                };
                self.calls.push(waiting.boxed());
                Ok(())
            }
            // The panic hook has logged it.
            Err(_) => match id {
                Some(id) => self.send(jsonrpc::error(Some(&id), jsonrpc::INTERNAL_ERROR, "internal error")).await,
                None => Ok(()),
            },
        }
    }

    async fn answer(&mut self, (call, id, outcome): Answer) -> Result<(), End> {
        self.connection.closed(call);
        let text = match outcome {
            None => return Ok(()),
            Some(Outcome::Result(result)) => jsonrpc::result(&id, &result),
            Some(Outcome::Error { code, message }) => jsonrpc::error(Some(&id), code, &message),
        };
        let limit = self.connection.hub().limits.message_out;
        if text.len() > limit {
            let message = format!("the answer has {} bytes, more than the {limit} that a client takes", text.len());
            return self.send(jsonrpc::error(Some(&id), jsonrpc::INTERNAL_ERROR, &message)).await;
        }
        self.send(text).await
    }

    async fn send(&mut self, text: String) -> Result<(), End> {
        self.outbox.send(Outgoing::Text(text.into())).await.map_err(|_| End(None, "the client stopped reading".into()))
    }

    /// Ends every call that waits, takes the session off the register and says goodbye.
    async fn finish(mut self, End(close, reason): End, client: ClientId) {
        self.connection.end_all();
        let hub = self.connection.hub();
        hub.registry.remove(client);
        log::info!(target: "claudecode::session", "client {client}: {reason}");
        if self.connection.is_initialized() {
            hub.editor.tell(Event::Disconnected { client, reason });
        }
        if let Some((code, why)) = close {
            let _ = timeout(FAREWELL, self.outbox.send(Outgoing::Close(code, why))).await;
        }
    }
}

fn ending(error: &WsError) -> End {
    let close = match error {
        WsError::Utf8(_) => Some((CloseCode::Invalid, "invalid UTF-8")),
        WsError::Capacity(_) => Some((CloseCode::Size, "message too big")),
        WsError::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        WsError::Protocol(_) => Some((CloseCode::Protocol, "malformed frame")),
        _ => None,
    };
    End(close, error.to_string())
}
