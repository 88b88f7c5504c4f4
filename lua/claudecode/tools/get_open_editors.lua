-- The files and untitled buffers that are open, in the words of an editor with tabs and groups of tabs.

---@type claudecode.Tool
return {
  name = "getOpenEditors",
  description = "List the files that are open in the editor, with the one that the user edits marked as active.",
  schema = { type = "object", properties = {} },
  run = function(_, ctx)
    ctx:json({ tabs = require("claudecode.editor.tabs").list() })
  end,
}
