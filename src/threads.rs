//! Threads inside somebody else's process: named, and deaf to signals, which are Neovim's business.

use std::{io, thread};

/// Starts a thread. It is never joined: who needs its end watches a channel.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = thread::Builder::new().name(name.into());
    thread.spawn(move || {
        block_signals();
        body();
    })?;
    Ok(())
}

#[cfg(unix)]
fn block_signals() {
    if let Err(e) = nix::sys::signal::SigSet::all().thread_block() {
        log::warn!(target: "claudecode", "cannot block signals: {e}");
    }
}

#[cfg(not(unix))]
fn block_signals() {}
