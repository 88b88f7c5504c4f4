-- Texts of every kind, which must come back byte for byte.
local BOM = "\239\187\191"

---@param count integer
---@param line fun(number: integer): string
---@return string
local function lines(count, line)
  local made = {}
  for i = 1, count do
    made[i] = line(i)
  end
  return table.concat(made)
end

---@type table<string, string>
return {
  ["a usual text"] = "one\ntwo\n",
  ["no final line break"] = "one\ntwo",
  ["one line without break"] = "one",
  ["nothing"] = "",
  ["one line break"] = "\n",
  ["two line breaks"] = "\n\n",
  ["nothing but many line breaks"] = ("\n"):rep(1000),
  ["one blank"] = " ",
  ["blank lines at the end"] = "one\n\n\n\n",
  ["blank lines at the beginning"] = "\n\n\none\n",
  ["blanks at ends of lines"] = "one  \n\t\n  two \n   ",
  ["CRLF"] = "one\r\ntwo\r\n",
  ["CRLF without the last"] = "one\r\ntwo",
  ["CRLF and a lone CR at the end"] = "one\r\ntwo\r",
  ["one CRLF"] = "\r\n",
  ["two CRLF"] = "\r\n\r\n",
  ["CRLF then LF"] = "one\r\ntwo\n",
  ["LF then CRLF"] = "one\ntwo\r\n",
  ["LF and CRLF by turns"] = ("one\ntwo\r\n"):rep(50),
  ["a blank line ended by LF, then CRLF"] = "\none\r\n",
  ["CR CR LF"] = "one\r\r\ntwo\r\r\n",
  ["LF CR"] = "one\n\rtwo\n\r",
  ["CR as the only line break"] = "one\rtwo\r",
  ["nothing but CR"] = "\r",
  ["CR inside of lines"] = "o\rne\ntwo\r\r2\n",
  ["a BOM"] = BOM .. "one\n",
  ["nothing but a BOM"] = BOM,
  ["a BOM and a line break"] = BOM .. "\n",
  ["two BOMs"] = BOM .. BOM .. "one\n",
  ["a BOM and CRLF"] = BOM .. "one\r\ntwo\r\n",
  ["a BOM and CRLF without the last"] = BOM .. "one\r\ntwo",
  ["a BOM that is not at the beginning"] = "one" .. BOM .. "\n",
  ["half a BOM in another order"] = "\239\191\190one\n",
  ["NUL"] = "o\0ne\n\0\ntwo\0",
  ["nothing but NUL"] = "\0",
  ["all control characters"] = lines(32, function(i)
    return string.char(i - 1)
  end) .. "\127\n",
  ["characters of all lengths"] = "é ü 日本 🎉 e\204\129 \226\128\168 \194\133\n",
  ["separators of lines and paragraphs"] = "one\226\128\168two\226\128\169three\194\133\n",
  ["the last characters of all"] = "\239\191\189 \239\191\191 \244\143\191\191\n",
  ["words from right to left, joined and combined"] = "\215\169\215\156\215\149\215\157 \226\128\174abc\226\128\172 "
    .. "👩\226\128\141👩\226\128\141👧 🇩🇪 Z\204\136\204\129\n",
  ["a form feed, a vertical tab and an escape"] = "\12one\11\n\27[31m\n",
  ["what JSON must escape"] = '"\\\b\f\n\r\t/\\u0041\\n\n',
  ["a long line"] = ("x"):rep(100000) .. "\n",
  ["a line of a million bytes without break"] = ("é日"):rep(200000),
  ["many lines"] = ("line\n"):rep(20000),
  ["a hundred thousand lines"] = lines(100000, function(i)
    return ("line %d\n"):format(i)
  end),
  ["what looks like a modeline"] = "one\nvim: set ff=dos noeol ft=lua :\n",
  ["what looks like marks of a conflict and of folds"] = "<<<<<<< HEAD\na {{{1\n=======\nb }}}1\n>>>>>>> x\n",
}
