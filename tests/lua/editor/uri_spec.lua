-- Paths and URIs of clients.
local Child = require("tests.lua.child")

describe("a client's name for a file", function()
  local child

  setup(function()
    child = Child.start({ env = { id = "expanded" } })
  end)

  teardown(function()
    child:stop()
  end)

  local function to_path(name)
    return child:lua("return require('claudecode.editor.uri').to_path(...)", name)
  end

  it("is taken as it is, whatever characters it has", function()
    for _, path in ipairs({
      "/r/$id/q.ts",
      "/app/[slug]/p.tsx",
      "/100%.txt",
      "/a%20b",
      "/a#b.txt",
      "/é ü.txt",
      "/a*?.txt",
      "/{a,b}",
      "/`x`",
      "/a\nb",
      "/<cfile>",
      "/~x/~",
      "/a b/c",
    }) do
      assert.are.equal(path, to_path(path))
    end
  end)

  it("is decoded when it is a file URI", function()
    assert.are.equal("/a b/é%.txt", to_path("file:///a%20b/%C3%A9%25.txt"))
    assert.are.equal("/a b#?.txt", to_path("file:///a b#?.txt"))
    assert.are.equal("/a", to_path("FILE://localhost/a"))
    assert.are.equal("untitled://x/../y", to_path("untitled://x/../y"))
  end)

  it("starts at the home or at the working directory", function()
    assert.are.equal(child.home .. "/a", to_path("~/a"))
    assert.are.equal(child.home, to_path("~"))
    assert.are.equal(child.dir .. "/~user/a", to_path("~user/a"))
    assert.are.equal(child.dir .. "/sub/a", to_path("sub/./x/..//a"))
    assert.are.equal("/a", to_path("/../b/../a/"))
  end)

  it("becomes a percent-encoded URI that leads back to it", function()
    for _, path in ipairs({ "/a b/[x]/é%.txt", "/a#b?c&d+e", "/a%20b" }) do
      local uri = child:lua("return require('claudecode.editor.uri').from_path(...)", path)
      assert.matches("^file:///[%w%%/._~!$&'()*+,;=:@-]+$", uri)
      assert.are.equal(path, to_path(uri))
    end
  end)

  it("is answered at once when no file can have it", function()
    local took = child:lua([[
      local uri, buffers = require("claudecode.editor.uri"), require("claudecode.editor.buffers")
      local long = ("/a"):rep(8 * 1024 * 1024)
      local before = vim.uv.hrtime()
      assert(uri.to_path(long) == long and not uri.is_path(long) and #uri.shown(long) < 200)
      assert(buffers.find(long) == nil and buffers.find("/a\0b") == nil)
      return (vim.uv.hrtime() - before) / 1e6
    ]])
    assert.is_true(took < 50, took .. " ms")
  end)
end)
