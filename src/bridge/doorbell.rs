//! Wakes Neovim's main loop: one byte into a close-on-exec pipe that Lua reads through libuv.

use std::io::{self, PipeWriter, Write};
#[cfg(unix)]
use std::os::fd::IntoRawFd;

/// The writing end. Dropping it is end of file for the reader.
#[derive(Debug)]
pub struct Doorbell(PipeWriter);

impl Doorbell {
    /// A doorbell and the file descriptor of its reading end, which then belongs to the caller.
    #[cfg(unix)]
    pub fn new() -> io::Result<(Self, i32)> {
        let (reader, writer) = io::pipe()?;
        Ok((Self(writer), reader.into_raw_fd()))
    }

    /// Neovim outside Unix is not supported yet: libuv would want a named pipe there.
    #[cfg(not(unix))]
    pub fn new() -> io::Result<(Self, i32)> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "the doorbell pipe needs a Unix system"))
    }

    /// Rings. The queue sees to it that few bytes are ever unread, so this does not block.
    pub fn ring(&mut self) {
        // An error means that the reader is gone; the queue keeps what waits for the next one.
        let _ = self.0.write_all(&[1]);
    }
}
