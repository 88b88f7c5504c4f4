//! Positions and text: facts in, spans out. Pure.

pub mod clusters;
pub mod lines;
pub mod selection;
pub mod words;
