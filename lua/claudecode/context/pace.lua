-- When to look: as soon as the main loop is free, but not more often than every so many milliseconds. One timer.

local M = {}

local uv = vim.uv

---@class claudecode.Pace
---@field package interval integer ms
---@field package action fun()
---@field package timer uv.uv_timer_t
---@field package due? integer uv.now() of the next look, nil when none is waited for
---@field package last integer uv.now() of the last time that something came of a look
---@field package wake fun()
local Pace = {}
Pace.__index = Pace

---@param interval integer ms between two looks of which something comes
---@param action fun() the look; runs on the main loop
---@return claudecode.Pace
function M.new(interval, action)
  local self = setmetatable({ interval = interval, timer = assert(uv.new_timer()), last = -interval }, Pace)
  function self.action()
    if self.due then
      self.due = nil
      action()
    end
  end
  function self.wake()
    vim.schedule(self.action)
  end
  return self
end

---Asks for a look at a time, unless there is one sooner anyway.
---@param at integer uv.now()
function Pace:at(at)
  if self.due and self.due <= at then
    return
  end
  self.due = at
  local wait = at - uv.now()
  if wait <= 0 then
    vim.schedule(self.action)
  else
    self.timer:start(wait, 0, self.wake)
  end
end

---Would something now come too soon after the last time?
---@return boolean
function Pace:is_early()
  return uv.now() < self.last + self.interval
end

---Asks for a look as soon as the interval allows it.
function Pace:soon()
  local now, earliest = uv.now(), self.last + self.interval
  self:at(now > earliest and now or earliest)
end

---Has the look that was asked for take place now, if there is one.
function Pace:flush()
  self.action()
end

---Something came of a look: the next one keeps its distance.
function Pace:mark()
  self.last = uv.now()
end

---No look that was asked for takes place any more.
function Pace:close()
  self.due = nil
  self.timer:stop()
  self.timer:close()
end

return M
