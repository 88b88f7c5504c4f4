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

describe("the mappings for hunks side by side", function()
  local child
  after_each(function()
    child:stop()
  end)

  it("mean what `do` means, whatever 'diffopt' makes of the lines", function()
    child = stage.start({
      args = { "b.txt" },
      setup = [[
        require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = "vertical" } })
        vim.keymap.set("n", "gd", "<Plug>(claudecode-hunk-drop)")
      ]],
    })
    math.randomseed(5)
    local function text()
      local lines = {}
      for i = 1, math.random(8) do
        lines[i] = ("%s %d %s"):format(("ab"):sub(math.random(2), 2), math.random(4), ("x"):rep(math.random(3)))
      end
      return table.concat(lines, "\n") .. "\n"
    end
    local differs = 0
    -- Before 0.12 it takes what is below the last line, even if that line is a change.
    local linematch = child:lua("return vim.fn.has('nvim-0.12')") == 1 and ",linematch:40" or ""
    for case = 1, 60 do
      local old, new = text(), text()
      child:write("a.txt", old)
      child:lua("answers, events = {}, {}")
      child:lua("vim.o.diffopt = ...", "internal,filler,closeoff" .. (case % 3 == 0 and "" or linematch))
      stage.propose(child, "a.txt", new)
      child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
      child:keys("zn")
      for line = 1, child:api("nvim_buf_line_count", 0) do
        local function after(keys)
          child:api("nvim_win_set_cursor", 0, { line, 0 })
          child:keys(keys)
          local now = child:lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
          if table.concat(now, "\n") .. "\n" ~= new then
            child:keys("u")
          end
          return now
        end
        local expected, got = after("do"), after("gd")
        -- On a line without a change, `do` means one above it; the mappings nothing but lines that went there.
        local is_changed = child:lua("return vim.fn.diff_hlID(..., 1) > 0", line)
        differs = differs + (is_changed and 1 or 0)
        if is_changed and not vim.deep_equal(expected, got) then
          error(vim.inspect({ case = case, old, new, line = line, expected = expected, got = got }))
        end
      end
      child:keys(":ClaudeCodeDiffDeny<CR>")
      child:wait("return #answers == 1")
      child:lua("require('claudecode.diff').close('diff', 1)")
    end
    assert.is_true(differs > 100)
  end)

  it("take no longer for very many changes than Neovim takes for all at once", function()
    local old, new = {}, {}
    for i = 1, 20000 do
      old[i], new[i] = "line " .. i, i % 7 == 0 and "other " .. i or "line " .. i
    end
    child = stage.start({
      ui = { 80, 24 },
      files = { ["a.txt"] = table.concat(old, "\n") .. "\n" },
      args = { "a.txt" },
      setup = [[require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = "vertical" } })]],
    })
    stage.propose(child, "a.txt", table.concat(new, "\n") .. "\n")
    child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
    local theirs, ours = unpack(child:lua([[
      local function time(run)
        vim.cmd("normal! G")
        vim.cmd.redraw()
        local began = vim.uv.hrtime()
        run()
        vim.cmd.redraw()
        local took = vim.uv.hrtime() - began
        vim.cmd.undo()
        vim.cmd.redraw()
        return took
      end
      local theirs = time(function()
        vim.cmd("%diffget")
      end)
      return { theirs, time(function()
        vim.cmd("normal! ggVG")
        require("claudecode.diff.revise").drop()
        _G.dropped = vim.api.nvim_buf_get_lines(0, 6, 7, false)[1]
      end) }
    ]]))
    assert.are.equal("line 7", child:lua("return dropped"))
    assert.is_true(ours < 10 * theirs, ("%.1f of it"):format(ours / theirs))
  end)
end)
