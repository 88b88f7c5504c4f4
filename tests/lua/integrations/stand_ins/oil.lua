-- Stands in for oil.nvim: require("oil").get_current_dir(buf) and get_entry_on_line(buf, line), over a real directory
-- in a buffer whose lines can be edited, with a number in each as oil has. Run in the Neovim under test.
local dirs, names = {}, {}

package.preload["oil"] = function()
  return {
    get_current_dir = function(buf)
      return dirs[buf or vim.api.nvim_get_current_buf()]
    end,
    get_entry_on_line = function(buf, line)
      local text = vim.api.nvim_buf_get_lines(buf, line - 1, line, true)[1] or ""
      local id, parsed = text:match("^/(%d+) (.*)$")
      parsed = (parsed or vim.trim(text)):gsub("/$", "")
      if parsed == "" then
        return nil
      end
      return { name = id and names[tonumber(id)] or parsed, parsed_name = parsed, id = id, type = "file" }
    end,
  }
end

---@param dir string? of this machine; nil for one elsewhere
---@param shown string[] names, in the order of lines
local function open(dir, shown)
  vim.cmd("enew")
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(buf, dir and "oil://" .. dir or "oil-ssh://host/dir/")
  dirs[buf], names = dir, shown
  local lines = {}
  for id, name in ipairs(shown) do
    lines[id] = ("/%03d %s"):format(id, name:gsub("\n", "?"))
  end
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo.buftype, vim.bo.filetype = "acwrite", "oil"
end

return { open = open }
