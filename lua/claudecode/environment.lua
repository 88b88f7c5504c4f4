-- The variables by which a CLI finds this Neovim: for the one in Claude's pane, and (option export_env) for any other.

local M = {}

local LOOPBACK = { "localhost", "127.0.0.1", "::1" }

---@type table<string, { ours: string, before: any }> what Neovim's own environment holds of them
local exported = {}

---Adds the loopback names to a no_proxy list, so that no proxy catches the CLI's connection to this Neovim.
---@param list string comma-separated, may be empty
---@return string
local function without_proxy(list)
  local present, names = {}, {}
  for name in list:gmatch("[^,%s]+") do
    present[name] = true
    names[#names + 1] = name
  end
  if not present["*"] then
    for _, name in ipairs(LOOPBACK) do
      if not present[name] then
        names[#names + 1] = name
      end
    end
  end
  return table.concat(names, ",")
end

---@param port integer|nil of the server; nil leaves it out
---@param set table<string, any>|nil variables that the user sets, which win
---@return table<string, string>
function M.of(port, set)
  ---@type table<string, string>
  local env = { ENABLE_IDE_INTEGRATION = "true", FORCE_CODE_TERMINAL = "true" }
  if port then
    env.CLAUDE_CODE_SSE_PORT = tostring(port)
  end
  for name, value in pairs(set or {}) do
    env[name] = tostring(value)
  end
  local lower, upper = env.no_proxy or vim.env.no_proxy, env.NO_PROXY or vim.env.NO_PROXY
  env.no_proxy = without_proxy(lower or upper or "")
  env.NO_PROXY = without_proxy(upper or lower or "")
  return env
end

---Takes back what export() has set, but for what somebody has changed since.
function M.withdraw()
  for name, value in pairs(exported) do
    if vim.fn.getenv(name) == value.ours then
      vim.fn.setenv(name, value.before)
    end
  end
  exported = {}
end

---Puts the variables into Neovim's environment, so that `claude` in any terminal of it connects.
---@param port integer
function M.export(port)
  M.withdraw()
  for name, value in pairs(M.of(port)) do
    exported[name] = { ours = value, before = vim.fn.getenv(name) }
    vim.fn.setenv(name, value)
  end
end

return M
