//! Tests of the native side over real sockets, and of what the source tree must look like.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)] // A test may fail.

mod client;
mod conversation;
mod editors;
mod lifecycle;
mod msgpack;
mod neovim;
mod pattern;
mod peer;
mod process;
mod server;
mod stage;
mod text_selection;
mod tidy;
mod wire;
