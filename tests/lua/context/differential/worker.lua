-- Runs cases of the differential test in the Neovim under test: presses the keys, asks the plugin, presses `y`.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local cases = dofile(here .. "/cases.lua")
local oracle = dofile(here .. "/oracle.lua")
local selection = require("claudecode.editor.selection")

local M = {}

local fn, api = vim.fn, vim.api
local MAX_BYTES = 1024 * 1024
local KINDS = { v = "v", V = "V", ["\22"] = "\22", s = "v", S = "V", ["\19"] = "\22" }

local namespace = api.nvim_create_namespace("differential")
---@type claudecode.Selection? what the plugin says of the selection that has just ended
local left
---@type claudecode.Snapshot? the block before the key that ends it
local seen

---@param keys string
local function press(keys)
  vim.cmd("silent! normal! " .. api.nvim_replace_termcodes(keys, true, true, true))
end

api.nvim_create_autocmd("ModeChanged", {
  callback = function()
    local kind = KINDS[vim.v.event.old_mode:sub(1, 1)]
    if kind and not KINDS[vim.v.event.new_mode:sub(1, 1)] then
      local snap = selection.left(({ v = "char", V = "line", ["\22"] = "block" })[kind], seen)
      left = snap and selection.params(snap, MAX_BYTES)
    end
  end,
})

---Brings a case's buffer and options about.
---@param case tests.Case
function M.prepare(case)
  press("<C-\\><C-n>")
  vim.o.selection, vim.o.selectmode, vim.o.virtualedit, vim.wo.virtualedit = "inclusive", "", "", ""
  vim.cmd("normal! zE")
  api.nvim_buf_clear_namespace(0, namespace, 0, -1)
  vim.wo.list, vim.wo.linebreak, vim.wo.breakindent, vim.wo.wrap = false, false, false, true
  vim.wo.showbreak = ""
  vim.o.columns = case.odd and 25 or 80
  api.nvim_buf_set_lines(0, 0, -1, false, case.lines)
  vim.bo.tabstop = case.tabstop
  if case.list then
    vim.wo.list, vim.o.listchars = true, case.list
  end
  for name, value in pairs(case.odd or {}) do
    vim.wo[name] = value
  end
  for _, hint in ipairs(case.inline) do
    api.nvim_buf_set_extmark(0, namespace, hint[1], hint[2], { virt_text = { { hint[3] } }, virt_text_pos = "inline" })
  end
  api.nvim_win_set_cursor(0, { 1, 0 })
  press("vyv") -- nothing that an earlier case has left for `gv` and `3v`
  for _, key in ipairs(case.previous) do
    press(key ~= "<C-g>" and key or "o")
  end
  press("<C-\\><C-n>")
  if case.fold then
    vim.cmd(("%d,%dfold"):format(case.fold[1], case.fold[2]))
  end
  vim.o.selection, vim.o.selectmode, vim.o.keymodel = case.selection, case.selectmode, case.keymodel
  if case.is_local then
    vim.wo.virtualedit = case.virtualedit
  else
    vim.o.virtualedit = case.virtualedit
  end
  api.nvim_win_set_cursor(0, { #case.lines, 0 })
end

---@param selected claudecode.Selection?
local function spell(selected)
  if not selected then
    return "nothing"
  end
  local from, to = selected.selection.start, selected.selection["end"]
  return ("%d:%d-%d:%d %q"):format(from.line, from.character, to.line, to.character, selected.text)
end

---Folds can leave the cursor past the end of its line, where `y` reads on, or with columns that its character does not
---have, which the next key takes away.
---@param pos integer[]
---@return boolean
function M.is_outside(pos)
  local line, byte = fn.getline(pos[1]), pos[2] - 1
  local char = fn.strpart(line, byte, 1, 1)
  return byte > #line or pos[3] > 0 and byte + #char < #line and fn.strdisplaywidth(char) == 1
end

---Compares what the plugin says of the Visual area with what `y` takes of it.
---@param case tests.Case
---@return string? outcome kind of the area, nil outside Visual mode
---@return string? complaint
function M.compare(case)
  local mode = fn.mode()
  local kind = KINDS[mode]
  if not kind then
    return nil
  end
  local cursor, other = fn.getcurpos(), fn.getpos("v")
  local first, last = { unpack(cursor, 2, 4) }, { unpack(other, 2, 4) }
  if
    fn.line2byte(first[1]) > fn.line2byte(last[1])
    or first[1] == last[1] and (first[2] > last[2] or first[2] == last[2] and first[3] > last[3])
  then
    first, last = last, first
  end
  if M.is_outside(first) or M.is_outside(last) then
    return "skipped"
  end
  local area = { kind = kind, first = first, last = last, to_end = kind == "\22" and cursor[5] == vim.v.maxcol }
  local told = selection.read(MAX_BYTES)
  left, seen = nil, kind == "\22" and selection.visual() or nil
  fn.setreg('"', "")
  press(mode == kind and "y" or "<C-g>y")
  local told_after = left
  local yank = {
    lines = vim.tbl_map(function(line)
      return (line:gsub("\n", "\0"))
    end, fn.getreg('"', 1, true)),
    type = fn.getregtype('"'):sub(1, 1),
    first = fn.line("'["),
    last = fn.line("']"),
  }
  local expected = oracle.expected(area, yank, not case.odd)
  local function complain(what)
    return kind,
      ("%s\n    got      %s\n    expected %s\n    yanked   %s %s\n    area %s %s %s\n    case %s"):format(
        what,
        spell(told),
        expected.span
            and ("%d:%d-%d:%d %q"):format(
              expected.span[1],
              expected.span[2],
              expected.span[3],
              expected.span[4],
              expected.text
            )
          or "?",
        yank.type,
        vim.inspect(yank.lines),
        table.concat(first, ","),
        table.concat(last, ","),
        area.to_end and "$" or "",
        vim.inspect(case):gsub("%s+", " ")
      )
  end
  if expected.problem then
    return complain("oracle: " .. expected.problem)
  elseif not expected.span then
    return "skipped"
  elseif told and kind == "v" and told.text ~= expected.text and oracle.is_left_out(told.text) then
    return "left out by 0.10"
  elseif
    not told
    or spell(told)
      ~= spell({
        selection = {
          start = { line = expected.span[1], character = expected.span[2] },
          ["end"] = { line = expected.span[3], character = expected.span[4] },
        },
        text = expected.text,
      })
  then
    return complain("not what y takes")
  elseif told.selection.isEmpty ~= vim.deep_equal(told.selection.start, told.selection["end"]) then
    return complain("isEmpty is wrong")
  elseif spell(told_after) ~= spell(told) then
    return complain("another one after its end: " .. spell(told_after))
  end
  return kind .. (mode == kind and "" or " (Select)")
end

---@param case tests.Case
local function play(case)
  M.prepare(case)
  for _, key in ipairs(case.before) do
    press(key)
  end
  press(case.start)
  local motions, selects = vim.list_slice(case.motions), vim.list_slice(case.select_motions)
  while #motions > 0 and #selects > 0 and KINDS[fn.mode()] do
    local is_select = fn.mode():find("[sS\19]") ~= nil
    press(table.remove(is_select and selects or motions))
  end
end

---@class tests.Result
---@field outcomes table<string, integer> how often
---@field complaints string[] the first few
---@field failed integer
---@field done integer cases that ended in Visual mode and were compared
---@field next integer number of the case after the last

---Counts the outcome of a case that has been played.
---@param result tests.Result
---@param seed integer
---@param number integer
---@param action fun(): string?, string?
local function count(result, seed, number, action)
  local ok, outcome, complaint = xpcall(action, debug.traceback)
  if not ok then
    outcome, complaint = "error", outcome
  end
  if complaint then
    result.failed = result.failed + 1
    if #result.complaints < 5 then
      table.insert(result.complaints, ("case %d of seed %d: %s"):format(number, seed, complaint))
    end
  end
  if outcome then
    result.done = result.done + (outcome == "skipped" and 0 or 1)
    result.outcomes[outcome] = (result.outcomes[outcome] or 0) + 1
  end
end

---@return tests.Result
local function new_result()
  return { outcomes = vim.empty_dict(), complaints = {}, failed = 0, done = 0 }
end

---Plays cases until as many have been compared.
---@param seed integer
---@param first integer
---@param wanted integer
---@return tests.Result
function M.run(seed, first, wanted)
  local result, number = new_result(), first
  while result.done < wanted do
    count(result, seed, number, function()
      local case = cases.make(seed, number)
      play(case)
      return M.compare(case)
    end)
    number = number + 1
  end
  result.next = number
  return result
end

local typed ---@type { case: tests.Case, seed: integer, number: integer }

---Prepares a case that is typed or clicked from outside.
---@param seed integer
---@param number integer
---@return tests.Case
function M.begin(seed, number)
  typed = { case = cases.make(seed, number), seed = seed, number = number }
  M.prepare(typed.case)
  return typed.case
end

---@return tests.Result result of the case that was begun
function M.finish()
  local result = new_result()
  count(result, typed.seed, typed.number, function()
    return M.compare(typed.case)
  end)
  return result
end

return M
