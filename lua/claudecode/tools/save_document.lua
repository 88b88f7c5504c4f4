-- Saves an open file, as the user's :write would.

---@type claudecode.Tool
return {
  name = "saveDocument",
  description = "Save a file that is open in the editor with unsaved changes.",
  schema = {
    type = "object",
    properties = { filePath = { type = "string", description = "Path of the file." } },
    required = { "filePath" },
  },
  run = function(args, ctx)
    local uri = require("claudecode.editor.uri")
    local path = uri.to_path(args.filePath)
    local buf = require("claudecode.editor.buffers").find_loaded(path)
    if not buf then
      return ctx:json({ success = false, message = "Document not open: " .. uri.shown(path) })
    end
    local saved, err = require("claudecode.editor.save").save(buf)
    ctx:json({
      success = saved == true,
      filePath = path,
      saved = saved == true,
      message = saved and "Document saved successfully" or ("Document not saved: %s"):format(err),
    })
  end,
}
