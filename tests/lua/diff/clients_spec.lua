-- Diffs over the wire: what real clients are answered, and what happens to their diffs when they go.
local Peer = require("tests.lua.peer")
local stage = require("tests.lua.diff.stage")

describe("openDiff of a connected client", function()
  local child, a, b

  before_each(function()
    child = stage.start({ args = { "b.txt" } })
    child:lua("require('claudecode').setup({ terminal = { provider = 'none' } })")
    child:wait("return require('claudecode.bridge').is_running()")
    a, b = Peer.connect(child), Peer.connect(child)
    a:initialize()
    b:initialize()
  end)
  after_each(function()
    a:drop()
    b:drop()
    child:stop()
  end)

  ---@param peer tests.Peer
  ---@param text string
  ---@param name string?
  ---@return integer call
  local function open(peer, text, name)
    local path = child:path("a.txt")
    local arguments =
      { old_file_path = path, new_file_path = path, new_file_contents = text, tab_name = name or "✻ a ⧉" }
    local count = child:lua("return #events")
    local call = peer:start_call("openDiff", arguments)
    child:wait(("return #events > %d"):format(count))
    return call
  end
  local function texts(result)
    return vim.tbl_map(function(part)
      return part.text
    end, result.content)
  end

  it("is answered with FILE_SAVED and the final text, and the file is the client's to write", function()
    local call = open(a, stage.NEW)
    child:keys("Goend<Esc>:w<CR>")
    assert.are.same({ "FILE_SAVED", stage.NEW .. "end\n" }, texts(a:answer(call)))
    assert.are.equal(stage.OLD, child:read("a.txt"))
    for _ = 1, 2 do
      assert.are.same({ "TAB_CLOSED" }, texts(a:call("close_tab", { tab_name = "✻ a ⧉" })))
    end
    stage.wait_closed(child)
  end)

  it("shows what the client wrote as soon as it has asked for diagnostics", function()
    child:lua("vim.cmd('edit a.txt')")
    local call = open(a, stage.NEW)
    child:keys(":w<CR>")
    a:answer(call)
    a:call("close_tab", { tab_name = "✻ a ⧉" })
    a:call("getDiagnostics", { uri = vim.uri_from_fname(child:path("a.txt")) })
    child:write("a.txt", stage.NEW)
    a:call("getDiagnostics", vim.empty_dict())
    child:wait("return vim.api.nvim_buf_get_lines(buffer_of('a.txt'), 1, 2, false)[1] == 'BETA'", 1000)
    assert.is_false(child:lua("return vim.bo[buffer_of('a.txt')].modified"))
    a:drop()
    child:wait("return #require('claudecode.bridge').status().clients == 1")
    assert.are.same({}, child:lua("return said"))
  end)

  it("is answered with DIFF_REJECTED and its name", function()
    local call = open(a, stage.NEW)
    child:keys(":q<CR>")
    assert.are.same({ "DIFF_REJECTED", "✻ a ⧉" }, texts(a:answer(call)))
  end)

  it("is answered with DIFF_REJECTED when it is closed, by either name of the tool", function()
    for _, tool in ipairs({ "close_tab", "closeTab" }) do
      local call = open(a, stage.NEW)
      assert.are.same({ "TAB_CLOSED" }, texts(b:call(tool, { tab_name = "✻ a ⧉" })))
      assert.are.same({ "DIFF_REJECTED", "✻ a ⧉" }, texts(a:answer(call)))
    end
  end)

  it("is counted by its own client's closeAllDiffTabs only", function()
    local call = open(a, stage.NEW)
    assert.are.same({ "CLOSED_0_DIFF_TABS" }, texts(b:call("closeAllDiffTabs", vim.empty_dict())))
    assert.is_false(a:is_answered(call))
    assert.are.same({ "CLOSED_1_DIFF_TABS" }, texts(a:call("closeAllDiffTabs", vim.empty_dict())))
    assert.are.same({ "DIFF_REJECTED", "✻ a ⧉" }, texts(a:answer(call)))
  end)

  it("is an error -32000 for a name that was accepted for another client, and for more than 15 MiB", function()
    local call = open(a, stage.NEW)
    child:keys(":w<CR>")
    a:answer(call)
    local path = child:path("a.txt")
    local arguments = { old_file_path = path, new_file_path = path, new_file_contents = "x\n", tab_name = "✻ a ⧉" }
    local _, err = b:call("openDiff", arguments)
    assert.are.equal(-32000, err.code)
    arguments.new_file_contents, arguments.tab_name = ("x"):rep(15 * 1024 * 1024 + 1), "big"
    _, err = b:call("openDiff", arguments, 20000)
    assert.are.equal(-32000, err.code)
    assert.are.equal(1, child:lua("return #said"))
  end)

  it("goes without an answer when it is cancelled", function()
    local call = open(a, stage.NEW)
    a:notify("notifications/cancelled", { requestId = call })
    stage.wait_closed(child)
    assert.is_false(a:is_answered(call))
    assert.are.equal("cancelled", child:lua("return events[2].reason"))
  end)

  it("goes with its connection, and the diffs of others stay", function()
    open(a, stage.NEW, "of a")
    local call = open(b, stage.NEW, "of b")
    a:drop()
    child:wait("return #events == 3")
    assert.are.equal("disconnected", child:lua("return events[3].reason"))
    assert.are.equal(1, child:lua("return require('claudecode.diff').count()"))
    child:lua("require('claudecode.diff').accept_current()")
    assert.are.same({ "FILE_SAVED", stage.NEW }, texts(b:answer(call)))
  end)

  it("leaves its accepted text in the buffer when the client goes before it wrote, whoever comes back", function()
    local call = open(a, stage.NEW)
    child:keys(":w<CR>")
    a:answer(call)
    a:call("close_tab", { tab_name = "✻ a ⧉" })
    stage.wait_closed(child)
    a:drop()
    child:wait("return #said == 1")
    a = Peer.connect(child)
    a:initialize()
    a:call("closeAllDiffTabs", vim.empty_dict())
    assert.are.same(
      { "alpha", "BETA", "gamma" },
      child:lua("return vim.api.nvim_buf_get_lines(buffer_of('a.txt'), 0, -1, false)")
    )
    assert.is_true(child:lua("return vim.bo[buffer_of('a.txt')].modified"))
  end)

  it("goes without an answer when the server stops or Neovim ends", function()
    local call = open(a, stage.NEW)
    child:lua("require('claudecode').stop()")
    stage.wait_closed(child)
    a:wait_closed()
    assert.is_false(a:is_answered(call))
    child:lua("require('claudecode').start()")
    a = Peer.connect(child)
    a:initialize()
    call = open(a, stage.NEW)
    child:input(":qa<CR>")
    assert.are.equal(0, child:wait_exit(3000))
    a:wait_closed()
    assert.is_false(a:is_answered(call))
  end)
end)
