//! Rules of doc/architecture.md that a look at the source tree can check.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(dir: &str, ending: &str) -> Vec<(String, String)> {
    fn walk(dir: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        let mut entries: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, ending, found);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(dir), ending, &mut found);
    assert!(!found.is_empty(), "no {ending} files in {dir}");
    let name = |path: &Path| path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
    found.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// Fails with every file that has the word, except those named.
fn only_in(what: &str, files: &[(String, String)], allowed: &[&str]) {
    let offenders: Vec<_> =
        files.iter().filter(|(name, text)| text.contains(what) && !allowed.contains(&name.as_str())).collect();
    assert!(offenders.is_empty(), "{what} stands in {:?}", offenders.iter().map(|(name, _)| name).collect::<Vec<_>>());
}

#[test]
fn only_lua_api_names_mlua() {
    only_in("mlua", &files("src", ".rs"), &["src/lua_api.rs", "src/lib.rs"]);
    only_in("mlua::", &files("src", ".rs"), &["src/lua_api.rs"]);
}

#[test]
fn unsafe_code_is_denied_everywhere_in_src() {
    let sources = files("src", ".rs");
    // A C function is called; and one test reads the doorbell's raw descriptor.
    only_in("unsafe {", &sources, &["src/at_exit.rs", "src/bridge/queue.rs"]);
    assert!(fs::read_to_string(root().join("Cargo.toml")).unwrap().contains("unsafe_code = \"deny\""));
}

#[test]
fn protocol_is_pure_data() {
    for what in ["tokio", "std::io", "std::fs", "std::net", "async ", "Instant", "SystemTime", "crate::bridge"] {
        only_in(what, &files("src/protocol", ".rs"), &[]);
    }
}

#[test]
fn text_is_pure() {
    for what in ["tokio", "std::io", "std::fs", "async ", "crate::session", "crate::bridge"] {
        only_in(what, &files("src/text", ".rs"), &[]);
    }
}

#[test]
fn domain_folders_of_lua_know_no_protocol() {
    for dir in ["lua/claudecode/editor", "lua/claudecode/diff"] {
        for what in ["jsonrpc", "tools/call", "claudecode.native"] {
            only_in(
                what,
                &files(dir, ".lua"),
                &[
                    "lua/claudecode/diff/hunks.lua",
                    "lua/claudecode/editor/visual.lua",
                    "lua/claudecode/editor/selection.lua",
                ],
            );
        }
    }
}

#[test]
fn one_file_talks_to_the_user_through_vim_notify() {
    only_in("vim.notify", &files("lua", ".lua"), &["lua/claudecode/notify.lua"]);
}

#[test]
fn no_file_is_called_utils_and_no_default_keymap_is_set() {
    for (name, text) in files("lua", ".lua").into_iter().chain(files("plugin", ".lua")) {
        assert!(!name.contains("util") && !name.contains("helper"), "{name}");
        for call in ["vim.keymap.set(", "nvim_set_keymap("] {
            for (at, _) in text.match_indices(call) {
                let arguments = text[at..].split(")\n").next().unwrap_or_default();
                assert!(arguments.contains("<Plug>") || arguments.contains("buffer"), "{name}: {arguments}");
            }
        }
    }
}

#[test]
fn plugin_requires_nothing_when_sourced() {
    for (name, text) in files("plugin", ".lua") {
        for line in text.lines() {
            assert!(
                !line.starts_with("require") && !line.starts_with("local") || !line.contains("require("),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn the_first_line_of_each_file_says_what_it_is_for() {
    for (name, text) in files("src", ".rs").into_iter().chain(files("tests/rust", ".rs")) {
        assert!(text.starts_with("//! "), "{name}");
    }
    for (name, text) in files("lua", ".lua").into_iter().chain(files("plugin", ".lua")) {
        assert!(text.starts_with("-- ") || text.starts_with("---@meta"), "{name}");
    }
}

#[test]
fn both_sides_name_the_same_abi() {
    let number = |file: &str, prefix: &str| {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let line = text.lines().find(|line| line.starts_with(prefix)).unwrap_or_else(|| panic!("{file}: no {prefix}"));
        line.chars().filter(char::is_ascii_digit).collect::<String>().trim_start_matches("32").to_string()
    };
    assert_eq!(number("src/lua_api.rs", "const ABI: u32"), number("lua/claudecode/native/init.lua", "local ABI"));
}
