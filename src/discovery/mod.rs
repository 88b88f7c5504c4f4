//! How a CLI finds this editor: the lock file and the folders it lists.

pub mod handover;
pub mod lockfile;
pub mod workspace;
