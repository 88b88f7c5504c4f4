-- Random texts, random drops, takes, undos and redos in every view, beside a model that knows the hunks because it made
-- the texts of them; and a screen as it was afterwards.
local stage = require("tests.lua.diff.stage")

local SETUP = [[
  require("claudecode.config").setup({
    auto_start = false, diff_opts = { layout = %q, open_in_new_tab = %s },
  })
  vim.keymap.set({ "n", "x" }, "gd", "<Plug>(claudecode-hunk-drop)")
  vim.keymap.set({ "n", "x" }, "gt", "<Plug>(claudecode-hunk-take)")
  -- The model knows no parts of hunks.
  vim.cmd("set diffopt=internal,filler,closeoff")
  function _G.text_now()
    return require("claudecode.diff.text").read(vim.api.nvim_get_current_buf())
  end
]]

-- The client's part once the user has accepted.
local WRITE = [[
  local path, text = ...
  local diff = require("claudecode.diff")
  diff.close("diff", 1)
  local file = io.open(path, "wb")
  file:write(text)
  file:close()
  diff.check_written(1)
]]

local CASES, STEPS = 8, 9

local WORDS = { "foo", "日本", "e\u{301}t", "👩‍👧", "\t", "a b", "x\r", "\1" }

---@class tests.Part Lines that both texts have, or a change; they end with a line feed, but for a text's last one.
---@field old string[]
---@field new string[]
---@field is_change boolean

---@param count integer
---@param serial { n: integer } No two lines are the same: where the hunks are is beyond doubt.
---@return string[]
local function lines(count, serial)
  local made = {}
  for i = 1, count do
    serial.n = serial.n + 1
    made[i] = ("%s%d\n"):format(WORDS[math.random(#WORDS)], serial.n)
  end
  return made
end

---@param parts tests.Part[]
---@param side "old"|"new"
local function open_end(parts, side)
  for i = #parts, 1, -1 do
    local part = parts[i]
    if #part[side] > 0 then
      if not part.is_change then
        part.old, part.new = vim.deepcopy(part.old), vim.deepcopy(part.new)
      end
      part[side][#part[side]] = part[side][#part[side]]:gsub("\n$", "")
      return
    end
  end
end

---Changes follow on common lines. A common last line with two endings is a change as well.
---@return tests.Part[]
local function random_parts()
  local serial, parts = { n = 0 }, {}
  local is_change = math.random(2) == 1
  for i = 1, math.random(1, 7) do
    if is_change then
      local old = math.random(0, 3)
      parts[i] = { old = lines(old, serial), new = lines(math.random(old == 0 and 1 or 0, 3), serial) }
    else
      local same = lines(math.random(1, 4), serial)
      parts[i] = { old = same, new = same }
    end
    parts[i].is_change, is_change = is_change, not is_change
  end
  for _, side in ipairs({ "old", "new" }) do
    if math.random(3) == 1 then
      open_end(parts, side)
    end
  end
  -- What differs at the end of common lines goes over to the change after them, or becomes one.
  for i = #parts, 1, -1 do
    local part, after = parts[i], parts[i + 1]
    if not part.is_change and part.old[#part.old] ~= part.new[#part.new] then
      after = after or { old = {}, new = {}, is_change = true }
      parts[i + 1] = after
      table.insert(after.old, 1, table.remove(part.old))
      table.insert(after.new, 1, table.remove(part.new))
      if #part.old == 0 then
        table.remove(parts, i)
        local before = parts[i - 1]
        if before then
          vim.list_extend(before.old, after.old)
          vim.list_extend(before.new, after.new)
          table.remove(parts, i)
        end
      end
    end
  end
  return parts
end

---@param parts tests.Part[]
---@param sides ("old"|"new")[] By part.
---@return string
local function text_of(parts, sides)
  local all = {}
  for i, part in ipairs(parts) do
    vim.list_extend(all, part[sides[i]])
  end
  return table.concat(all)
end

---@param parts tests.Part[]
---@param sides ("old"|"new")[]
---@return integer
local function line_count(parts, sides)
  local count = 0
  for i, part in ipairs(parts) do
    count = count + #part[sides[i]]
  end
  return math.max(count, 1)
end

---The rule of drop and take by itself.
---@param parts tests.Part[]
---@param sides ("old"|"new")[]
---@param wanted "old"|"new"
---@param first integer
---@param last integer
---@return ("old"|"new")[]? sides None if nothing is there.
local function restored(parts, sides, wanted, first, last)
  local total, before = line_count(parts, sides), 0
  local touched, below = {}, {}
  for i, part in ipairs(parts) do
    local count = #part[sides[i]]
    if part.is_change and sides[i] ~= wanted then
      local top = count > 0 and before + 1 or math.max(1, math.min(before + 1, total))
      local bottom = count > 0 and before + count or top
      if top <= last and bottom >= first then
        table.insert(touched, i)
      elseif count == 0 and before == last then
        table.insert(below, i)
      end
    end
    before = before + count
  end
  local chosen = #touched > 0 and touched or below
  if #chosen == 0 then
    return nil
  end
  local result = vim.deepcopy(sides)
  for _, i in ipairs(chosen) do
    result[i] = wanted
  end
  return result
end

---@param child tests.Child
---@param parts tests.Part[]
---@return ("old"|"new")[] sides In the end.
local function play(child, parts)
  local sides = {}
  for i in ipairs(parts) do
    sides[i] = "new"
  end
  local history, now, done = { sides }, 1, {}
  for _ = 1, STEPS do
    local action = math.random(6)
    if action <= 4 then
      local total = line_count(parts, history[now])
      local first = math.random(total)
      local last = math.random(2) == 1 and first or math.random(first, total)
      local wanted = action <= 2 and "old" or "new"
      local keys = ("%dG%s%s"):format(
        first,
        last > first and ("V%dG"):format(last) or "",
        wanted == "old" and "gd" or "gt"
      )
      local result = restored(parts, history[now], wanted, first, last)
      if result then
        now = now + 1
        history[now] = result
        for i = now + 1, #history do
          history[i] = nil
        end
      end
      child:keys(keys)
      table.insert(done, keys)
    else
      local count = math.random(3)
      local key = action == 5 and "u" or "<C-r>"
      now = action == 5 and math.max(1, now - count) or math.min(#history, now + count)
      child:keys(count .. key)
      table.insert(done, count .. key)
    end
    local text = child:lua("return text_now()")
    if text ~= text_of(parts, history[now]) then
      error(vim.inspect({ parts = parts, keys = done, got = text, expected = text_of(parts, history[now]) }))
    end
  end
  return history[now]
end

for _, layout in ipairs({ "unified", "vertical", "horizontal" }) do
  for _, new_tab in ipairs({ false, true }) do
    it(
      ("random hunks (%s%s) are dropped, taken, undone and redone to the byte"):format(
        layout,
        new_tab and ", new tab" or ""
      ),
      function()
        local child = stage.start({ args = { "b.txt" }, setup = SETUP:format(layout, new_tab) })
        child:lua("vim.cmd('split | vsplit | 2')")
        for case = 1, CASES do
          local parts = random_parts()
          local ends = { old = {}, new = {} }
          for i in ipairs(parts) do
            ends.old[i], ends.new[i] = "old", "new"
          end
          child:write("a.txt", text_of(parts, ends.old))
          child:lua("answers, events = {}, {}")
          local before, screen = child:lua("return picture()"), stage.screen(child)
          stage.propose(child, "a.txt", text_of(parts, ends.new))
          child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
          child:keys("zn") -- In a closed fold the cursor is on its first line.
          local sides = play(child, parts)
          -- Whatever was done: all of it dropped is the file, all of it taken the proposal.
          for side, key in pairs({ old = "gd", new = "gt" }) do
            child:keys("ggVG" .. key)
            assert.are.equal(text_of(parts, ends[side]), child:lua("return text_now()"))
            if restored(parts, sides, side, 1, line_count(parts, sides)) then
              child:keys("u")
            end
            assert.are.equal(text_of(parts, sides), child:lua("return text_now()"))
          end
          if case % 2 == 0 then
            child:keys(":w<CR>")
            child:wait("return #answers == 1")
            assert.are.equal(text_of(parts, sides), child:lua("return answers[1].text"))
            child:lua(WRITE, child:path("a.txt"), text_of(parts, sides))
          else
            child:keys(":q<CR>")
          end
          stage.wait_closed(child)
          assert.are.same({}, stage.differences(before, child:lua("return picture()")))
          assert.are.same(screen, stage.screen(child))
        end
        child:stop()
      end
    )
  end
end
