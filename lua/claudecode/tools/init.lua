-- The tools: one file each, loaded when the tool is first called. Here is their order, and how one is run.
local log = require("claudecode.log")

local M = {}

---@class claudecode.Tool
---@field name string As the protocol spells it.
---@field aliases? string[] Older names, accepted but not listed.
---@field description string For the model and for the CLI's permission dialog.
---@field schema table JSON Schema of the arguments, checked before run() is called.
---@field run fun(args: table, ctx: claudecode.Context) Answers through ctx, or holds it and answers later.

-- As listed to clients. CLI 2.1.332 shows only getDiagnostics to its model, and calls openDiff, close_tab,
-- closeAllDiffTabs and getDiagnostics itself; other clients use all of them.
local FILES = {
  "open_file",
  "open_diff",
  "get_current_selection",
  "get_latest_selection",
  "get_open_editors",
  "get_workspace_folders",
  "get_diagnostics",
  "check_document_dirty",
  "save_document",
  "close_tab",
  "close_all_diff_tabs",
}

---@param name string as the protocol spells it
---@return claudecode.Tool?
local function tool_of(name)
  local file = name:gsub("%u", function(letter)
    return "_" .. letter:lower()
  end)
  return vim.list_contains(FILES, file) and require("claudecode.tools." .. file) or nil
end

---What clients are told of the tools. tools/catalog.lua is made from it, so that a start need not load them all.
---@return table[] descriptors For src/tools/mod.rs.
function M.describe()
  local list = {}
  for _, file in ipairs(FILES) do
    local tool = require("claudecode.tools." .. file) ---@type claudecode.Tool
    assert(tool_of(tool.name) == tool, file .. ".lua is not the file of a tool " .. tool.name)
    local schema = vim.deepcopy(tool.schema)
    if not schema.properties or not next(schema.properties) then
      schema.properties = vim.empty_dict()
    end
    list[#list + 1] =
      { name = tool.name, description = tool.description, inputSchema = schema, aliases = tool.aliases or {} }
  end
  return list
end

---Runs a tool. Whatever it does, the call gets its answer and no error leaves here.
---@param ctx claudecode.Context
---@param args table
function M.run(ctx, args)
  local name = ctx.tool
  local tool = tool_of(name)
  if not tool then
    ctx:fail(name .. " is not available in this editor")
    return
  end
  local ok, err = xpcall(tool.run, debug.traceback, args, ctx)
  if not ok then
    log.error("tools", "%s: %s", name, err)
    ctx:fail(name .. " failed in the editor; its log has the details")
    require("claudecode.notify").once(
      "tool " .. name,
      "warn",
      ("A request of Claude's (%s) failed; %s has the details."):format(name, require("claudecode.native").log_path())
    )
  elseif ctx:is_open() and not ctx:is_held() then
    log.error("tools", "%s gave no answer", name)
    ctx:fail(name .. " gave no answer")
  end
end

return M
