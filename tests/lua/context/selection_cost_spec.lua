-- What reading and sending a selection costs: as much as the selection, whatever lies around it.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

-- So many times dearer than in a small buffer: the clock is not exact.
local FACTOR = 10

describe("a selection", function()
  local child

  after_each(function()
    child:stop()
  end)

  ---Microseconds for one reading of what keys select, the best of some rounds.
  ---@param lines string Lua expression: the buffer's lines
  ---@param place integer[] line and column where the keys are pressed
  ---@param keys string
  local MEASURE = [[
    local lines, place, keys = ...
    vim.cmd("normal! \27")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, load("return " .. lines)())
    vim.api.nvim_win_set_cursor(0, place)
    vim.cmd("normal! " .. keys)
    local read = require("claudecode.editor.selection").read
    local best, text = math.huge, read(65536).text
    local cursor = vim.api.nvim_win_get_cursor(0)
    for _ = 1, 100 do
      vim.api.nvim_win_set_cursor(0, cursor) -- as after a motion: Neovim has yet to find out the cursor's column
      local began = vim.uv.hrtime()
      read(65536)
      best = math.min(best, (vim.uv.hrtime() - began) / 1e3)
    end
    return { best = best, text = text }]]

  for name, case in pairs({
    ["in a line of 100 MB"] = { [[{ ("x"):rep(100 * 1024 * 1024) }]], { 1, 5e7 }, "vl", "xx" },
    ["in a line of 100 MB without ASCII"] = { [[{ ("日"):rep(33 * 1024 * 1024) }]], { 1, 3e7 }, "vl", "日日" },
    ["at the start of a line of 100 MB, a block"] = { [[{ ("x"):rep(100 * 1024 * 1024) }]], { 1, 0 }, "\22l", "xx" },
    ["in a buffer of a million lines"] = { [[vim.split(("x"):rep(1e6, "\n"), "\n")]], { 5e5, 0 }, "Vj", "x\nx" },
    ["of a million lines"] = { [[vim.split(("x"):rep(1e6, "\n"), "\n")]], { 1, 0 }, "VG", nil },
  }) do
    it(name .. " costs no more to read than in a small buffer", function()
      child = Child.start({
        files = { ["a.txt"] = "" },
        args = { "a.txt" },
        setup = [[vim.o.undolevels = -1 require("claudecode").setup({ auto_start = false })]],
      })
      local lines, place, keys, text = unpack(case)
      local huge = child:lua(MEASURE, lines, place, keys)
      -- As much text as is sent: what is more does not count.
      local same = text and vim.split(text, "\n") or vim.split(("x"):rep(32768, "\n"), "\n")
      local small = child:lua(MEASURE, vim.inspect(same), { 1, 0 }, text and keys or "VG")
      assert.are.equal(text or ("x\n"):rep(32768), huge.text)
      local limit = FACTOR * small.best
      assert.is_true(huge.best < limit, ("%.0f us; %.0f us are allowed"):format(huge.best, limit))
    end)
  end

  it("of 5 MB that moves keeps the editor awake, and sends little", function()
    local line = ("x"):rep(99) .. "\n"
    child = Child.start({
      files = { ["a.txt"] = line:rep(52429) },
      args = { "a.txt" },
      setup = [[require("claudecode").setup({})]],
    })
    local peer = Peer.connect(child)
    peer:initialize()
    child:keys("VG")
    local longest = 0
    for _, key in ipairs({ "k", "k", "j", "k", "{", "G", "k", "k" }) do
      local began = vim.uv.hrtime()
      child:keys(key)
      longest = math.max(longest, (vim.uv.hrtime() - began) / 1e6)
    end
    peer:notification("selection_changed", function(params)
      return params.selection["end"].line == 52426 and params.truncated
    end, 3000)
    local bytes = 0
    for _, frame in ipairs(peer.frames) do
      bytes = bytes + #frame.payload
    end
    peer:close()
    assert.is_true(bytes <= 1024 * 1024, ("%d bytes"):format(bytes))
    assert.is_true(longest < 100, ("a key took %.0f ms"):format(longest))
  end)
end)
