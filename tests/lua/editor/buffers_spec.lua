-- Which buffer is a given file.
local Child = require("tests.lua.child")

describe("the buffer of a file", function()
  local child

  before_each(function()
    child = Child.start({ files = { ["sub/c.txt"] = "c\n", ["sub/[a]*.txt"] = "x\n", ["a.txt"] = "a\n" } })
  end)

  after_each(function()
    child:stop()
  end)

  local function find(path)
    return child:lua("return require('claudecode.editor.buffers').find(...)", path)
  end

  local function open(path)
    return child:lua(
      "vim.cmd.edit({ args = { ... }, magic = { file = false } }) return vim.api.nvim_get_current_buf()",
      path
    )
  end

  it("is found by its exact path only", function()
    local c, pattern = open("sub/c.txt"), open("sub/[a]*.txt")
    assert.are.equal(c, find(child:path("sub/c.txt")))
    assert.are.equal(pattern, find(child:path("sub/[a]*.txt")))
    for _, other in ipairs({ "sub/c", "c.txt", "sub/c.tx?", "sub/*", "sub/a.txt", "sub", "" }) do
      assert.is_nil(find(child:path(other)))
    end
    assert.is_nil(find("c.txt"))
  end)

  it("is found under both names of a symlink", function()
    assert(vim.uv.fs_symlink(child:path("a.txt"), child:path("sub/link.txt")))
    assert(vim.uv.fs_symlink(child:path("sub"), child:path("folder")))
    local buf = open("sub/link.txt")
    assert.are.equal(buf, find(child:path("a.txt")))
    assert.are.equal(buf, find(child:path("sub/link.txt")))
    assert.are.equal(buf, find(child:path("folder/link.txt")))
    local new = open("sub/new.txt")
    assert.are.equal(new, find(child:path("folder/new.txt")))
  end)

  it("is no directory, terminal, help page or proposal", function()
    local kinds = child:lua([[
      local buffers = require("claudecode.editor.buffers")
      local answers = {}
      vim.g.loaded_netrwPlugin = 1
      for _, command in ipairs({ "edit a.txt", "enew", "noautocmd edit sub", "terminal", "help", "edit oil:///tmp" }) do
        vim.cmd(command)
        table.insert(answers, { buffers.is_file(0), buffers.is_untitled(0) })
      end
      vim.cmd("edit proposal.txt | setlocal buftype=acwrite")
      table.insert(answers, { buffers.is_file(0), buffers.is_untitled(0) })
      return answers
    ]])
    assert.are.same({
      { true, false },
      { false, true },
      { false, false },
      { false, false },
      { false, false },
      { false, false },
      { false, false },
    }, kinds)
  end)

  it("is the loaded one", function()
    local buf = open("a.txt")
    child:lua("vim.cmd('enew | bunload ' .. ...)", buf)
    assert.are.equal(buf, find(child:path("a.txt")))
    assert.is_nil(child:lua("return require('claudecode.editor.buffers').find_loaded(...)", child:path("a.txt")))
  end)
end)
