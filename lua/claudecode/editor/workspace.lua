-- Where the user works: working directories and language servers' folders, for the lock file.

local M = {}

---@type table<fun(), true>
local listeners = {}

---The directory as the shell spells it that started Neovim. Neovim itself only knows the real path, but a CLI started
---in the same shell may be matched by the other one too.
---@param cwd string
---@return string?
local function logical(cwd)
  local pwd = vim.env.PWD
  return pwd and pwd ~= cwd and vim.uv.fs_realpath(pwd) == cwd and pwd or nil
end

---@param list string[]
---@param path string?
local function add(list, path)
  if path and path ~= "" and not vim.list_contains(list, path) then
    list[#list + 1] = path
  end
end

---The folders that may count as this editor's workspace, unchecked.
---@return { cwds: string[], lsp: string[] } places `cwds`: the current one first, then those of other tabs and windows
function M.candidates()
  local cwds, lsp = {}, {}
  local cwd = vim.fn.getcwd()
  add(cwds, cwd)
  add(cwds, logical(cwd))
  add(cwds, vim.fn.getcwd(-1, -1))
  for tab = 1, vim.fn.tabpagenr("$") do
    add(cwds, vim.fn.getcwd(-1, tab))
    for win = 1, vim.fn.tabpagewinnr(tab, "$") do
      add(cwds, vim.fn.getcwd(win, tab))
    end
  end
  -- Not loaded for this: it would cost a start without language servers several ms.
  if package.loaded["vim.lsp"] then
    for _, client in ipairs(vim.lsp.get_clients()) do
      for _, folder in ipairs(client.workspace_folders or {}) do
        add(lsp, require("claudecode.editor.uri").to_path(folder.uri))
      end
    end
  end
  return { cwds = cwds, lsp = lsp }
end

local function notify()
  for fn in pairs(listeners) do
    fn()
  end
end

---Calls fn after the candidates may have changed, on the main loop, once for a burst of changes.
---@param fn fun()
---@return fun() stop
function M.on_change(fn)
  if not next(listeners) then
    local is_due = false
    vim.api.nvim_create_autocmd({ "DirChanged", "TabClosed", "WinClosed", "LspAttach", "LspDetach" }, {
      group = vim.api.nvim_create_augroup("claudecode.editor.workspace", {}),
      desc = "claudecode: tell where the user works",
      callback = function()
        if is_due then
          return
        end
        is_due = true
        -- Not before the event is over: a client is still listed while LspDetach runs, a window while it closes.
        vim.schedule(function()
          is_due = false
          notify()
        end)
      end,
    })
  end
  listeners[fn] = true
  return function()
    listeners[fn] = nil
  end
end

return M
