//! What the plugin costs when Neovim starts, beside a module of Neovim's own that is loaded then.

use super::{
    Bench,
    neovim::{Neovim, Place, Wish},
    sorted,
};

const ROUNDS: usize = 15;

/// Milliseconds that a chunk takes in a Neovim that has run nothing else.
fn first_time(chunk: &str) -> f64 {
    let mut neovim = Neovim::start(&Place::new(), &Wish::default());
    let measure = format!("local start = vim.uv.hrtime() {chunk} return (vim.uv.hrtime() - start) / 1e6");
    neovim.lua(&measure).as_f64().unwrap_or(f64::MAX)
}

impl Bench {
    /// `require` and `setup()`, the server's start included, against a first `require("vim.lsp")`.
    pub fn startup(&mut self) {
        let (mut ours, mut floor) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            floor.push(first_time("require('vim.lsp')"));
            ours.push(first_time("require('claudecode').setup({})"));
        }
        let (ours, floor) = (sorted(ours)[ROUNDS / 2], sorted(floor)[ROUNDS / 2]);
        println!("require and setup(): {ours:.2} ms; require('vim.lsp'): {floor:.2} ms");
        self.bound("require, setup() and server / require('vim.lsp')", ours / floor, 1.0);
    }
}
