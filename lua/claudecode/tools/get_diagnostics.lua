-- Diagnostics of one file or of all open ones. The CLI asks for one just before each write, and for all right after it.

---@type claudecode.Tool
return {
  name = "getDiagnostics",
  description = "Get the diagnostics (errors, warnings) of the language servers, for one file or for all open files.",
  schema = {
    type = "object",
    properties = {
      uri = { type = "string", description = "URI or path of the file. Without it: all files that are open." },
    },
  },
  run = function(args, ctx)
    local diagnostics = require("claudecode.editor.diagnostics")
    if args.uri then
      -- A file that is not open has no diagnostics. It is no error: CLI 2.1.332 would then report none for its edit.
      local path = require("claudecode.editor.uri").to_path(args.uri)
      local buf = require("claudecode.editor.buffers").find_loaded(path)
      ctx:json(buf and { diagnostics.for_buffer(buf, args.uri) } or {})
      require("claudecode.notice").edit_announced(ctx.client, path)
      return
    end
    ctx:json(diagnostics.all())
    -- CLI 2.1.332 asks for all when it has written a file; its answer did not wait for this.
    require("claudecode.editor.files").reload()
  end,
}
