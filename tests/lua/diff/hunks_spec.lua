-- Single hunks of a proposal: dropped, taken again, undone; in every view, to the byte.
local stage = require("tests.lua.diff.stage")

local SETUP = [[
  require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = %q } })
  vim.keymap.set({ "n", "x" }, "gd", "<Plug>(claudecode-hunk-drop)")
  vim.keymap.set({ "n", "x" }, "gt", "<Plug>(claudecode-hunk-take)")
  -- What an accept would answer, without one.
  function _G.text_now()
    return require("claudecode.diff.text").read(vim.api.nvim_get_current_buf())
  end
]]

local OLD = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
local NEW = "one\n2\nthree\nfive\nsix\n6.5\nseven\n"

local child

---@param old string
---@param new string
---@param layout string?
local function start(old, new, layout)
  child = stage.start({
    files = { ["a.txt"] = old },
    args = { "a.txt" },
    setup = SETUP:format(layout or "unified"),
  })
  stage.propose(child, "a.txt", new)
  child:wait("return #events == 1 and vim.api.nvim_get_current_buf() == vim.fn.bufnr('%')")
  child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
end

---@param line integer
---@param keys string
---@return string
local function at(line, keys)
  child:lua("vim.api.nvim_win_set_cursor(0, { ..., 0 })", line)
  child:keys(keys)
  return child:lua("return text_now()")
end

for _, layout in ipairs({ "unified", "vertical", "horizontal" }) do
  describe("a hunk of a proposal (" .. layout .. ")", function()
    before_each(function()
      start(OLD, NEW, layout)
    end)
    after_each(function()
      child:stop()
    end)

    it("that changes lines is dropped, and taken again", function()
      assert.are.equal("one\ntwo\nthree\nfive\nsix\n6.5\nseven\n", at(2, "gd"))
      assert.are.equal(NEW, at(2, "gt"))
    end)

    it("that deletes lines is dropped on the line below, and taken again", function()
      assert.are.equal("one\n2\nthree\nfour\nfive\nsix\n6.5\nseven\n", at(4, "gd"))
      assert.are.equal(NEW, at(4, "gt"))
    end)

    it("that deletes lines is dropped on the line above", function()
      assert.are.equal("one\n2\nthree\nfour\nfive\nsix\n6.5\nseven\n", at(3, "gd"))
    end)

    it("that adds lines is dropped, and taken again where it was", function()
      assert.are.equal("one\n2\nthree\nfive\nsix\nseven\n", at(6, "gd"))
      assert.are.equal(NEW, at(6, "gt"))
    end)

    it("is dropped with others by a Visual selection, as one step for undo", function()
      assert.are.equal("one\ntwo\nthree\nfour\nfive\nsix\n6.5\nseven\n", at(1, "Vjjjgd"))
      assert.are.equal("n", child:api("nvim_get_mode").mode)
      assert.are.equal(NEW, at(1, "u"))
      assert.are.equal("one\ntwo\nthree\nfour\nfive\nsix\n6.5\nseven\n", at(1, "<C-r>"))
    end)

    it("that is dropped is not accepted", function()
      at(6, "gd")
      child:keys(":w<CR>")
      child:wait("return #answers == 1")
      assert.are.equal("one\n2\nthree\nfive\nsix\nseven\n", child:lua("return answers[1].text"))
      at(2, "gd")
      assert.matches("Already accepted", child:lua("return said[#said]"))
      assert.are.equal("one\n2\nthree\nfive\nsix\nseven\n", child:lua("return text_now()"))
    end)

    it("is none where nothing differs, which is said", function()
      assert.are.equal(NEW, at(1, "gd"))
      assert.matches("No change here", child:lua("return said[1]"))
      assert.are.equal(NEW, at(2, "gt"))
      assert.matches("Nothing here that differs", child:lua("return said[2]"))
    end)

    it("leaves what the user has typed into others alone", function()
      at(1, "Omine<Esc>")
      assert.are.equal("mine\none\ntwo\nthree\nfive\nsix\n6.5\nseven\n", at(3, "gd"))
      assert.are.equal("mine\n" .. NEW, at(3, "gt"))
    end)

    it("changes nothing of the file's buffer", function()
      at(1, "VGgd")
      assert.are.equal(OLD, child:lua("return text_now()"))
      assert.are.same(
        { vim.split(OLD, "\n", { trimempty = true }), false },
        child:lua([[
          local buf = buffer_of("a.txt")
          return { vim.api.nvim_buf_get_lines(buf, 0, -1, false), vim.bo[buf].modified }
        ]])
      )
    end)
  end)
end

describe("hunks", function()
  after_each(function()
    child:stop()
  end)

  it("are not looked for outside a proposal", function()
    child = stage.start({ args = { "a.txt" }, setup = SETUP:format("unified") })
    child:keys("gd")
    assert.matches("go there first", child:lua("return said[1]"))
  end)

  for name, case in
    vim.spairs({
      ["without a last line break in the file"] = { "a\nb", "a\nB\n" },
      ["without a last line break in the proposal"] = { "a\nb\n", "a\nb" },
      ["of a file that loses its last lines and their break"] = { "a\nb\nc", "a\n" },
      ["of an empty file"] = { "", "a\nb\n" },
      ["of an empty proposal"] = { "a\nb\n", "" },
      ["of a file with one empty line"] = { "\n", "x" },
      ["of a proposal with one empty line"] = { "x", "\n" },
      ["at both ends"] = { "a\nb\nc\n", "x\na\nb\nc\ny\n" },
      ["of texts without a common line"] = { "a\nb\n", "c\nd\ne" },
    })
  do
    it(name .. " are dropped and taken to the byte, and back by undo and redo", function()
      local old, new = unpack(case)
      start(old, new)
      assert.are.equal(old, at(1, "VGgd"))
      assert.are.equal(new, at(1, "u"))
      assert.are.equal(old, at(1, "<C-r>"))
      assert.are.equal(new, at(1, "VGgt"))
      child:keys(":w<CR>")
      child:wait("return #answers == 1")
      assert.are.equal(new, child:lua("return answers[1].text"))
    end)
  end

  it(
    "at an end without a line break are undone and redone with counts, through other branches, and begin anew",
    function()
      start("a\nb", "a\nB\n")
      assert.are.equal("a\nb", at(2, "gd"))
      assert.are.equal("x\na\nb", at(1, "Ox<Esc>"))
      assert.are.equal("a\nB\n", at(1, "2u"))
      assert.are.equal("x\na\nb", at(1, "2<C-r>"))
      assert.are.equal("a\nB\n", at(1, "2u"))
      assert.are.equal("y\na\nB\n", at(1, "Oy<Esc>"))
      assert.are.equal("x\na\nb", at(1, ":undo 2<CR>"))
      assert.are.equal("y\na\nB\n", at(1, ":undo 3<CR>"))
      assert.are.equal("a\nb", at(1, ":undo 1<CR>"))
      assert.are.equal("a\nb\n", at(1, ":setlocal endofline<CR>"))
      assert.are.equal("z\na\nb\n", at(1, "Oz<Esc>"))
      assert.are.equal("a\nB\n", at(1, ":edit!<CR>"))
      assert.are.equal("x\na\nB\n", at(1, "Ox<Esc>"))
    end
  )

  it("do not come back from a buffer that is gone, which is said", function()
    start(OLD, NEW)
    child:lua("vim.cmd('bunload! ' .. buffer_of('a.txt'))")
    assert.are.equal(NEW, at(1, "VGgd"))
    child:lua("vim.cmd('bwipe! ' .. buffer_of('a.txt'))")
    assert.are.equal(NEW, at(1, "VGgd"))
    assert.are.equal(2, child:lua("return #said"))
    assert.matches("has been unloaded", child:lua("return said[2]"))
  end)

  it("of a CRLF file are compared without their line ends, as the CLI does", function()
    start("a\r\nb\r\nc\r\n", "a\nB\nc\n")
    assert.are.equal("a\nb\nc\n", at(1, "VGgd"))
  end)

  it("of random texts are dropped and taken as each would be by itself", function()
    start("x\n", "y\n")
    local count = child:lua([[
      math.randomseed(5)
      local hunks = require("claudecode.diff.hunks")
      local restore = require("claudecode.diff.restore")
      local function random_lines()
        local lines = {}
        for i = 1, math.random(0, 14) do
          lines[i] = ("abcd"):sub(math.random(4)):sub(1, 1)
        end
        return { lines = lines, endofline = #lines > 0 and math.random(4) > 1 }
      end
      local function text_of(side)
        return #side.lines == 0 and "" or table.concat(side.lines, "\n") .. (side.endofline and "\n" or "")
      end
      local write, read = require("claudecode.diff.text").write, require("claudecode.diff.text").read
      local buf, dropped = vim.api.nvim_create_buf(false, true), 0
      for case = 1, 1500 do
        local old, new = random_lines(), random_lines()
        write(buf, text_of(new))
        local first = math.random(1, math.max(#new.lines, 1))
        local last = math.random(first, math.max(#new.lines, 1))
        -- The rule by itself: lines of both texts by their hunk, then those of the old one where the range touches it.
        local parts, from_at, to_at, ends = {}, 1, 1, new.endofline
        local all = vim.tbl_map(function(hunk)
          return { hunk.from_start, hunk.from_count, hunk.to_start, hunk.to_count }
        end, hunks.between(hunks.of_text(text_of(old)), hunks.of_text(text_of(new))))
        local function touches(hunk)
          local top = hunk[4] > 0 and hunk[3] or math.max(1, math.min(hunk[3] + 1, math.max(#new.lines, 1)))
          local bottom = hunk[4] > 0 and hunk[3] + hunk[4] - 1 or top
          return top <= last and bottom >= first
        end
        local chosen = vim.tbl_filter(touches, all)
        if #chosen == 0 then
          chosen = vim.tbl_filter(function(hunk) return hunk[4] == 0 and hunk[3] == last end, all)
        end
        local to_next = 1
        for _, hunk in ipairs(all) do
          local start = hunk[4] > 0 and hunk[3] or hunk[3] + 1
          vim.list_extend(parts, vim.list_slice(new.lines, to_next, start - 1))
          to_next = start + hunk[4]
          if vim.tbl_contains(chosen, hunk) then
            dropped = dropped + 1
            vim.list_extend(parts, vim.list_slice(old.lines, hunk[1], hunk[1] + hunk[2] - 1))
            if to_next > #new.lines and #old.lines > 0 then
              ends = old.endofline
            end
          else
            vim.list_extend(parts, vim.list_slice(new.lines, start, to_next - 1))
          end
        end
        vim.list_extend(parts, vim.list_slice(new.lines, to_next))
        local expected = text_of({ lines = parts, endofline = ends })
        restore.lines(buf, hunks.of_text(text_of(old)), first, last)
        if read(buf) ~= expected then
          error(vim.inspect({ case, text_of(old), text_of(new), first, last, got = read(buf), expected = expected }))
        end
        restore.lines(buf, hunks.of_text(text_of(new)), 1, vim.api.nvim_buf_line_count(buf))
        if read(buf) ~= text_of(new) then
          error(vim.inspect({ case, "taken", text_of(old), text_of(new), got = read(buf) }))
        end
      end
      return dropped
    ]])
    assert.is_true(count > 1000, count .. " hunks were dropped")
  end)

  it("of large texts, which are looked through in parts, make one text of the other", function()
    start("x\n", "y\n")
    local count = child:lua([[
      math.randomseed(11)
      local hunks = require("claudecode.diff.hunks")
      local restore = require("claudecode.diff.restore")
      local function text_of(lines, endofline)
        return #lines == 0 and "" or table.concat(lines, "\n") .. (endofline and "\n" or "")
      end
      local total = 0
      for case = 1, 40 do
        local old, new = {}, {}
        local kinds = ({ 3, 50, 100000 })[case % 3 + 1]
        for i = 1, math.random(1, 12000) do
          old[i] = "line " .. math.random(kinds)
        end
        local at = 1
        while at <= #old do
          local equal = math.random(1, ({ 30, 300, 6000 })[math.random(3)])
          vim.list_extend(new, old, at, math.min(at + equal - 1, #old))
          at = at + equal + math.random(0, ({ 3, 40, 4000 })[math.random(3)])
          for _ = 1, math.random(0, ({ 3, 40, 4000 })[math.random(3)]) do
            table.insert(new, "line " .. math.random(kinds))
          end
        end
        local ends, new_ends = math.random(2) == 1, math.random(2) == 1
        local found = hunks.between(hunks.of_text(text_of(old, ends)), hunks.of_text(text_of(new, new_ends)))
        total = total + #found
        local made, from, to = {}, 1, 1
        for _, hunk in ipairs(found) do
          local start = hunk.from_count > 0 and hunk.from_start or hunk.from_start + 1
          local to_start = hunk.to_count > 0 and hunk.to_start or hunk.to_start + 1
          assert(start >= from and to_start - to == start - from, "hunks overlap or shift")
          vim.list_extend(made, old, from, start - 1)
          vim.list_extend(made, new, to_start, to_start + hunk.to_count - 1)
          from, to = start + hunk.from_count, to_start + hunk.to_count
        end
        vim.list_extend(made, old, from, #old)
        assert(vim.deep_equal(made, new), "case " .. case)
        local last = found[#found]
        local touches_end = last and (last.from_start + math.max(last.from_count, 1) > #old)
        assert(ends == new_ends or #old == 0 or #new == 0 or touches_end, "the last line break of case " .. case)
      end
      return total
    ]])
    assert.is_true(count > 200, count .. " hunks")
  end)
end)
