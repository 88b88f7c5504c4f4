//! Tests of the native side over real sockets, and of what the source tree must look like.

mod lifecycle;
mod peer;
mod server;
mod tidy;
mod wire;
