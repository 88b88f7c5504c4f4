-- Where the user works.
local Child = require("tests.lua.child")

describe("the workspace", function()
  local child

  before_each(function()
    child = Child.start({ files = { ["a/x"] = "", ["b/x"] = "", ["c/x"] = "" } })
    child:lua([[
      workspace = require("claudecode.editor.workspace")
      changes = 0
      stop = workspace.on_change(function() changes = changes + 1 end)
    ]])
  end)

  after_each(function()
    child:stop()
  end)

  it("is the current directory first, then those of tabs and windows", function()
    child:lua("vim.cmd('tabnew | tcd b | tabprevious | split | lcd a | wincmd p')")
    local places = child:lua("return workspace.candidates()")
    assert.are.same({ child.dir, child:path("a"), child:path("b") }, places.cwds)
    assert.are.same({}, places.lsp)
    child:lua("vim.cmd('wincmd p')")
    assert.are.same({ child:path("a"), child.dir, child:path("b") }, child:lua("return workspace.candidates()").cwds)
  end)

  it("has the spelling of the shell beside Neovim's own", function()
    assert(vim.uv.fs_symlink(child.dir, child.root .. "/link"))
    child:lua("vim.env.PWD = ...", child.root .. "/link")
    assert.are.same({ child.dir, child.root .. "/link" }, child:lua("return workspace.candidates()").cwds)
    child:lua("vim.cmd.cd('a')")
    assert.are.same({ child:path("a") }, child:lua("return workspace.candidates()").cwds)
  end)

  it("has the folders of language servers", function()
    child:lua([[
      local function server()
        return {
          request = function(method, params, callback)
            callback(nil, method == "initialize" and { capabilities = {} } or nil)
            return true, 1
          end,
          notify = function() return true end,
          is_closing = function() return false end,
          terminate = function() end,
        }
      end
      vim.cmd("edit a/x")
      client = vim.lsp.start({ name = "test", cmd = server, root_dir = vim.fn.getcwd() .. "/c d" })
    ]])
    child:wait("return changes > 0")
    assert.are.same({ child:path("c d") }, child:lua("return workspace.candidates()").lsp)
  end)

  it("tells once of a change, until it is asked to stop", function()
    child:lua("vim.cmd('cd a | cd ../b')")
    child:wait("return changes == 1")
    child:lua("vim.cmd('tabnew | tcd ../c')")
    child:wait("return changes == 2")
    child:lua("stop() vim.cmd('cd ..')")
    child:lua("vim.wait(20)")
    assert.are.equal(2, child:lua("return changes"))
  end)
end)
