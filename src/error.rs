//! What can go wrong before the server runs; each text names the value at fault and what to do.

use std::{io, path::PathBuf};

/// Why the server did not start. Shown to the user as it is.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration that Lua handed over is not what [`crate::config::Config`] reads.
    #[error("the configuration does not fit this native library: {0}; build it again with :ClaudeCodeBuild")]
    Config(#[from] serde_json::Error),
    /// `port_range` is empty or holds port 0.
    #[error("port_range is {min} to {max}: it must run from a lower to a higher port, 1 to 65535")]
    PortRange {
        /// First port of the range.
        min: u16,
        /// Last port of the range.
        max: u16,
    },
    /// Every port of the range is taken.
    #[error("no port from {min} to {max} is free on 127.0.0.1 (last error: {last}); widen port_range")]
    PortsTaken {
        /// First port of the range.
        min: u16,
        /// Last port of the range.
        max: u16,
        /// What the system said of the last port tried.
        last: io::Error,
    },
    /// The operating system gave no random bytes: better no server than a token one can guess.
    #[error("the system's random source failed ({0}); without it no safe token can be made, so no server is started")]
    Random(getrandom::Error),
    /// The lock file, by which a CLI finds this editor, could not be written.
    #[error("cannot write the lock file in {}: {source}; Claude finds Neovim by it, so make that directory writable or set CLAUDE_CONFIG_DIR", dir.display())]
    Lock {
        /// Where it should have been.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A pipe, socket or thread could not be made.
    #[error("cannot {what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}
