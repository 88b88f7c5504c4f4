-- Whose diff it is, with three clients connected; and that an accepted text is never lost, whatever each of them does.
local Peer = require("tests.lua.peer")
local stage = require("tests.lua.diff.stage")

describe("with three clients", function()
  local child, a, b, c

  local function connect()
    local peer = Peer.connect(child)
    peer:initialize()
    return peer
  end

  ---@param options string?
  local function start(options)
    child = stage.start({ args = { "b.txt" } })
    child:lua(
      ("require('claudecode').setup({ terminal = { provider = 'none' }, diff_opts = %s })"):format(options or "{}")
    )
    child:wait("return require('claudecode.bridge').is_running()")
    a, b, c = connect(), connect(), connect()
  end

  after_each(function()
    for _, peer in ipairs({ a, b, c }) do
      peer:drop()
    end
    child:stop()
  end)

  ---@param peer tests.Peer
  ---@param name string
  ---@param text string?
  ---@param rel string?
  ---@return integer call
  local function open(peer, name, text, rel)
    local path = child:path(rel or "a.txt")
    local count = child:lua("return #vim.tbl_filter(function(e) return e.name == 'Opened' end, events)")
    local call = peer:start_call(
      "openDiff",
      { old_file_path = path, new_file_path = path, new_file_contents = text or stage.NEW, tab_name = name }
    )
    child:wait(("return #vim.tbl_filter(function(e) return e.name == 'Opened' end, events) > %d"):format(count))
    return call
  end

  ---@param peer tests.Peer
  ---@param call integer
  ---@return string[]
  local function answer(peer, call)
    return vim.tbl_map(function(part)
      return part.text
    end, peer:answer(call).content)
  end

  ---@param peer tests.Peer
  ---@return string
  local function say(peer, tool, arguments)
    return peer:call(tool, arguments or vim.empty_dict()).content[1].text
  end

  ---@return integer
  local function shown()
    return child:lua([[return #vim.tbl_filter(function(buf)
      return vim.b[buf].claudecode_diff_tab_name ~= nil
    end, vim.api.nvim_list_bufs())]])
  end

  ---Has A's diff accepted; A has not closed or written it.
  local function accepted_for_a()
    local call = open(a, "t")
    child:keys(":w<CR>")
    assert.are.same({ "FILE_SAVED", stage.NEW }, answer(a, call))
  end

  it("a pending diff is replaced by another client's of its name, and answered for its own", function()
    start()
    local first = open(a, "t")
    local second = open(b, "t", "other\n")
    assert.are.same({ "DIFF_REJECTED", "t" }, answer(a, first))
    child:keys(":w<CR>")
    assert.are.same({ "FILE_SAVED", "other\n" }, answer(b, second))
    assert.are.equal(1, shown())
  end)

  it(
    "an accepted diff is not replaced by others, who are told at once; its own client's next one comes after it",
    function()
      start()
      accepted_for_a()
      for _, peer in ipairs({ b, c }) do
        local path = child:path("a.txt")
        local _, err = peer:call(
          "openDiff",
          { old_file_path = path, new_file_path = path, new_file_contents = "x\n", tab_name = "t" }
        )
        assert.are.equal(-32000, err.code)
        assert.matches('accepted "t" for another client', err.message)
      end
      assert.are.equal(1, shown())
      local call = open(a, "t", "again\n")
      child:keys(":w<CR>")
      assert.are.same({ "FILE_SAVED", "again\n" }, answer(a, call))
    end
  )

  it("a name closes anybody's pending diff, but nobody else's accepted one, and no other buffer", function()
    start()
    local pending = open(a, "p", nil, "b.txt")
    assert.are.equal("TAB_CLOSED", say(b, "close_tab", { tab_name = "b.txt" }))
    assert.are.equal("TAB_CLOSED", say(b, "close_tab", { tab_name = "P" }))
    assert.is_false(a:is_answered(pending))
    assert.are.equal("TAB_CLOSED", say(c, "close_tab", { tab_name = "p" }))
    assert.are.same({ "DIFF_REJECTED", "p" }, answer(a, pending))
    accepted_for_a()
    assert.are.equal("TAB_CLOSED", say(b, "closeTab", { tab_name = "t" }))
    assert.are.equal(1, shown())
    assert.are.equal("TAB_CLOSED", say(a, "close_tab", { tab_name = "t" }))
    stage.wait_closed(child)
    assert.is_true(child:lua("return buffer_of('b.txt') ~= nil"))
  end)

  it("a prompt closes the caller's diffs only, and counts those", function()
    start()
    local of_a, of_b, of_b2 = open(a, "a"), open(b, "b", "1\n", "b.txt"), open(b, "b2", "2\n", "c.txt")
    assert.are.equal("CLOSED_0_DIFF_TABS", say(c, "closeAllDiffTabs"))
    assert.are.equal("CLOSED_2_DIFF_TABS", say(b, "closeAllDiffTabs"))
    assert.are.same({ "DIFF_REJECTED", "b" }, answer(b, of_b))
    assert.are.same({ "DIFF_REJECTED", "b2" }, answer(b, of_b2))
    assert.is_false(a:is_answered(of_a))
    assert.are.equal(1, shown())
  end)

  it("a prompt closes everybody's pending diffs, if the user wants that, and still no accepted one", function()
    start("{ close_all_scope = 'editor' }")
    accepted_for_a()
    local of_b = open(b, "b", "1\n", "b.txt")
    assert.are.equal("CLOSED_1_DIFF_TABS", say(c, "closeAllDiffTabs"))
    assert.are.same({ "DIFF_REJECTED", "b" }, answer(b, of_b))
    assert.are.equal(1, shown())
  end)

  it("the end of a connection takes its pending diffs, and leaves those of others and its accepted ones", function()
    start()
    accepted_for_a()
    open(a, "pending of a", "1\n", "c.txt")
    local of_b = open(b, "b", "2\n", "b.txt")
    a:drop()
    child:wait([[
      for _, event in ipairs(events) do
        if event.name == "Closed" and event.tab_name == "pending of a" then return event.reason == "disconnected" end
      end
    ]])
    assert.are.equal(2, shown())
    assert.is_false(b:is_answered(of_b))
  end)

  describe("an accepted text that is not written yet survives", function()
    ---@return boolean The text is in the file's buffer, and Neovim guards it as an unsaved change.
    local function is_unsaved()
      return child:lua([[
        local buf = buffer_of("a.txt")
        return buf ~= nil and vim.bo[buf].modified
          and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n") == "alpha\nBETA\ngamma"
      ]])
    end

    it("its client, gone before or after it has closed the view", function()
      for _, closes in ipairs({ true, false }) do
        start()
        accepted_for_a()
        if closes then
          say(a, "close_tab", { tab_name = "t" })
          stage.wait_closed(child)
        end
        a:drop()
        if closes then
          child:wait("return #said == 1")
        else
          child:wait("return #vim.tbl_keys(require('claudecode.bridge').clients()) == 2")
          assert.are.equal(1, shown())
          child:lua("require('claudecode.diff').close_all_by_user()")
        end
        assert.is_true(is_unsaved())
        if closes then
          child:stop()
        end
      end
    end)

    it("its client's return as another one, and that one's prompt", function()
      start()
      accepted_for_a()
      a:drop()
      child:wait("return #vim.tbl_keys(require('claudecode.bridge').clients()) == 2")
      a = connect()
      assert.are.equal("CLOSED_0_DIFF_TABS", say(a, "closeAllDiffTabs"))
      assert.are.equal("TAB_CLOSED", say(a, "close_tab", { tab_name = "t" }))
      assert.are.equal(1, shown())
    end)

    it("the prompts of all others", function()
      start()
      accepted_for_a()
      for _, peer in ipairs({ b, c }) do
        assert.are.equal("CLOSED_0_DIFF_TABS", say(peer, "closeAllDiffTabs"))
      end
      assert.are.equal(1, shown())
    end)

    it(":ClaudeCodeCloseAllDiffs", function()
      start()
      accepted_for_a()
      child:keys(":ClaudeCodeCloseAllDiffs<CR>")
      stage.wait_closed(child)
      assert.is_true(is_unsaved())
      assert.matches("Accepted texts now unsaved in their buffers: 1", child:lua("return said[#said]"))
    end)

    it("a file that somebody else changes", function()
      start()
      accepted_for_a()
      say(a, "close_tab", { tab_name = "t" })
      stage.wait_closed(child)
      child:write("a.txt", "somebody else's\n")
      say(b, "getDiagnostics")
      a:drop()
      child:wait("return #said >= 1")
      assert.is_true(is_unsaved())
      assert.are.equal("somebody else's\n", child:read("a.txt"))
    end)

    it("Neovim told to quit", function()
      for _, closes in ipairs({ true, false }) do
        start()
        accepted_for_a()
        if closes then
          say(a, "close_tab", { tab_name = "t" })
          stage.wait_closed(child)
        end
        child:input(":silent! qa<CR>")
        child:wait("return #said >= 1")
        assert.is_true(child:is_running())
        assert.is_true(is_unsaved())
        if closes then
          child:stop()
        end
      end
    end)
  end)
end)
