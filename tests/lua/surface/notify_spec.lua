-- Messages on a real command line: whatever their length, and whatever the screen, no hit-enter prompt comes of them,
-- as nothing can answer Claude until the user has answered that.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

local LONG = ("a message that says what failed, with which value, and what to do about it, %s"):rep(4, "; ")
local TEXTS = {
  short = { "short" },
  ["of two lines"] = { "one\ntwo" },
  long = { LONG },
  ["long, of three lines"] = { LONG .. "\n" .. LONG .. "\n" .. LONG },
  ["wide characters"] = { ("あいう"):rep(60) },
  ["two at once"] = { "first", "second" },
  ["many long ones at once"] = { LONG .. "1", LONG .. "2", LONG .. "3", LONG .. "4", LONG .. "5" },
}
local NOTIFIERS = {
  ["Neovim's own vim.notify"] = "",
  ["a vim.notify that passes on"] = [[
    local passed = vim.notify
    vim.notify = function(text, level, opts) return passed(text, level, opts) end
  ]],
  ["a vim.notify that passes on what it has changed"] = [[
    local passed = vim.notify
    vim.notify = function(text, level, opts) return passed("[" .. opts.title .. "] " .. text, level) end
  ]],
  ["a vim.notify that echoes"] = [[
    vim.notify = function(text) vim.api.nvim_echo({ { text } }, true, {}) end
  ]],
}
local SCREENS = {
  { 40, 12, "set cmdheight=1 laststatus=2 shortmess&" },
  { 80, 24, "set cmdheight=0" },
  { 80, 24, "set cmdheight=1 laststatus=0 noruler noshowmode" },
  { 120, 30, "set cmdheight=2 laststatus=3 ruler showcmd" },
}
-- Mode -> keys that lead into it.
local MODES = { normal = "", insert = "i", visual = "V", replace = "R", ["operator pending"] = "d" }

local SAY = [[for _, text in ipairs(...) do require("claudecode.notify").warn(text) end]]

---Says messages in a mode, leaves the mode, and waits until they are in the history.
---@param child tests.Child
---@param keys string that lead into the mode
---@param texts string[]
---@return string problem empty if there is none
local function problem_of(child, keys, texts)
  child:lua([[vim.cmd("messages clear | redraw!")]])
  child:input("<C-\\><C-n>" .. keys)
  child:api("nvim_get_mode")
  child.rpc:notify("nvim_exec_lua", { SAY, { texts } })
  child:input(keys == "d" and "l" or "<C-\\><C-n>")
  local history
  for _ = 1, 400 do
    if child:blocked() then
      return "a prompt:\n" .. table.concat(child.ui:lines(), "\n")
    end
    history = child:lua([[return (vim.fn.execute("messages"):gsub("%s", ""))]])
    local missing = vim.tbl_filter(function(text)
      return not history:find(text:gsub("%s", ""), 1, true)
    end, texts)
    if #missing == 0 then
      vim.wait(5)
      return child:blocked() and "a prompt after them" or ""
    end
    vim.uv.sleep(2)
  end
  return "not in :messages:\n" .. history
end

describe("messages", function()
  local child

  after_each(function()
    child:stop()
  end)

  for notifier, init in pairs(NOTIFIERS) do
    for _, screen in ipairs(SCREENS) do
      it(("with %s, on %d columns, %s"):format(notifier, screen[1], screen[3]), function()
        child = Child.start({
          ui = { screen[1], screen[2] },
          init = init .. "vim.cmd(" .. ("%q"):format(screen[3]) .. ")",
          files = { ["a.txt"] = "one\n" },
          args = { "a.txt" },
        })
        for mode, keys in pairs(MODES) do
          for name, texts in pairs(TEXTS) do
            assert.are.equal("", problem_of(child, keys, texts), name .. ", " .. mode)
          end
        end
      end)
    end
  end
end)

describe("a message in Insert mode", function()
  it("is on the screen once the mode no longer stands there", function()
    local child = Child.start({ ui = { 80, 24 } })
    child:keys("i")
    child:lua(SAY, { "short" })
    vim.wait(50)
    child:keys("<Esc>")
    child:wait_screen("claudecode: short")
    child:stop()
  end)
end)

describe("messages go to a vim.notify", function()
  it("that shows them elsewhere, with level and title, and nothing is on the command line", function()
    local child = Child.start({
      ui = { 80, 24 },
      init = [[_G.said = {} vim.notify = function(...) table.insert(said, { ... }) end]],
    })
    child:lua(SAY, { LONG, "second" })
    local level = vim.log.levels.WARN
    assert.are.same({
      { "claudecode: " .. LONG, level, { title = "claudecode.nvim" } },
      { "claudecode: second", level, { title = "claudecode.nvim" } },
    }, child:lua([[return said]]))
    assert.are.equal("", child:lua([[return vim.trim(vim.fn.execute("messages"))]]))
    child:stop()
  end)

  it("that throws, and are seen all the same", function()
    local child = Child.start({ ui = { 80, 24 }, init = [[vim.notify = function() error("broken", 0) end]] })
    child:lua(SAY, { "short" })
    child:wait_screen("claudecode: short")
    assert.matches("vim.notify failed: broken", child:lua([[return vim.fn.execute("messages")]]))
    child:stop()
  end)
end)

describe("messages about a diff that cannot be shown", function()
  it("do not keep Claude waiting", function()
    local child = Child.start({
      ui = { 80, 24 },
      init = NOTIFIERS["a vim.notify that passes on"],
      files = { ["a.txt"] = "one\n" },
      args = { "a.txt" },
      setup = [[require("claudecode").setup({ terminal = { provider = "none" }, diff_opts = { layout = {
        show = function() error(("the viewer has failed "):rep(20)) end,
        update = function() end,
        close = function() end,
      } } })]],
    })
    local peer = Peer.connect(child)
    peer:initialize()
    local path = child:path("a.txt")
    local id = peer:start_call(
      "openDiff",
      { old_file_path = path, new_file_path = path, new_file_contents = "two\n", tab_name = "t" }
    )
    child:wait_screen("claudecode")
    vim.wait(50)
    assert.is_false(child:blocked())
    peer:call("close_tab", { tab_name = "t" })
    peer:answer(id)
    peer:close()
    child:stop()
  end)
end)
