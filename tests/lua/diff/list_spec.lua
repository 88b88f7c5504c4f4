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
