-- Says whether an open file has unsaved changes.

---@type claudecode.Tool
return {
  name = "checkDocumentDirty",
  description = "Check whether a file that is open in the editor has unsaved changes.",
  schema = {
    type = "object",
    properties = { filePath = { type = "string", description = "Path of the file." } },
    required = { "filePath" },
  },
  run = function(args, ctx)
    local buffers = require("claudecode.editor.buffers")
    local uri = require("claudecode.editor.uri")
    local path = uri.to_path(args.filePath)
    local buf = buffers.find_loaded(path)
    if buf then
      ctx:json({ success = true, filePath = path, isDirty = buffers.is_dirty(buf), isUntitled = false })
    else
      ctx:json({ success = false, message = "Document not open: " .. uri.shown(path) })
    end
  end,
}
