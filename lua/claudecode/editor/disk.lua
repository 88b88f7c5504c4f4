-- Files on disk: what tells one version of a file from another, and reading one without blocking the editor.

local M = {}

-- The error of a read that another program's write came into.
M.CHANGING = "it changes while it is read"

---What changes when a file does: a save in place, a rename over it, a truncation, a touch.
---@param stat uv.fs_stat.result
---@return string
function M.stamp(stat)
  local mtime = stat.mtime
  return ("%d.%09d %d %d:%d"):format(mtime.sec, mtime.nsec, stat.size, stat.dev, stat.ino)
end

---The stamp of a file right now. Blocks for one stat.
---@param path string
---@return string? stamp nil when there is no such file
---@return uv.fs_stat.result? stat
function M.stamp_of(path)
  local stat = vim.uv.fs_stat(path)
  if stat then
    return M.stamp(stat), stat
  end
end

---@class claudecode.DiskFile
---@field stat uv.fs_stat.result
---@field bytes string? nil when the file is larger than was asked for

---Reads a file if it is another than the one known.
---@param path string
---@param known_stamp string?
---@param max_bytes integer
---@param done fun(file: claudecode.DiskFile?, err: string?) on the main loop; neither when nothing has changed
function M.read_changed(path, known_stamp, max_bytes, done)
  local finish = vim.schedule_wrap(done)
  vim.uv.fs_stat(path, function(err, stat)
    if not stat or stat.type ~= "file" or M.stamp(stat) == known_stamp then
      return finish(nil, err)
    elseif stat.size > max_bytes then
      return finish({ stat = stat })
    end
    vim.uv.fs_open(path, "r", 0, function(open_err, fd)
      if not fd then
        return finish(nil, open_err)
      end
      -- One byte more than there was: a file that grew meanwhile shows by its length.
      vim.uv.fs_read(fd, stat.size + 1, 0, function(read_err, bytes)
        vim.uv.fs_close(fd, function()
          if not bytes then
            finish(nil, read_err)
          elseif #bytes ~= stat.size then
            finish(nil, M.CHANGING)
          else
            finish({ stat = stat, bytes = bytes })
          end
        end)
      end)
    end)
  end)
end

return M
