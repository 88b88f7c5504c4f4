-- How a selection is encoded: the rules of src/text/selection.rs as the editor shows them, with literal values.
local Child = require("tests.lua.child")

local TEXT = { "日本語abc", "foo", "", "bar" }
local EMPTY_END = { "foo", "" }
local ROWS = { "abcdef", "ab", "", "uvwxyz" }
local TABBED = { "a\tb", "cdefg" }
local MARKS = "e" .. ("\u{301}"):rep(100)
local FAMILY = "👨‍👩‍👧"
-- An invalid byte, and a composing character after it.
local INVALID = { "a\255\u{301}b", "cdefghij" }

local EXCLUSIVE, OLD = { selection = "exclusive" }, { selection = "old" }
local ONE_MORE, SELECT = { virtualedit = "onemore" }, { selectmode = "cmd" }
local VIRTUAL, VIRTUAL_EXCLUSIVE = { virtualedit = "all" }, { virtualedit = "all", selection = "exclusive" }
local VIRTUAL_BLOCK = { virtualedit = "block" }
local SINCE_11, BEFORE_11 = { since = "nvim-0.11" }, { before = "nvim-0.11" }

-- Name, buffer, keys typed from its start, span as line:byte-line:byte, text, options.
local CASES = {
  { "nothing selected", TEXT, "l", "0:3-0:3", "" },

  { "v over wide characters", TEXT, "vl", "0:0-0:6", "日本" },
  { "v taken backwards", TEXT, "lllvhh", "0:3-0:10", "本語a" },
  { "v with its ends swapped", TEXT, "vlo", "0:0-0:6", "日本" },
  { "v over lines", TEXT, "jlvjj", "1:1-3:2", "oo\n\nba" },
  { "v$ with its line break", TEXT, "jv$", "1:0-2:0", "foo\n" },
  { "v past the end", TEXT, "jllvl", "1:2-2:0", "o\n" },
  { "v from past the end", TEXT, "jA<Esc>lvj", "1:3-3:0", "\n\n", ONE_MORE },
  { "v on an empty line", TEXT, "jjv", "2:0-3:0", "\n" },
  { "v into an empty line", TEXT, "jvj", "1:0-3:0", "foo\n\n" },
  { "v$ on the last line", TEXT, "Gv$", "3:0-3:3", "bar" },
  { "v on an empty last line", EMPTY_END, "Gv", "1:0-1:1", "" },
  { "v into an empty last line", EMPTY_END, "vG", "0:0-1:1", "foo\n" },
  { "v with a count", TEXT, "jv5l", "1:0-2:0", "foo\n" },
  { "v over a text object", { "one two" }, "wviw", "0:4-0:7", "two" },
  { "gv", TEXT, "vl<Esc>Ggv", "0:0-0:6", "日本" },

  { "v over a composed character", { "xe\u{301}\u{302}y" }, "lv", "0:1-0:6", "e\u{301}\u{302}" },
  { "v over a character of 201 bytes", { MARKS .. "x" }, "v", "0:0-0:201", MARKS },
  { "v over an emoji of many code points", { FAMILY .. "!" }, "v", "0:0-0:18", FAMILY, SINCE_11 },
  { "v over one code point of an emoji", { FAMILY .. "!" }, "v", "0:0-0:4", "👨", BEFORE_11 },
  { "v over a NUL", { "a\0b" }, "lv", "0:1-0:2", "\0" },
  { "v over a TAB and a mark", { "\t\u{301}a" }, "v", "0:0-0:1", "\t", SINCE_11 },
  { "v over a marked TAB", { "\t\u{301}a" }, "v", "0:0-0:3", "\t\u{301}", BEFORE_11 },
  { "v over U+0085 and a mark", { "\u{85}\u{301}a" }, "v", "0:0-0:2", "\u{85}", SINCE_11 },
  { "v over a marked U+0085", { "\u{85}\u{301}a" }, "v", "0:0-0:4", "\u{85}\u{301}", BEFORE_11 },
  { "v over U+200B and a mark", { "\u{200b}\u{301}a" }, "v", "0:0-0:3", "\u{200b}", SINCE_11 },
  { "v over a marked U+200B", { "\u{200b}\u{301}a" }, "v", "0:0-0:5", "\u{200b}\u{301}", BEFORE_11 },
  { "v over an invalid byte", INVALID, "lv", "0:1-0:2", "\255" },
  { "v over a mark after an invalid byte", INVALID, "llv", "0:2-0:4", "\u{301}", SINCE_11 },
  { "an exclusive v to a mark after an invalid byte", INVALID, "v/b<CR>", "0:0-0:4", "a\255\u{301}", EXCLUSIVE },
  {
    "an exclusive v into joined consonants",
    { "xक्ष" },
    "$v0",
    "0:0-0:10",
    "xक्ष",
    { selection = "exclusive", since = "nvim-0.11" },
  },
  {
    "an exclusive v to a consonant",
    { "xक्ष" },
    "$v0",
    "0:0-0:7",
    "xक्",
    { selection = "exclusive", before = "nvim-0.11" },
  },

  { "V", TEXT, "jlV", "1:0-1:3", "foo" },
  { "V over lines", TEXT, "GVkk", "1:0-3:3", "foo\n\nbar" },
  { "V ending on an empty line", TEXT, "jVj", "1:0-3:0", "foo\n\n" },
  { "V on an empty line", TEXT, "jjV", "2:0-3:0", "\n" },
  { "V ending on an empty last line", EMPTY_END, "VG", "0:0-1:1", "foo\n" },
  { "V on an empty last line", EMPTY_END, "GV", "1:0-1:1", "" },

  { "CTRL-V", ROWS, "l<C-v>Gll", "0:1-3:4", "bcdef\nab\n\nuvwx" },
  { "CTRL-V from right to left", ROWS, "lll<C-v>Ghh", "0:1-3:4", "bcdef\nab\n\nuvwx" },
  { "CTRL-V upwards", ROWS, "Gl<C-v>kkkll", "0:1-3:4", "bcdef\nab\n\nuvwx" },
  { "CTRL-V with its sides swapped", ROWS, "l<C-v>GllO", "0:1-3:4", "bcdef\nab\n\nuvwx" },
  { "CTRL-V starting on a shorter row", ROWS, "G4l<C-v>kk", "1:2-3:5", "\n\nuvwxy", VIRTUAL_BLOCK },
  { "CTRL-V starting on an empty row", ROWS, "jj<C-v>jll", "2:0-3:3", "\nuvw" },
  { "CTRL-V ending on a shorter row", ROWS, "3l<C-v>j", "0:2-1:2", "cdef\nab" },
  { "CTRL-V ending on an empty row", ROWS, "<C-v>jj", "0:0-2:1", "abcdef\nab\n" },
  { "CTRL-V on an empty row", ROWS, "jj<C-v>", "2:0-2:1", "" },
  { "CTRL-V to the rows' ends", ROWS, "l<C-v>G$", "0:1-3:6", "bcdef\nab\n\nuvwxyz" },
  { "CTRL-V to the ends of rows of which the last is empty", ROWS, "l<C-v>jj$", "0:0-2:1", "abcdef\nab\n" },
  { "CTRL-V through part of a TAB", TABBED, "ll<C-v>jhh", "0:1-1:5", "\tb\ncdefg" },
  { "CTRL-V over wide characters", { "日本語", "abcdef" }, "l<C-v>j", "0:3-1:4", "本語\nabcd" },
  { "CTRL-V through part of an invalid byte", INVALID, "jlll<C-v>kh", "0:1-1:5", "\255\u{301}b\ncdefg", SINCE_11 },
  {
    "CTRL-V onto part of an invalid byte",
    { "cdefg", "a\255\u{301}b" },
    "lll<C-v>j0",
    "0:0-1:4",
    "cdefg\na\255\u{301}",
  },
  {
    "CTRL-V to a last byte without a column of its own",
    { "b\u{600}\204", "xyz" },
    "jl<C-v>k$",
    "0:1-1:3",
    "\u{600}\204\nxyz",
    SINCE_11,
  },

  { "an exclusive v", TEXT, "vll", "0:0-0:6", "日本", EXCLUSIVE },
  {
    "an exclusive v to a mark behind joined bytes",
    { "a\u{600}\255\u{301}x" },
    "v<Cmd>call cursor(1, 5)<CR>",
    "0:0-0:4",
    "a\u{600}\255",
    { selection = "exclusive", since = "nvim-0.11" },
  },
  {
    "an exclusive v with a block's virtual column",
    TEXT,
    "j<C-v>5lv",
    "1:0-1:3",
    "foo",
    { selection = "exclusive", virtualedit = "block" },
  },
  { "an exclusive v of one position", TEXT, "v", "0:0-0:3", "日", EXCLUSIVE },
  {
    "an exclusive v of one position past the end",
    TEXT,
    "jA<Esc>lv",
    "1:3-2:0",
    "\n",
    { selection = "exclusive", virtualedit = "onemore" },
  },
  { "an exclusive v to the line's end", TEXT, "jv$", "1:0-1:3", "foo", EXCLUSIVE },
  { "an exclusive v to a line's start", TEXT, "jvj", "1:0-2:0", "foo\n", EXCLUSIVE },
  { "an exclusive v to the start of an empty last line", EMPTY_END, "vG", "0:0-1:0", "foo\n", EXCLUSIVE },
  { "an exclusive v on an empty line", TEXT, "jjv", "2:0-3:0", "\n", EXCLUSIVE },
  { "an exclusive V", TEXT, "jVj", "1:0-3:0", "foo\n\n", EXCLUSIVE },
  { "an exclusive block", ROWS, "l<C-v>Gll", "0:1-3:3", "bcdef\nab\n\nuvw", EXCLUSIVE },
  { "an exclusive block to the left", ROWS, "lll<C-v>Ghh", "0:1-3:4", "bcdef\nab\n\nuvwx", EXCLUSIVE },
  { "an exclusive block of one column", ROWS, "l<C-v>j", "0:1-1:2", "bcdef\nab", EXCLUSIVE },
  { "an exclusive block whose corners overlap", { "a日c", "abc" }, "l<C-v>jl", "0:1-1:3", "日c\nabc", EXCLUSIVE },
  { "an exclusive block ending on an empty row", ROWS, "<C-v>jj", "0:0-2:1", "abcdef\nab\n", EXCLUSIVE },
  { "an exclusive block to the rows' ends", ROWS, "l<C-v>G$", "0:1-3:6", "bcdef\nab\n\nuvwxyz", EXCLUSIVE },

  { "an old v", TEXT, "vl", "0:0-0:6", "日本", OLD },
  { "an old v$", TEXT, "jv$", "1:0-1:3", "foo", OLD },
  { "an old v into an empty line", TEXT, "jvj", "1:0-2:1", "foo\n", OLD },
  { "an old v on an empty line", TEXT, "jjv", "2:0-2:1", "", OLD },
  { "an old v from behind a blank into an empty line", { " ab", "", "c" }, "lvj", "0:1-1:1", "ab\n", OLD },
  { "an old V ending on an empty line", TEXT, "jVj", "1:0-3:0", "foo\n\n", OLD },

  { "v$ where all is virtual", TEXT, "jv$", "1:0-1:3", "foo", VIRTUAL },
  { "v$ where all is virtual and one more", TEXT, "jv$", "1:0-1:3", "foo", { virtualedit = "all,onemore" } },
  { "v$ where all is virtual and blocks too", TEXT, "jv$", "1:0-1:3", "foo", { virtualedit = "all,block" } },
  { "v$ on a virtual empty line", TEXT, "jjv$", "2:0-2:1", "", VIRTUAL },
  { "v into virtual columns", TEXT, "jv5l", "1:0-1:3", "foo", VIRTUAL },
  { "virtual columns alone", TEXT, "j5lvl", "1:3-1:3", "", VIRTUAL },
  { "virtual columns of an empty line alone", TEXT, "jj2lvl", "2:0-2:0", "", VIRTUAL },
  { "one column of a TAB", TABBED, "lllvl", "0:1-0:2", "\t", VIRTUAL },
  { "an exclusive v into a TAB", TABBED, "vlll", "0:0-0:2", "a\t", VIRTUAL_EXCLUSIVE },
  { "an exclusive v to a TAB", TABBED, "vl", "0:0-0:1", "a", VIRTUAL_EXCLUSIVE },
  { "an exclusive v to a line's start, all virtual", TEXT, "jvj", "1:0-2:0", "foo\n", VIRTUAL_EXCLUSIVE },
  { "an exclusive v to a virtual column", TEXT, "jvjl", "1:0-2:1", "foo\n", VIRTUAL_EXCLUSIVE },
  { "v$ where only blocks are virtual", TEXT, "jv$", "1:0-2:0", "foo\n", VIRTUAL_BLOCK },

  { "gh", TEXT, "jgh<S-Right>", "1:0-1:2", "fo" },
  { "gH", TEXT, "jgH<S-Down>", "1:0-3:0", "foo\n\n" },
  { "g CTRL-H", ROWS, "g<C-h><S-Down>", "0:0-1:1", "abcdef\na" },
  { "v as 'selectmode' has it", TEXT, "jv<S-Right>", "1:0-1:2", "fo", SELECT },
  { "V as 'selectmode' has it", TEXT, "jV<S-Down>", "1:0-3:0", "foo\n\n", SELECT },
  { "CTRL-V as 'selectmode' has it", ROWS, "<C-v><S-Down>", "0:0-1:1", "abcdef\na", SELECT },
  { "shifted keys as 'selectmode' has them", TEXT, "j<S-Right>", "1:0-1:2", "fo", { selectmode = "key" } },
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
      local function has(version)
        return child:lua("return vim.fn.has(...)", version) == 1
      end
      if options.since and not has(options.since) or options.before and has(options.before) then
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

  it("marks that point into a character, as the whole of it", function()
    child:keys("<C-\\><C-n>")
    child:lua(PREPARE, { "abcdefghijklmno" }, { selection = "exclusive" })
    child:keys("gg06lv3l<Esc>")
    child:lua("vim.fn.setline(1, 'a日本語日本語日本語')")
    child:keys("gv")
    local params = child:lua([[return require("claudecode.editor.selection").read(65536)]])
    child:keys('"zy')
    assert.are.equal(child:lua([[return vim.fn.getreg("z")]]), params.text)
    assert.are.equal(4, params.selection.start.character)
  end)

  it("a block in lines that 'linebreak' wraps, as if they were not", function()
    child:keys("<C-\\><C-n>")
    child:lua(PREPARE, { ("a"):rep(15) .. " " .. ("b"):rep(10), ("c"):rep(30) }, { selection = "inclusive" })
    child:lua("vim.o.columns, vim.wo.linebreak = 20, true")
    child:keys("18l<C-v>jl")
    local params = child:lua([[return require("claudecode.editor.selection").read(65536)]])
    assert.are.equal(("b"):rep(8) .. "\n" .. ("c"):rep(24), params.text)
    assert.are.equal(24, params.selection["end"].character)
    assert.is_true(child:lua("return vim.wo.linebreak"))
    child:lua("vim.o.columns, vim.wo.linebreak = 80, false")
  end)
end)
