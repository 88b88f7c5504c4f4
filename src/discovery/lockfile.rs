//! The lock file `<port>.lock`: written whole or not at all, readable by its owner only, gone when the server is.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::workspace::{Places, folders};

/// How long a removal waits for a rewrite that is going on.
const PATIENCE: Duration = Duration::from_millis(50);
/// How editors of ours call themselves; the CLI shows it.
const NAME: &str = "Neovim";
/// Larger lock files are not ours.
const MAX_BYTES: u64 = 64 << 10;

/// What the CLI reads (2.1.332: pid, workspaceFolders, ideName, transport, authToken; the last is for WSL).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contents {
    /// Neovim's process id; the CLI deletes locks of dead processes.
    pub pid: u32,
    /// See [`folders`].
    pub workspace_folders: Vec<PathBuf>,
    /// `Neovim`, or `Neovim 2` and so on.
    pub ide_name: String,
    /// Always `ws`.
    pub transport: String,
    /// What clients must show.
    pub auth_token: String,
    /// Whether Neovim is a Windows program.
    #[serde(default)]
    pub running_in_windows: bool,
}

/// Another editor's lock, as far as it could be read.
#[derive(Debug)]
struct Other {
    path: PathBuf,
    port: u16,
    contents: Contents,
}

impl Other {
    fn is_ours(&self) -> bool {
        number_of(&self.contents.ide_name).is_some() && self.contents.transport == "ws"
    }
}

/// `Neovim` is 1, `Neovim 2` is 2; other names are no names of ours.
fn number_of(name: &str) -> Option<u32> {
    match name.strip_prefix(NAME)? {
        "" => Some(1),
        rest => rest.strip_prefix(' ')?.parse().ok().filter(|n| *n > 1),
    }
}

fn name_of(number: u32) -> String {
    if number == 1 { NAME.into() } else { format!("{NAME} {number}") }
}

/// Whether a process of this id lives.
#[cfg(unix)]
fn is_alive(pid: u32) -> bool {
    use nix::{errno::Errno, sys::signal::kill, unistd::Pid};
    let Ok(pid) = i32::try_from(pid) else { return false };
    pid > 0 && kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH)
}

/// Elsewhere nothing is known, so nothing is swept.
#[cfg(not(unix))]
fn is_alive(_pid: u32) -> bool {
    true
}

/// Locks of others in `dir` that can be read. What cannot is left alone by everybody.
fn others(dir: &Path, own_port: u16) -> Vec<Other> {
    let mut list = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let port = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
        let (Some(port), Some("lock")) = (port, path.extension().and_then(|e| e.to_str())) else { continue };
        if port == own_port || !entry.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES) {
            continue;
        }
        let contents = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(contents) = contents {
            list.push(Other { path, port, contents });
        }
    }
    list
}

/// Our lock file from the moment it is written until it is removed.
#[derive(Debug)]
pub struct Lockfile {
    dir: PathBuf,
    home: PathBuf,
    port: u16,
    /// None once it was removed: a rewrite that comes late must not bring it back.
    current: Mutex<Option<Contents>>,
}

impl Lockfile {
    /// Sweeps what dead editors of ours left behind and writes the lock file.
    ///
    /// # Errors
    /// The directory or the file cannot be written.
    pub fn create(dir: &Path, home: &Path, port: u16, pid: u32, token: &str, places: &Places) -> io::Result<Self> {
        create_private_dir(dir)?;
        for other in others(dir, port) {
            if other.is_ours() && !is_alive(other.contents.pid) {
                let _ = fs::remove_file(&other.path);
            }
        }
        let contents = Contents {
            pid,
            workspace_folders: Vec::new(),
            ide_name: String::new(),
            transport: "ws".into(),
            auth_token: token.into(),
            running_in_windows: cfg!(windows),
        };
        let lock = Self { dir: dir.into(), home: home.into(), port, current: Mutex::new(Some(contents)) };
        lock.refresh(places)?;
        Ok(lock)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.dir.join(format!("{}.lock", self.port))
    }

    /// What it says; None after it was removed.
    #[must_use]
    pub fn contents(&self) -> Option<Contents> {
        self.current.lock().clone()
    }

    /// Looks again at the places and at the other locks, and rewrites the file if that changes it or if it is gone.
    ///
    /// # Errors
    /// The file cannot be written; the one before stays.
    pub fn refresh(&self, places: &Places) -> io::Result<()> {
        let mut others = others(&self.dir, self.port);
        others.retain(|other| other.is_ours() && is_alive(other.contents.pid));
        let theirs: Vec<PathBuf> = others.iter().flat_map(|o| o.contents.workspace_folders.clone()).collect();
        let found = folders(places, &self.home, &theirs);
        let mut current = self.current.lock();
        let Some(now) = current.as_mut() else { return Ok(()) };
        let mut new = now.clone();
        new.workspace_folders = found;
        new.ide_name = self.name(&now.ide_name, &others);
        if new != *now || !self.path().exists() {
            // Somebody may have removed the directory meanwhile.
            create_private_dir(&self.dir)?;
            self.write(&new)?;
            *now = new;
        }
        Ok(())
    }

    /// The name before if it is still good, else the lowest that is free. Of two with one name the lower port keeps it.
    fn name(&self, before: &str, others: &[Other]) -> String {
        let is_good = |name: &str| !others.iter().any(|o| o.contents.ide_name == name && o.port < self.port);
        if !before.is_empty() && is_good(before) {
            return before.into();
        }
        let taken: Vec<u32> = others.iter().filter_map(|other| number_of(&other.contents.ide_name)).collect();
        name_of((1..u32::MAX).find(|number| !taken.contains(number)).unwrap_or(1))
    }

    fn write(&self, contents: &Contents) -> io::Result<()> {
        // In the same directory, so that the rename is one step; no `.lock` at its end, so that nobody reads it.
        let temporary = self.dir.join(format!(".{}.lock.{}", self.port, contents.pid));
        let _ = fs::remove_file(&temporary);
        let written = private_file(&temporary)
            .and_then(|mut file| file.write_all(&serde_json::to_vec(contents)?))
            .and_then(|()| fs::rename(&temporary, self.path()));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Removes the file, for good.
    pub fn remove(&self) {
        if let Some(mut current) = self.current.try_lock_for(PATIENCE) {
            *current = None;
        }
        let _ = fs::remove_file(self.path());
    }
}

#[cfg(unix)]
fn create_private_dir(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    // The mode of a directory that is there already is its owner's business; :checkhealth looks at it.
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

#[cfg(not(unix))]
fn create_private_dir(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)
}

/// A new file that only its owner can read.
pub(super) fn private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEAD: u32 = 0x7fff_fff0;

    fn lock(dir: &Path, port: u16) -> Lockfile {
        let places = Places { cwds: vec![dir.to_path_buf()], lsp: vec![] };
        Lockfile::create(&dir.join("ide"), Path::new("/nowhere"), port, std::process::id(), "t0ken", &places).unwrap()
    }

    fn leave(dir: &Path, port: u16, pid: u32, name: &str) -> PathBuf {
        let path = dir.join("ide").join(format!("{port}.lock"));
        fs::create_dir_all(dir.join("ide")).unwrap();
        let contents = serde_json::json!({"pid": pid, "workspaceFolders": [], "ideName": name, "transport": "ws", "authToken": "x"});
        fs::write(&path, contents.to_string()).unwrap();
        path
    }

    #[test]
    fn it_is_private_whole_and_gone_after_removal() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let lock = lock(dir.path(), 5001);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&lock.path()), mode(&dir.path().join("ide"))), (0o600, 0o700));
        let read: Contents = serde_json::from_slice(&fs::read(lock.path()).unwrap()).unwrap();
        assert_eq!(Some(read), lock.contents());
        lock.remove();
        lock.refresh(&Places { cwds: vec!["/tmp".into()], lsp: vec![] }).unwrap();
        assert_eq!(fs::read_dir(dir.path().join("ide")).unwrap().count(), 0, "a late rewrite does not bring it back");
    }

    #[test]
    fn a_rewrite_keeps_port_and_token() {
        let dir = tempfile::tempdir().unwrap();
        let lock = lock(dir.path(), 5001);
        let before = lock.contents().unwrap();
        lock.refresh(&Places { cwds: vec!["/usr".into()], lsp: vec![] }).unwrap();
        let after: Contents = serde_json::from_slice(&fs::read(lock.path()).unwrap()).unwrap();
        assert_eq!(after.workspace_folders, [PathBuf::from("/usr")]);
        assert_eq!((after.auth_token, after.ide_name), (before.auth_token, before.ide_name));
    }

    #[test]
    fn a_lock_that_was_removed_comes_back_with_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        let lock = lock(dir.path(), 5001);
        let places = Places { cwds: vec![dir.path().to_path_buf()], lsp: vec![] };
        fs::remove_dir_all(dir.path().join("ide")).unwrap();
        lock.refresh(&places).unwrap();
        assert!(lock.path().exists());
        fs::remove_dir_all(dir.path().join("ide")).unwrap();
        fs::write(dir.path().join("ide"), "").unwrap();
        assert!(lock.refresh(&places).is_err());
    }

    #[test]
    fn only_dead_locks_of_our_own_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let swept = [leave(dir.path(), 1, DEAD, "Neovim"), leave(dir.path(), 2, DEAD, "Neovim 12")];
        let kept = [
            leave(dir.path(), 3, DEAD, "Visual Studio Code"),
            leave(dir.path(), 4, std::process::id(), "Neovim"),
            leave(dir.path(), 5, std::process::id(), "Cursor"),
            leave(dir.path(), 6, DEAD, "Neovim the Other"),
        ];
        let broken = dir.path().join("ide/7.lock");
        fs::write(&broken, "{").unwrap();
        let lock = lock(dir.path(), 5001);
        assert!(swept.iter().all(|path| !path.exists()));
        assert!(kept.iter().all(|path| path.exists()) && broken.exists());
        assert_eq!(lock.contents().unwrap().ide_name, "Neovim 2", "the live one keeps its name");
    }

    #[test]
    fn the_lowest_free_name_is_taken_and_the_lower_port_wins() {
        let dir = tempfile::tempdir().unwrap();
        let first = lock(dir.path(), 5002);
        let second = lock(dir.path(), 5001);
        let third = lock(dir.path(), 5003);
        let names = || [&first, &second, &third].map(|lock| lock.contents().unwrap().ide_name);
        assert_eq!(names(), ["Neovim", "Neovim 2", "Neovim 3"]);
        leave(dir.path(), 5000, std::process::id(), "Neovim");
        first.refresh(&Places::default()).unwrap();
        assert_eq!(names()[0], "Neovim 4", "taken meanwhile by a lower port");
    }

    #[test]
    fn a_directory_that_is_a_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("ide"), "").unwrap();
        let made = Lockfile::create(&dir.path().join("ide"), Path::new("/"), 1, 1, "t", &Places::default());
        assert!(made.is_err());
    }
}
