//! The protocol's words as plain data: no IO, no async, no clock, no editor.

pub mod claude;
pub mod hooks;
pub mod jsonrpc;
pub mod mcp;
pub mod schema;
