-- When a selection is sent, how long it stays, and what is kept to ourselves.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

describe("a client", function()
  local child, peer

  local FILES = { ["a.txt"] = "日本語abc\nfoo\n\nbar\n", ["b.txt"] = "other\nfile\n" }

  ---@param options? string Lua table of options
  ---@param files? table<string, string>
  local function start(options, files)
    child = Child.start({
      files = files or FILES,
      args = { "a.txt" },
      setup = ([[require("claudecode").setup(%s)]]):format(options or "{}"),
    })
    peer = Peer.connect(child)
    peer:initialize()
  end

  after_each(function()
    peer:close()
    child:stop()
  end)

  ---@param params table
  ---@return string
  local function brief(params)
    local from, to = params.selection.start, params.selection["end"]
    local name = params.filePath:match("[^/]*$")
    return ("%s %d:%d-%d:%d %s"):format(name, from.line, from.character, to.line, to.character, params.text)
  end

  ---Waits for a state to arrive.
  ---@param wanted string
  local function arrives(wanted)
    return peer:notification("selection_changed", function(params)
      return brief(params) == wanted
    end, 3000)
  end

  ---@return integer count of states that have arrived so far
  local function pushed()
    return #peer:notifications("selection_changed")
  end

  ---@return string
  local function current()
    return brief(peer:call_json("getCurrentSelection", {}))
  end

  it("sees the file without a key being pressed", function()
    start()
    local params = arrives("a.txt 0:0-0:0 ")
    assert.are.equal(child:path("a.txt"), params.filePath)
    assert.are.equal("file://" .. child:path("a.txt"), params.fileUrl)
    assert.is_true(params.selection.isEmpty)
  end)

  it("sees the cursor of a window that was left without an event", function()
    -- Windows that an autocommand enters and leaves raise no event, and the cursor was moved by `+3` before any.
    child = Child.start({
      files = FILES,
      args = { "+4", "a.txt" },
      init = [[
        vim.api.nvim_create_autocmd("VimEnter", { once = true, callback = function()
          vim.cmd.new()
          vim.cmd.terminal("cat")
        end })
        vim.opt.runtimepath:prepend("]] .. Child.repo() .. [[")
        require("claudecode").setup()]],
    })
    peer = Peer.connect(child)
    peer:initialize()
    arrives("a.txt 3:0-3:0 ")
    assert.are.equal("a.txt 3:0-3:0 ", current())
  end)

  it("that comes later sees the selection that is there", function()
    start()
    child:keys("Vj")
    local second = Peer.connect(child)
    second:initialize()
    local params = second:notification("selection_changed", nil, 3000)
    assert.are.equal("a.txt 0:0-1:3 日本語abc\nfoo", brief(params))
    second:close()
  end)

  it("gets a selection that was made and left in one go, once, and keeps it until the cursor moves", function()
    start()
    arrives("a.txt 0:0-0:0 ")
    child:lua([[vim.cmd("vsplit | terminal") vim.cmd.wincmd("p")]])
    child:keys("ggVj<Esc>")
    arrives("a.txt 0:0-1:3 日本語abc\nfoo")
    child:keys("<C-w>p")
    assert.are.equal("terminal", child:lua("return vim.bo.buftype"))
    child:keys("<C-w>p")
    assert.are.equal("a.txt 0:0-1:3 日本語abc\nfoo", current())
    assert.are.equal("a.txt 0:0-1:3 日本語abc\nfoo", brief(peer:call_json("getLatestSelection", {})))
    assert.are.equal(2, pushed())
    child:keys("j")
    arrives("a.txt 2:0-2:0 ")
  end)

  it("gets a selection made by a script", function()
    start()
    child:lua([[vim.cmd("normal! ggjVj\27")]])
    arrives("a.txt 1:0-3:0 foo\n\n")
    assert.are.equal("a.txt 1:0-3:0 foo\n\n", current())
  end)

  for name, case in pairs({
    ["that was yanked"] = { "jvly", "a.txt 1:0-1:2 fo" },
    ["of lines that were yanked"] = { "jlVjy", "a.txt 1:0-3:0 foo\n\n" },
    ["of a block to the rows' ends that was yanked"] = { "l<C-v>j$y", "a.txt 0:3-1:3 本語abc\nfoo" },
    ["that a command was run on"] = { "jVj:echo 1<CR>", "a.txt 1:0-3:0 foo\n\n" },
    ["that was left with its ends swapped"] = { "jvlo<Esc>", "a.txt 1:0-1:2 fo" },
  }) do
    it("keeps a selection " .. name, function()
      start()
      child:keys(case[1])
      assert.are.equal(case[2], current())
      child:keys("G0")
      arrives("a.txt 3:0-3:0 ")
    end)
  end

  it("loses a selection whose text an operator has taken or changed", function()
    start("{ visual_demotion_delay_ms = 5000 }")
    child:keys("jvlU")
    assert.are.equal("a.txt 1:0-1:0 ", current())
    child:keys("Vd")
    assert.are.equal("a.txt 1:0-1:0 ", current())
  end)

  it("loses a selection whose text changes while the user is in a terminal", function()
    start()
    child:keys("Vj<Esc>")
    local line = child:lua("return vim.api.nvim_get_current_line()")
    arrives(("a.txt 0:0-1:%d %s"):format(#line, child:lua("return vim.fn.getline(1)") .. "\n" .. line))
    child:lua([[
      FILE = vim.api.nvim_get_current_buf()
      vim.cmd("botright split | terminal cat")
      vim.api.nvim_buf_set_lines(FILE, -1, -1, false, { "below" })
    ]])
    assert.are_not.equal("", peer:call_json("getCurrentSelection", {}).text)
    child:lua([[vim.api.nvim_buf_set_lines(FILE, 0, 1, false, { "changed" })]])
    local now = peer:call_json("getCurrentSelection", {})
    assert.are.equal("", now.text)
    assert.are.equal(child:path("a.txt"), now.filePath)
  end)

  it("keeps a selection while its file is written, not when its text goes", function()
    start()
    child:keys("Gonew<Esc>gg0jvl<Esc>")
    local tick = child:lua("return vim.b.changedtick")
    child:keys(":silent write<CR>")
    assert.are_not.equal(tick, child:lua("return vim.b.changedtick"))
    assert.are.equal("a.txt 1:0-1:2 fo", current())
    child:lua([[vim.api.nvim_buf_set_lines(0, 1, 2, false, { "xyz" })]])
    arrives("a.txt 1:1-1:1 ")
  end)

  it("keeps a selection for as long as the user wants after the cursor has moved", function()
    start("{ visual_demotion_delay_ms = 300 }")
    child:keys("Vj<Esc>")
    arrives("a.txt 0:0-1:3 日本語abc\nfoo")
    local moved = vim.uv.hrtime()
    child:keys("G")
    assert.are.equal("a.txt 0:0-1:3 日本語abc\nfoo", current())
    arrives("a.txt 3:0-3:0 ")
    assert.is_true((vim.uv.hrtime() - moved) / 1e6 >= 300)
  end)

  it("gets the newest state of a flood, and few of the others", function()
    start()
    arrives("a.txt 0:0-0:0 ")
    child:keys(("jk"):rep(200) .. "jj")
    arrives("a.txt 2:0-2:0 ")
    assert.is_true(pushed() < 40)
  end)

  it("gets a state at most every 30 ms while the cursor goes on moving", function()
    start()
    arrives("a.txt 0:0-0:0 ")
    local before, began = pushed(), vim.uv.hrtime()
    for _ = 1, 50 do
      child:keys("j")
      child:keys("k")
    end
    local elapsed_ms = (vim.uv.hrtime() - began) / 1e6
    assert.is_true(pushed() - before <= elapsed_ms / 30 + 2)
  end)

  it("gets few of many selections that are made and left in one go, and the last of them", function()
    start()
    arrives("a.txt 0:0-0:0 ")
    local before, began = pushed(), vim.uv.hrtime()
    child:lua([[
      for i = 1, 600 do
        vim.api.nvim_win_set_cursor(0, { i % 3 + 1, 0 })
        vim.cmd("normal! V\27")
      end
    ]])
    local last = child:lua([[return vim.api.nvim_get_current_line()]])
    arrives(("a.txt 0:0-0:%d %s"):format(#last, last))
    assert.is_true(pushed() - before <= (vim.uv.hrtime() - began) / 1e6 / 30 + 3)
  end)

  it("gets a block to the rows' ends as it was, though its marks do not tell", function()
    start(nil, { ["a.txt"] = "ab\nabcdef\n" })
    child:keys("jl<C-v>k$y")
    assert.are.equal("a.txt 0:1-1:6 b\nabcdef", current())
  end)

  it("is told of another window and another file", function()
    start()
    child:lua([[vim.cmd("split b.txt")]])
    arrives("b.txt 0:0-0:0 ")
    child:keys("j<C-w>p")
    arrives("a.txt 0:0-0:0 ")
    child:keys("<C-w>p")
    arrives("b.txt 1:0-1:0 ")
  end)

  it("is told of a new name", function()
    start()
    child:keys(":silent file c.txt<CR>")
    arrives("c.txt 0:0-0:0 ")
  end)

  for name, code in pairs({
    ["a terminal"] = [[vim.cmd("split | terminal")]],
    ["a prompt"] = [[vim.cmd("split | enew") vim.bo.buftype = "prompt"]],
    ["a float"] = [[vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), true,
      { relative = "editor", row = 1, col = 1, width = 9, height = 3 })]],
    ["a buffer without a name"] = [[vim.cmd("split | enew")]],
    ["a proposal"] = [[vim.cmd("split | enew") vim.bo.buftype = "acwrite" vim.cmd.file("a.txt (proposed)")]],
  }) do
    it("is told nothing of " .. name, function()
      start()
      child:keys("jvl<Esc>")
      arrives("a.txt 1:0-1:2 fo")
      local before = pushed()
      child:lua(code)
      child:lua([[vim.cmd("stopinsert | normal! \28\14V")]])
      assert.are.equal("a.txt 1:0-1:2 fo", current())
      child:keys("<Esc>")
      assert.are.equal("a.txt 1:0-1:2 fo", current())
      assert.are.equal(before, pushed())
    end)
  end

  it("is told when the last file closes", function()
    start()
    arrives("a.txt 0:0-0:0 ")
    child:keys("jvl")
    child:lua([[vim.cmd("bdelete")]])
    arrives(" 0:0-0:0 ")
    assert.are.same({ success = false, message = "No active editor found" }, peer:call_json("getCurrentSelection", {}))
    child:lua([[vim.cmd("edit b.txt")]])
    arrives("b.txt 0:0-0:0 ")
  end)

  it("keeps the last place in a file that was left at once", function()
    start()
    child:lua([[vim.cmd("split b.txt | normal! j") vim.cmd("split | terminal")]])
    assert.are.equal("b.txt 1:0-1:0 ", current())
  end)

  it("is told of the file that is left when another closes", function()
    start()
    child:lua([[vim.cmd("split b.txt | split | terminal")]])
    arrives("b.txt 0:0-0:0 ")
    child:lua([[vim.cmd("bdelete b.txt")]])
    arrives("a.txt 0:0-0:0 ")
  end)

  it("is not told where a search that is being typed looks", function()
    start()
    arrives("a.txt 0:0-0:0 ")
    child:lua("vim.o.incsearch = true")
    child:keys("/bar")
    assert.are.equal("a.txt 0:0-0:0 ", current())
    child:keys("<CR>")
    arrives("a.txt 3:0-3:0 ")
  end)

  it("that has used up its selection is told again while Visual mode holds it", function()
    start()
    child:keys("jvl")
    arrives("a.txt 1:0-1:2 fo")
    peer:call("closeAllDiffTabs", {})
    arrives("a.txt 1:0-1:2 fo")
    local before = pushed()
    child:keys("<Esc>")
    peer:call("closeAllDiffTabs", {})
    assert.are.equal("a.txt 1:0-1:2 fo", current())
    assert.are.equal(before, pushed())
  end)

  it("gets valid text though the buffer has none", function()
    start()
    child:lua([[vim.api.nvim_buf_set_lines(0, 0, -1, false, { "a\255b" })]])
    child:keys("v$h")
    local params = arrives("a.txt 0:0-0:3 a\u{fffd}b")
    assert.are.equal(3, params.selection["end"].character)
  end)

  it("is pushed no more text than the cap, and asks for the rest", function()
    local line = ("日"):rep(100) .. "\n"
    start("{ selection = { max_bytes = 1000 } }", { ["a.txt"] = line:rep(100) })
    child:keys("VG")
    local params = peer:notification("selection_changed", function(params)
      return params.text ~= ""
    end, 3000)
    assert.is_true(params.truncated)
    -- 1000 bytes end inside a character: 301 + 301 + 301 + 97.
    assert.are.equal(line:rep(3) .. ("日"):rep(32), params.text)
    assert.are.equal("0:0-99:300", brief(params):match("%d+:%d+%-%d+:%d+"))
    local asked = peer:call_json("getCurrentSelection", {})
    assert.are.equal(line:rep(99) .. line:sub(1, -2), asked.text)
    assert.is_nil(asked.truncated)
  end)

  it("gets little of a huge selection, and its last state", function()
    start(nil, { ["a.txt"] = (("x"):rep(99) .. "\n"):rep(50000) })
    child:keys("VG")
    for _ = 1, 4 do
      child:keys("k")
      child:keys("j")
    end
    child:keys("kk")
    peer:notification("selection_changed", function(params)
      return params.selection["end"].line == 49997
    end, 3000)
    local bytes = 0
    for _, frame in ipairs(peer.frames) do
      bytes = bytes + #frame.payload
    end
    assert.is_true(bytes < 1024 * 1024)
  end)

  it("sees nothing when tracking is off, unless it asks", function()
    start("{ track_selection = false }")
    child:keys("jvl")
    assert.are.equal("a.txt 1:0-1:2 fo", current())
    assert.are.same({ success = false, message = "No selection available" }, peer:call_json("getLatestSelection", {}))
    child:keys("<Esc>G0")
    assert.are.equal("a.txt 3:0-3:0 ", current())
    assert.are.equal(0, pushed())
  end)
end)
