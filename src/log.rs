//! The log file. Whoever logs never waits: lines go through a bounded channel to a thread that writes.
//!
//! Secrets and texts are never logged; only this crate's own records are taken, since a library may log frames.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    panic,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};

use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::{session::registry::now, threads};

/// Bytes after which the file is renamed to `….old`, over the one before.
const MAX_BYTES: u64 = 1 << 20;
/// Lines that wait; more are dropped rather than waited for.
const MAX_WAITING: usize = 1024;
/// Targets that are ours.
const OWN: &str = "claudecode";

struct Writer(SyncSender<String>);

static WRITER: OnceLock<Writer> = OnceLock::new();

impl Log for Writer {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.target().starts_with(OWN)
    }

    fn log(&self, record: &Record) {
        if self.enabled(record.metadata()) {
            let line = format!("{} {:5} {}: {}\n", utc(now()), record.level(), record.target(), record.args());
            let _ = self.0.try_send(line);
        }
    }

    fn flush(&self) {}
}

/// Opens the log at `path` (once; later calls only set the level) and sends panics there instead of to the screen.
pub fn open(path: &Path, level: LevelFilter) {
    log::set_max_level(level);
    let mut receiver = None;
    let writer = WRITER.get_or_init(|| {
        let (sender, lines) = sync_channel(MAX_WAITING);
        receiver = Some(lines);
        Writer(sender)
    });
    let Some(lines) = receiver else { return };
    let path = path.to_path_buf();
    let spawned = threads::spawn("claudecode-log", move || write(&path, &lines));
    if spawned.is_ok() && log::set_logger(writer).is_ok() {
        panic::set_hook(Box::new(|info| log::error!(target: "claudecode", "panic: {info}")));
    }
}

/// Logs a line of Lua's.
pub fn write_line(level: Level, component: &str, text: &str) {
    log::log!(target: "claudecode::lua", level, "{component}: {text}");
}

fn write(path: &PathBuf, lines: &Receiver<String>) {
    let mut file: Option<(File, u64)> = None;
    for line in lines {
        if file.as_ref().is_some_and(|(_, size)| *size > MAX_BYTES) {
            file = None;
            let _ = fs::rename(path, path.with_extension("log.old"));
        }
        if file.is_none() {
            let _ = path.parent().map(fs::create_dir_all);
            file = OpenOptions::new().create(true).append(true).open(path).ok().map(|file| {
                let size = file.metadata().map_or(0, |meta| meta.len());
                (file, size)
            });
        }
        if let Some((file, size)) = &mut file {
            *size += line.len() as u64;
            let _ = file.write_all(line.as_bytes());
        }
    }
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
    fn times_read_as_utc() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_796_076_300), "2026-11-30T22:05:00Z");
    }
}
