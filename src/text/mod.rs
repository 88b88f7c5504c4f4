//! Positions and text: facts in, spans out. Pure.

pub mod clusters;
pub mod selection;
pub mod words;
