-- What the user selected last, even if the focus has left the file since.

---@type claudecode.Tool
return {
  name = "getLatestSelection",
  description = "Get the text that the user selected last, even if another window has the focus now.",
  schema = { type = "object", properties = {} },
  run = function(_, ctx)
    local selection = require("claudecode.context.tracking").latest()
    if selection then
      ctx:json(vim.tbl_extend("force", selection, { success = true }))
    else
      ctx:json({ success = false, message = "No selection available" })
    end
  end,
}
