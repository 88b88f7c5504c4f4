//! What it costs to bring a large diff onto the screen, beside what Neovim itself needs for it.

use std::path::Path;

use serde_json::{Value, json};

use super::Bench;

/// A Lua side that makes two texts of 50,000 lines, every so many of them changed, and measures in milliseconds, best
/// of some rounds: `:diffsplit` of both; the two views, screen included, and the longest stall afterwards; what a unified view
/// cannot do without.
const METER: &str = r#"
  local hrtime = vim.uv.hrtime

  local rounds

  local function best(action, undo)
    local least = math.huge
    for _ = 1, rounds do
      collectgarbage()
      local start = hrtime()
      action()
      least = math.min(least, hrtime() - start)
      undo()
      vim.cmd.redraw()
    end
    return least / 1e6
  end

  local dir, new, old_text, new_text

  function _G.diff_texts(where, every)
    rounds = every > 100 and 15 or 3
    local old = {}
    dir, new = where, {}
    for i = 1, 50000 do
      old[i] = ("line number %d of the text"):format(i)
      new[i] = i % every == 0 and ("line number %d of another text"):format(i) or old[i]
    end
    old_text, new_text = table.concat(old, "\n") .. "\n", table.concat(new, "\n") .. "\n"
    for name, text in pairs({ ["old.txt"] = old_text, ["new.txt"] = new_text }) do
      local file = assert(io.open(dir .. "/" .. name, "wb"))
      file:write(text)
      file:close()
    end
    vim.cmd("edit! " .. dir .. "/old.txt")
    vim.cmd.redraw()
  end

  function _G.cost_of_diffsplit()
    return best(function()
      vim.cmd("vertical diffsplit " .. dir .. "/new.txt")
      vim.cmd.redraw()
    end, function()
      vim.cmd("diffoff! | close | bwipe! " .. dir .. "/new.txt")
    end)
  end

  function _G.cost_of_what_is_needed()
    return best(function()
      (vim.text.diff or vim.diff)(old_text, new_text, { result_type = "indices" })
      local buf = vim.api.nvim_create_buf(false, true)
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, new)
    end, function() end)
  end

  function _G.cost_of_view(layout)
    require("claudecode.config").setup({ diff_opts = { layout = layout } })
    local stall = 0
    local cost = best(function()
      assert(require("claudecode.diff").open({
        tab_name = "bench", old_path = dir .. "/old.txt", new_path = dir .. "/old.txt", text = new_text, client = 0,
        on_decided = function() end,
      }))
      vim.cmd.redraw()
    end, function()
      local last = hrtime()
      for _ = 1, 200 do
        vim.wait(1)
        local now = hrtime()
        stall, last = math.max(stall, now - last), now
      end
      require("claudecode.diff").close("bench", 0)
    end)
    return { cost, stall / 1e6 }
  end
"#;

impl Bench {
    /// Diffs of 50,000 lines, with few and with many changes.
    pub fn diffs(&mut self, dir: &Path) {
        self.neovim.lua(METER);
        for (every, what) in [(1000, "50 changes"), (10, "5,000 changes")] {
            self.neovim.lua(&format!("diff_texts({}, {every})", json!(dir)));
            let mut cost = |code: &str| self.neovim.lua(&format!("return {{ {code} }}"));
            let diffsplit = ms(&cost("cost_of_diffsplit()")[0]);
            let needed = ms(&cost("cost_of_what_is_needed()")[0]);
            let vertical = ms(&cost("cost_of_view('vertical')")[0][0]);
            let unified = cost("cost_of_view('unified')");
            let (unified, stall) = (ms(&unified[0][0]), ms(&unified[0][1]));
            println!(
                "50,000 lines, {what}: :diffsplit {diffsplit:.0} ms, side by side {vertical:.0}; vim.diff and set_lines \
                 {needed:.0}, unified {unified:.0} (then at most {stall:.0} at a time)"
            );
            self.bound(&format!("side by side on screen / :diffsplit, {what}"), vertical / diffsplit, 1.3);
            self.bound(&format!("unified on screen / vim.diff + set_lines, {what}"), unified / needed, 1.5);
            self.bound(&format!("longest stall after that / the same, {what}"), stall / needed, 1.5);
        }
    }
}

fn ms(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::MAX)
}
