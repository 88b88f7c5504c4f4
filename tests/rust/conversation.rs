//! Conversations: transcripts played over a real socket with a real Neovim of their own.
//!
//! A transcript is `tests/transcripts/NAME.jsonl`, one step a line, played from top to bottom. A step that waits gives
//! up after ten seconds. Texts may hold `${dir}` (the project), `${home}`, `${config}`, `${root}` (all of them lie in
//! it), `${pid}`, and `${port}` and `${token}` of the first lock file. `tests/rust/pattern.rs` says how a PATTERN fits.
//!
//! ```text
//! {"about": "what the next steps show"}
//! {"file": "a.txt", "text": "one\n"}            writes a file of the project;  "is" instead compares (null: no file)
//! {"link": "l.txt", "to": "a.txt"}              makes a symbolic link
//! {"neovim": {"args": [], "env": {}, "init": LUA, "setup": LUA, "cwd": "sub"}}   how Neovim starts; else as usual
//! {"nvim": LUA, "gives": PATTERN}               runs an expression or a chunk in Neovim
//! {"until": LUA}                                waits until it gives something true
//! {"keys": "ggVj<Esc>"}                         types
//! {"told": ["part of a message", …]}            all that the user was told since the last such step
//! {"log": "part of a line"}                     waits for it in the log
//! {"lock": PATTERN}                             waits for such a lock file of this Neovim;  null: for none
//! {"http": "GET /", "headers": {}, "status": 401, "gives": PATTERN}   a good upgrade but for these headers
//! {"client": "A"}                               connects, introduces itself, lists the tools;  "only": "upgrade" stops there
//! {"A": {"TOOL": {…}}, ANSWER}                  calls a tool and waits for its answer
//! {"A": {"TOOL": {…}}, "as": "diff"}            calls it and goes on;  {"A": "diff", ANSWER} waits
//! {"A>": {…} or "raw text"}  {"A!": "81 85 …"}  sends a message (jsonrpc is added);  sends bytes
//! {"A<": PATTERN}                               the next reply, or the next notification if the pattern has a method
//! {"A<<": PATTERN}                              the very next message
//! {"A pong": "68 69"}                           the next thing is a pong with these bytes
//! {"A-": 1002}                                  the server closes with this code;  null: without a close frame
//! {"gone": "A"}                                 drops the connection
//! ```
//! ANSWER is one of `"gives": "text"` (the only part), `"gives": PATTERN` (of its JSON), `"parts": PATTERN` (the texts),
//! `"fails": "part of the text"` (isError), `"error": [code, "part of the message"]`.
//!
//! At the end Neovim must be alive, without an error message and without a warning that no step expected.

use std::{fs, path::PathBuf, sync::LazyLock};

use super::stage::Stage;

static DIR: LazyLock<PathBuf> = LazyLock::new(|| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts").into());

macro_rules! transcripts {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { play(stringify!($name)) })*
    };
}

transcripts! {
    arguments clients diagnostics diff_accept diff_bytes diff_closed diff_dirty diff_ends diff_reject
    diff_replaced discovery documents folders frames global_options handshake home home_not_writable hooks jsonrpc
    library_broken library_missing life_cycle lock_dir_is_a_file mentions no_selection not_started open_editors
    open_file open_file_behind paths ports_taken restart selection selection_off throwing_tool wrong_options
}

#[test]
fn every_transcript_is_played() {
    let mut found: Vec<String> =
        fs::read_dir(&*DIR).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, NAMES.iter().map(|name| format!("{name}.jsonl")).collect::<Vec<_>>());
}

/// Names the step that is being played, should the test fail in it.
struct Step<'a>(&'a str, usize, &'a str);

impl Drop for Step<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self(name, number, line) = self;
            eprintln!("\ntests/transcripts/{name}.jsonl:{number}: {line}");
        }
    }
}

fn play(name: &str) {
    let text = fs::read_to_string(DIR.join(format!("{name}.jsonl"))).unwrap();
    let mut stage = Stage::new();
    for (index, line) in text.lines().enumerate() {
        let _step = Step(name, index + 1, line);
        stage.play(&serde_json::from_str(line).expect("a step is a JSON object"));
    }
    let _step = Step(name, text.lines().count() + 1, "the end");
    stage.end();
}
