//! The library inside a real process: its end, signals, children, other libraries, panics, large messages.

use std::{fs, path::Path, process::Command, time::Duration};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::{
    neovim::{Neovim, Place, Wish},
    peer::{Got, Peer, dial, http, upgrade_head},
    server::until,
};

fn open_diff(peer: &mut Peer, neovim: &mut Neovim, path: &Path, text: &str) -> u64 {
    let arguments = json!({"old_file_path": path, "new_file_path": path, "new_file_contents": text, "tab_name": "t"});
    let id = peer.start("tools/call", json!({"name": "openDiff", "arguments": arguments}));
    until("the diff is open", || neovim.lua("return proposal('t')") == true);
    id
}

/// Ends an editor with a client and an open diff, and looks at what is left.
fn ends_well(end: impl FnOnce(&mut Neovim)) {
    let place = Place::new();
    let file = place.write("a.txt", "one\n");
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    let mut peer = lock.connect();
    open_diff(&mut peer, &mut neovim, &file, "two\n");
    end(&mut neovim);
    neovim.ended();
    assert!(!lock.path.exists(), "the lock file goes");
    assert_eq!(fs::read_dir(place.config.join("ide")).unwrap().count(), 0, "and nothing else stays");
    // The close frame has 30 ms; on a busy machine the connection just ends.
    let got = peer.next_but_notifications();
    assert!(matches!(got, Got::Close(Some(1001)) | Got::Gone), "no answer, the CLI's own dialog stays open: {got:?}");
    assert_eq!(fs::read_to_string(file).unwrap(), "one\n");
    assert!(!neovim.said().contains("panick"), "{}", neovim.said());
}

#[test]
fn quitting_takes_the_lock_along_and_answers_nothing() {
    ends_well(|neovim| neovim.send("vim.cmd('qa')"));
    ends_well(|neovim| neovim.send("vim.cmd('qa!')"));
    ends_well(|neovim| neovim.send("vim.cmd('cquit')"));
}

#[test]
fn a_signal_takes_the_lock_along_and_answers_nothing() {
    ends_well(|neovim| neovim.signal(Signal::SIGTERM));
    ends_well(|neovim| neovim.signal(Signal::SIGHUP));
}

#[test]
fn quitting_waits_for_no_client_that_does_not_read() {
    let place = Place::new();
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    let mut deaf = lock.connect();
    let text = "x".repeat(4 << 20);
    neovim.lua(
        "_G.calls = 0 require('claudecode.tools.open_file').run = function(args, ctx) \
         calls = calls + 1 ctx:text(args.filePath) end",
    );
    for _ in 0..6 {
        deaf.start("tools/call", json!({"name": "openFile", "arguments": {"filePath": text}}));
    }
    until("replies are on their way", || neovim.lua("return calls").as_u64() >= Some(3));
    neovim.lua("_G.begun = vim.uv.hrtime() require('claudecode').stop() _G.took = (vim.uv.hrtime() - begun) / 1e6");
    let took = neovim.lua("return took").as_f64().unwrap();
    assert!(took < 200.0, "{took} ms, of which 50 are the server's");
    neovim.send("vim.cmd('qa!')");
    assert!(neovim.ended().success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_suspended_editor_goes_on_where_it_was() {
    let place = Place::new();
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    let mut peer = lock.connect();
    neovim.signal(Signal::SIGTSTP);
    neovim.signal(Signal::SIGSTOP);
    let state = format!("/proc/{}/stat", neovim.pid());
    until("it stands still", || fs::read_to_string(&state).unwrap().contains(") T "));
    let id = peer.start("tools/call", json!({"name": "getOpenEditors"}));
    assert!(peer.is_silent_for(Duration::from_millis(100)));
    neovim.signal(Signal::SIGCONT);
    assert!(peer.reply(id)["result"].is_object());
    assert!(neovim.is_running());
}

#[test]
fn what_needs_no_editor_is_answered_while_the_editor_waits_for_a_key() {
    let place = Place::new();
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    neovim.send("vim.fn.getchar()");
    let mut peer = lock.connect();
    assert_eq!(peer.request("ping", Value::Null)["result"], json!({}));
    let id = peer.start("tools/call", json!({"name": "getOpenEditors"}));
    neovim.input("x");
    assert!(peer.reply(id)["result"].is_object(), "the rest when it listens again");
}

#[cfg(target_os = "linux")]
#[test]
fn children_of_the_editor_inherit_nothing() {
    let place = Place::new();
    let mut neovim = Neovim::start(&place, &Wish::default());
    let job = "local lines = {} vim.fn.jobwait({ vim.fn.jobstart({ 'sh', '-c', 'ls -l /proc/self/fd | wc -l' }, \
               { stdout_buffered = true, on_stdout = function(_, out) lines = out end }) }) return lines[1]";
    let before = neovim.lua(job);
    neovim.lua("require('claudecode').setup({ terminal = { provider = 'none' } })");
    let lock = neovim.lock(&place);
    let (_one, _two) = (lock.connect(), lock.connect());
    assert_eq!(neovim.lua(job), before, "open files of a job, with and without the server");
    neovim.lua("vim.fn.system('true') vim.fn.system('exit 3')");
    assert_eq!(lock.connect().call("getOpenEditors", json!({}))["error"], Value::Null);
}

#[test]
fn a_library_of_another_version_is_refused_by_its_number() {
    let place = Place::new();
    let source = place.write(
        "other.c",
        "typedef struct lua_State L; void lua_createtable(L *, int, int); void lua_pushinteger(L *, long);\n\
         void lua_setfield(L *, int, const char *);\n\
         int luaopen_claudecode_native(L *l) { lua_createtable(l, 0, 1); lua_pushinteger(l, 999); \
         lua_setfield(l, -2, \"abi\"); return 1; }\n",
    );
    let library = place.dir.join("other.so");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(built.expect("a C compiler, which Rust needs too").success());
    let env = vec![("CLAUDECODE_NATIVE".to_string(), Some(library.display().to_string()))];
    let mut neovim = Neovim::start(&place, &Wish { env, ..Wish::default() });
    neovim.lua("require('claudecode').setup()");
    let told = neovim.lua("return told()");
    assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
    let text = told[0]["text"].as_str().unwrap();
    assert!(text.contains("other.so: built for another version of the plugin (ABI 999, wanted "), "{text}");
    assert!(text.contains(":ClaudeCodeBuild"), "{text}");
    assert_eq!(neovim.lua("return vim.v.errmsg"), json!(""));
}

#[test]
fn a_panic_in_the_library_is_a_log_line_and_an_error() {
    let faults = std::env::var("CLAUDECODE_NATIVE_FAULTS").unwrap_or_default();
    assert!(
        Path::new(&faults).exists(),
        "CLAUDECODE_NATIVE_FAULTS names no library built with the feature fault-injection; `make test` builds it"
    );
    let place = Place::new();
    let env = vec![("CLAUDECODE_NATIVE".to_string(), Some(faults))];
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish { env, ..Wish::default() });
    let (mut peer, mut other) = (lock.connect(), lock.connect());
    let reply = peer.request("fault/panic", Value::Null);
    assert_eq!(reply["error"], json!({"code": -32603, "message": "internal error"}));
    assert_eq!(peer.request("ping", Value::Null)["result"], json!({}), "its session goes on");
    assert!(other.call("getOpenEditors", json!({}))["result"].is_object());
    assert_eq!(neovim.lua("return (pcall(require('claudecode.native').get().panic))"), false);
    assert!(peer.call("getOpenEditors", json!({}))["result"].is_object());
    let log = neovim.lua("return vim.fn.stdpath('log') .. '/claudecode.log'");
    for line in ["asked for by the client", "asked for by Lua"] {
        until("the log says so", || fs::read_to_string(log.as_str().unwrap()).is_ok_and(|text| text.contains(line)));
    }
    assert!(!neovim.said().contains("panick"), "the screen is the user's: {}", neovim.said());
    neovim.send("vim.cmd('qa')");
    assert!(neovim.ended().success());
}

#[test]
fn ten_megabytes_in_one_argument_come_back_byte_for_byte() {
    let place = Place::new();
    let file = place.write("a.txt", "one\n");
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    let mut peer = lock.connect();
    let lines: Vec<String> = (0..10 << 20).step_by(64).map(|at| format!("{at:<60}\\\"é\n")).collect();
    let text = lines.concat();
    let id = open_diff(&mut peer, &mut neovim, &file, &text);
    neovim.keys(":w<CR>");
    let reply = peer.reply(id);
    assert_eq!(reply["result"]["content"][0]["text"], json!("FILE_SAVED"));
    assert!(reply["result"]["content"][1]["text"] == text.as_str(), "the same text");
    assert_eq!(peer.call("closeAllDiffTabs", json!({}))["result"]["content"][0]["text"], "CLOSED_1_DIFF_TABS");
    let reply = peer.call("checkDocumentDirty", json!({"filePath": "/".repeat(10 << 20)}));
    let answer = reply["result"]["content"][0]["text"].as_str().unwrap();
    assert!(answer.contains("Document not open") && answer.len() < 10_000, "{} bytes", answer.len());
    assert!(neovim.is_running());
}

#[test]
fn a_proposal_too_large_to_be_answered_is_refused_at_once() {
    let place = Place::new();
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    let mut peer = lock.connect();
    let file = place.dir.join("a.txt");
    let text = "x".repeat((15 << 20) + 1);
    let arguments = json!({"old_file_path": file, "new_file_path": file, "new_file_contents": text, "tab_name": "t"});
    assert_eq!(peer.call("openDiff", arguments)["error"]["code"], json!(-32000));
    let told = neovim.lua("return told()");
    assert_eq!(told.as_array().unwrap().len(), 1, "one message: {told}");
}

#[test]
fn sixty_four_clients_are_served_and_one_more_gets_503() {
    let place = Place::new();
    let (_neovim, lock) = Neovim::with_server(&place, &Wish::default());
    for _ in 0..5 {
        drop(dial(lock.port));
    }
    let mut clients: Vec<Peer> = (0..64).map(|_| lock.connect()).collect();
    let head = upgrade_head(&[("Host", "127.0.0.1"), ("x-claude-code-ide-authorization", lock.token())]);
    assert_eq!(http(lock.port, &head).1, 503);
    for client in &mut clients {
        assert!(client.call("getOpenEditors", json!({}))["result"].is_object());
    }
}
