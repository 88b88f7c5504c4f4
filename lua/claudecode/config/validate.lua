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

---@return table see config/faults.lua
local function words()
  return require("claudecode.config.faults")
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
      faults[#faults + 1] = words().wrong_entry(key, name, entries.expected, value[name])
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
      found.faults[#found.faults + 1] = words().wrong(key, kind, value, option)
    end
  elseif old.was.kind.check(value) then
    found.translated[old.option[1]] = vim.deepcopy(old.was.translate(value))
  else
    local name = ("%s (now %s)"):format(key, old.option[1])
    found.faults[#found.faults + 1] = words().wrong(name, old.was.kind, value, old.option)
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
        found.faults[#found.faults + 1] = words().no_table(key, "a table of options", value)
      end
    else
      found.faults[#found.faults + 1] = words().unknown(key, name, { options, groups })
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
    return {}, { words().no_table("options", "a table", given) }
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
