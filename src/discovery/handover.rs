//! Port and token over Neovim's own `:restart`: the CLI retries with what it has and never reads a lock file again.

use std::{fs, io::Write, path::Path, time::Duration};

use serde::{Deserialize, Serialize};

use super::lockfile::private_file;
use crate::session::registry::now;

/// A file older than this is no longer of use: the CLI gives up after 13 s.
const FRESH: Duration = Duration::from_secs(20);

/// Where the server before was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// Its port.
    pub port: u16,
    /// Its token.
    pub token: String,
}

#[derive(Serialize, Deserialize)]
struct Note {
    #[serde(flatten)]
    address: Address,
    at: u64,
}

/// Leaves the address for the next process; a failure only costs the reconnection.
pub fn leave(path: &Path, address: &Address) {
    let _ = fs::remove_file(path);
    let note = Note { address: address.clone(), at: now() };
    let _ = path.parent().map(fs::create_dir_all);
    let written = private_file(path).and_then(|mut file| file.write_all(&serde_json::to_vec(&note)?));
    if let Err(e) = written {
        log::warn!(target: "claudecode::server", "cannot leave the address in {}: {e}", path.display());
    }
}

/// Takes the address that the process before left, if it is fresh. The file is gone afterwards.
#[must_use]
pub fn take(path: &Path) -> Option<Address> {
    let bytes = fs::read(path).ok()?;
    let _ = fs::remove_file(path);
    let note: Note = serde_json::from_slice(&bytes).ok()?;
    (now().saturating_sub(note.at) <= FRESH.as_secs()).then_some(note.address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_once_and_only_while_fresh() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("handover");
        let address = Address { port: 4242, token: "t".into() };
        leave(&path, &address);
        assert_eq!(take(&path), Some(address.clone()));
        assert_eq!(take(&path), None);
        fs::write(&path, serde_json::to_vec(&Note { address, at: now() - 21 }).unwrap()).unwrap();
        assert_eq!(take(&path), None);
    }
}
