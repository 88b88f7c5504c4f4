-- Screens of all sorts, and what a diff leaves of them: the same, in every view.
local stage = require("tests.lua.diff.stage")

local VIEWS = {
  vertical = { layout = "vertical" },
  horizontal = { layout = "horizontal" },
  unified = { layout = "unified" },
  ["unified, new tab"] = { layout = "unified", open_in_new_tab = true },
  ["vertical, new tab"] = { open_in_new_tab = true },
}

-- Lua that makes a screen, and what must still be so while the diff is open.
local SCENES = {
  ["a diff of the user's"] = "vim.cmd('edit b.txt | vert diffsplit c.txt | normal! G')",
  ["a diff of the user's, with the file in it"] = "vim.cmd('edit a.txt | vert diffsplit c.txt')",
  ["quickfix and location lists"] = [[
    vim.cmd("edit b.txt")
    vim.fn.setqflist({ { filename = "c.txt", lnum = 1, text = "x" } })
    vim.fn.setloclist(0, { { filename = "c.txt", lnum = 2, text = "y" } })
    vim.cmd("lopen 3 | copen 4")
  ]],
  ["only a quickfix window"] = "vim.fn.setqflist({ { filename = 'c.txt', lnum = 1 } }) vim.cmd('copen | only')",
  ["a float with the focus"] = [[
    vim.cmd("edit b.txt")
    if vim.fn.exists("&winborder") == 1 then vim.o.winborder = "rounded" end
    vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
      { relative = "editor", row = 3, col = 5, width = 30, height = 5 })
  ]],
  ["a preview window"] = "vim.cmd('edit b.txt | pedit c.txt')",
  ["windows that may not change"] = [[
    vim.cmd("edit b.txt | setlocal winfixbuf winfixwidth | split c.txt | setlocal winfixbuf winfixheight")
  ]],
  ["a tree"] = [[
    vim.cmd("edit b.txt | topleft 20vnew | setlocal buftype=nofile winfixwidth winfixbuf filetype=NvimTree")
  ]],
  ["a tree alone"] = "vim.cmd('enew | setlocal buftype=nofile filetype=neo-tree')",
  ["a terminal that is typed into"] = "vim.cmd('edit b.txt | botright vsplit | terminal cat') vim.cmd.startinsert()",
  ["a terminal alone"] = "vim.cmd('terminal cat') vim.cmd('only')",
  ["columns and rows"] = [[
    vim.cmd("edit a.txt | vsplit b.txt | split c.txt | resize 4 | wincmd l | vertical resize 25 | wincmd h")
  ]],
  ["other tabs"] = "vim.cmd('edit b.txt | tabnew c.txt | tabnew a.txt | tabprevious')",
  ["the file in another tab"] = "vim.cmd('edit a.txt | tabnew c.txt')",
  ["folds, marks and a scrolled view"] = [[
    vim.cmd("edit a.txt")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(("line\n"):rep(200), "\n"))
    vim.cmd("silent write | 20,30fold | 100 | normal! zt5j")
  ]],
  ["unsaved edits"] = "vim.cmd('edit b.txt | normal! ix') vim.cmd('split a.txt | normal! Goy')",
}

-- What users set.
local SETTINGS = {
  ["as Neovim is"] = "",
  ["splits to the other side"] = "vim.o.splitright, vim.o.splitbelow = true, true",
  ["splits to the first side"] = "vim.cmd('set nosplitright nosplitbelow')",
  ["diffs stacked and bare"] = "vim.o.diffopt = 'internal,horizontal,iwhite,context:2,linematch:60,algorithm:patience'",
  ["no status lines"] = "vim.o.laststatus, vim.o.cmdheight = 0, 0",
  ["one status line, tabs always"] = "vim.o.laststatus, vim.o.showtabline = 3, 2",
  ["sizes by themselves"] = "vim.o.equalalways, vim.o.winminheight, vim.o.winminwidth = false, 0, 0",
  ["a large current window"] = "vim.o.winwidth, vim.o.winheight = 60, 15",
  ["nothing hidden, files' own directories"] = "vim.o.hidden, vim.o.autochdir = false, true",
  ["text kept on the screen"] = "vim.o.splitkeep, vim.o.scrolloff, vim.o.scrollbind = 'screen', 5, false",
}

local function run(view, scene, settings, ui)
  local child = stage.start({
    files = { ["a.txt"] = stage.OLD, ["b.txt"] = "one\ntwo\nthree\n", ["c.txt"] = "1\n2\n3\n" },
    ui = ui,
    setup = ([[require("claudecode.config").setup({ auto_start = false, diff_opts = %s })]]):format(
      vim.inspect(VIEWS[view])
    ) .. SETTINGS[settings],
  })
  local ok, err = pcall(function()
    child:lua(SCENES[scene])
    child:keys("")
    if scene == "a terminal that is typed into" then
      child:wait("return vim.api.nvim_get_mode().mode == 't'")
    end
    local before = child:lua("return picture()")
    for _, keys in ipairs({ ":q<CR>", "", "client" }) do
      child:lua("events, answers = {}, {}")
      local result = stage.propose(child, "a.txt", "alpha\nBETA\ngamma\ndelta\n")
      assert.is_true(result.ok, result.err)
      child:wait("return #events == 1 and vim.api.nvim_get_mode().mode == 'n'")
      if keys == ":q<CR>" and child:lua("return vim.b.claudecode_diff_tab_name ~= nil") then
        child:keys(keys)
      else
        child:lua("require('claudecode.diff').close('diff', 1)")
      end
      stage.wait_closed(child)
      child:wait("return #events == 2 and vim.api.nvim_get_mode().mode == " .. vim.inspect(before.mode))
      local differences = stage.differences(before, child:lua("return picture()"))
      assert.are.same({}, differences)
    end
  end)
  child:stop()
  assert(ok, err)
end

describe("a diff leaves as it was", function()
  for view in vim.spairs(VIEWS) do
    for scene in vim.spairs(SCENES) do
      it(("%s (%s)"):format(scene, view), function()
        run(view, scene, "as Neovim is", { 120, 40 })
      end)
    end
    for settings in vim.spairs(SETTINGS) do
      it(("columns and rows, with %s (%s)"):format(settings, view), function()
        run(view, "columns and rows", settings, { 120, 40 })
      end)
    end
    it(("a screen of 20 by 8 (%s)"):format(view), function()
      run(view, "other tabs", "as Neovim is", { 20, 8 })
    end)
  end
end)
