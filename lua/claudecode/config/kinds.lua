-- What a value of an option may be: each kind checks a value, names itself for messages and gives its LuaCATS type.

local M = {}

---@class claudecode.config.Kind
---@field type string LuaCATS type, used by the generated types and the help
---@field expected string what a message says was expected
---@field check fun(value: any): boolean
---@field words string[]|nil words that it may be
---@field entries claudecode.config.Entries|nil of a table in which each stands for itself: a wrong one is left out

---@class claudecode.config.Entries
---@field holds fun(value: any): boolean whether it is such a table at all
---@field expected string what a message says was expected of an entry
---@field check fun(entry: any, name: any): boolean

---@param type_name string LuaCATS type
---@param expected string
---@param check fun(value: any): boolean
---@return claudecode.config.Kind
local function kind(type_name, expected, check)
  return { type = type_name, expected = expected, check = check }
end

local function is_list(value)
  return type(value) == "table" and vim.islist(value)
end

local function is_map(value)
  return type(value) == "table" and (next(value) == nil or not vim.islist(value))
end

local function all_match(list, check)
  for _, item in ipairs(list) do
    if not check(item) then
      return false
    end
  end
  return true
end

local function is_text(value)
  return type(value) == "string" and value ~= ""
end

---A table of entries that each stand for themselves.
---@param type_name string
---@param expected string
---@param entries claudecode.config.Entries
---@return claudecode.config.Kind
local function table_of(type_name, expected, entries)
  local one = kind(type_name, expected, function(value)
    if not entries.holds(value) then
      return false
    end
    for name, entry in pairs(value) do
      if not entries.check(entry, name) then
        return false
      end
    end
    return true
  end)
  one.entries = entries
  return one
end

M.boolean = kind("boolean", "true or false", function(value)
  return type(value) == "boolean"
end)

M.text = kind("string", "a string that is not empty", is_text)

M.callback = kind("function", "a function", function(value)
  return vim.is_callable(value)
end)

M.map = kind("table<string, any>", "a table with named keys", is_map)

M.environment = table_of("table<string, string>", "a table of variable name to text", {
  holds = is_map,
  expected = "the name of a variable and a text",
  check = function(text, name)
    local is_scalar = type(text) == "string" or type(text) == "number" or type(text) == "boolean"
    return is_scalar and type(name) == "string" and name ~= "" and not name:find("[=%z]")
  end,
})

M.texts = table_of("string[]", "a list of strings", {
  holds = is_list,
  expected = "a string that is not empty",
  check = is_text,
})

M.models = table_of("{ name: string, value: string }[]", "a list of { name = …, value = … }", {
  holds = function(value)
    return is_list(value) and #value > 0
  end,
  expected = "{ name = …, value = … }",
  check = function(model)
    return type(model) == "table" and is_text(model.name) and is_text(model.value)
  end,
})

-- Of the CLI; "manual" is another name of "default".
M.PERMISSION_MODES = { "default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions" }

---One of these words.
---@param ... string
---@return claudecode.config.Kind
function M.one_of(...)
  local words = { ... }
  local quoted = vim.tbl_map(function(word)
    return '"' .. word .. '"'
  end, words)
  local one = kind(table.concat(quoted, "|"), "one of " .. table.concat(quoted, ", "), function(value)
    return vim.tbl_contains(words, value)
  end)
  one.words = words
  return one
end

---A whole number within bounds, both included.
---@param min integer
---@param max integer|nil
---@return claudecode.config.Kind
function M.integer(min, max)
  local expected = max and ("a whole number from %d to %d"):format(min, max)
    or ("a whole number of at least %d"):format(min)
  return kind("integer", expected, function(value)
    return type(value) == "number"
      and value == math.floor(value)
      and value >= min
      and value <= (max or math.huge)
      and value < math.huge
  end)
end

M.share = kind("number", "a number between 0 and 1, such as 0.3", function(value)
  return type(value) == "number" and value > 0 and value < 1
end)

---@param ... claudecode.config.Kind
---@return claudecode.config.Kind
function M.any_of(...)
  local kinds = { ... }
  local types, expected, words = {}, {}, {}
  for _, one in ipairs(kinds) do
    types[#types + 1] = one.type
    expected[#expected + 1] = one.expected
    vim.list_extend(words, one.words or {})
  end
  local any = kind(table.concat(types, "|"), table.concat(expected, ", or "), function(value)
    for _, one in ipairs(kinds) do
      if one.check(value) then
        return true
      end
    end
    return false
  end)
  any.words = words
  return any
end

---What shows a diff (diff/views.lua).
M.viewer = kind("claudecode.diff.Viewer", "a table with a function `show`", function(value)
  return type(value) == "table" and vim.is_callable(value.show)
end)

---The command of the Claude CLI: a line, or an argument vector.
M.command = kind("string|string[]", "a command line with closed quotes, or a list of words", function(value)
  return (is_text(value) and require("claudecode.terminal.command").configured(value) ~= nil)
    or (
      is_list(value)
      and #value > 0
      and is_text(value[1])
      and all_match(value, function(item)
        return type(item) == "string"
      end)
    )
end)

---The command line that opens an external terminal.
M.external_command = M.any_of(M.text, M.texts, M.callback)

return M
