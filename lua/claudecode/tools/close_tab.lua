-- close_tab: a client closes one of its diffs by name. No other buffer or window is ever meant by a name.

---@type claudecode.Tool
return {
  name = "close_tab",
  aliases = { "closeTab" },
  description = "Close the diff that openDiff opened under this name.",
  schema = {
    type = "object",
    properties = {
      tab_name = { type = "string", description = "The tab_name that was given to openDiff" },
    },
    required = { "tab_name" },
  },
  run = function(args, ctx)
    require("claudecode.diff").close(args.tab_name, ctx.client)
    -- The same answer for a diff that is closed, one that is kept for another client, and none at all.
    ctx:text("TAB_CLOSED")
  end,
}
