-- Opens a file in the editor, at a place in it if the client names one.

---What the client wants to see, as a place in the buffer.
---@param buf integer
---@param args table
---@return claudecode.Place?
---@return "v"|"V"|nil visual how to select it; nil: only the cursor goes there
---@return string? missing which of the texts is not in the file
local function wanted_place(buf, args)
  local count = vim.api.nvim_buf_line_count(buf)
  local function line(number)
    return math.max(math.min(number, count), 1) - 1
  end
  local first = line(args.startLine or args.endLine or 1)
  local start_text = args.startText or args.endText
  local place, missing
  if start_text and start_text ~= "" then
    local found_end
    place, found_end = require("claudecode.editor.locate").text(
      buf,
      start_text,
      args.startText and args.endText,
      args.startLine and first
    )
    missing = not place and start_text or not found_end and args.endText or nil
  end
  local visual = "v" ---@type "v"|"V"|nil
  if not place and (args.startLine or args.endLine) then
    local last = math.max(line(args.endLine or args.startLine), first)
    place = { first = first, first_column = 0, last = last, last_column = 0 }
    visual = args.startLine and args.endLine and "V" or nil
  end
  if place and args.selectToEndOfLine then
    place.last_column = math.max(#vim.api.nvim_buf_get_lines(buf, place.last, place.last + 1, true)[1] - 1, 0)
    visual = visual or "v"
  end
  return place, visual, missing
end

---@param text string
---@return string
local function quoted(text)
  local line = text:gsub("%s+", " ")
  return vim.fn.strchars(line) > 60 and ('"%s…"'):format(vim.fn.strcharpart(line, 0, 60)) or ('"%s"'):format(line)
end

---@type claudecode.Tool
return {
  name = "openFile",
  description = "Open a file in the user's editor, and optionally select a range of lines or of text in it.",
  schema = {
    type = "object",
    properties = {
      filePath = { type = "string", description = "Path of the file; a relative one starts at the editor's cwd." },
      startLine = { type = "integer", description = "First line to select, from 1. Alone: the line to go to." },
      endLine = { type = "integer", description = "Last line to select, from 1." },
      startText = { type = "string", description = "Plain text at which the selection starts; may span lines." },
      endText = { type = "string", description = "Plain text at which the selection ends." },
      selectToEndOfLine = { type = "boolean", description = "Extend the selection to the end of its last line." },
      makeFrontmost = {
        type = "boolean",
        description = "Show the file and move the focus there (the default); false loads it in the background.",
      },
      preview = { type = "boolean", description = "Ignored: this editor has no preview tabs." },
    },
    required = { "filePath" },
  },
  run = function(args, ctx)
    local open = require("claudecode.editor.open")
    local path = require("claudecode.editor.uri").to_path(args.filePath)
    local buf, err = open.load(path)
    if not buf then
      return ctx:fail(err or "")
    end
    local place, visual, missing = wanted_place(buf, args)
    -- Of a file that is not shared nobody is told what is in it, and so not what is not.
    missing = require("claudecode.context.sharing").is_shared(buf) and missing or nil
    local remark = missing and ("text not found: " .. quoted(missing)) or nil
    if args.makeFrontmost == false then
      return ctx:json({
        success = true,
        filePath = path,
        languageId = require("claudecode.editor.buffers").language(buf),
        lineCount = vim.api.nvim_buf_line_count(buf),
        message = remark,
      })
    end
    local win
    win, err = open.show(buf)
    if not win then
      return ctx:fail(err or "")
    end
    require("claudecode.editor.reveal").reveal({ win = win, buf = buf, place = place, visual = visual })
    ctx:text(("Opened file: %s%s"):format(path, remark and (" (%s)"):format(remark) or ""))
  end,
}
