//! Tests of the native side over real sockets, and of what the source tree must look like.

mod client;
mod conversation;
mod lifecycle;
mod msgpack;
mod neovim;
mod pattern;
mod peer;
mod process;
mod server;
mod stage;
mod tidy;
mod wire;
