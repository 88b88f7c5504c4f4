//! The log file. Whoever logs never waits: lines go through a bounded channel to a thread that writes.
//!
//! Secrets and texts are never logged; only this crate's own records are taken, since a library may log frames.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    panic::{self, PanicHookInfo},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};

use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::{session::registry::now, threads};

/// The file never has more bytes: it is renamed to `….old`, over the one before, and a new one begun.
const MAX_BYTES: u64 = 1 << 20;
/// What is longer is cut.
const MAX_ENTRY: usize = 8 << 10;
/// Entries that wait; more are dropped rather than waited for.
const MAX_WAITING: usize = 1024;
/// Targets that are ours.
const OWN: &str = "claudecode";

/// Its thread begins with the first entry: most Neovims never write one.
struct Writer {
    path: PathBuf,
    thread: OnceLock<Option<SyncSender<String>>>,
}

static WRITER: OnceLock<Writer> = OnceLock::new();

impl Writer {
    fn thread(&self) -> Option<&SyncSender<String>> {
        let start = || {
            let (sender, entries) = sync_channel(MAX_WAITING);
            let path = self.path.clone();
            threads::spawn("claudecode-log", move || write(&path, &entries)).ok().map(|()| sender)
        };
        self.thread.get_or_init(start).as_ref()
    }
}

impl Log for Writer {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.target().starts_with(OWN)
    }

    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        if let Some(thread) = self.thread() {
            let _ = thread.try_send(entry(&utc(now()), record));
        }
    }

    fn flush(&self) {}
}

/// Opens the log at `path` (once; later calls only set the level) and sends panics there instead of to the screen.
pub fn open(path: &Path, level: LevelFilter) {
    log::set_max_level(level);
    let writer = WRITER.get_or_init(|| Writer { path: path.to_path_buf(), thread: OnceLock::new() });
    if log::set_logger(writer).is_ok() {
        panic::set_hook(Box::new(|info| log::error!(target: "claudecode", "{}", panic_words(info))));
    }
}

/// Only words that stand in the source: a message that was put together may quote the text it failed on.
fn panic_words(info: &PanicHookInfo) -> String {
    let place = info.location().map_or("?".into(), ToString::to_string);
    let words = info.payload().downcast_ref::<&'static str>().unwrap_or(&"(a message with values)");
    format!("panic at {place}: {words}")
}

/// Logs a line of Lua's.
pub fn write_line(level: Level, component: &str, text: &str) {
    log::log!(target: "claudecode::lua", level, "{component}: {text}");
}

/// What may be told of JSON that does not fit: not `serde_json`'s own words, as they quote the value.
#[must_use]
pub fn json_fault(error: &serde_json::Error) -> String {
    format!("{:?} error at line {}, column {}", error.classify(), error.line(), error.column())
}

/// An entry starts with its time; further lines of it are indented, so that none looks like another entry.
fn entry(time: &str, record: &Record) -> String {
    let mut text = format!("{time} {:5} {}: {}", record.level(), record.target(), record.args());
    if text.len() > MAX_ENTRY {
        let end = (0..=MAX_ENTRY).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
        text.truncate(end);
        text.push('…');
    }
    text.replace('\r', " ").replace('\n', "\n    ") + "\n"
}

fn write(path: &Path, entries: &Receiver<String>) {
    for entry in entries {
        let _ = append(path, &entry, MAX_BYTES);
    }
}

/// Looks at the file each time: other Neovims write there too, and somebody may have removed it.
fn append(path: &Path, entry: &str, limit: u64) -> io::Result<()> {
    let size = fs::metadata(path).map_or(0, |meta| meta.len());
    if size > 0 && size + entry.len() as u64 > limit {
        fs::rename(path, path.with_extension("log.old"))?;
    }
    let mut file = match private_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            path.parent().map(fs::create_dir_all).transpose()?;
            private_file(path)?
        }
        opened => opened?,
    };
    file.write_all(entry.as_bytes())
}

/// To append to; one that is made is for its owner only.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Seconds since 1970 as `2026-11-30T22:05:00Z`.
fn utc(seconds: u64) -> String {
    // Days to a civil date: shift the year to March, so that the leap day is its last.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_json_quotes_no_value() {
        let error = serde_json::from_str::<i32>("\"hush\"").unwrap_err();
        assert!(error.to_string().contains("hush"));
        assert_eq!(json_fault(&error), "Data error at line 1, column 6");
    }

    fn entry_of(text: &str) -> String {
        entry("T", &Record::builder().level(Level::Info).target("t").args(format_args!("{text}")).build())
    }

    #[test]
    fn an_entry_is_no_longer_than_allowed_and_looks_like_one() {
        assert_eq!(entry_of("a\nb\r\nc"), "T INFO  t: a\n    b \n    c\n");
        let long = entry_of(&"日本".repeat(MAX_ENTRY));
        assert!(long.len() <= MAX_ENTRY + 4 && long.ends_with("…\n"), "{}", long.len());
    }

    #[test]
    fn neither_file_is_ever_larger_than_the_limit_whoever_else_writes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/claudecode.log");
        let old = path.with_extension("log.old");
        let size = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
        for number in 0..100 {
            append(&path, &format!("{number:09}\n"), 95).unwrap();
            assert!(size(&path) <= 95 && size(&old) <= 95);
            if number % 10 == 0 {
                fs::write(&path, "another Neovim began a new one\n").unwrap();
            }
        }
        assert!(fs::read_to_string(&path).unwrap().ends_with("000000099\n"), "the newest is in the file");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_was_removed_comes_back_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("claudecode.log");
        for _ in 0..2 {
            append(&path, "line\n", 100).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "line\n");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn times_read_as_utc() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_796_076_300), "2026-11-30T22:05:00Z");
    }
}
