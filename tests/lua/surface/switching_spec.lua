-- A user of the established plugin changes the repository's name in a lazy.nvim spec: the spec, the keymaps, the event
-- handlers and the auto-save recipes that its users have go on as they are. lazy.nvim is played by a stand-in that does
-- with `keys`, `config` and `opts` what lazy.nvim documents.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")
local snacks = require("tests.lua.terminal.stand_ins").SNACKS

-- Plays the CLI: writes down what it was started with.
local FAKE = [[#!/bin/sh
for word in "$@"; do printf '%s\n' "$word"; done > "$FAKE_OUT.part"
mv "$FAKE_OUT.part" "$FAKE_OUT"
exec cat
]]

-- lazy.nvim, as far as its documentation says: a key loads the plugin, becomes what its spec says, and is typed again;
-- `config = true` and `opts` mean that setup() of the module is called with them.
local LAZY = [[
  vim.g.mapleader = " "
  function _G.lazy(spec, dir)
    local loaded = false
    local function load()
      if loaded then return end
      loaded = true
      vim.opt.runtimepath:prepend(dir)
      for _, file in ipairs(vim.fn.glob(dir .. "/plugin/*.lua", true, true)) do vim.cmd.source(file) end
      require("claudecode").setup(spec.opts or {})
    end
    local function real(key, buf)
      for _, mode in ipairs(type(key.mode) == "table" and key.mode or { key.mode or "n" }) do
        vim.keymap.set(mode, key[1], key[2], { desc = key.desc, buffer = buf })
      end
    end
    local function lazily(key, buf)
      for _, mode in ipairs(type(key.mode) == "table" and key.mode or { key.mode or "n" }) do
        vim.keymap.set(mode, key[1], function()
          vim.keymap.del(mode, key[1], { buffer = buf })
          load()
          real(key, buf)
          vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<Ignore>" .. key[1], true, true, true), "i", false)
        end, { desc = key.desc, buffer = buf })
      end
    end
    for _, key in ipairs(spec.keys) do
      if key[2] and key.ft then
        vim.api.nvim_create_autocmd("FileType", { pattern = key.ft, callback = function(event)
          (loaded and real or lazily)(key, event.buf)
        end })
      elseif key[2] then
        lazily(key)
      end
    end
  end
]]

local SPEC = [[{
  "coder/claudecode.nvim",
  dependencies = { "folke/snacks.nvim" },
  config = true,
  opts = @OPTIONS@,
  keys = {
    { "<leader>a", nil, desc = "AI/Claude Code" },
    { "<leader>ac", "<cmd>ClaudeCode<cr>", desc = "Toggle Claude" },
    { "<leader>af", "<cmd>ClaudeCodeFocus<cr>", desc = "Focus Claude" },
    { "<leader>ar", "<cmd>ClaudeCode --resume<cr>", desc = "Resume Claude" },
    { "<leader>aC", "<cmd>ClaudeCode --continue<cr>", desc = "Continue Claude" },
    { "<leader>am", "<cmd>ClaudeCodeSelectModel<cr>", desc = "Select Claude model" },
    { "<leader>ab", "<cmd>ClaudeCodeAdd %<cr>", desc = "Add current buffer" },
    { "<leader>as", "<cmd>ClaudeCodeSend<cr>", mode = "v", desc = "Send to Claude" },
    { "<leader>as", "<cmd>ClaudeCodeTreeAdd<cr>", desc = "Add file",
      ft = { "NvimTree", "neo-tree", "oil", "minifiles", "netrw" } },
    { "<leader>aa", "<cmd>ClaudeCodeDiffAccept<cr>", desc = "Accept diff" },
    { "<leader>ad", "<cmd>ClaudeCodeDiffDeny<cr>", desc = "Deny diff" },
  },
}]]

-- Options as users of the established plugin write them, former names among them.
local OPTIONS = [[{
  port_range = { min = 10000, max = 65535 },
  auto_start = true,
  log_level = "info",
  terminal_cmd = @PROGRAM@,
  env = { FAKE_OUT = @PROGRAM@ .. ".out" },
  focus_after_send = false,
  track_selection = true,
  visual_demotion_delay_ms = 50,
  connection_wait_delay = 200,
  connection_timeout = 10000,
  queue_timeout = 5000,
  git_repo_cwd = true,
  terminal = {
    split_side = "right",
    split_width_percentage = 0.30,
    provider = "@PROVIDER@",
    auto_close = true,
    show_native_term_exit_tip = false,
    snacks_win_opts = {},
    provider_opts = { external_terminal_cmd = nil },
  },
  diff_opts = {
    auto_close_on_accept = true,
    vertical_split = true,
    open_in_current_tab = true,
    keep_terminal_focus = false,
    hide_terminal_in_new_tab = false,
    show_diff_stats = true,
    on_new_file_reject = "keep_empty",
  },
}]]

describe("a lazy.nvim spec of the established plugin", function()
  local child, peer

  ---@param provider string
  ---@param more string|nil Lua that runs at start
  local function start(provider, more)
    child = Child.start({
      plugin = false,
      ui = { 120, 30 },
      files = { [".git/HEAD"] = "", ["a.txt"] = "one\ntwo\nthree\n", ["sub/b.txt"] = "b\n" },
      args = { "a.txt" },
      init = [[_G.said = {} vim.notify = function(text) table.insert(said, text) end]] .. LAZY .. (more or ""),
    })
    local fake = child:write(child.root .. "/bin/claude", FAKE)
    assert(vim.uv.fs_chmod(fake, 493))
    local filled = {
      ["@OPTIONS@"] = OPTIONS,
      ["@PROVIDER@"] = provider,
      ["@PROGRAM@"] = ("%q"):format(fake),
    }
    local spec = SPEC:gsub("@%u+@", filled):gsub("@%u+@", filled)
    child:lua(("lazy(%s, ...)"):format(spec), Child.repo())
  end

  local function connect()
    peer = Peer.connect(child)
    peer:initialize()
    child:wait([[local _, client = next(require("claudecode.bridge").clients()) return client and client.ready]])
  end

  ---@return table params of the newest mention
  local function mentioned(count)
    for _ = 1, count - #peer:notifications("at_mentioned") do
      assert.is_table(peer:notification("at_mentioned"))
    end
    return peer:notifications("at_mentioned")[count]
  end

  ---@return string[] arguments that the CLI was started with
  local function started_with()
    local path = child.root .. "/bin/claude.out"
    child:wait(("return vim.uv.fs_stat(%q) ~= nil"):format(path))
    local words = vim.split(child:read(path), "\n", { trimempty = true })
    os.remove(path)
    return words
  end

  local function propose()
    local path = child:path("a.txt")
    local id = peer:start_call("openDiff", {
      old_file_path = path,
      new_file_path = path,
      new_file_contents = "new\n",
      tab_name = "✻ [Claude Code] a.txt (1) ⧉",
    })
    child:wait([[return vim.api.nvim_buf_get_name(0):find("(proposed)", 1, true) ~= nil]])
    return id
  end

  before_each(function()
    peer = nil
  end)

  after_each(function()
    if peer then
      peer:close()
    end
    assert.are.same({}, child:lua([[return said]]))
    child:stop()
  end)

  for _, provider in ipairs({ "native", "snacks", "auto" }) do
    it(("loads with its first key and does what each key says (%s)"):format(provider), function()
      start(provider, provider ~= "native" and snacks or "")
      assert.are.equal(0, child:lua([[return vim.fn.exists(":ClaudeCode")]]))
      child:keys(" ac")
      assert.are.same({}, started_with())
      child:wait([[return vim.bo.filetype == "claudecode_terminal"]])
      child:wait([[return vim.api.nvim_get_mode().mode == "t"]])
      local pid = child:lua([[return require("claudecode.terminal").pid()]])
      child:keys("<C-\\><C-n> af")
      child:wait([[return vim.fn.winnr("$") == 1]])
      child:keys(" af")
      child:wait([[return vim.bo.filetype == "claudecode_terminal"]])
      child:keys("<C-\\><C-n> ac")
      child:wait([[return vim.fn.winnr("$") == 1]])
      assert.are.equal(pid, child:lua([[return require("claudecode.terminal").pid()]]))
      for keys, words in pairs({ [" ar"] = { "--resume" }, [" aC"] = { "--continue" } }) do
        child:lua([[vim.cmd.ClaudeCodeClose()]])
        child:keys(keys)
        assert.are.same(words, started_with())
        child:keys("<C-\\><C-n>")
      end
      child:lua([[vim.cmd.ClaudeCodeClose() vim.ui.select = function(items, _, done) done(items[2]) end]])
      child:keys(" am")
      assert.are.equal("--model", started_with()[1])
    end)
  end

  it("mentions the buffer, the selection and entries of an explorer", function()
    start("none")
    child:keys(" ab")
    connect()
    assert.are.same({ filePath = child:path("a.txt") }, mentioned(1))
    child:keys("jVj as")
    assert.are.same({ filePath = child:path("a.txt"), lineStart = 1, lineEnd = 2 }, mentioned(2))
    child:keys(":edit sub<CR>/b.txt<CR> as")
    assert.are.same({ filePath = child:path("sub/b.txt") }, mentioned(3))
  end)

  it("accepts and denies diffs, in the place that former names say", function()
    start("none")
    child:keys(" ab")
    connect()
    local id = propose()
    assert.are.equal(1, child:lua([[return vim.fn.tabpagenr("$")]]))
    assert.are.equal("row", child:lua([[return vim.fn.winlayout()[1] ]]))
    child:keys(" aa")
    assert.are.equal("FILE_SAVED", peer:answer(id).content[1].text)
    child:write("a.txt", "new\n")
    peer:call("close_tab", { tab_name = "✻ [Claude Code] a.txt (1) ⧉" })
    id = propose()
    child:keys(" ad")
    assert.are.equal("DIFF_REJECTED", peer:answer(id).content[1].text)
  end)

  it("keeps auto-save plugins off proposals, as their recipes have it, and raises the events", function()
    start(
      "none",
      [[
      _G.events = {}
      vim.api.nvim_create_autocmd("User", {
        pattern = { "ClaudeCodeDiffOpened", "ClaudeCodeDiffClosed", "ClaudeCodeSendComplete" },
        callback = function(event)
          local data = event.data
          table.insert(events, { event.match, vim.fs.basename(data.file_path), data.reason ~= nil,
            data.diff_window ~= nil and vim.api.nvim_win_is_valid(data.diff_window) })
        end,
      })
      -- The three recipes: by name, by variable, by kind of buffer. Each says whether the buffer may be saved.
      _G.recipes = {
        function(buf)
          local name = vim.api.nvim_buf_get_name(buf)
          return not (name:match("%(proposed%)") or name:match("%(NEW FILE %- proposed%)"))
        end,
        function(buf)
          return not (vim.b[buf].claudecode_diff_tab_name or vim.b[buf].claudecode_diff_new_win
            or vim.b[buf].claudecode_diff_target_win)
        end,
        function(buf) return vim.bo[buf].buftype ~= "acwrite" end,
      }
    ]]
    )
    child:keys(" ab")
    connect()
    mentioned(1)
    child:keys(" ab")
    mentioned(2)
    local id = propose()
    assert.are.same(
      { false, false, false },
      child:lua([[return vim.tbl_map(function(may_save) return may_save(0) end, recipes)]])
    )
    local others = child:lua([[
      local found = {}
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        if vim.api.nvim_buf_get_name(buf):find("a.txt$") then
          for _, may_save in ipairs(recipes) do table.insert(found, may_save(buf)) end
        end
      end
      return found
    ]])
    assert.are.same({ true, true, true }, others)
    child:keys(" ad")
    peer:answer(id)
    child:wait([[return #events == 3]])
    assert.are.same({
      { "ClaudeCodeSendComplete", "a.txt", false, false },
      { "ClaudeCodeDiffOpened", "a.txt", false, true },
      { "ClaudeCodeDiffClosed", "a.txt", true, false },
    }, child:lua([[return events]]))
  end)

  it("opens Claude in a float of snacks.nvim with keys of its own", function()
    start("snacks", snacks)
    child:lua(
      [[lazy({ keys = { { "<C-,>", "<cmd>ClaudeCodeFocus<cr>", mode = { "n", "x" } } }, opts = {
      terminal_cmd = { "cat" },
      terminal = { snacks_win_opts = { position = "float", width = 0.9, height = 0.9,
        keys = { claude_hide = { "<C-,>", function(self) self:hide() end, mode = "t", desc = "Hide" } } } },
    } }, ...)]],
      Child.repo()
    )
    child:keys("<C-,>")
    child:wait([[return vim.bo.filetype == "claudecode_terminal"]])
    assert.are.equal("editor", child:lua([[return vim.api.nvim_win_get_config(0).relative]]))
    child:lua([[vim.cmd.stopinsert()]])
    child:keys("<C-\\><C-n><C-,>")
    child:wait([[return vim.bo.filetype ~= "claudecode_terminal"]])
    child:keys("<C-,>")
    child:wait([[return vim.bo.filetype == "claudecode_terminal"]])
  end)
end)
