-- The folders that the lock file lists, so that clients and discovery agree.

---@type claudecode.Tool
return {
  name = "getWorkspaceFolders",
  description = "Get the folders that are open in the editor.",
  schema = { type = "object", properties = {} },
  run = function(_, ctx)
    local uri = require("claudecode.editor.uri")
    local info = require("claudecode.bridge").info()
    local paths = info and info.folders or {}
    local folders = vim.tbl_map(function(path)
      local name = vim.fs.basename(path)
      return { name = name ~= "" and name or path, uri = uri.from_path(path), path = path }
    end, paths)
    ctx:json({ success = true, folders = folders, rootPath = paths[1] })
  end,
}
