//! One TCP connection: an HTTP request that is either upgraded or gets a proper status.

use std::{convert::Infallible, sync::Arc};

use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{ALLOW, CONTENT_TYPE, UPGRADE},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, watch},
};

use super::{auth, websocket};
use crate::session::hub::{self, Hub};

/// Serves a connection up to its upgrade or refusal; an upgraded one takes its permit along.
pub async fn serve(stream: TcpStream, hub: Arc<Hub>, shutdown: watch::Receiver<bool>, permit: OwnedSemaphorePermit) {
    // Small frames must not wait for more; without it a call costs up to 40 ms.
    let _ = stream.set_nodelay(true);
    let permit = Arc::new(permit);
    let service = service_fn(|request| {
        let answer = answer(request, &hub, &shutdown, &permit);
        async { Ok::<_, Infallible>(answer) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(hub.limits.handshake)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut stop = shutdown.clone();
    tokio::select! {
        result = connection => if let Err(e) = result {
            // Also a bare connect and close, with which the CLI probes a port.
            log::debug!(target: "claudecode::http", "{e}");
        },
        () = hub::stopped(&mut stop) => {}
    }
}

fn answer(
    mut request: Request<Incoming>,
    hub: &Arc<Hub>,
    shutdown: &watch::Receiver<bool>,
    permit: &Arc<OwnedSemaphorePermit>,
) -> Response<Full<Bytes>> {
    let accept = match admit(&request, hub) {
        Ok(accept) => accept,
        Err((status, why)) => {
            hub.fault(format!("connection refused with {status}: {why}"));
            return refusal(status, why);
        }
    };
    if hub.registry.len() >= hub.limits.sessions || !hub.editor.has_room() {
        hub.fault(format!("connection refused: {} clients are connected", hub.registry.len()));
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "too many clients");
    }
    let upgrade = hyper::upgrade::on(&mut request);
    let session = websocket::upgraded(upgrade, hub.clone(), shutdown.clone());
    let permit = permit.clone();
    tokio::spawn(async move {
        session.await;
        drop(permit);
    });
    accept
}

/// The response to a good upgrade, or what to refuse it with.
fn admit(request: &Request<Incoming>, hub: &Hub) -> Result<Response<Full<Bytes>>, auth::Refusal> {
    // First the checks that say nothing about the token.
    if request.method() != Method::GET {
        return Err((StatusCode::METHOD_NOT_ALLOWED, "only a WebSocket upgrade (GET) is served here"));
    }
    let accept = websocket::accept(request)?;
    auth::check(request.headers(), &hub.token, &hub.manners.read().allowed_hosts)?;
    Ok(accept)
}

fn refusal(status: StatusCode, why: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(why.as_bytes())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("text/plain; charset=utf-8"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, hyper::header::HeaderValue::from_static("GET"));
    }
    if status == StatusCode::UPGRADE_REQUIRED {
        headers.insert(UPGRADE, hyper::header::HeaderValue::from_static("websocket"));
        headers.insert("sec-websocket-version", hyper::header::HeaderValue::from_static("13"));
    }
    response
}
