//! The native half of claudecode.nvim: the map of its modules, and nothing else.
//!
//! Rust owns the wire and everything that waits; Lua owns the editor. `doc/architecture.md` tells the whole story.

pub mod at_exit;
pub mod bridge;
pub mod config;
pub mod discovery;
pub mod error;
pub mod log;
pub mod protocol;
pub mod server;
pub mod session;
pub mod text;
pub mod threads;
pub mod tools;
pub mod transport;

#[cfg(feature = "nvim")]
mod lua_api;
