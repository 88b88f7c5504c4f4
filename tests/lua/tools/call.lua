-- Runs a tool inside a child as the bridge does, and returns its answer.

local RUN = [[
  local file, args = ...
  local answer
  local ctx = { client = 1 }
  function ctx:text(...) answer = { content = { ... } } end
  function ctx:json(value) answer = { content = { vim.json.encode(value) } } end
  function ctx:fail(why) answer = { is_error = true, content = { why } } end
  require("claudecode.tools." .. file).run(args, ctx)
  return answer
]]

---@param child tests.Child
---@param file string of the tool, such as "open_file"
---@param args table?
---@return { is_error: boolean?, content: string[] } answer
local function call(child, file, args)
  return child:lua(RUN, file, args or vim.empty_dict())
end

---@param child tests.Child
---@param file string
---@param args table?
---@return table decoded the JSON of its only text
local function call_json(child, file, args)
  local answer = call(child, file, args)
  assert(not answer.is_error and #answer.content == 1, vim.inspect(answer))
  return vim.json.decode(answer.content[1])
end

return { call = call, json = call_json }
