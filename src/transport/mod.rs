//! From TCP to a session: HTTP, who is let in, and the WebSocket upgrade.

pub mod auth;
pub mod http;
pub mod websocket;
