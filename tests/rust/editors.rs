//! Where real editors are found: many at once, in one repository, after a kill, over a restart.

use std::{collections::HashSet, fs, os::unix::process::ExitStatusExt, path::PathBuf};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::{
    neovim::{Lock, Neovim, Place, Wish, binary},
    peer::Got,
    server::until,
};

#[test]
fn eight_editors_at_once_have_ports_names_and_folders_of_their_own() {
    let place = Place::new();
    let editors: Vec<(Neovim, Lock, PathBuf)> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8)
            .map(|number| {
                let place = &place;
                scope.spawn(move || {
                    let dir = place.dir.join(number.to_string());
                    fs::create_dir_all(&dir).unwrap();
                    let wish = Wish { cwd: Some(dir.clone()), ..Wish::default() };
                    let (neovim, lock) = Neovim::with_server(place, &wish);
                    (neovim, lock, dir)
                })
            })
            .collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert_eq!(editors.iter().map(|(_, lock, _)| lock.port).collect::<HashSet<_>>().len(), 8);
    for (_, lock, dir) in &editors {
        let answer = lock.connect().call("getWorkspaceFolders", json!({}));
        let text: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text["rootPath"], json!(dir));
        assert_eq!(text["folders"].as_array().unwrap().len(), 1);
    }
    let names = || -> HashSet<String> { place.locks().iter().map(|lock| lock.json["ideName"].to_string()).collect() };
    until("each has a name of its own", || names().len() == 8);
}

#[test]
fn two_editors_in_one_repository_do_not_both_claim_it() {
    let place = Place::new();
    place.write("repo/.git/HEAD", "");
    let inside = |name: &str| {
        let dir = place.dir.join("repo").join(name);
        fs::create_dir_all(&dir).unwrap();
        (dir.clone(), Wish { cwd: Some(dir), ..Wish::default() })
    };
    let ((a, in_a), (b, in_b)) = (inside("a"), inside("b"));
    let (one, lock) = Neovim::with_server(&place, &in_a);
    assert_eq!(lock.json["workspaceFolders"], json!([a, place.dir.join("repo")]));
    let (mut two, lock) = Neovim::with_server(&place, &in_b);
    assert_eq!(lock.json["workspaceFolders"], json!([b]));
    until("the first gives it up too", || one.lock(&place).json["workspaceFolders"] == json!([a]));
    two.lua("require('claudecode').stop()");
    until("and has it back", || one.lock(&place).json["workspaceFolders"] == json!([a, place.dir.join("repo")]));
}

#[test]
fn there_is_no_moment_without_a_readable_lock_file() {
    let place = Place::new();
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    fs::create_dir(place.dir.join("sub")).unwrap();
    neovim.send("for n = 1, 200 do vim.cmd.cd(n % 2 == 1 and 'sub' or '..') vim.wait(2) end _G.moved = true");
    let mut seen = HashSet::new();
    while neovim.lua("return moved") != true {
        for _ in 0..200 {
            let read: Value = serde_json::from_slice(&fs::read(&lock.path).expect("it is there")).expect("it is whole");
            assert_eq!(read["authToken"], lock.json["authToken"]);
            seen.insert(read["workspaceFolders"].to_string());
        }
    }
    assert_eq!(seen.len(), 2, "it was rewritten meanwhile: {seen:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_server_listens_on_loopback_only() {
    let place = Place::new();
    let (_neovim, lock) = Neovim::with_server(&place, &Wish::default());
    let sockets =
        fs::read_to_string("/proc/net/tcp").unwrap() + &fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    let listens = format!(":{:04X} ", lock.port);
    let local = |line: &str| line.split_whitespace().nth(1).unwrap_or_default().to_string() + " ";
    let own: Vec<_> = sockets.lines().filter(|line| local(line).ends_with(&listens) && line.contains(" 0A ")).collect();
    assert_eq!(own.len(), 1, "{own:?}");
    assert!(local(own[0]).starts_with("0100007F:"), "{own:?}");
}

#[test]
fn a_killed_editor_leaves_a_lock_that_the_next_start_sweeps() {
    let place = Place::new();
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    neovim.signal(Signal::SIGKILL);
    assert_eq!(neovim.ended().signal(), Some(9));
    assert!(lock.path.exists());
    let (_next, own) = Neovim::with_server(&place, &Wish::default());
    assert!(!lock.path.exists() || own.port == lock.port);
    assert_eq!(place.locks().len(), 1);
    assert_eq!(own.json["ideName"], json!("Neovim"));
}

/// Ends the process of a lock file when the test is over, however that comes.
struct Ending(Lock);

impl Drop for Ending {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0.pid()).unwrap();
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
    }
}

/// Neovim's own `:restart` (0.12) needs a terminal: the Neovim under test runs in one of another.
#[test]
fn a_restart_of_neovim_keeps_port_and_token() {
    let place = Place::new();
    let mut outer = Neovim::start(&place, &Wish::default());
    if outer.lua("return vim.fn.exists(':restart')") != 2 {
        return;
    }
    let init = place.write(
        "inner.lua",
        format!(
            "vim.o.swapfile = false vim.opt.rtp:prepend({:?})\n\
             vim.api.nvim_create_autocmd('VimEnter', {{ callback = function()\n\
               require('claudecode').setup({{ terminal = {{ provider = 'none' }} }}) end }})",
            env!("CARGO_MANIFEST_DIR")
        ),
    );
    outer.lua(&format!(
        "vim.cmd('enew') _G.inner = vim.fn.termopen({{ {:?}, '--clean', '-i', 'NONE', '--cmd', 'luafile {}' }})",
        binary(),
        init.display()
    ));
    let only = |place: &Place| (place.locks().len() == 1).then(|| place.locks().remove(0));
    until("the inner one is there", || only(&place).is_some());
    let before = only(&place).unwrap();
    let mut peer = before.connect();
    outer.lua("vim.fn.chansend(inner, ':restart\\r')");
    assert_eq!(peer.next_but_notifications(), Got::Close(Some(1001)));
    until("it is back", || only(&place).is_some_and(|lock| lock.pid() != before.pid()));
    let after = only(&place).unwrap();
    let _ending = Ending(after.clone());
    assert_eq!((after.port, after.token()), (before.port, before.token()));
    before.connect();
    outer.lua("vim.fn.chansend(inner, ':qa!\\r')");
    until("the lock goes", || place.locks().is_empty());
}
