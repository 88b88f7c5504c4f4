-- Blocks of which no event and no mark tells all, as a client gets them.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

describe("a client gets a block", function()
  local child, peer

  local function start(text)
    child = Child.start({
      files = { ["a.txt"] = text },
      args = { "a.txt" },
      setup = [[require("claudecode").setup({})]],
    })
    peer = Peer.connect(child)
    peer:initialize()
  end

  after_each(function()
    peer:close()
    child:stop()
  end)

  local function brief(params)
    local from, to = params.selection.start, params.selection["end"]
    return ("%d:%d-%d:%d %s"):format(from.line, from.character, to.line, to.character, params.text)
  end

  local function arrives(wanted)
    return peer:notification("selection_changed", function(params)
      return brief(params) == wanted
    end, 3000)
  end

  local function current()
    return brief(peer:call_json("getCurrentSelection", {}))
  end

  it("that `$` has widened from an empty row, where the cursor does not move", function()
    start("\nabcdef\n")
    child:keys("jl<C-v>k")
    arrives("0:0-1:2 \nab")
    child:keys("$")
    arrives("0:0-1:6 \nabcdef")
  end)

  it("to the rows' ends that a script has made and yanked", function()
    start("ab\nabcdef\n")
    child:lua([[vim.cmd("normal! jl\22k$y")]])
    assert.are.equal("0:1-1:6 b\nabcdef", current())
  end)

  it("to the rows' ends that a macro has made and left", function()
    start("ab\nabcdef\n")
    child:lua([[vim.fn.setreg("q", "jl\22k$\27")]])
    child:keys("@q")
    assert.are.equal("0:1-1:6 b\nabcdef", current())
  end)

  it("in virtual columns that a script has made and left", function()
    start("ab\nabcdef\n")
    child:lua([[vim.o.virtualedit = "block" vim.cmd("normal! 3l\22jl\27")]])
    assert.are.equal("0:1-1:3 b\nabc", current())
  end)
end)
