//! Ports, lock file, start and stop.

use std::{
    collections::HashSet,
    fs,
    net::TcpListener,
    time::{Duration, Instant},
};

use claudecode_native::{bridge::Event, config::Limits, discovery::workspace::Places, server::Server};
use serde_json::{Value, json};

use super::{
    peer::{Got, Peer},
    server::{Script, Served, config, until},
};

#[test]
fn the_lock_file_says_where_the_server_is_and_goes_with_it() {
    let mut served = Served::start();
    let lock = served.lock();
    let dir = served.dir.path().canonicalize().unwrap();
    assert_eq!((lock.pid, lock.transport.as_str()), (std::process::id(), "ws"));
    assert_eq!((lock.ide_name.as_str(), lock.running_in_windows), ("Neovim", cfg!(windows)));
    assert_eq!((lock.auth_token.len(), lock.workspace_folders), (32, vec![dir]));
    Peer::initialized(served.port, &lock.auth_token);
    served.server.take().unwrap().stop();
    assert!(!served.lock_path().exists());
}

#[test]
fn the_lock_follows_the_places_with_port_and_token_kept() {
    let served = Served::start();
    let before = served.lock();
    let other = served.dir.path().canonicalize().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    served.server().moved(Places { cwds: vec![other.clone()], lsp: vec![] });
    // Read all the time: there is no moment without a readable file.
    until("the lock follows", || served.lock().workspace_folders == [other.clone()]);
    assert_eq!(served.lock().auth_token, before.auth_token);
    assert_eq!(served.server().status().folders, [other]);
}

#[test]
fn a_lock_that_cannot_be_rewritten_is_told_once_and_repaired_later() {
    let served = Served::start();
    let (ide, aside) = (served.dir.path().join("ide"), served.dir.path().join("aside"));
    let move_to = |dir: &str| served.server().moved(Places { cwds: vec![dir.into()], lsp: vec![] });
    let faults = || served.editor.events.lock().iter().filter(|e| matches!(e, Event::Fault { .. })).count();
    fs::rename(&ide, &aside).unwrap();
    fs::write(&ide, "").unwrap();
    move_to("/usr");
    until("the user is told", || faults() == 1);
    move_to("/etc");
    until("it was tried again", || {
        let status = served.server().status();
        status.journal.last_error.is_some() && status.folders != [std::path::PathBuf::from("/usr")]
    });
    fs::remove_file(&ide).unwrap();
    move_to("/tmp");
    until("the lock is back", || served.lock_path().exists());
    assert_eq!(faults(), 1, "a fault that lasts is one fault");
}

#[test]
fn a_full_or_senseless_port_range_is_one_clear_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let said = |min, max| {
        let served = Served::try_with(|config| (config.port_min, config.port_max) = (min, max), |_| {});
        served.err().expect("it does not start").to_string()
    };
    assert!(said(port, port).starts_with(&format!("no port from {port} to {port} is free on 127.0.0.1")));
    assert!(said(20000, 10000).starts_with("port_range is 20000 to 10000"));
    assert!(said(0, 10).starts_with("port_range is 0 to 10"));
}

#[test]
fn a_lock_directory_that_cannot_be_is_one_clear_error_and_leaves_no_server() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let place = file.join("ide");
    let served = Served::try_with(|config| config.lock_dir.clone_from(&place), |_| {});
    let said = served.err().expect("it does not start").to_string();
    assert!(said.starts_with(&format!("cannot write the lock file in {}: ", place.display())), "{said}");
    assert!(said.ends_with("make that directory writable or set CLAUDE_CONFIG_DIR"), "{said}");
}

#[test]
fn servers_started_at_once_get_ports_and_tokens_of_their_own() {
    let starts: Vec<_> = (0..8).map(|_| std::thread::spawn(Served::start)).collect();
    let all: Vec<Served> = starts.into_iter().map(|start| start.join().unwrap()).collect();
    assert_eq!(all.iter().map(|served| served.port).collect::<HashSet<_>>().len(), 8);
    assert_eq!(all.iter().map(|served| served.token.clone()).collect::<HashSet<_>>().len(), 8);
}

#[test]
fn a_restart_keeps_port_and_token_while_it_can() {
    let dir = tempfile::tempdir().unwrap();
    let start = |address| {
        let editor = std::sync::Arc::new(Script::default());
        Server::start(config(dir.path()), Limits::default(), editor, address).unwrap()
    };
    let first = start(None);
    let address = first.address();
    let mut peer = Peer::initialized(address.port, &address.token);
    first.stop();
    assert_eq!(peer.next(), Got::Close(Some(1001)));
    let second = start(Some(address.clone()));
    assert_eq!(second.address(), address);
    Peer::initialized(address.port, &address.token);
    let third = start(Some(address.clone()));
    assert_ne!(third.address().port, address.port, "the port is taken");
    assert_ne!(third.address().token, address.token);
    second.stop();
    third.stop();
}

#[test]
fn stop_waits_for_nobody_who_does_not_read() {
    let mut served = Served::start();
    let mut deaf = served.initialized();
    // Replies that the peer never reads fill every buffer on the way.
    let text = "x".repeat(4 << 20);
    for _ in 0..8 {
        deaf.start("tools/call", json!({"name": "echo", "arguments": {"text": text}}));
    }
    until("calls arrive", || served.editor.calls.lock().len() >= 4);
    let begun = Instant::now();
    served.server.take().unwrap().stop();
    assert!(begun.elapsed() < Duration::from_millis(80), "{:?}", begun.elapsed());
    assert!(!served.lock_path().exists());
}

#[test]
fn reconfiguring_changes_tools_for_the_next_list() {
    let served = Served::start();
    let mut peer = served.initialized();
    let mut changed = config(served.dir.path());
    changed.tools.truncate(1);
    served.server().reconfigure(changed);
    let tools = peer.request("tools/list", Value::Null)["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 1);
}
