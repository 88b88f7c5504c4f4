-- getDiagnostics: the shape that CLI 2.1.332 reads, and the reload that goes with it.
local Child = require("tests.lua.child")
local tool = require("tests.lua.tools.call")

describe("getDiagnostics", function()
  local child

  before_each(function()
    child = Child.start({ files = { ["sub/c d.txt"] = "one\n", ["a.txt"] = "a\n", ["b.txt"] = "b\n" } })
    child:lua([[
      vim.cmd("edit a.txt | edit sub/c\\ d.txt")
      local S = vim.diagnostic.severity
      vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, {
        { lnum = 0, col = 1, end_col = 3, severity = S.ERROR, message = "bad", source = "lint", code = 2304 },
        { lnum = 0, col = 0, severity = S.WARN, message = "w", code = "no-x" },
        { lnum = 0, col = 0, severity = S.HINT, message = "t", code = {} },
        { lnum = 0, col = 0, severity = S.INFO, message = "i" },
        { lnum = 0, col = 0, severity = S.HINT, message = "h" },
      })
    ]])
  end)

  after_each(function()
    child:stop()
  end)

  local function get(uri)
    return tool.json(child, "get_diagnostics", { uri = uri })
  end

  local function at(line, character, end_character)
    return {
      start = { line = line, character = character },
      ["end"] = { line = line, character = end_character or character },
    }
  end

  it("tells those of one file, severities in words and codes as strings", function()
    local path = child:path("sub/c d.txt")
    local found = {
      { message = "bad", severity = "Error", range = at(0, 1, 3), source = "lint", code = "2304" },
      { message = "w", severity = "Warning", range = at(0, 0), code = "no-x" },
      { message = "t", severity = "Hint", range = at(0, 0) },
      { message = "i", severity = "Information", range = at(0, 0) },
      { message = "h", severity = "Hint", range = at(0, 0) },
    }
    local encoded = "file://" .. child:path("sub/c%20d.txt")
    assert.are.same({ { uri = encoded, diagnostics = found } }, get(path))
    assert.are.same({ { uri = encoded, diagnostics = found } }, get(encoded))
  end)

  it("spells a URI as the client did when it asked for the file, also when it asks for all", function()
    local spelled = "file://" .. child:path("sub/c d.txt")
    local function uris()
      return vim.tbl_map(function(file)
        return file.uri
      end, get(nil))
    end
    assert.are.same({ "file://" .. child:path("a.txt"), "file://" .. child:path("sub/c%20d.txt") }, uris())
    assert.are.equal(spelled, get(spelled)[1].uri)
    assert.are.same({ "file://" .. child:path("a.txt"), spelled }, uris())
    for i = 1, 20 do
      get("file:///other" .. i)
    end
    assert.are.same({ "file://" .. child:path("a.txt"), "file://" .. child:path("sub/c%20d.txt") }, uris())
  end)

  it("finds a file whose name looks encoded", function()
    child:write("x%20y.txt", "")
    child:lua("vim.cmd.edit({ args = { 'x%20y.txt' }, magic = { file = false } })")
    assert.are.equal(1, #get("file://" .. child:path("x%20y.txt")))
    assert.are.equal(1, #get("file://" .. child:path("x%2520y.txt")))
  end)

  it("answers [] for a file that is not open, whose name may be the start of another", function()
    for _, name in ipairs({ "b.txt", "sub/c", "sub/*", "none" }) do
      assert.are.equal("[]", tool.call(child, "get_diagnostics", { uri = "file://" .. child:path(name) }).content[1])
    end
    assert.are.equal("[]", tool.call(child, "get_diagnostics", { uri = ("x"):rep(2 ^ 22) }).content[1])
    assert.is_nil(child:lua("return require('claudecode.editor.buffers').find(...)", child:path("b.txt")))
  end)

  it("answers [] for a URI that no file can have, and bothers nobody", function()
    child:lua([[_G.said = {} vim.notify = function(text) table.insert(said, text) end]])
    for _, name in ipairs({ "file:///a%00b", "bogus", "", "untitled:1", "file://" }) do
      assert.are.equal("[]", tool.call(child, "get_diagnostics", { uri = name }).content[1])
    end
    assert.are.same({}, child:lua("return said"))
  end)

  it("tells those of all open files, clean ones with none, and of nothing else", function()
    child:lua("vim.cmd('new | setlocal buftype=nofile') vim.cmd('badd b.txt')")
    local all = get(nil)
    assert.are.equal(2, #all)
    assert.are.same({ uri = "file://" .. child:path("a.txt"), diagnostics = {} }, all[1])
    assert.are.equal(5, #all[2].diagnostics)
    assert.matches('"diagnostics":%[%]', (tool.call(child, "get_diagnostics").content[1]:gsub("%s", "")))
  end)

  it("has changed files reloaded when it is asked for all", function()
    child:write("a.txt", "written\n")
    get("a.txt")
    get(nil)
    child:wait("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, 1, true)[1] == 'written'")
  end)
end)
