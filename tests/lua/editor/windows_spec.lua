-- Which window shows the next file.
local Child = require("tests.lua.child")

describe("a window for a file", function()
  local child

  after_each(function()
    child:stop()
  end)

  ---@param setup string
  local function start(setup)
    child = Child.start({ files = { ["a.txt"] = "a\n", ["b.txt"] = "b\n" }, ui = { 100, 30 } })
    child:lua("windows = require('claudecode.editor.windows')" .. setup)
  end

  it("is never one that was set up for something else", function()
    start([[
      vim.cmd("edit a.txt")
      local function is_usable(command)
        vim.cmd(command)
        local answer = windows.is_usable(vim.api.nvim_get_current_win())
        vim.cmd("silent! wincmd c | silent! wincmd t")
        return answer
      end
      answers = {
        is_usable("split b.txt"),
        is_usable("new"),
        is_usable("copen"),
        is_usable("pedit b.txt | wincmd P"),
        is_usable("terminal"),
        is_usable("help"),
        is_usable("split b.txt | setlocal winfixbuf"),
        is_usable("split b.txt | diffthis"),
        is_usable("new | setlocal buftype=nofile"),
        is_usable("new | setlocal filetype=netrw"),
        is_usable("lua vim.api.nvim_open_win(0, true, { relative = 'win', row = 1, col = 1, width = 9, height = 3 })"),
      }
    ]])
    assert.are.same(
      { true, true, false, false, false, false, false, false, false, false, false },
      child:lua("return answers")
    )
  end)

  it("is the last one the user edited in, when a terminal has the focus", function()
    start([[
      vim.cmd("edit a.txt | vsplit b.txt")
      editor = vim.api.nvim_get_current_win()
      vim.cmd("botright split | terminal")
    ]])
    assert.is_true(child:lua("return windows.last_editor() == editor and windows.find_or_make() == editor"))
    child:lua("vim.cmd('2wincmd w') other = vim.api.nvim_get_current_win() vim.cmd('wincmd b')")
    child:lua("vim.cmd('botright new | setlocal buftype=nofile | split | wincmd p')")
    assert.is_true(child:lua("return windows.last_editor() == other and windows.find_or_make() == other"))
    child:lua("vim.api.nvim_win_close(other, true)")
    assert.is_true(child:lua("return windows.last_editor() == editor"))
  end)

  it("is a new one beside a lone terminal, and between a tree and a terminal", function()
    start([[vim.cmd("terminal") terminal = vim.api.nvim_get_current_win()]])
    assert.is_nil(child:lua("return windows.last_editor()"))
    assert.are.same(
      { "leaf", "leaf", true },
      child:lua([[
      made = windows.find_or_make()
      local layout = vim.fn.winlayout()
      local is_left = layout[1] == "row" and layout[2][1][2] == made and layout[2][2][2] == terminal
      return { layout[2][1][1], layout[2][2][1], is_left and vim.api.nvim_get_current_win() == terminal }
    ]])
    )
    child:lua([[
      vim.api.nvim_win_close(made, true)
      vim.cmd("topleft 20vnew | setlocal buftype=nofile filetype=NvimTree")
      tree = vim.api.nvim_get_current_win()
      made = windows.find_or_make()
    ]])
    assert.are.same(
      { true, 20 },
      child:lua([[
      local order = vim.tbl_map(function(leaf) return leaf[2] end, vim.fn.winlayout()[2])
      return { vim.deep_equal(order, { tree, made, terminal }), vim.api.nvim_win_get_width(tree) }
    ]])
    )
  end)

  it("is a new one when all others are kept for their buffer, and theirs stay", function()
    start([[
      vim.cmd("edit a.txt | setlocal winfixbuf | vsplit b.txt | setlocal winfixbuf")
      before = vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_list_wins())
      made = windows.find_or_make()
      vim.api.nvim_win_set_buf(made, vim.api.nvim_create_buf(true, false))
    ]])
    assert.is_true(child:lua([[
      local old = vim.tbl_filter(function(win) return win ~= made end, vim.api.nvim_list_wins())
      return vim.deep_equal(vim.tbl_map(vim.api.nvim_win_get_buf, old), before)
    ]]))
  end)

  it("is a new one when the only one holds unsaved edits that cannot be hidden, or a buffer that would end", function()
    start([[
      vim.o.hidden = false
      vim.cmd("edit a.txt")
      vim.fn.setline(1, "mine")
      only = vim.api.nvim_get_current_win()
    ]])
    assert.is_true(child:lua("return windows.find_or_make() ~= only and #vim.api.nvim_list_wins() == 2"))
    child:lua("vim.cmd('silent only | silent write | setlocal bufhidden=wipe')")
    assert.is_true(child:lua("return #vim.api.nvim_list_wins() == 1 and windows.find_or_make() ~= only"))
    child:lua("vim.cmd('silent only | setlocal bufhidden=')")
    assert.is_true(child:lua("return windows.find_or_make() == only"))
  end)
end)
