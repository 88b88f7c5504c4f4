-- Writes of a proposal to elsewhere, and of parts of it: copies, or one clear message; never an accept.
local stage = require("tests.lua.diff.stage")

local COPIED, WHOLE = "17 bytes of the proposal were copied to %s", "accepted as a whole"
local NAME = "keeps its name"

---@type table<string, { files: table<string, string>, says: string[] }>
local WRITES = {
  [":w other.txt"] = { files = { ["other.txt"] = stage.NEW }, says = { COPIED:format("other%.txt") } },
  [":w! b.txt"] = { files = { ["b.txt"] = stage.NEW }, says = { COPIED:format("b%.txt") } },
  [":w >> b.txt"] = { files = { ["b.txt"] = "b\n" .. stage.NEW }, says = { COPIED:format("b%.txt") } },
  [":1,2w part.txt"] = { files = { ["part.txt"] = "alpha\nBETA\n" }, says = { "11 bytes" } },
  [":2w >> b.txt"] = { files = { ["b.txt"] = "b\nBETA\n" }, says = { "5 bytes" } },
  [":w no/such/folder"] = { files = {}, says = { "was not written: ENOENT" } },
  [":1,2w!"] = { files = {}, says = { WHOLE } },
  [":2w >>"] = { files = {}, says = { WHOLE } },
  [":w >>"] = { files = {}, says = { WHOLE } },
  [":saveas x"] = { files = { x = stage.NEW }, says = { COPIED:format("x"), NAME } },
  [":file x"] = { files = {}, says = { NAME } },
  [":edit!"] = { files = {}, says = {} },
}

for _, layout in ipairs({ "vertical", "unified" }) do
  describe(("a proposal (%s)"):format(layout), function()
    local child

    after_each(function()
      child:stop()
    end)

    for keys, expected in vim.spairs(WRITES) do
      it("stays as it is after " .. keys, function()
        child = stage.start({
          files = { ["a.txt"] = stage.OLD, ["b.txt"] = "b\n" },
          args = { "a.txt" },
          setup = ([[require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = %q } })]]):format(
            layout
          ),
        })
        stage.propose(child, "a.txt", stage.NEW)
        child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
        local STATE =
          [[return { vim.fn.bufname(), vim.bo.buflisted, #vim.fn.getbufinfo({ buflisted = 1 }), vim.v.errmsg }]]
        local before = child:lua(STATE)
        child:keys(keys .. "<CR>")
        child:wait(("return #said == %d"):format(#expected.says))
        for i, pattern in ipairs(expected.says) do
          assert.matches(pattern, child:lua("return said[...]", i))
        end
        for path, bytes in pairs(expected.files) do
          assert.are.equal(bytes, child:read(path))
        end
        child:wait(("return vim.deep_equal((function() %s end)(), %s)"):format(STATE, vim.inspect(before)))
        assert.are.same({}, child:lua("return answers"))
        assert.are.equal(stage.OLD, child:read("a.txt"))
        child:keys(":w<CR>")
        child:wait("return #answers == 1")
        assert.are.same({ { kind = "saved", tab_name = "diff", text = stage.NEW } }, child:lua("return answers"))
      end)
    end
  end)
end
