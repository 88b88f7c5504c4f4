-- Stand-in for the part of snacks.nvim's public API that a terminal is made with: Snacks.terminal.open(cmd, opts),
-- which returns a Snacks.win with buf, win, opts, show(), hide(), close(), focus(), buf_valid(), win_valid(). Its
-- windows are real ones, its buffers real terminals; the options are taken as snacks.nvim documents them.
local M = {}

M.SNACKS = [[
  _G.snacks_calls = {}
  local Win = {}
  Win.__index = Win
  function Win:buf_valid() return self.buf ~= nil and vim.api.nvim_buf_is_valid(self.buf) end
  function Win:win_valid() return self.win ~= nil and vim.api.nvim_win_is_valid(self.win) end
  local function size(value, total)
    return value == 0 and total or value < 1 and math.floor(total * value) or value
  end
  function Win:show()
    if self:win_valid() then return self end
    local o = self.opts
    if not self:buf_valid() then
      self.buf = vim.api.nvim_create_buf(false, true)
      vim.bo[self.buf].bufhidden = "hide"
      for name, value in pairs(o.bo or {}) do vim.bo[self.buf][name] = value end
    end
    local split = ({ left = "left", right = "right", top = "above", bottom = "below" })[o.position]
    local config = { win = -1, split = split }
    if o.position == "float" then
      config = { relative = o.relative or "editor", row = 1, col = 1, border = o.border or "none" }
    end
    if o.position ~= "top" and o.position ~= "bottom" then config.width = size(o.width or 0.9, vim.o.columns) end
    if o.position ~= "left" and o.position ~= "right" then config.height = size(o.height or 0.4, vim.o.lines - 2) end
    self.win = vim.api.nvim_open_win(self.buf, o.enter ~= false, config)
    local here = { win = self.win, scope = "local" }
    for name, value in pairs(o.wo or {}) do vim.api.nvim_set_option_value(name, value, here) end
    return self
  end
  function Win:hide() return self:close({ buf = false }) end
  function Win:close(opts)
    local wipe = not (opts and opts.buf == false)
    if self:win_valid() then vim.api.nvim_win_close(self.win, true) end
    self.win = nil
    if wipe and self:buf_valid() then vim.api.nvim_buf_delete(self.buf, { force = true }) self.buf = nil end
    return self
  end
  function Win:focus()
    if self:win_valid() then vim.api.nvim_set_current_win(self.win) end
    return self
  end
  package.preload.snacks = function()
    local snacks = { terminal = {} }
    function snacks.terminal.open(cmd, opts)
      table.insert(snacks_calls, { cmd = cmd, opts = vim.deepcopy(opts) })
      local self = setmetatable({ opts = vim.deepcopy(opts.win) }, Win)
      self:show()
      vim.api.nvim_buf_call(self.buf, function()
        local options = { cwd = opts.cwd, env = opts.env }
        if vim.fn.has("nvim-0.11") == 1 then
          options.term = true
          vim.fn.jobstart(cmd, options)
        else
          vim.fn.termopen(cmd, options)
        end
      end)
      if opts.start_insert ~= false and opts.interactive ~= false then vim.cmd.startinsert() end
      return self
    end
    return snacks
  end
]]

return M
