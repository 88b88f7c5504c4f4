-- Stands in for snacks.nvim: Snacks.picker.get{tab}, picker:selected{fallback}, list:row2idx, list:get and
-- Snacks.picker.util.path, with a list and a prompt in floating windows. Run in the Neovim under test.
local pickers = {}

local function path(item)
  return item.file and (item.cwd and item.cwd .. "/" .. item.file or item.file) or nil
end

package.preload["snacks"] = function()
  return {
    picker = {
      get = function(opts)
        assert(opts.tab)
        return pickers
      end,
      util = { path = path },
    },
  }
end

local function float(filetype, row, lines)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  local win =
    vim.api.nvim_open_win(buf, true, { relative = "editor", row = row, col = 1, width = 40, height = 1 + #lines })
  vim.bo[buf].filetype = filetype
  return { win = win, buf = buf }
end

---@param items table[] { file, cwd?, text? }
---@param top integer? item in the first row: the list shows only a part
local function open(items, top)
  top = top or 1
  local rows = {}
  for row = 1, math.min(#items, 10) do
    rows[row] = items[top + row - 1] and (items[top + row - 1].file or items[top + row - 1].text):gsub("\n", "?") or ""
  end
  local selected = {}
  local picker = {
    input = { win = float("snacks_picker_input", 1, { "" }) },
    list = {
      win = float("snacks_picker_list", 4, rows),
      row2idx = function(_, row)
        return row + top - 1
      end,
      get = function(_, index)
        return items[index]
      end,
    },
    select = function(_, index)
      selected[#selected + 1] = items[index]
    end,
  }
  function picker:selected(opts)
    if #selected == 0 and opts.fallback then
      return { items[self.list:row2idx(vim.api.nvim_win_get_cursor(self.list.win.win)[1])] }
    end
    return vim.deepcopy(selected)
  end
  table.insert(pickers, 1, picker)
  return picker
end

return { open = open, pickers = pickers }
