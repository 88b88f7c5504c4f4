//! Which folders the lock file lists: the CLI connects when its cwd is one of them or below one.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Where Neovim works, as Lua sees it: logical paths, nothing looked up on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Places {
    /// The current window's cwd first, then those of other tabs and windows.
    pub cwds: Vec<PathBuf>,
    /// Workspace folders of the language servers.
    #[serde(default)]
    pub lsp: Vec<PathBuf>,
}

/// The folders to list, best first and without duplicates.
///
/// Every folder comes with its real path, which is what CLI 2.1.332 compares; the cwd also as the user spells it.
/// `others` are the folders of other live editors of ours. A git toplevel or a language server's folder that holds
/// one of theirs is left out: two matching locks make `claude --ide` connect to none. The root, the home and its
/// parents are listed only if they are the cwd.
#[must_use]
pub fn folders(places: &Places, home: &Path, others: &[PathBuf]) -> Vec<PathBuf> {
    let mut list = Vec::new();
    let home = real(home);
    for (index, cwd) in places.cwds.iter().enumerate() {
        let found = real(cwd);
        if index == 0 || !is_too_wide(&found, &home) {
            add(&mut list, found);
            add(&mut list, cwd.clone());
        }
    }
    let toplevel = places.cwds.first().and_then(|cwd| git_toplevel(&real(cwd)));
    for folder in toplevel.iter().chain(&places.lsp) {
        let folder = real(folder);
        let holds_another = others.iter().any(|other| *other != folder && other.starts_with(&folder));
        if !is_too_wide(&folder, &home) && !holds_another {
            add(&mut list, folder);
        }
    }
    list
}

/// The real path, or the path itself where there is none.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn is_too_wide(folder: &Path, home: &Path) -> bool {
    folder.parent().is_none() || home.starts_with(folder)
}

fn add(list: &mut Vec<PathBuf>, folder: PathBuf) {
    if folder.is_absolute() && !list.contains(&folder) {
        list.push(folder);
    }
}

/// The work tree that holds `folder`: the nearest directory with a `.git`, which is a file in a linked worktree.
fn git_toplevel(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new(dirs: &[&str]) -> Self {
            let tree = tempfile::tempdir().unwrap();
            for dir in dirs {
                fs::create_dir_all(tree.path().join(dir)).unwrap();
            }
            Self(tree)
        }

        fn at(&self, dir: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(dir)
        }

        fn folders(&self, cwds: &[&str], lsp: &[&str], others: &[&str]) -> Vec<PathBuf> {
            let paths = |dirs: &[&str]| dirs.iter().map(|dir| self.at(dir)).collect();
            let others: Vec<PathBuf> = paths(others);
            folders(&Places { cwds: paths(cwds), lsp: paths(lsp) }, &self.at("home"), &others)
        }
    }

    #[test]
    fn the_real_cwd_comes_first_then_the_spelling_of_the_user() {
        let tree = Tree::new(&["home/real"]);
        std::os::unix::fs::symlink(tree.at("home/real"), tree.at("home/link")).unwrap();
        assert_eq!(tree.folders(&["home/link"], &[], &[]), [tree.at("home/real"), tree.at("home/link")]);
    }

    #[test]
    fn other_cwds_the_toplevel_and_language_servers_follow_without_duplicates() {
        let tree = Tree::new(&["home/repo/.git", "home/repo/sub", "home/other", "home/lsp"]);
        assert_eq!(
            tree.folders(&["home/repo/sub", "home/other", "home/repo/sub"], &["home/lsp", "home/other"], &[]),
            [tree.at("home/repo/sub"), tree.at("home/other"), tree.at("home/repo"), tree.at("home/lsp")]
        );
    }

    #[test]
    fn a_linked_worktree_is_its_own_toplevel() {
        let tree = Tree::new(&["home/repo/.git", "home/repo/wt/sub"]);
        fs::write(tree.at("home/repo/wt/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(
            tree.folders(&["home/repo/wt/sub"], &[], &[]),
            [tree.at("home/repo/wt/sub"), tree.at("home/repo/wt")]
        );
    }

    #[test]
    fn home_and_its_parents_are_listed_only_as_cwd() {
        let tree = Tree::new(&["home/.git", "home/sub"]);
        assert_eq!(tree.folders(&["home/sub", "", "home"], &["home", "/"], &[]), [tree.at("home/sub")]);
        assert_eq!(tree.folders(&["home"], &[], &[]), [tree.at("home")]);
        assert_eq!(
            folders(&Places { cwds: vec!["/".into()], lsp: vec![] }, &tree.at("home"), &[]),
            [PathBuf::from("/")]
        );
    }

    #[test]
    fn a_toplevel_that_holds_another_editors_folder_is_left_out() {
        let tree = Tree::new(&["home/repo/.git", "home/repo/a", "home/repo/b"]);
        assert_eq!(tree.folders(&["home/repo/a"], &[], &["home/repo/b"]), [tree.at("home/repo/a")]);
        assert_eq!(tree.folders(&["home/repo"], &[], &["home/repo/b"]), [tree.at("home/repo")], "but never the cwd");
        assert_eq!(
            tree.folders(&["home/repo/a"], &[], &["home/repo"]),
            [tree.at("home/repo/a"), tree.at("home/repo")],
            "the same folder is not below"
        );
    }
}
