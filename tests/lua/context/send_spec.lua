-- Which lines ClaudeCodeSend mentions, by every way to say them, and what it leaves as it was.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

local SETUP = [[
  _G.said = {}
  vim.notify = function(text) table.insert(said, text) end
  require("claudecode").setup({ terminal = { provider = "none" } })
  vim.keymap.set({ "n", "v" }, "zc", "<Cmd>ClaudeCodeSend<CR>")
  vim.keymap.set({ "n", "v" }, "zr", ":ClaudeCodeSend<CR>", { silent = true })
  vim.keymap.set({ "n", "v" }, "zp", "<Plug>(claudecode-send)")
  vim.keymap.set("x", "zl", function() vim.cmd("ClaudeCodeSend") end)
  vim.keymap.set("s", "<F2>", "<Plug>(claudecode-send)")
  vim.keymap.set("s", "<F3>", "<Cmd>ClaudeCodeSend<CR>")
  vim.keymap.set({ "n", "x" }, "zs", "<Plug>(ClaudeCode-send-operator)")
  vim.keymap.set("n", "zss", "<Plug>(ClaudeCode-send-operator)_")
  vim.keymap.set("o", "ie", ":<C-u>normal! ggVG<CR>", { silent = true })
]]

-- Lines 3 and 7 are empty, so is the last one.
local TEXT = "one word\ntwo\n\nfour words here\nfive\n(six\n\neight) end\nnine\n\n"

describe("ClaudeCodeSend", function()
  local child, peer

  setup(function()
    child = Child.start({ files = { ["a.txt"] = TEXT, ["b.txt"] = "b\n" }, args = { "a.txt" }, setup = SETUP })
    peer = Peer.connect(child)
    peer:initialize()
    child:wait([[
      local _, client = next(require("claudecode.bridge").clients())
      return client and client.ready
    ]])
  end)

  teardown(function()
    peer:close()
    child:stop()
  end)

  before_each(function()
    child:keys("<Esc><Esc>")
    child:lua([[said = {} vim.cmd("set selection& selectmode& virtualedit& foldmethod& | normal! zE")]])
    child:lua([[vim.cmd("edit! a.txt | normal! 1G0")]])
  end)

  ---@return string lines as "first-last", 0-based, of the mention that came
  local function mentioned()
    local params = peer:notification("at_mentioned", nil, 3000)
    assert.are.equal(child:path("a.txt"), params.filePath)
    return ("%d-%d"):format(params.lineStart, params.lineEnd)
  end

  ---@param wanted string
  ---@param keys string
  ---@param mode string? the mode afterwards
  local function mentions(wanted, keys, mode)
    child:keys(keys)
    assert.are.equal(wanted, mentioned(), keys)
    assert.are.same({}, child:lua([[return said]]), keys)
    assert.are.equal(mode or "n", child:lua([[return vim.fn.mode(1)]]), keys)
  end

  it("mentions the lines of Visual mode of every kind, by every sort of mapping", function()
    for _, lhs in ipairs({ "zc", "zr", "zp", "zl", "zs" }) do
      mentions("1-3", "2Gv2j" .. lhs)
      mentions("1-3", "4Gv2k" .. lhs)
      mentions("1-3", "2GV2j" .. lhs)
      mentions("1-3", "2G<C-v>2j$" .. lhs)
      mentions("1-3", "4G$<C-v>2k" .. lhs)
      mentions("1-1", "2Gv$" .. lhs)
      mentions("2-2", "3Gv" .. lhs)
      mentions("2-2", "3GV" .. lhs)
      mentions("5-6", "6GVj" .. lhs)
      mentions("8-9", "9GVG" .. lhs)
      mentions("9-9", "GV" .. lhs)
      mentions("0-9", "ggVG" .. lhs)
    end
  end)

  it("mentions the lines of Select mode, which is over then", function()
    for _, lhs in ipairs({ "<F2>", "<F3>", "zc", "zp" }) do
      mentions("1-2", "2Ggh<C-o>j" .. lhs)
      mentions("1-2", "2GgH<C-o>j" .. lhs)
      mentions("1-2", "2Gg<C-h><C-o>j" .. lhs)
    end
    -- What Vim does after a `:` mapping.
    mentions("1-2", "2Ggh<C-o>jzr", "s")
    child:keys("<Esc>")
    child:lua([[vim.o.selectmode = "cmd"]])
    mentions("3-3", "4GV<F2>")
    mentions("3-4", "4Gv<C-o>j<F2>")
    assert.are.equal("four words here", child:lua([[return vim.fn.getline(4)]]))
  end)

  it("mentions no line of which 'selection' exclusive takes nothing", function()
    child:lua([[vim.o.selection = "exclusive"]])
    for _, lhs in ipairs({ "zc", "zp", "zl", "zs" }) do
      mentions("1-2", "2G0v2j" .. lhs)
      mentions("1-3", "2G0v2jl" .. lhs)
      mentions("1-3", "2GV2j" .. lhs)
    end
    child:lua([[vim.o.selection = "old"]])
    mentions("0-1", "1Gv2G$zc")
  end)

  it("mentions a line of which virtual columns are selected", function()
    child:lua([[vim.o.virtualedit = "all"]])
    mentions("1-1", "2G$10lvzc")
    mentions("1-2", "2G$10l<C-v>jzc")
  end)

  it("mentions the lines of a range, of :%, and of a count", function()
    mentions("1-3", ":2,4ClaudeCodeSend<CR>")
    mentions("0-9", ":%ClaudeCodeSend<CR>")
    mentions("4-4", ":5ClaudeCodeSend<CR>")
    mentions("3-4", ":/four/,/five/ClaudeCodeSend<CR>")
    mentions("3-5", "4G3:ClaudeCodeSend<CR>")
    mentions("3-5", "4G3zr")
    mentions("3-5", "4G3zp")
    mentions("8-9", "9G5zp")
    mentions("4-6", "5GV2j<Esc>gg:'<lt>,'>ClaudeCodeSend<CR>")
    mentions("1-2", ":2,3ClaudeCodeSend | let g:after = 1<CR>")
    assert.are.equal(1, child:lua([[return vim.g.after]]))
  end)

  it("without any of these mentions what was selected last, until the cursor moves", function()
    mentions("1-3", "2GV2j<Esc>zc")
    mentions("1-3", ":ClaudeCodeSend<CR>")
    mentions("3-3", "4Gviwyzp")
    mentions("6-6", "7GV<Esc>zr")
    child:keys("gg")
    child:wait([[return require("claudecode.context.tracking").current().selection.isEmpty]], 3000)
    child:keys("zp")
    assert.matches("nothing is selected", child:lua([[return said[1] ]]))
  end)

  it("mentions the lines of a motion, a text object and a count", function()
    mentions("3-3", "4Gzsw")
    mentions("3-5", "4Gzs2j")
    mentions("3-5", "4G2zsj")
    mentions("1-3", "4Gzs2k")
    mentions("0-1", "2Gzsip")
    mentions("3-6", "5Gzsap")
    mentions("5-7", "7Gzsi(")
    mentions("4-9", "5GzsG")
    mentions("0-4", "5Gzsgg")
    mentions("0-3", "ggzs/four/e<CR>")
    mentions("0-1", "ggzs/^$<CR>")
    mentions("0-1", "ggzs}")
    mentions("0-3", "gg0zsV/four<CR>")
    mentions("0-9", "5Gzsie")
    mentions("3-3", "4Gzss")
    mentions("3-5", "4G3zss")
    local count = #peer:notifications("at_mentioned")
    child:keys("ggzs<Esc>ggzsfZ")
    mentions("1-1", "2Gzsl")
    assert.are.equal(count + 1, #peer:notifications("at_mentioned"))
  end)

  it("repeats with .", function()
    mentions("0-1", "2Gzsip")
    mentions("3-5", "5G.")
    mentions("3-5", "4Gzs2j")
    mentions("1-3", "2G.")
    mentions("5-6", "6G1.")
    mentions("3-4", "4GVjzs")
    mentions("7-8", "8G.")
    child:keys("zsip:edit b.txt<CR>:edit a.txt<CR>")
    peer:notification("at_mentioned", nil, 3000)
    mentions("3-5", "4G.")
  end)

  it("moves neither cursor nor view, and keeps marks and registers", function()
    child:lua([[
      vim.cmd("silent edit big.txt")
      vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(("some words\n"):rep(300), "\n"))
      vim.cmd("silent write | set nohidden")
      function _G.whole_state()
        local state = { vim.fn.winsaveview(), vim.fn.getreginfo(), vim.fn.getreg("a"), vim.fn.getreg("0") }
        for _, mark in ipairs({ "[", "]", "<", ">", "a", "." }) do
          state[#state + 1] = vim.api.nvim_buf_get_mark(0, mark)
        end
        return state
      end
    ]])
    child:keys([[10GVj<Esc>20Gma"ayy30GyyP100Gzt5jw]])
    local function keeps(keys, first, last)
      local before = child:lua([[return whole_state()]])
      child:keys(keys)
      local params = peer:notification("at_mentioned", nil, 3000)
      assert.are.same({ first, last }, { params.lineStart, params.lineEnd }, keys)
      assert.are.same(before, child:lua([[return whole_state()]]), keys)
    end
    keeps("zsip", 0, 300)
    child:keys("20jl")
    keeps(".", 0, 300)
    child:keys("20kh")
    keeps("zsgg", 0, 104)
    keeps("zsG", 104, 301)
    keeps("zs3k", 101, 104)
    keeps("3zp", 104, 106)
    keeps(":2,3ClaudeCodeSend<CR>", 1, 2)
    keeps([["bzsj]], 104, 105)
    child:keys("v4j")
    local cursor = child:lua([[return vim.fn.getcurpos()]])
    child:keys("zs")
    assert.are.equal(108, peer:notification("at_mentioned", nil, 3000).lineEnd)
    assert.are.same(cursor, child:lua([[return vim.fn.getcurpos()]]))
    child:lua([[vim.cmd("bwipeout!")]])
  end)

  it("mentions a closed fold whole", function()
    child:lua([[vim.cmd("2,4fold")]])
    mentions("1-3", "3Gzss")
    for _, lhs in ipairs({ "zc", "zs" }) do
      mentions("1-3", "3GV" .. lhs)
    end
  end)
end)
