-- Writes the generated parts of doc/claudecode.txt and lua/claudecode/types.lua, and lua/claudecode/tools/catalog.lua;
-- with --check only compares.
-- Run: nvim -l doc/gen.lua [--check]

local root = vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h"))
vim.opt.runtimepath:prepend(root)

local schema = require("claudecode.config.schema")

local WIDTH = 78
local USAGE = {
  ClaudeCodeAdd = "{path} [{first} [{last}]]",
  ClaudeCodeSendText = "{text}",
  ClaudeCodeShare = "[on|off|toggle]",
  ClaudeCodeReview = "[before|off]",
}

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

---@param text string
---@param prefix string|nil start of each line; four blanks when nil
---@param width integer|nil
---@return string[] lines
local function wrap(text, prefix, width)
  prefix = prefix or "   "
  local lines, line = {}, prefix
  for word in text:gmatch("%S+") do
    if vim.api.nvim_strwidth(line) + 1 + vim.api.nvim_strwidth(word) > (width or WIDTH) then
      lines[#lines + 1] = line
      line = prefix
    end
    line = line .. " " .. word
  end
  lines[#lines + 1] = line
  return lines
end

---A heading with its help tag at the right.
local function tagged(heading, tag)
  local gap = WIDTH - vim.api.nvim_strwidth(heading) - #tag - 2
  if gap < 1 then
    return { (" "):rep(WIDTH - #tag - 2) .. "*" .. tag .. "*", heading }
  end
  return { heading .. (" "):rep(gap) .. "*" .. tag .. "*" }
end

---@param default any
---@return string
local function default_text(default)
  if default == nil then
    return "unset by default"
  end
  return "default " .. vim.inspect(default, { newline = " ", indent = "" })
end

local function help_options()
  local lines = {}
  for _, option in ipairs(schema) do
    vim.list_extend(lines, tagged(option[1], "claudecode-" .. option[1]))
    local former = vim.tbl_keys(option.old or {})
    local names = #former > 0 and " Former name: " .. table.concat(former, ", ") .. "." or ""
    local kind = option.kind.type:gsub("|", " | ")
    vim.list_extend(lines, wrap(("%s; %s."):format(kind, default_text(option.default))))
    vim.list_extend(lines, wrap(option.text .. names))
    lines[#lines + 1] = ""
  end
  return lines
end

local function help_commands()
  vim.g.loaded_claudecode = nil
  vim.cmd.source(vim.fn.fnameescape(root .. "/plugin/claudecode.lua"))
  local commands = vim.api.nvim_get_commands({})
  local lines = {}
  for name in read(root .. "/plugin/claudecode.lua"):gmatch('\ncommand%(\n?%s*"(%w+)"') do
    local command = commands[name]
    local usage = USAGE[name] or (command.nargs ~= "0" and "[{arguments}]") or ""
    local heading = (":%s%s%s %s"):format(command.range and "[range]" or "", name, command.bang and "[!]" or "", usage)
    vim.list_extend(lines, tagged(vim.trim(heading), ":" .. name))
    vim.list_extend(lines, wrap(command.definition .. "."))
    lines[#lines + 1] = ""
  end
  return lines
end

---The options as a tree: groups hold options and groups, in the order of the schema.
local function option_tree()
  local tree = { order = {}, members = {} }
  for _, option in ipairs(schema) do
    local node, parts = tree, vim.split(option[1], ".", { plain = true })
    for i, part in ipairs(parts) do
      if not node.members[part] then
        node.order[#node.order + 1] = part
        node.members[part] = i == #parts and { option = option } or { order = {}, members = {} }
      end
      node = node.members[part]
    end
  end
  return tree
end

---@param class string
---@param node table
---@param complete boolean whether every option with a default is there
---@param lines string[]
local function class_lines(class, node, complete, lines)
  local nested = {}
  lines[#lines + 1] = "---@class " .. class
  for _, name in ipairs(node.order) do
    local member = node.members[name]
    local option = member.option
    if option then
      local optional = (not complete or option.default == nil) and "?" or ""
      vim.list_extend(lines, wrap(option.text, "---", 118))
      lines[#lines + 1] = ("---@field %s%s %s"):format(name, optional, option.kind.type)
    else
      lines[#lines + 1] = ("---@field %s%s %s.%s"):format(name, complete and "" or "?", class, name)
      nested[#nested + 1] = { class .. "." .. name, member }
    end
  end
  lines[#lines + 1] = ""
  for _, inner in ipairs(nested) do
    class_lines(inner[1], inner[2], complete, lines)
  end
end

local function type_lines()
  local lines = {}
  class_lines("claudecode.Config", option_tree(), true, lines)
  class_lines("claudecode.Options", option_tree(), false, lines)
  lines[#lines] = nil
  return lines
end

---Replaces what stands between the lines that hold two markers.
---@param text string
---@param from string
---@param to string
---@param lines string[]
---@return string
local function between(text, from, to, lines)
  local _, start = text:find(from .. "\n", 1, true)
  local stop = start and text:find("\n[^\n]*" .. vim.pesc(to), start)
  assert(start and stop, "the markers " .. from .. " and " .. to .. " are not there")
  return text:sub(1, start) .. table.concat(lines, "\n") .. text:sub(stop)
end

local help = root .. "/doc/claudecode.txt"
local types = root .. "/lua/claudecode/types.lua"
local made = {
  [help] = between(
    between(read(help), "*claudecode-command-list*", "*claudecode-command-list-end*", help_commands()),
    "*claudecode-option-list*",
    "*claudecode-option-list-end*",
    help_options()
  ),
  [types] = between(read(types), "-- generated from config/schema.lua", "-- end of what is generated", type_lines()),
}

made[root .. "/lua/claudecode/tools/catalog.lua"] = table.concat({
  "-- What clients are told of the tools. `make doc` writes this file from the tools themselves.",
  "-- stylua: ignore",
  "return " .. vim.inspect(require("claudecode.tools").describe()),
  "",
}, "\n")

local stale = 0
for path, text in pairs(made) do
  if (vim.uv.fs_stat(path) and read(path)) ~= text then
    stale = stale + 1
    if arg[1] == "--check" then
      io.stderr:write(path, " is not what the schema, the commands and the tools say: run `make doc`\n")
    else
      local file = assert(io.open(path, "wb"))
      file:write(text)
      file:close()
      io.stdout:write("wrote ", path, "\n")
    end
  end
end
os.exit(arg[1] == "--check" and stale > 0 and 1 or 0)
