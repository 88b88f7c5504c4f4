-- getOpenEditors, getWorkspaceFolders, getCurrentSelection and getLatestSelection.
local Child = require("tests.lua.child")
local tool = require("tests.lua.tools.call")

describe("the tools that tell what is open", function()
  local child

  ---@param setup string
  local function start(setup)
    child =
      Child.start({ files = { ["a b.lua"] = "x = 1\ny = 2\n", ["b.txt"] = "b\n", ["c.txt"] = "" }, setup = setup })
  end

  after_each(function()
    child:stop()
  end)

  local function tabs()
    local by_label = {}
    for _, tab in ipairs(tool.json(child, "get_open_editors").tabs) do
      by_label[tab.label] = tab
    end
    return by_label
  end

  it("list the files, with the one in the last editor window active", function()
    start([[
      vim.cmd("filetype on | edit b.txt | vsplit a\\ b.lua")
      vim.fn.setline(1, "x = 2")
      vim.api.nvim_win_set_cursor(0, { 2, 3 })
      vim.cmd("botright split | terminal")
    ]])
    local list = tabs()
    local position = { line = 1, character = 3 }
    assert.are.same({
      uri = "file://" .. child:path("a%20b.lua"),
      label = "a b.lua",
      fileName = child:path("a b.lua"),
      languageId = "lua",
      lineCount = 2,
      isActive = true,
      isDirty = true,
      isUntitled = false,
      isPinned = false,
      isPreview = false,
      groupIndex = 0,
      viewColumn = 1,
      isGroupActive = true,
      selection = { start = position, ["end"] = position, isReversed = false },
    }, list["a b.lua"])
    local other = list["b.txt"]
    assert.are.same(
      { false, false, 1, 2, false, nil },
      { other.isActive, other.isDirty, other.groupIndex, other.viewColumn, other.isGroupActive, other.selection }
    )
    assert.are.equal(2, vim.tbl_count(list))
  end)

  it("list untitled buffers, but no terminal, tree, help page, directory or proposal", function()
    start([[
      vim.g.loaded_netrwPlugin = 1
      vim.cmd("enew") vim.fn.setline(1, "draft")
      vim.cmd("split | enew | setlocal buftype=nofile filetype=NvimTree")
      vim.cmd("split | terminal")
      vim.cmd("help")
      vim.cmd("noautocmd split .")
      vim.cmd("split b.txt\\ (proposed) | setlocal buftype=acwrite")
      vim.cmd("badd c.txt")
    ]])
    local list = tool.json(child, "get_open_editors").tabs
    assert.are.equal(1, #list)
    assert.is_true(list[1].isUntitled)
    assert.matches("^untitled:Untitled%-%d+$", list[1].uri)
    assert.is_true(list[1].isDirty)
  end)

  it("list nothing when nothing is open", function()
    start("vim.cmd('terminal')")
    assert.are.equal('{"tabs":[]}', tool.call(child, "get_open_editors").content[1])
  end)

  it("tell the lock file's folders", function()
    start("require('claudecode.bridge').info = function() return { folders = { '/w/a b', '/w' } } end")
    assert.are.same({
      success = true,
      rootPath = "/w/a b",
      folders = {
        { name = "a b", path = "/w/a b", uri = "file:///w/a%20b" },
        { name = "w", path = "/w", uri = "file:///w" },
      },
    }, tool.json(child, "get_workspace_folders"))
  end)

  it("tell the selection that is tracked, or that there is none", function()
    start([[
      params = { text = "b", filePath = "/b", fileUrl = "file:///b", selection = { isEmpty = false } }
      local function selection() return now end
      package.loaded["claudecode.context.tracking"] = { current = selection, latest = selection }
    ]])
    assert.are.same({ success = false, message = "No active editor found" }, tool.json(child, "get_current_selection"))
    assert.are.same({ success = false, message = "No selection available" }, tool.json(child, "get_latest_selection"))
    child:lua("now = params")
    for _, name in ipairs({ "get_current_selection", "get_latest_selection" }) do
      assert.are.same(
        { success = true, text = "b", filePath = "/b", fileUrl = "file:///b", selection = { isEmpty = false } },
        tool.json(child, name)
      )
    end
    assert.is_nil(child:lua("return params.success"))
  end)
end)
