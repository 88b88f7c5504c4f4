-- Checks a user's options against the schema: keeps what is right, describes what is wrong, never throws.

local schema = require("claudecode.config.schema")

local M = {}

---@type table<string, claudecode.config.Option> full key to option
local options = {}
---@type table<string, true> keys that hold other keys
local groups = {}
---@type table<string, { option: claudecode.config.Option, was: claudecode.config.Former }> former key to option
local former = {}

for _, option in ipairs(schema) do
  options[option[1]] = option
  local group = option[1]:match("^(.*)%.")
  while group do
    groups[group] = true
    group = group:match("^(.*)%.")
  end
  for key, was in pairs(option.old or {}) do
    former[key] = { option = option, was = was }
  end
end

---Edits (insert, delete, replace a byte) that turn one word into the other.
local function distance(a, b)
  local row = {} ---@type number[]
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      diagonal, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, diagonal + cost)
    end
  end
  return row[#b]
end

local function last_part(key)
  return key:match("[^.]+$")
end

---The known key that a wrong one most likely stands for: by its last part anywhere, a neighbour before the others.
---@param key string full key
---@return string|nil
local function nearest(key)
  local group = key:match("^(.*)%.") or ""
  local word = last_part(key):lower()
  local best, best_score
  local function consider(candidate)
    local score = distance(word, last_part(candidate)) + ((candidate:match("^(.*)%.") or "") == group and 0 or 0.5)
    if not best_score or score < best_score or (score == best_score and candidate < best) then
      best, best_score = candidate, score
    end
  end
  for candidate in pairs(options) do
    consider(candidate)
  end
  for candidate in pairs(groups) do
    consider(candidate)
  end
  return best_score <= math.max(2.5, #word / 2) and best or nil
end

---A value as a person would write it, short enough for a message.
local function shown(value)
  local text = vim.inspect(value, { newline = " ", indent = "" })
  return #text <= 60 and text or text:sub(1, 57) .. "…"
end

---@param value any
---@param kind claudecode.config.Kind
---@return string " did you mean …?" if a word is nearly one that is known, else ""
local function nearest_word(value, kind)
  local best, best_score
  for _, word in ipairs(type(value) == "string" and kind.words or {}) do
    local score = distance(value:lower(), word:lower())
    if not best_score or score < best_score then
      best, best_score = word, score
    end
  end
  return best and best_score <= math.max(2, #best / 3) and (" did you mean %q?"):format(best) or ""
end

---@param key string full key, or what a message says in its place
---@param kind claudecode.config.Kind
---@param value any
---@param option claudecode.config.Option whose default stays
---@return string
local function fault(key, kind, value, option)
  local instead = option.default == nil and "leaving it unset" or "using " .. shown(option.default)
  return ("%s:%s expected %s, got %s; %s"):format(key, nearest_word(value, kind), kind.expected, shown(value), instead)
end

---Leaves out the wrong entries of a table.
---@param key string full key
---@param entries claudecode.config.Entries
---@param value table
---@param faults string[] gets one for each
---@return table right
local function sift(key, entries, value, faults)
  local right, names = {}, vim.tbl_keys(value)
  table.sort(names, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for _, name in ipairs(names) do
    if entries.check(value[name], name) then
      right[type(name) == "number" and #right + 1 or name] = vim.deepcopy(value[name])
    else
      local place = type(name) == "string" and key .. "." .. name or ("%s[%s]"):format(key, tostring(name))
      faults[#faults + 1] = ("%s: expected %s, got %s; left out"):format(place, entries.expected, shown(value[name]))
    end
  end
  return right
end

---@param value any
---@param key string full key
---@param found { values: table<string, any>, translated: table<string, any>, faults: string[] }
local function take(value, key, found)
  local option, old = options[key], former[key]
  if option then
    local kind = option.kind
    if not kind.check(value) and kind.entries and kind.entries.holds(value) then
      value = sift(key, kind.entries, value, found.faults)
      if next(value) == nil then
        return
      end
    end
    if kind.check(value) then
      found.values[key] = vim.deepcopy(value)
    else
      found.faults[#found.faults + 1] = fault(key, kind, value, option)
    end
  elseif old.was.kind.check(value) then
    found.translated[old.option[1]] = vim.deepcopy(old.was.translate(value))
  else
    local name = ("%s (now %s)"):format(key, old.option[1])
    found.faults[#found.faults + 1] = fault(name, old.was.kind, value, old.option)
  end
end

---@param given table
---@param prefix string "" or a group with its dot
---@param found table see take()
local function walk(given, prefix, found)
  local keys = vim.tbl_keys(given)
  table.sort(keys, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for _, name in ipairs(keys) do
    local value = given[name]
    local key = prefix .. tostring(name)
    if options[key] or former[key] then
      -- vim.NIL: unset, as it comes through vim.g
      if value ~= vim.NIL then
        take(value, key, found)
      end
    elseif groups[key] then
      if type(value) == "table" then
        walk(value, key .. ".", found)
      else
        found.faults[#found.faults + 1] = ("%s: expected a table of options, got %s"):format(key, shown(value))
      end
    else
      local known = type(name) == "string" and nearest(key)
      -- Both keys first: the line may be cut behind them.
      found.faults[#found.faults + 1] = known and ("%s: did you mean %s?"):format(key, known)
        or key .. ": unknown option"
    end
  end
end

---@param given any what the user gave
---@param group string|nil check it as the content of this group ("terminal")
---@return table<string, any> values full key to value, only what was given and is right
---@return string[] faults one line each, with the full key
function M.check(given, group)
  local found = { values = {}, translated = {}, faults = {} }
  if type(given) ~= "table" then
    return {}, { ("options: expected a table, got %s"):format(shown(given)) }
  end
  walk(given, group and group .. "." or "", found)
  for key, value in pairs(found.translated) do
    if found.values[key] == nil then
      found.values[key] = value
    end
  end
  return found.values, found.faults
end

return M
