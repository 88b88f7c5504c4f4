-- openDiff: shows proposed contents of a file beside the present ones, and answers when the user has decided.
local is_watching_clients = false

---A diff belongs to a connection and outlives its call: an accepted text must be safe when the connection ends.
local function watch_clients()
  if not is_watching_clients then
    is_watching_clients = true
    require("claudecode.bridge").on("disconnected", function(event)
      require("claudecode.diff").client_gone(event.client.id)
    end)
  end
end

---The user wants no diffs here: an error leaves the CLI's own dialog to decide (CLI 2.1.332). The dialog shows the text
---of a change only with a setting that no plugin and no settings file can give.
---@param ctx claudecode.Context
local function refuse(ctx)
  require("claudecode.notify").once(
    "diffs are off",
    "info",
    "Claude asks in its terminal about edits, since diff_opts.enabled is false. To see the text of an edit there, give "
      .. 'Claude the command /config and set "Diff tool" to terminal.'
  )
  ctx:error(-32000, "this editor shows no diffs")
end

---@type claudecode.Tool
return {
  name = "openDiff",
  description = "Show proposed contents of a file as a diff and wait until the user accepts or rejects it.",
  schema = {
    type = "object",
    properties = {
      old_file_path = { type = "string", description = "The file to compare with" },
      new_file_path = { type = "string", description = "The file that the proposal is for" },
      new_file_contents = { type = "string", description = "The whole proposed contents" },
      tab_name = { type = "string", description = "Name of this diff, for close_tab" },
    },
    required = { "old_file_path", "new_file_path", "new_file_contents", "tab_name" },
  },
  -- CLI 2.1.332 takes ["FILE_SAVED", text] as an accept, ["DIFF_REJECTED", anything] as a reject, and TAB_CLOSED as an
  -- accept of the proposal as it was; at anything else its own dialog goes on without a diff.
  run = function(args, ctx)
    if not require("claudecode.config").get().diff_opts.enabled then
      return refuse(ctx)
    end
    local diff = require("claudecode.diff")
    local uri = require("claudecode.editor.uri")
    watch_clients()
    local new_path = uri.to_path(args.new_file_path)
    require("claudecode.notice").diff_opened(ctx.client, new_path)
    ctx:hold(function(reason)
      if reason == "cancelled" then
        diff.cancel(args.tab_name)
      elseif reason == "stopped" then
        diff.stop()
      else
        diff.client_gone(ctx.client)
      end
    end)
    local ok, err = diff.open({
      tab_name = args.tab_name,
      old_path = uri.to_path(args.old_file_path),
      new_path = new_path,
      text = args.new_file_contents,
      client = ctx.client,
      on_decided = function(decision)
        if decision.kind == "saved" then
          ctx:text("FILE_SAVED", decision.text --[[@as string]])
        else
          ctx:text("DIFF_REJECTED", args.tab_name)
        end
      end,
    })
    if not ok then
      ctx:error(-32000, err or "the diff cannot be shown")
    end
  end,
}
