//! What following the selection costs: until a client knows, and on the main thread at each motion.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Bench, percentiles};

/// More than the time that two states keep between them: what follows is the first change, told at once.
const PAUSE: Duration = Duration::from_millis(45);

/// A Lua side that measures in nanoseconds, medians of single events: an autocommand that does nothing; the callback of
/// `CursorMoved`; that and the reading that it defers, which leaving the window makes happen at once.
const METER: &str = r#"
  local api, hrtime = vim.api, vim.uv.hrtime
  local ours = { group = "claudecode.tracking" }
  local nothing = { group = api.nvim_create_augroup("bench", {}) }
  api.nvim_create_autocmd("CursorMoved", { group = nothing.group, callback = function() end })
  local lines = {}
  for number = 1, 400 do
    lines[number] = ("  local value_%03d = compute(some, arguments)"):format(number)
  end
  api.nvim_buf_set_lines(0, 0, -1, false, lines)

  local function median(times)
    table.sort(times)
    return times[math.ceil(#times / 2)]
  end

  -- Motions down and up below `first`, each in a turn of its own.
  function _G.motion_costs(first)
    local empty, callback, whole = {}, {}, {}
    for round = 1, 2000 do
      vim.wait(0)
      local start = hrtime()
      api.nvim_exec_autocmds("CursorMoved", nothing)
      empty[round] = hrtime() - start
      api.nvim_win_set_cursor(0, { first + round % 2, 3 })
      start = hrtime()
      api.nvim_exec_autocmds("CursorMoved", ours)
      callback[round] = hrtime() - start
      api.nvim_exec_autocmds("WinLeave", ours)
      whole[round] = hrtime() - start
    end
    return { median(empty), median(callback), median(whole) }
  end
"#;

impl Bench {
    /// Microseconds of small calls, and of key presses until the client has what comes of them: `j` in this line and
    /// the next ones, 0-based. By turns and after equal pauses: both find the editor asleep.
    fn press(&mut self, line: u64, has_text: bool) -> (Vec<f64>, Vec<f64>) {
        let (mut calls, mut presses) = (Vec::new(), Vec::new());
        for wanted in line + 1..=line + 60 {
            thread::sleep(PAUSE);
            let start = Instant::now();
            self.peer.call("getWorkspaceFolders", json!({}));
            calls.push(start.elapsed().as_secs_f64() * 1e6);
            thread::sleep(PAUSE);
            let start = Instant::now();
            self.neovim.input("j");
            loop {
                let told = self.peer.notification("selection_changed");
                let params = &told["params"];
                if params["selection"]["end"]["line"] == wanted && (params["text"] != "") == has_text {
                    break;
                }
            }
            presses.push(start.elapsed().as_secs_f64() * 1e6);
        }
        (calls, presses)
    }

    pub fn selection(&mut self) {
        self.neovim.lua("vim.cmd.edit('selection.txt')");
        self.neovim.lua(METER);
        for (what, keys, line) in [("in Normal mode", "gg0", 0), ("200 lines held", "gg0V199j", 199)] {
            self.neovim.keys(keys);
            let (calls, presses) = self.press(line, line > 0);
            let ((call, _), (p50, p99)) = (percentiles(calls), percentiles(presses));
            println!("key press to selection_changed, {what}: {p50:.0} µs (p99 {p99:.0}); small call {call:.0} µs");
            self.bound(&format!("key press to client, {what} / small call, p50"), p50 / call, 10.0);
            let costs = self.neovim.lua("return motion_costs(200)");
            let at = |index: usize| costs[index].as_f64().unwrap_or(f64::MAX);
            let (empty, callback, whole) = (at(0), at(1), at(2));
            println!("empty autocmd {empty:.0} ns, CursorMoved {callback:.0} ns, with deferred reading {whole:.0} ns");
            self.bound(&format!("CursorMoved, {what} / empty autocmd"), callback / empty, 4.0);
            self.bound(&format!("motion with deferred reading, {what} / empty autocmd"), whole / empty, 25.0);
        }
        self.neovim.keys("<Esc>");
    }
}
