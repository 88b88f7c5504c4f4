-- Builds the native library; lazy.nvim runs this by itself after an install or update. By hand: nvim -l build.lua

local root = vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h"))
-- By path: a require() would make the plugin manager load the plugin, which has no library yet.
local native = dofile(root .. "/lua/claudecode/native/init.lua")
local install = dofile(root .. "/lua/claudecode/native/install.lua")

-- Milliseconds between two looks at the build. The editor runs on in between.
local PAUSE_MS = 25

-- Under a plugin manager this runs as a coroutine: a yield shows a line and lets the editor go on.
local can_yield = coroutine.isyieldable and coroutine.isyieldable() or false

---@type fun(line: string|nil)
local pause = can_yield and coroutine.yield or function(line)
  if line then
    io.stderr:write(line, "\n")
  end
end

local lines = {}
local finished, failure, installed = false, nil, nil

install.build({
  native = native,
  report = function(line)
    lines[#lines + 1] = line
  end,
  done = function(err, path)
    finished, failure, installed = true, err, path
  end,
})

while not finished do
  -- Under a plugin manager only the build's own events are handled here; everything else happens after the yield.
  vim.wait(PAUSE_MS, function()
    return finished or #lines > 0
  end, 5, can_yield)
  local new = lines
  lines = {}
  for _, line in ipairs(new) do
    pause(line)
  end
  pause()
end

if failure then
  error("claudecode.nvim: " .. failure, 0)
end
pause("installed " .. installed)
