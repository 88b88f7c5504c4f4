-- `do` and `dp` between the two windows of a diff: accept means what is left.
local stage = require("tests.lua.diff.stage")

local OLD = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
local NEW = "one\n2\nthree\nfive\nsix\n6.5\nseven\n"

for _, options in ipairs({
  { layout = "vertical" },
  { layout = "horizontal" },
  { layout = "vertical", open_in_new_tab = true },
}) do
  describe(
    ("diff mode's commands (%s%s)"):format(options.layout, options.open_in_new_tab and ", new tab" or ""),
    function()
      local child

      before_each(function()
        child = stage.start({
          files = { ["a.txt"] = OLD, ["b.txt"] = "b\n" },
          args = { "a.txt" },
          setup = ([[require("claudecode.config").setup({ auto_start = false, diff_opts = %s })]]):format(
            vim.inspect(options)
          ),
        })
        -- A second diff of the same file, which must not stand between the first one and its file.
        stage.propose(child, "b.txt", "B\n", { tab_name = "other" })
        child:wait("return #events == 1")
        stage.propose(child, "a.txt", NEW)
        child:wait("return vim.b.claudecode_diff_tab_name == 'diff'")
      end)
      after_each(function()
        child:stop()
      end)

      ---@param expected string
      local function is_accepted_as(expected)
        child:keys(":ClaudeCodeDiffAccept<CR>")
        child:wait("return #answers == 1")
        assert.are.equal(expected, child:lua("return answers[1].text"))
      end

      ---@return string
      local function file_text()
        return child:lua([[return require("claudecode.diff.text").read(buffer_of("a.txt"))]])
      end

      it("do gives a hunk of the proposal back to what the file has", function()
        child:keys("2Gdo")
        is_accepted_as("one\ntwo\nthree\nfive\nsix\n6.5\nseven\n")
        assert.are.equal(OLD, file_text())
      end)

      it("do, undone and done again, is as often done", function()
        child:keys("2Gdo4Gdouu")
        child:keys("<C-r>")
        is_accepted_as("one\ntwo\nthree\nfive\nsix\n6.5\nseven\n")
      end)

      it(":diffget takes a range", function()
        child:keys(":%diffget<CR>")
        is_accepted_as(OLD)
      end)

      it("dp in the file's window gives its lines to the proposal", function()
        child:lua("vim.api.nvim_set_current_win(vim.b.claudecode_diff_target_win)")
        child:keys("2Gdp")
        is_accepted_as("one\ntwo\nthree\nfive\nsix\n6.5\nseven\n")
        assert.are.same({ OLD, false }, { file_text(), child:lua([[return vim.bo[buffer_of("a.txt")].modified]]) })
      end)

      it("do in the file's window, and dp in the proposal, change the file's buffer, since the user says so", function()
        child:keys("2Gdp")
        assert.are.equal("one\n2\nthree\nfour\nfive\nsix\nseven\n", file_text())
        child:lua("vim.api.nvim_set_current_win(vim.b.claudecode_diff_target_win)")
        child:keys("7Gdo")
        assert.are.equal("one\n2\nthree\nfour\nfive\nsix\n6.5\nseven\n", file_text())
        assert.is_true(child:lua([[return vim.bo[buffer_of("a.txt")].modified]]))
        assert.are.equal(OLD, child:read("a.txt"))
        is_accepted_as(NEW)
      end)

      it("]c and [c go from hunk to hunk", function()
        child:keys("gg]c")
        assert.are.equal(2, child:lua("return vim.fn.line('.')"))
        child:keys("3]c[c")
        assert.are_not.equal(2, child:lua("return vim.fn.line('.')"))
      end)
    end
  )
end
