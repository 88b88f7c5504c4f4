-- Runs the Lua tests with busted:  nvim -l tests/lua/run.lua [--seed N] [--filter PATTERN] [FILE_OR_FOLDER...]
-- The Neovim that runs this file only drives; the one under test is $NVIM_BIN (tests/lua/child.lua starts it).
-- Prints a line per file and ends with `N passed, N failed`; exit code 1 when anything failed or nothing ran.
---@diagnostic disable: unresolved-require
local uv = vim.uv
local repo = vim.fn.fnamemodify(assert(uv.fs_realpath(debug.getinfo(1, "S").source:sub(2))), ":h:h:h")
local tools = repo .. "/.cache/tools/lua"
package.path = table.concat({ repo .. "/?.lua", tools .. "/?.lua", tools .. "/?/init.lua", package.path }, ";")
package.cpath = tools .. "/?.so;" .. package.cpath

local function say(...)
  io.stdout:write(string.format(...), "\n")
  io.stdout:flush()
end

local function parse(arguments)
  local opts, files, i = { seed = uv.hrtime() % 100000 }, {}, 1 ---@type any, string[], integer
  while arguments[i] do
    local word = arguments[i]
    if word == "--seed" or word == "--filter" then
      i = i + 1
      opts[word:sub(3)] = assert(arguments[i], word .. " needs a value")
    else
      files[#files + 1] = uv.fs_realpath(word) or error("no such file: " .. word, 0)
    end
    i = i + 1
  end
  opts.seed = tonumber(opts.seed) or error("--seed needs a number", 0)
  opts.files = #files > 0 and files or { repo .. "/tests/lua" }
  return opts
end

local opts = parse(_G.arg)
local found, core = pcall(require, "busted.core") ---@type boolean, any
if not found then
  say("busted was not found: `make tools` brings it")
  os.exit(2)
end
local busted = core()
require("busted")(busted)
busted.register("file", "file", {}) -- one Lua state for all files; what needs a fresh one starts a child
busted.randomize = true
busted.randomseed = opts.seed
require("busted.modules.filter_loader")(busted, {
  tags = {},
  excludeTags = {},
  filter = { opts.filter },
  filterOut = {},
})

local Child = require("tests.lua.child")
local total = { passed = 0, failed = 0, pending = 0 }
local file = { passed = 0, failed = 0, pending = 0, problems = {}, started = uv.hrtime() }

local function full_name(element)
  local names = {}
  while element and element.descriptor ~= "file" and element.descriptor ~= "suite" do
    table.insert(names, 1, element.name or element.descriptor)
    element = busted.context.parent(element)
  end
  return table.concat(names, " ")
end

local function record(kind)
  return function(element, _, message, trace)
    local text = type(message) == "string" and message or type(message) == "table" and message.message
    local lines = { ("  %s: %s"):format(kind, full_name(element)), tostring(text or vim.inspect(message)) }
    if kind ~= "pending" and trace and trace.short_src and trace.currentline then
      table.insert(lines, ("at %s:%d"):format(trace.short_src, trace.currentline))
    end
    table.insert(file.problems, (table.concat(lines, "\n"):gsub("\n", "\n    ")))
    if kind ~= "pending" and element.descriptor ~= "it" then
      file.failed = file.failed + 1 -- a file that does not load or a failing hook is no test, but a failure
    end
    return nil, true
  end
end

---@param element any
local function file_end(element)
  local left = Child.stop_all()
  local name = vim.startswith(element.name, repo) and element.name:sub(#repo + 2) or element.name
  local seconds = (uv.hrtime() - file.started) / 1e9
  local mark = file.failed > 0 and "FAIL" or "ok  "
  say("%s %s  %d passed, %d failed (%.1f s)", mark, name, file.passed, file.failed, seconds)
  for _, problem in ipairs(file.problems) do
    say("%s", problem)
  end
  if left > 3 then
    say("  %d children were still running: stop them in after_each", left)
  end
  for kind in pairs(total) do
    total[kind] = total[kind] + file[kind]
  end
  file = { passed = 0, failed = 0, pending = 0, problems = {} }
  return nil, true
end

busted.subscribe({ "file", "start" }, function()
  file.started = uv.hrtime()
  return nil, true
end)
busted.subscribe({ "test", "end" }, function(_, _, status)
  local kind = status == "success" and "passed" or status == "pending" and "pending" or "failed"
  file[kind] = file[kind] + 1
  return nil, true
end)
busted.subscribe({ "failure" }, record("failed"))
busted.subscribe({ "error" }, record("error"))
busted.subscribe({ "pending" }, record("pending"))
busted.subscribe({ "file", "end" }, file_end)

local tested = vim.env.NVIM_BIN or vim.v.progpath
say("%s, seed %d", vim.fn.systemlist({ tested, "--version" })[1], opts.seed)
local load_files = require("busted.modules.test_file_loader")(busted, { "lua" })
load_files(opts.files, { "_spec%.lua$" }, { excludes = {}, recursive = true })
require("busted.execute")(busted)(1, { seed = opts.seed, shuffle = true })

total.failed = total.failed + file.failed -- problems outside any file, such as a file that does not compile
for _, problem in ipairs(file.problems) do
  say("%s", problem)
end
Child.stop_all()
local skipped = total.pending > 0 and (", %d skipped"):format(total.pending) or ""
say("%d passed, %d failed%s", total.passed, total.failed, skipped)
os.exit((total.failed > 0 or total.passed == 0) and 1 or 0)
