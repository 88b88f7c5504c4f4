//! What goes to one peer: replies and notifications in order, and the newest selection when there is time for it.

use std::sync::Arc;

use futures_util::{Sink, SinkExt};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};
use tokio_tungstenite::tungstenite::{
    Message as Frame, Utf8Bytes,
    protocol::{CloseFrame, frame::coding::CloseCode},
};

use super::{draft::Draft, hub::Hub};

/// One thing to write.
#[derive(Debug)]
pub enum Outgoing {
    /// A message.
    Text(Utf8Bytes),
    /// From here on, write the published state too, whenever it changes.
    Follow,
    /// A close frame; nothing after it.
    Close(CloseCode, &'static str),
}

/// The way to a peer. Bounded: a peer that does not read stops its own session, and nobody else.
pub type Outbox = mpsc::Sender<Outgoing>;

/// Starts the task that writes into `sink`.
pub fn spawn<S>(sink: S, hub: &Arc<Hub>) -> (Outbox, JoinHandle<()>)
where
    S: Sink<Frame> + Unpin + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(hub.limits.outbox);
    let published = hub.published.subscribe();
    (sender, tokio::spawn(write(sink, receiver, published, hub.limits.message_out)))
}

async fn write<S>(
    mut sink: S,
    mut outbox: mpsc::Receiver<Outgoing>,
    mut published: watch::Receiver<Option<Arc<Draft>>>,
    limit: usize,
) where
    S: Sink<Frame> + Unpin,
{
    let mut following = false;
    let mut last: Option<Utf8Bytes> = None;
    loop {
        let frame = tokio::select! {
            biased;
            next = outbox.recv() => match next {
                Some(Outgoing::Text(text)) => Frame::Text(text),
                Some(Outgoing::Follow) => {
                    following = true;
                    published.mark_changed();
                    continue;
                }
                Some(Outgoing::Close(code, reason)) => {
                    let _ = sink.send(Frame::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
                    return;
                }
                None => return,
            },
            changed = published.changed(), if following => {
                if changed.is_err() {
                    following = false;
                    continue;
                }
                let newest = published.borrow_and_update().clone();
                match newest.and_then(|draft| draft.message(limit)) {
                    Some(text) if last.as_ref() != Some(&text) => {
                        last = Some(text.clone());
                        Frame::Text(text)
                    }
                    _ => continue,
                }
            }
        };
        if sink.feed(frame).await.is_err() || (outbox.is_empty() && sink.flush().await.is_err()) {
            return;
        }
    }
}
