-- Random buffers, options and keys for the differential test. One number makes one case, on every version the same.
local M = {}

local random = math.random

local function pick(list)
  return list[random(#list)]
end

local function chance(percent)
  return random(100) <= percent
end

-- What lines are made of: each piece is hard for one rule or another.
-- stylua: ignore
local PIECES = {
  "a", "b", "Z", "x", "1", " ", " ", "-", ".", "\t", "\t", "é", "日", "本", "ｱ", "ﾞ", "e\u{301}", "\u{301}",
  "q\u{301}\u{302}\u{323}", "👨‍👩‍👧", "👍🏽", "❤️", "🇩🇪", "🇫", "\u{200d}", "한", "\u{1112}\u{1161}\u{11ab}", "\u{1161}",
  "नि", "क्ष", "กำ", "ที่", "لا", "مرحبا", "\u{600}", "\u{85}", "\u{200b}", "\u{ad}", "\u{feff}", "\u{2028}",
  "\u{e000}", "\u{10ffff}", "\0", "\1", "\r", "\127", "\255", "\230\151", "\204", "\255\u{301}", "\230\151\u{301}",
  "\128",
  "\237\160\128", "\192\128", "\244\144\128\128",
}

-- For windows that change columns: every character once, so that a row's text has one place.
local LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789éèàüñ日本語漢字"
local UNIQUE = vim.fn.split(LETTERS, "\\zs")

---@param text string
---@return string[]
local function words(text)
  return vim.split(text, " ")
end

local SELECTION = words("inclusive inclusive exclusive old")
local VIRTUAL = words("none onemore all all block insert block,onemore block,insert all,onemore all,block")
vim.list_extend(VIRTUAL, { "", "", "", "" })

local BEFORE = words("l j w 3l $ k G gg f1 5| 20| e")
local STARTS = words("v v v V <C-v> <C-v> <C-v> gh gH g<C-h> gv 3v 2V 2<C-v> <S-Right> <S-Down>")
local MOTIONS = words(
  'h l l j j k 0 $ $ w b e ge W G gg o o O 3l 2j 5h 2$ g_ ^ iw aw aW ip as i( a" f1 t- Fa ; % } { 5| 12| gv gv '
    .. "v V <C-v> <C-g> n + go gj g$ 10l 99l"
)
local SELECT_MOTIONS = words(
  "<S-Left> <S-Right> <S-Right> <S-Up> <S-Down> <S-Down> <S-End> <S-Home> <C-o>$ <C-o>e <C-o>o <C-o>3l <C-o>G "
    .. "<C-o>O <C-g>"
)

---@class tests.Case
---@field lines string[]
---@field selection string
---@field virtualedit string
---@field is_local boolean 'virtualedit' is set for the window
---@field selectmode string
---@field keymodel string
---@field tabstop integer
---@field list string|false 'listchars' if 'list' is on
---@field fold integer[]|false lines of a closed fold
---@field odd table|false window options that change columns
---@field inline [integer, integer, string][] inline virtual text: line, byte, text
---@field before string[] keys in Normal mode
---@field previous string[] keys that leave a Visual area for `gv`
---@field start string
---@field motions string[]
---@field select_motions string[]
---@field clicks tests.Click[] where the mouse goes, for a case that is clicked

---@alias tests.Click { action: "press"|"drag"|"release", modifier: string, row: integer, column: integer }

---@return string
local function line()
  local pieces = {}
  for i = 1, pick({ 0, 0, 1, 2, 3, 5, 8, 20 }) do
    pieces[i] = pick(PIECES)
  end
  return table.concat(pieces)
end

---@return string
local function unique_line()
  local rest, taken = vim.deepcopy(UNIQUE), {}
  for i = 1, pick({ 0, 1, 5, 12, 30, 50 }) do
    taken[i] = chance(12) and pick({ " ", "\t" }) or table.remove(rest, random(#rest))
  end
  return table.concat(taken)
end

---@param list string[]
---@param most integer
---@return string[]
local function some(list, most)
  local keys = {}
  for i = 1, random(0, most) do
    keys[i] = pick(list)
  end
  return keys
end

---Presses the button up to four times in one place, and drags it from there.
---@return tests.Click[]
local function clicks()
  local made = {}
  local function add(action, row, column, modifier)
    made[#made + 1] = { action = action, modifier = modifier or "", row = row, column = column }
  end
  local row, column = random(0, 6), random(0, 40)
  local modifier = pick({ "", "", "A", "S" })
  local times = random(4)
  for i = 1, times do
    add("press", row, column, modifier)
    if i < times then
      add("release", row, column)
    end
  end
  for _ = 1, random(0, 2) do
    row, column = random(0, 6), random(0, 40)
    add("drag", row, column, modifier)
  end
  add("release", row, column)
  return made
end

---@param seed integer
---@param number integer of the case
---@return tests.Case
function M.make(seed, number)
  math.randomseed(seed * 1000003 + number)
  for _ = 1, 5 do
    random()
  end
  local odd = chance(10)
    and {
      linebreak = chance(60),
      showbreak = pick({ "", "> ", "+++" }),
      breakindent = chance(40),
      wrap = chance(85),
    }
  local lines = {}
  for i = 1, random(6) do
    lines[i] = odd and unique_line() or line()
  end
  local inline = {}
  if odd and chance(40) then
    for i = 1, 2 do
      local lnum = random(#lines)
      local text = lines[lnum]
      local byte = #text == 0 and 0 or vim.fn.byteidx(text, random(0, vim.fn.strchars(text)))
      inline[i] = { lnum - 1, byte, pick({ ":", "hint", "日" }) }
    end
  end
  local first = random(#lines)
  return {
    lines = lines,
    selection = pick(SELECTION),
    virtualedit = pick(VIRTUAL),
    is_local = chance(20),
    selectmode = pick({ "", "", "", "cmd", "key", "mouse,key,cmd" }),
    keymodel = pick({ "startsel", "startsel,stopsel" }),
    tabstop = pick({ 8, 8, 4, 3 }),
    list = chance(15) and pick({ "tab:> ", "eol:$", "tab:>-,nbsp:+" }),
    fold = chance(10) and { first, random(first, #lines) },
    odd = odd,
    inline = inline,
    before = some(BEFORE, 5),
    previous = some(MOTIONS, 3),
    start = pick(STARTS),
    motions = some(MOTIONS, 7),
    select_motions = some(SELECT_MOTIONS, 6),
    clicks = clicks(),
  }
end

return M
