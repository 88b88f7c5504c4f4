-- Neovim in a real terminal, where it has died: rendered Markdown, a tab of the diff's own, an accepted new file.
local Sandbox = require("tests.lua.sandbox")

-- What renderers do: a decoration provider, marks of all sorts in every window that shows Markdown, window options by
-- mode, all of it again whenever something happens.
local RENDERER = [[
  local persistent, ephemeral = vim.api.nvim_create_namespace("renderer"), vim.api.nvim_create_namespace("ephemeral")
  local function is_markdown(buf)
    return vim.bo[buf].filetype == "markdown" or vim.api.nvim_buf_get_name(buf):find("%.md")
  end
  vim.api.nvim_set_decoration_provider(ephemeral, {
    on_win = function(_, _, buf) return is_markdown(buf) ~= nil end,
    on_line = function(_, _, buf, row)
      local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
      vim.api.nvim_buf_set_extmark(buf, ephemeral, row, 0, {
        ephemeral = true, end_col = #line, hl_group = "Title", virt_text = { { "<" } }, priority = 200,
      })
    end,
  })
  local function render(buf)
    if not vim.api.nvim_buf_is_loaded(buf) or not is_markdown(buf) then return end
    vim.api.nvim_buf_clear_namespace(buf, persistent, 0, -1)
    for row, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
      if vim.startswith(line, "#") then
        vim.api.nvim_buf_set_extmark(buf, persistent, row - 1, 0, {
          end_row = row - 1, end_col = 1, conceal = "", virt_lines = { { { "=====", "Title" } } },
          virt_lines_above = row % 2 == 0, sign_text = "#", line_hl_group = "DiffAdd",
          virt_text = { { "heading" } }, virt_text_pos = "overlay",
        })
      end
    end
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      if vim.wo[win].conceallevel ~= 2 then
        vim.wo[win].conceallevel, vim.wo[win].concealcursor = 2, "n"
      end
    end
    DRAWN = (DRAWN or 0) + 1
  end
  vim.api.nvim_create_autocmd({ "BufEnter", "BufWinEnter", "BufLeave", "BufHidden", "WinEnter", "WinLeave", "WinClosed",
    "WinNew", "WinResized", "WinScrolled", "CursorMoved", "ModeChanged", "TabEnter", "TabLeave", "TabClosed",
    "TextChanged", "DiffUpdated", "OptionSet", "BufWriteCmd", "SafeState" }, {
    callback = function(event)
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        if event.event ~= "SafeState" or not vim.b[buf].rendered then
          vim.b[buf].rendered = true
          pcall(render, buf)
          vim.schedule(function() pcall(render, buf) end)
        end
      end
    end,
  })
]]

local SETUP = [[
  events, answers = {}, {}
  vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeDiff*", callback = function(event)
    table.insert(events, event.match)
  end })
  function _G.propose(path, text)
    return require("claudecode.diff").open({
      tab_name = "diff", old_path = path, new_path = path, text = text, client = 1,
      on_decided = function(decision) table.insert(answers, decision.kind) end,
    })
  end
  require("claudecode").setup({ auto_start = false, terminal_cmd = { "cat" }, diff_opts = %s })
]]

---@class tests.Tui A Neovim in a pseudo-terminal.
---@field sandbox tests.Sandbox
---@field job integer
---@field channel integer
---@field exit_code? integer
local Tui = {}
Tui.__index = Tui

---@param opts string Lua table
---@return tests.Tui
local function start(opts)
  local sandbox = Sandbox.new()
  sandbox:write("a.md", ("# Title\n\ntext *text*\n\n"):rep(20))
  local init = sandbox:write(sandbox.root .. "/init.lua", RENDERER .. SETUP:format(opts))
  local self = setmetatable({ sandbox = sandbox }, Tui)
  local nvim = vim.fn.exepath(vim.env.NVIM_BIN or vim.v.progpath)
  local socket = sandbox.root .. "/nvim.sock"
  local root = require("tests.lua.child").repo()
  self.job = vim.fn.jobstart({
    nvim,
    "--clean",
    "-n",
    "-i",
    "NONE",
    "--listen",
    socket,
    "--cmd",
    "set runtimepath^=" .. vim.fn.escape(root, " ,\\"),
    "-c",
    "luafile " .. vim.fn.fnameescape(init),
    "a.md",
  }, {
    pty = true,
    width = 120,
    height = 36,
    cwd = sandbox.dir,
    env = sandbox:environment(),
    clear_env = true,
    on_exit = function(_, code)
      self.exit_code = code
    end,
  })
  vim.wait(5000, function()
    local ok, channel = pcall(vim.fn.sockconnect, "pipe", socket, { rpc = true })
    self.channel = ok and channel or 0
    return self.channel > 0
  end, 20)
  self:wait("return vim.v.vim_did_enter == 1 and propose ~= nil")
  return self
end

---@param code string
---@return any
function Tui:lua(code, ...)
  return vim.rpcrequest(self.channel, "nvim_exec_lua", code, { ... })
end

---@param code string
function Tui:wait(code)
  local last
  local held = vim.wait(8000, function()
    assert(not self.exit_code, "Neovim ended with " .. tostring(self.exit_code))
    last = self:lua(code)
    return last
  end, 5)
  assert(held, ("waited for `%s`; last: %s"):format(code, vim.inspect(last)))
end

---@param keys string As the terminal sends them.
function Tui:type(keys)
  vim.fn.chansend(self.job, keys)
end

function Tui:stop()
  pcall(vim.rpcnotify, self.channel, "nvim_command", "qa!")
  vim.wait(2000, function()
    return self.exit_code ~= nil
  end, 5)
  vim.fn.jobstop(self.job)
  pcall(vim.fn.chanclose, self.channel)
  self.sandbox:remove()
end

describe("Neovim in a terminal, with Markdown that is rendered,", function()
  local tui ---@type tests.Tui

  after_each(function()
    tui:stop()
  end)

  for _, layout in ipairs({ "vertical", "horizontal", "unified" }) do
    for _, new_tab in ipairs({ true, false }) do
      it(("outlives diffs (%s%s)"):format(layout, new_tab and ", new tab" or ""), function()
        tui = start(("{ layout = %q, open_in_new_tab = %s }"):format(layout, new_tab))
        tui:lua("require('claudecode.terminal').open()")
        tui:wait("return vim.api.nvim_get_mode().mode == 't'")
        local text = ("# Title\n\ntext *text*\n\n# Other\n\n"):rep(25)
        local rounds = {
          { file = "new.md", keys = "jj:w\r", answer = "saved" },
          { file = "new.md", keys = "G:q\r", answer = "rejected" },
          { file = "a.md", keys = "]cjjdoGox\27:w\r", answer = "saved" },
          { file = "new.md", keys = "ZZ", answer = "saved" },
          { file = "a.md", keys = ":tabnew\r:tabclose\r:bd\r", answer = "rejected" },
        }
        for round, case in ipairs(rounds) do
          tui:lua("events, answers, DRAWN = {}, {}, 0")
          assert.is_true(tui:lua("return propose(...)", tui.sandbox:path(case.file), text))
          tui:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil and DRAWN > 0")
          tui:type(case.keys)
          tui:wait("return #answers == 1")
          assert.are.equal(case.answer, tui:lua("return answers[1]"))
          -- The client: closes, closes again, writes.
          tui:lua("for _ = 1, 2 do require('claudecode.diff').close('diff', 1) end")
          if case.answer == "saved" then
            tui.sandbox:write(case.file, text .. round)
          end
          tui:lua("require('claudecode.diff').check_written(1)")
          tui:wait("return #events == 2 and vim.api.nvim_get_mode().mode == 't'")
          assert.are.equal(1, tui:lua("return #vim.api.nvim_list_tabpages()"))
          vim.fn.delete(tui.sandbox:path("new.md"))
        end
        assert.is_nil(tui.exit_code)
      end)
    end
  end
end)
