-- Several diffs at once: the list of them, and the way from one to the next.
local Peer = require("tests.lua.peer")
local stage = require("tests.lua.diff.stage")

local SETUP = [[
  require("claudecode").setup({ terminal = { provider = "none" } })
  vim.keymap.set("n", "gn", "<Plug>(claudecode-diff-next)")
  vim.keymap.set("n", "gp", "<Plug>(claudecode-diff-previous)")
  vim.ui.select = function(items, opts, on_choice)
    LISTED = { prompt = opts.prompt, kind = opts.kind, lines = vim.tbl_map(opts.format_item, items) }
    CHOOSE = function(number) on_choice(items[number], number) end
  end
]]

describe("with several diffs open", function()
  local child, peer

  before_each(function()
    child = stage.start({
      files = { ["a.txt"] = stage.OLD, ["b.txt"] = "one\ntwo\n", ["d/c.txt"] = "c\n" },
      args = { "a.txt" },
      setup = SETUP,
    })
    peer = Peer.connect(child)
    peer:initialize({ pid = false })
  end)
  after_each(function()
    peer:close()
    child:stop()
  end)

  ---@param rel string
  ---@param text string
  ---@return integer call
  local function propose(rel, text)
    local path = child:path(rel)
    local call = peer:start_call(
      "openDiff",
      { old_file_path = path, new_file_path = path, new_file_contents = text, tab_name = rel }
    )
    child:wait(([[
      for _, event in ipairs(events) do
        if event.name == "Opened" and event.tab_name == %q then return true end
      end
    ]]):format(rel))
    return call
  end

  local function where()
    return child:lua("return vim.b.claudecode_diff_tab_name or vim.fn.bufname('%')")
  end

  it("they are listed with what they change, and the chosen one is gone to", function()
    propose("a.txt", stage.NEW)
    local accepted = propose("b.txt", "one\nzwei\ndrei\n")
    propose("d/new.txt", "1\n2\n3\n")
    child:keys(":ClaudeCodeDiffs<CR>")
    child:lua("CHOOSE(2)")
    assert.are.equal("b.txt", where())
    child:keys(":w<CR>")
    assert.is_not_nil(peer:answer(accepted))
    child:keys(":ClaudeCodeDiffs<CR>")
    assert.are.same({
      prompt = "Open diffs",
      kind = "claudecode.diff",
      lines = {
        "a.txt  +1 -1  claude-code 2.1.332",
        "b.txt  +2 -1  claude-code 2.1.332  accepted, not written yet",
        "d/new.txt  +3 -0  new file  claude-code 2.1.332",
      },
    }, child:lua("return LISTED"))
    child:lua("CHOOSE(3)")
    assert.are.equal("d/new.txt", where())
    child:lua("CHOOSE(nil)")
    assert.are.equal("d/new.txt", where())
    assert.matches(
      "±2",
      child:wait([[
      local text = require("claudecode").statusline()
      return text:find("±2", 1, true) and text
    ]])
    )
  end)

  it("the next and the previous one that waits are gone to, round and round", function()
    propose("a.txt", stage.NEW)
    propose("b.txt", "1\n")
    propose("d/c.txt", "2\n")
    child:lua("vim.cmd('tabfirst') vim.api.nvim_set_current_win(vim.fn.win_findbuf(buffer_of('a.txt'))[1])")
    local function after(keys)
      child:keys(keys)
      return where()
    end
    assert.are.same({ "a.txt", "b.txt", "d/c.txt", "a.txt" }, { after("gn"), after("gn"), after("gn"), after("gn") })
    assert.are.same({ "d/c.txt", "b.txt", "a.txt" }, { after("gp"), after("gp"), after("gp") })
    child:keys(":ClaudeCodeDiffDeny<CR>")
    child:wait("return #vim.tbl_filter(function(e) return e.name == 'Closed' end, events) == 1")
    assert.are.same({ "b.txt", "d/c.txt", "b.txt" }, { after("gn"), after("gn"), after("gn") })
  end)

  it("in tabs of their own, each is gone to in its tab, from anywhere", function()
    child:lua(
      [[require("claudecode").setup({ terminal = { provider = "none" }, diff_opts = { open_in_new_tab = true } })
      vim.cmd("tabnew b.txt | tabfirst")]]
    )
    local home = child:lua("return vim.api.nvim_get_current_win()")
    for _, rel in ipairs({ "a.txt", "b.txt", "d/c.txt" }) do
      propose(rel, "1\n")
      child:lua("vim.api.nvim_set_current_win(...)", home)
    end
    assert.are.equal(5, child:lua("return vim.fn.tabpagenr('$')"))
    local seen = {}
    for _ = 1, 3 do
      child:keys("gn")
      local tab = child:lua("return vim.fn.tabpagenr()")
      assert.is_nil(seen[tab])
      seen[tab] = where()
    end
    assert.are.same(
      { "a.txt", "b.txt", "d/c.txt" },
      (function()
        local names = vim.tbl_values(seen)
        table.sort(names)
        return names
      end)()
    )
    child:lua("vim.api.nvim_set_current_win(...)", home)
    child:keys(":ClaudeCodeDiffs<CR>")
    child:lua("CHOOSE(2)")
    assert.are.equal("b.txt", where())
    child:keys(":q<CR>")
    child:wait("return require('claudecode.diff').count() == 2")
    child:keys("gp")
    assert.are.equal("d/c.txt", where())
  end)

  it("one whose window shows something else now is shown there again", function()
    propose("a.txt", stage.NEW)
    child:keys(":edit d/c.txt<CR>")
    assert.are.equal("d/c.txt", where())
    child:keys("gn")
    assert.are.equal("a.txt", where())
    child:keys("<C-w>s<C-w>p:edit d/c.txt<CR>gn")
    assert.are.equal("a.txt", where())
    assert.are.same({}, child:lua("return said"))
  end)

  it("they are counted until they are decided", function()
    local function text_is(wanted)
      child:wait(("return require('claudecode').statusline() == %q"):format(wanted))
    end
    text_is("Claude 1")
    propose("a.txt", stage.NEW)
    text_is("Claude 1 ±1")
    propose("b.txt", "1\n")
    text_is("Claude 1 ±2")
    child:lua("require('claudecode.diff').accept_current()")
    text_is("Claude 1 ±1")
    peer:call("closeAllDiffTabs", vim.empty_dict())
    text_is("Claude 1")
  end)

  it("a list is made before one of them goes", function()
    propose("a.txt", stage.NEW)
    child:lua([[vim.ui.select = function(items, opts) LATER = function() return opts.format_item(items[1]) end end]])
    child:keys(":ClaudeCodeDiffs<CR>")
    peer:call("close_tab", { tab_name = "a.txt" })
    stage.wait_closed(child)
    assert.matches("^a.txt  %+1 %-1", child:lua("return LATER()"))
  end)

  it("a chosen one that has gone meanwhile is not gone to", function()
    propose("a.txt", stage.NEW)
    child:keys(":ClaudeCodeDiffs<CR>")
    peer:call("close_tab", { tab_name = "a.txt" })
    stage.wait_closed(child)
    child:lua("CHOOSE(1)")
    assert.are.equal("a.txt", where())
    assert.are.same({}, child:lua("return said"))
  end)

  it("or none, one message says so", function()
    child:keys(":ClaudeCodeDiffs<CR>gngp")
    assert.are.same(
      { "claudecode: No diff is open.", "claudecode: No diff is open.", "claudecode: No diff is open." },
      child:lua("return said")
    )
  end)
end)
