-- What the user has selected now in the editor, or where the cursor is.

---@type claudecode.Tool
return {
  name = "getCurrentSelection",
  description = "Get the text that the user has selected in the editor, or the cursor position.",
  schema = { type = "object", properties = {} },
  run = function(_, ctx)
    local selection = require("claudecode.context.tracking").current()
    if selection then
      ctx:json(vim.tbl_extend("force", selection, { success = true }))
    else
      ctx:json({ success = false, message = "No active editor found" })
    end
  end,
}
