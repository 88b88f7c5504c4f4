-- Listens for the doorbell: bytes in a pipe that mean "something is queued", and nothing more.
local M = {}

---@param fd integer Reading end; belongs to the returned handle.
---@param on_ring fun() Runs on the main loop, where the API may be used.
---@return { close: fun() }?
---@return string? err
function M.listen(fd, on_ring)
  local pipe, err = vim.uv.new_pipe(false)
  if not pipe then
    return nil, err
  end
  local opened
  opened, err = pipe:open(fd)
  if not opened then
    pipe:close()
    return nil, err
  end
  local function close()
    if not pipe:is_closing() then
      pipe:close()
    end
  end
  local ring = vim.schedule_wrap(on_ring)
  pipe:read_start(function(read_err, bytes)
    if read_err or not bytes then
      -- End of file: the server has stopped, or another Lua side listens now.
      close()
    else
      ring()
    end
  end)
  -- An open pipe alone keeps no Neovim alive.
  pipe:unref()
  return { close = close }
end

return M
