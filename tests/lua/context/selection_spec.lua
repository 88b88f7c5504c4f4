-- How a selection is encoded: the rules of src/text/selection.rs as the editor shows them, with literal values.
local Child = require("tests.lua.child")

local TEXT = { "日本語abc", "foo", "", "bar" }
local EMPTY_END = { "foo", "" }
local ROWS = { "abcdef", "ab", "", "uvwxyz" }
local TABBED = { "a\tb", "cdefg" }
local MARKS = "e" .. ("\u{301}"):rep(100)
local FAMILY = "👨‍👩‍👧"

local EXCLUSIVE, OLD = { selection = "exclusive" }, { selection = "old" }
local VIRTUAL, SELECT = { virtualedit = "all" }, { selectmode = "cmd" }

-- Name, buffer, keys typed from its start, span as line:byte-line:byte, text, options.
local CASES = {
  { "nothing selected", TEXT, "l", "0:3-0:3", "" },

  { "v over wide characters", TEXT, "vl", "0:0-0:6", "日本" },
  { "v taken backwards", TEXT, "lllvhh", "0:3-0:10", "本語a" },
  { "v with its ends swapped", TEXT, "vlo", "0:0-0:6", "日本" },
  { "v over lines", TEXT, "jlvjj", "1:1-3:2", "oo\n\nba" },
  { "v$ with its line break", TEXT, "jv$", "1:0-2:0", "foo\n" },
  { "v past the end", TEXT, "jllvl", "1:2-2:0", "o\n" },
  { "v on an empty line", TEXT, "jjv", "2:0-3:0", "\n" },
  { "v$ on the last line", TEXT, "Gv$", "3:0-3:3", "bar" },
  { "v on an empty last line", EMPTY_END, "Gv", "1:0-1:1", "" },
  { "v into an empty last line", EMPTY_END, "vG", "0:0-1:1", "foo\n" },
  { "v over a composed character", { "xe\u{301}\u{302}y" }, "lv", "0:1-0:6", "e\u{301}\u{302}" },
  { "v over a character of 201 bytes", { MARKS .. "x" }, "v", "0:0-0:201", MARKS },
  { "v over an emoji of many code points", { FAMILY .. "!" }, "v", "0:0-0:18", FAMILY, { since = "nvim-0.11" } },
  { "v over a NUL", { "a\0b" }, "lv", "0:1-0:2", "\0" },

  { "V", TEXT, "jlV", "1:0-1:3", "foo" },
  { "V over lines", TEXT, "GVkk", "1:0-3:3", "foo\n\nbar" },
  { "V ending on an empty line", TEXT, "jVj", "1:0-3:0", "foo\n\n" },
  { "V on an empty line", TEXT, "jjV", "2:0-3:0", "\n" },
  { "V ending on an empty last line", EMPTY_END, "VG", "0:0-1:1", "foo\n" },
  { "V on an empty last line", EMPTY_END, "GV", "1:0-1:1", "" },

  { "CTRL-V", ROWS, "l<C-v>Gll", "0:1-3:4", "bcdef\nab\n\nuvwx" },
  { "CTRL-V from right to left", ROWS, "lll<C-v>Ghh", "0:1-3:4", "bcdef\nab\n\nuvwx" },
  { "CTRL-V upwards", ROWS, "Gl<C-v>kkkll", "0:1-3:4", "bcdef\nab\n\nuvwx" },
  { "CTRL-V ending on a shorter row", ROWS, "3l<C-v>j", "0:2-1:2", "cdef\nab" },
  { "CTRL-V ending on an empty row", ROWS, "<C-v>jj", "0:0-2:1", "abcdef\nab\n" },
  { "CTRL-V to the rows' ends", ROWS, "l<C-v>G$", "0:1-3:6", "bcdef\nab\n\nuvwxyz" },
  { "CTRL-V through part of a TAB", TABBED, "ll<C-v>jhh", "0:1-1:5", "\tb\ncdefg" },
  { "CTRL-V over wide characters", { "日本語", "abcdef" }, "l<C-v>j", "0:3-1:4", "本語\nabcd" },

  { "an exclusive v", TEXT, "vll", "0:0-0:6", "日本", EXCLUSIVE },
  { "an exclusive v of one position", TEXT, "v", "0:0-0:3", "日", EXCLUSIVE },
  { "an exclusive v to the line's end", TEXT, "jv$", "1:0-1:3", "foo", EXCLUSIVE },
  { "an exclusive v to a line's start", TEXT, "jvj", "1:0-2:0", "foo\n", EXCLUSIVE },
  { "an exclusive v on an empty line", TEXT, "jjv", "2:0-3:0", "\n", EXCLUSIVE },
  { "an exclusive block", ROWS, "l<C-v>Gll", "0:1-3:3", "bcdef\nab\n\nuvw", EXCLUSIVE },
  { "an exclusive block to the left", ROWS, "lll<C-v>Ghh", "0:1-3:4", "bcdef\nab\n\nuvwx", EXCLUSIVE },
  { "an old v", TEXT, "vl", "0:0-0:6", "日本", OLD },
  { "an old v$", TEXT, "jv$", "1:0-1:3", "foo", OLD },
  { "an old v into an empty line", TEXT, "jvj", "1:0-2:1", "foo\n", OLD },

  { "v$ where all is virtual", TEXT, "jv$", "1:0-1:3", "foo", VIRTUAL },
  { "v$ on a virtual empty line", TEXT, "jjv$", "2:0-2:1", "", VIRTUAL },
  { "v into virtual columns", TEXT, "jv5l", "1:0-1:3", "foo", VIRTUAL },
  { "virtual columns alone", TEXT, "j5lvl", "1:3-1:3", "", VIRTUAL },
  { "one column of a TAB", TABBED, "lllvl", "0:1-0:2", "\t", VIRTUAL },

  { "gh", TEXT, "jgh<S-Right>", "1:0-1:2", "fo" },
  { "gH", TEXT, "jgH<S-Down>", "1:0-3:0", "foo\n\n" },
  { "g CTRL-H", ROWS, "g<C-h><S-Down>", "0:0-1:1", "abcdef\na" },
  { "v as 'selectmode' has it", TEXT, "jv<S-Right>", "1:0-1:2", "fo", SELECT },
}

local PREPARE = [[
  local lines, options = ...
  vim.o.selection, vim.o.virtualedit = "inclusive", ""
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.o.selection = options.selection or "inclusive"
  vim.o.virtualedit = options.virtualedit or ""
  vim.o.selectmode = options.selectmode or ""
  vim.o.keymodel = "startsel,stopsel"
]]

describe("the selection of", function()
  local child
  setup(function()
    child = Child.start({
      files = { ["a.txt"] = "" },
      args = { "a.txt" },
      setup = [[require("claudecode").setup({ auto_start = false })]],
    })
  end)
  teardown(function()
    child:stop()
  end)

  for _, case in ipairs(CASES) do
    local name, lines, keys, span, text, options = unpack(case)
    options = options or { selection = "inclusive" }
    it(name, function()
      if options.since and child:lua("return vim.fn.has(...)", options.since) == 0 then
        return
      end
      child:keys("<C-\\><C-n>")
      child:lua(PREPARE, lines, options)
      child:keys(keys)
      local params = child:lua([[return require("claudecode.editor.selection").read(65536)]])
      local start, stop = params.selection.start, params.selection["end"]
      local got = ("%d:%d-%d:%d"):format(start.line, start.character, stop.line, stop.character)
      assert.are.equal(span, got)
      assert.are.equal(text, params.text)
      assert.are.equal(vim.deep_equal(start, stop), params.selection.isEmpty)
      assert.are.equal(child:path("a.txt"), params.filePath)
    end)
  end
end)
