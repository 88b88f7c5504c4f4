-- Byte for byte: what is proposed comes back when it is accepted untouched, and an edit changes only what it changes.
local stage = require("tests.lua.diff.stage")

local BOM = "\239\187\191"

local CONTENTS = vim.tbl_extend("error", require("tests.lua.diff.contents"), {
  ["bytes that are no UTF-8"] = "o\255ne\n\200\n\240\159\n",
})

-- Settings of a user that change what Neovim reads or writes.
local HABITS = [[
  vim.o.fixendofline = true
  vim.o.fileformats = "mac,dos,unix"
  vim.go.fileformat = "dos"
  vim.go.bomb = true
  vim.o.modeline = true
  vim.o.encoding = "utf-8"
  vim.go.fileencoding = "latin1"
  vim.cmd("autocmd BufWritePre,FileWritePre * %s/\\s\\+$//e")
  vim.cmd("autocmd BufNewFile,BufReadPost,BufEnter,BufWinEnter * let b:seen = 1")
]]

for _, layout in ipairs({ "vertical", "unified" }) do
  describe(("an accepted text (%s)"):format(layout), function()
    local child

    setup(function()
      child = stage.start({
        args = { "b.txt" },
        files = {
          ["a.txt"] = stage.OLD,
          ["b.txt"] = "b\n",
          [".editorconfig"] = "root = true\n[*]\nend_of_line = crlf\ninsert_final_newline = true\n"
            .. "trim_trailing_whitespace = true\ncharset = utf-8-bom\n",
        },
        init = HABITS,
        setup = ([[require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = %q } })]]):format(
          layout
        ),
      })
    end)
    teardown(function()
      child:stop()
    end)

    ---@param rel string
    ---@param text string
    ---@param keys string
    ---@return string accepted
    local function accepted_after(rel, text, keys)
      child:lua("answers = {} said = {}")
      assert.is_true(stage.propose(child, rel, text).ok)
      child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
      child:keys(keys .. ":w<CR>")
      child:wait("return #answers == 1")
      local accepted = child:lua("return answers[1].text")
      child:lua("require('claudecode.diff').close('diff', 1)")
      stage.wait_closed(child)
      return accepted
    end

    for name, text in vim.spairs(CONTENTS) do
      it("is what was proposed: " .. name, function()
        assert.are.equal(text, accepted_after("a.txt", text, ""))
        assert.are.equal(text, accepted_after("new.txt", text, ""))
      end)

      it("is what was proposed after a change that is undone: " .. name, function()
        assert.are.equal(text, accepted_after("a.txt", text, "ggOx<Esc>Gox<Esc>uu"))
      end)
    end

    for name, case in
      vim.spairs({
        ["a line added to CRLF text has CRLF"] = { "one\r\n", "otwo<Esc>", "one\r\ntwo\r\n" },
        ["a line added after one without break"] = { "one", "otwo<Esc>", "one\ntwo" },
        ["a line typed into nothing ends like any line"] = { "", "ione<Esc>", "one\n" },
        ["all lines deleted leave nothing"] = { "one\ntwo\n", "ggdG", "" },
        ["a line emptied leaves its break"] = { "one\n", "0D", "\n" },
        ["a break taken away on purpose"] = { "one\n", ":set noeol<CR>", "one" },
        ["a break added on purpose"] = { "one", ":set eol<CR>", "one\n" },
        ["other line breaks on purpose"] = { "one\ntwo\n", ":set ff=dos<CR>", "one\r\ntwo\r\n" },
        ["a BOM taken away on purpose"] = { BOM .. "one\n", ":set nobomb<CR>", "one\n" },
        ["blanks at the end stay"] = { "one  \n", "Atwo <Esc>", "one  two \n" },
      })
    do
      it("holds the user's change: " .. name, function()
        assert.are.equal(case[3], accepted_after("a.txt", case[1], case[2]))
      end)
    end

    it("moves into a buffer as bytes too, and `:w` writes those", function()
      for name, text in pairs(CONTENTS) do
        local path = child:write("moved.txt", "something else\r\nof two lines\r\n")
        child:lua("answers = {}")
        assert.is_true(stage.propose(child, "moved.txt", text).ok)
        child:keys(":w<CR>:q<CR>")
        stage.wait_closed(child)
        child:lua("require('claudecode.diff').client_gone(1)")
        child:lua([[
          local buf = buffer_of("moved.txt")
          vim.api.nvim_buf_call(buf, function() vim.cmd("noautocmd silent write!") end)
          vim.api.nvim_buf_delete(buf, { force = true })
        ]])
        -- The file has CRLF, and the CLI means its line breaks when it proposes LF.
        local expected = text:find("\r\n") and text or text:gsub("\n", "\r\n")
        assert.are.equal(expected, child:read("moved.txt"), name .. " in " .. path)
      end
    end)
  end)
end
