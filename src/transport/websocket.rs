//! The WebSocket handshake (RFC 6455 section 4.2) and the framed stream after it.

use std::sync::Arc;

use http_body_util::Full;
use hyper::{
    HeaderMap, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{
        CONNECTION, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
        SEC_WEBSOCKET_VERSION, UPGRADE,
    },
    upgrade::OnUpgrade,
};
use hyper_util::rt::TokioIo;
use tokio::sync::watch;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        handshake::derive_accept_key,
        protocol::{Role, WebSocketConfig},
    },
};

use super::auth::Refusal;
use crate::{
    protocol::claude::SUBPROTOCOL,
    session::{self, hub::Hub},
};

/// The 101 response to a well-formed upgrade. Extensions are never negotiated.
///
/// # Errors
/// 426 for a request that asks for no upgrade or another version, 400 for one without a key.
pub fn accept(request: &Request<Incoming>) -> Result<Response<Full<Bytes>>, Refusal> {
    let headers = request.headers();
    if !has_token(headers, &CONNECTION, "upgrade") || !has_token(headers, &UPGRADE, "websocket") {
        return Err((StatusCode::UPGRADE_REQUIRED, "only a WebSocket upgrade is served here"));
    }
    if headers.get(SEC_WEBSOCKET_VERSION).map(HeaderValue::as_bytes) != Some(b"13") {
        return Err((StatusCode::UPGRADE_REQUIRED, "only WebSocket version 13 is served here"));
    }
    let Some(key) = headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == 24) else {
        return Err((StatusCode::BAD_REQUEST, "the upgrade has no usable Sec-WebSocket-Key"));
    };
    let accept = derive_accept_key(key.as_bytes());
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let answer = response.headers_mut();
    answer.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    answer.insert(UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(accept) = HeaderValue::from_str(&accept) {
        answer.insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    if has_token(headers, &SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL) {
        answer.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    }
    Ok(response)
}

/// Whether a comma-separated header holds this word, in any case and any of its lines.
fn has_token(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|token| token.trim().eq_ignore_ascii_case(word))
}

/// Runs the session once hyper has handed the connection over.
pub async fn upgraded(upgrade: OnUpgrade, hub: Arc<Hub>, shutdown: watch::Receiver<bool>) {
    let stream = match upgrade.await {
        Ok(stream) => TokioIo::new(stream),
        Err(e) => return log::debug!(target: "claudecode::http", "the upgrade came to nothing: {e}"),
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(hub.limits.message_in))
        .max_frame_size(Some(hub.limits.message_in));
    let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    session::run(socket, hub, shutdown).await;
}
