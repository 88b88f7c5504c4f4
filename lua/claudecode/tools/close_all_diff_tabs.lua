-- closeAllDiffTabs: a client closes the diffs that it opened. CLI 2.1.332 calls it whenever a prompt is submitted.

---@type claudecode.Tool
return {
  name = "closeAllDiffTabs",
  description = "Close the diffs that this client opened.",
  schema = { type = "object", properties = {} },
  run = function(_, ctx)
    ctx:text(("CLOSED_%d_DIFF_TABS"):format(require("claudecode.diff").close_all(ctx.client)))
    require("claudecode.context").prompted(ctx.client)
  end,
}
