-- The options in force: defaults, then vim.g.claudecode, then what setup() was given.

local M = {}

---@type claudecode.Config|nil
local current
---@type string[]
local faults = {}

---Sets a value below the tables that its full key names.
local function put(target, key, value)
  local group, rest = key:match("^([^.]+)%.(.+)$")
  if not group then
    target[key] = value
    return
  end
  target[group] = target[group] or {}
  put(target[group], rest, value)
end

---@return claudecode.Config
function M.defaults()
  local config = {}
  for _, option in ipairs(require("claudecode.config.schema")) do
    put(config, option[1], vim.deepcopy(option.default))
  end
  return config --[[@as claudecode.Config]]
end

---@return table|nil options of vim.g.claudecode, a table or a function that returns one
---@return string|nil fault
local function from_global()
  local given = vim.g.claudecode
  if vim.is_callable(given) then
    local ok, result = pcall(given)
    if not ok then
      return nil, "vim.g.claudecode: the function failed: " .. tostring(result)
    end
    given = result
  end
  if given == nil or given == vim.NIL then
    return nil
  end
  if type(given) ~= "table" then
    return nil, ("vim.g.claudecode: expected a table or a function that returns one, got %s"):format(vim.inspect(given))
  end
  return given
end

local function check_ports(config)
  local range = config.port_range
  if range.min > range.max then
    faults[#faults + 1] = ("port_range: min %d is above max %d; using 10000 to 65535"):format(range.min, range.max)
    config.port_range = M.defaults().port_range
  end
end

---@param given table|nil
---@return claudecode.Config
local function build(given)
  local config = M.defaults()
  local global, fault = from_global()
  faults = { fault }
  for _, source in ipairs({ global or {}, given or {} }) do
    local values, wrong = require("claudecode.config.validate").check(source)
    vim.list_extend(faults, wrong)
    for key, value in pairs(values) do
      put(config, key, value)
    end
  end
  check_ports(config)
  return config
end

local function report()
  if #faults == 0 then
    return
  end
  require("claudecode.notify").warn(table.concat(faults, "\n"))
end

---Says, once for each, which options that were set have no effect yet.
---@param config claudecode.Config
local function report_later(config)
  for _, option in ipairs(require("claudecode.config.schema")) do
    local since = option.since
    local value = since and vim.tbl_get(config, unpack(vim.split(option[1], ".", { plain = true })))
    if since and not vim.deep_equal(value, option.default) then
      local version = since:find("^%d") and "version " .. since or since
      require("claudecode.notify").once(
        "later " .. option[1],
        "info",
        ("%s comes with %s; until then it has no effect."):format(option[1], version)
      )
    end
  end
end

---Takes the user's options. Wrong ones are named in one warning; all others apply. Without options a second call
---changes nothing.
---@param opts table|nil
---@return claudecode.Config
function M.setup(opts)
  if current and opts == nil then
    return current
  end
  current = build(opts)
  report()
  report_later(current)
  return current
end

---@return claudecode.Config the merged options, always complete
function M.get()
  return current or M.setup()
end

---@return boolean whether the options have been read yet
function M.is_set()
  return current ~= nil
end

---What was wrong with the options, one line each.
---@return string[]
function M.faults()
  return vim.deepcopy(faults)
end

---The terminal options with some replaced for one call; wrong ones are reported once and left out.
---@param override table|nil
---@return claudecode.Config.terminal
function M.terminal(override)
  local terminal = M.get().terminal
  if override == nil or (type(override) == "table" and next(override) == nil) then
    return terminal
  end
  local values, wrong = require("claudecode.config.validate").check(override, "terminal")
  if #wrong > 0 then
    require("claudecode.notify").once("terminal override " .. wrong[1], "warn", table.concat(wrong, "\n"))
  end
  local holder = { terminal = vim.deepcopy(terminal) }
  for key, value in pairs(values) do
    put(holder, key, value)
  end
  return holder.terminal
end

return M
