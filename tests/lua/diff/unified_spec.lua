-- The unified view as it looks: deleted lines above new ones, words, signs; and that it keeps up with what is typed.
local stage = require("tests.lua.diff.stage")

local SETUP = [[require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = "unified" } })]]

local child

---@param old string
---@param new string
---@param opts { setup?: string, ui?: [integer, integer] }?
local function start(old, new, opts)
  opts = opts or {}
  child = stage.start({
    files = { ["a.txt"] = old },
    args = { "a.txt" },
    ui = opts.ui or { 80, 32 },
    setup = SETUP .. (opts.setup or ""),
  })
  stage.propose(child, "a.txt", new)
  child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
end

---The proposal's window, without what is empty.
---@return string[]
local function shown()
  local row, height = unpack(child:lua([[
    local win = vim.b.claudecode_diff_new_win
    return { vim.api.nvim_win_get_position(win)[1], vim.api.nvim_win_get_height(win) }
  ]]))
  local lines = vim.list_slice(child:screen(), row + 1, row + height)
  return vim.tbl_filter(function(line)
    return line ~= "~" and line ~= ""
  end, lines)
end

---Waits until the window shows these lines.
---@param expected string[]
local function shows(expected)
  local now = shown()
  local until_ms = vim.uv.now() + 3000
  while not vim.deep_equal(now, expected) and vim.uv.now() < until_ms do
    vim.uv.sleep(10)
    vim.uv.update_time()
    now = shown()
  end
  assert.are.same(expected, now)
end

---@return [integer, integer, integer, string][] row, first byte, byte after, group
local function marks()
  return child:lua([[
    local found = {}
    local namespace = vim.api.nvim_get_namespaces()["claudecode.diff.overlay"]
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
      local details = mark[4]
      if details.hl_group then
        table.insert(found, { mark[2], mark[3], details.end_col, details.hl_group })
      end
    end
    return found
  ]])
end

describe("the unified view", function()
  after_each(function()
    child:stop()
  end)

  it("shows what is gone above what is new", function()
    start("zero\nalpha one\nbeta\n\tgamma\ndelta\n", "alpha 1\nbeta\n\tGAMMA\nnew\ndelta\n")
    shows({ "- zero", "- alpha one", "+ alpha 1", "  beta", "-         gamma", "+         GAMMA", "+ new", "  delta" })
    assert.is_true(child:lua("return vim.b.claudecode_inline_diff"))
    assert.are.same({ 1, 0 }, child:lua("return vim.api.nvim_win_get_cursor(0)"))
  end)

  it("marks the words that changed, on both sides", function()
    start("return foo(a, b)\nsame\n", "return foo(a, c)\nsame\n")
    shows({ "- return foo(a, b)", "+ return foo(a, c)", "  same" })
    assert.are.same({ { 0, 14, 15, "ClaudeCodeInlineDiffAddText" } }, marks())
    local chunks = child:lua([[
      local namespace = vim.api.nvim_get_namespaces()["claudecode.diff.overlay"]
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
        if mark[4].virt_lines then
          return mark[4].virt_lines[1]
        end
      end
    ]])
    assert.are.same({
      { "- ", "ClaudeCodeInlineDiffDeleteSign" },
      { "return foo(a, ", "ClaudeCodeInlineDiffDelete" },
      { "b", "ClaudeCodeInlineDiffDeleteText" },
      { ")", "ClaudeCodeInlineDiffDelete" },
    }, vim.list_slice(chunks, 1, 4))
  end)

  for name, case in
    vim.spairs({
      ["a new file"] = { false, "a\nb\n", { "+ a", "+ b" } },
      ["a file that becomes empty"] = { "a\nb\n", "", { "- a", "- b" } },
      ["lines gone at the end"] = { "a\nb\nc\n", "a\n", { "▁ a", "- b", "- c" } },
      ["lines gone at the start"] = { "a\nb\nc\n", "c\n", { "- a", "- b", "▔ c" } },
      ["a lost last line break"] = { "a\nb\n", "a\nb", { "  a", "- b", "+ b" } },
      ["controls"] = { "a\1b\127\n", "x\n", { "- a^Ab^?", "+ x" } },
      ["wide characters and tabs"] = { "日\t本\n", "x\n", { "- 日      本", "+ x" } },
      ["no change at all"] = { "a\nb\n", "a\nb\n", { "  a", "  b" } },
    })
  do
    it("shows " .. name, function()
      local old, new, expected = unpack(case)
      if old then
        start(old, new)
      else
        child = stage.start({ args = { "a.txt" }, ui = { 80, 32 }, setup = SETUP })
        stage.propose(child, "new.txt", new)
        child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
      end
      shows(expected)
    end)
  end

  it("wraps a deleted line as it wraps others", function()
    local long = ("word "):rep(20)
    start(long .. "\n", "x\n", { ui = { 62, 30 } })
    shows({ "- " .. long:sub(1, 60):gsub(" $", ""), "  " .. vim.trim(long:sub(61)), "+ x" })
  end)

  it("keeps up with what is typed, undone, and changed in the file", function()
    start("a\nb\nc\n", "a\nB\nc\n")
    shows({ "  a", "- b", "+ B", "  c" })
    child:keys("onew<Esc>")
    shows({ "  a", "- b", "+ B", "+ new", "  c" })
    child:keys("ggdd")
    shows({ "- a", "- b", "+ B", "+ new", "  c" })
    child:keys("uu")
    shows({ "  a", "- b", "+ B", "  c" })
    child:lua([[vim.api.nvim_buf_set_lines(buffer_of("a.txt"), 2, 3, false, { "C" })]])
    shows({ "  a", "- b", "- C", "+ B", "+ c" })
  end)

  it("shows no hunk that has been dropped, and shows it again when it is taken or the drop undone", function()
    local map = [[
      vim.keymap.set({ "n", "x" }, "gd", "<Plug>(claudecode-hunk-drop)")
      vim.keymap.set({ "n", "x" }, "gt", "<Plug>(claudecode-hunk-take)")
    ]]
    start("gone\na\nb\nc\nd\nlast\n", "a\nB\nc\nnew\nd\n", { setup = map })
    local all = { "- gone", "▔ a", "- b", "+ B", "  c", "+ new", "▁ d", "- last" }
    shows(all)
    child:keys("2Ggd")
    shows({ "- gone", "▔ a", "  b", "  c", "+ new", "▁ d", "- last" })
    child:keys("4Ggd")
    shows({ "- gone", "▔ a", "  b", "  c", "▁ d", "- last" })
    child:keys("ggVGgd")
    shows({ "  gone", "  a", "  b", "  c", "  d", "  last" })
    child:keys("uuu")
    shows(all)
    child:keys("ggVGgd")
    shows({ "  gone", "  a", "  b", "  c", "  d", "  last" })
    child:keys("ggVGgt")
    shows(all)
    child:keys("gg]c]c]c]c]cgd")
    shows({ "- gone", "▔ a", "- b", "+ B", "  c", "+ new", "  d", "  last" })
  end)

  it("keeps deleted lines above the first line on the screen while others change", function()
    start("gone\na\nb\n", "a\nb\n")
    child:keys("Gox<Esc>gg")
    shows({ "- gone", "▔ a", "  b", "+ x" })
  end)

  it("shows what is gone at both ends of a long text to whoever goes there", function()
    local lines = {}
    for i = 1, 200 do
      lines[i] = "line " .. i .. "\n"
    end
    local text = table.concat(lines)
    start("first\n" .. text .. "last\nlast but one\n", (text:gsub("line 100\n", "other\n")), { ui = { 80, 24 } })
    local top = { "- first", "▔ line 1", "  line 2" }
    local bottom = { "▁ line 200", "- last", "- last but one" }
    local function ends(keys)
      child:keys(keys)
      local now = shown()
      return vim.list_slice(now, 1, 3), vim.list_slice(now, #now - 2)
    end
    assert.are.same(top, (ends("")))
    assert.are.same(bottom, (select(2, ends("G"))))
    assert.are.same(top, (ends("gg")))
    assert.are.same(bottom, (select(2, ends("100G]c"))))
    assert.are.same(top, (ends("9[c")))
    -- What the user scrolls off stays there.
    assert.are.same({ "▔ line 1", "  line 2", "  line 3" }, (ends("<C-e>")))
    child:keys("jox<Esc>")
    vim.uv.sleep(100)
    assert.are.same({ "▔ line 1", "  line 2", "+ x" }, (ends("")))
  end)

  it("shows what is gone at the end as soon as it is opened", function()
    local text = ("same\n"):rep(100)
    start(text .. "last\n", text, { ui = { 80, 24 } })
    assert.are.same({ "▁ same", "- last" }, vim.list_slice(shown(), #shown() - 1))
  end)

  it("shows deleted lines above the first line after quick changes", function()
    start("gone\na\n", "a\nb\n", {
      setup = [[
      vim.keymap.set("x", "gd", "<Plug>(claudecode-hunk-drop)")
      vim.keymap.set("x", "gt", "<Plug>(claudecode-hunk-take)")
    ]],
    })
    child:keys("ggVGgdggVGgt")
    shows({ "- gone", "▔ a", "+ b" })
  end)

  it("goes on after `:edit!` of the proposal, and of the file", function()
    start("a\nb\n", "a\nB\n")
    child:keys(":edit!<CR>")
    shows({ "  a", "- b", "+ B" })
    child:keys("ggOx<Esc>")
    shows({ "+ x", "  a", "- b", "+ B" })
    child:write("a.txt", "a\nother\n")
    child:lua("vim.api.nvim_buf_call(buffer_of('a.txt'), function() vim.cmd('edit!') end)")
    shows({ "+ x", "  a", "- other", "+ B" })
    child:lua("vim.api.nvim_buf_set_lines(buffer_of('a.txt'), 0, 0, false, { 'x' })")
    shows({ "  x", "  a", "- other", "+ B" })
  end)

  it("scrolls deleted lines sideways with the text", function()
    start("one\ttwo 日本 three\n" .. ("x"):rep(70) .. "\n", "one two\n" .. ("x"):rep(70) .. "\n")
    child:keys(":setlocal nowrap<CR>G6zl")
    shows({ "-   two 日本 three", "+ o", "  " .. ("x"):rep(64) })
    child:keys("8zl")
    shows({ "- 本 three", "+", "  " .. ("x"):rep(56) })
    child:keys("14zh")
    shows({ "- one     two 日本 three", "+ one two", "  " .. ("x"):rep(70) })
  end)

  it("counts the rest of a very long deleted line", function()
    start(("é"):rep(500000) .. "\nb\n", "x\nb\n", { ui = { 120, 80 } })
    local now = shown()
    assert.matches("^%- ééé", now[1])
    assert.are.same({ "  … and 998000 more bytes", "+ x", "  b" }, vim.list_slice(now, #now - 2))
  end)

  it("has no error while what it is still painting is deleted", function()
    local old, new = {}, {}
    for i = 1, 50000 do
      old[i], new[i] = "line " .. i, i % 3 == 0 and "other " .. i or "line " .. i
    end
    local listen = [[
      _G.errors = {}
      require("claudecode.log").error = function(...) table.insert(errors, { ... }) end
    ]]
    start(table.concat(old, "\n") .. "\n", table.concat(new, "\n") .. "\n", { setup = listen })
    vim.uv.sleep(60)
    child:keys("10GdG")
    child:wait([[
      local namespace = vim.api.nvim_get_namespaces()["claudecode.diff.overlay"]
      local marks = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
      return #marks == 8 and #(marks[7][4].virt_lines or {}) == 501
    ]])
    assert.are.same({}, child:lua("return errors"))
  end)

  it("fits deleted lines into a window that gets other sizes and columns", function()
    start("old\n", "new\n")
    child:keys(":setlocal number<CR>")
    shows({ "-     old", "+   1 new" })
  end)

  it("goes from hunk to hunk, with counts", function()
    start("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\nX\n3\n5\n6\n7\nY\n8\n9\n")
    local function after(keys)
      child:keys(keys)
      return child:lua("return vim.api.nvim_win_get_cursor(0)[1]")
    end
    assert.are.same({ 2, 4, 7, 7, 4, 2, 2 }, {
      after("gg]c"),
      after("]c"),
      after("]c"),
      after("]c"),
      after("[c"),
      after("[c"),
      after("[c"),
    })
    assert.are.same({ 7, 2, 7, 2 }, { after("gg3]c"), after("9[c"), after("gg9]c"), after("2[c") })
    assert.are.equal(7, after("<C-o>"))
  end)

  it("stands beside the file where there is room for both, else below", function()
    start("a\n", "b\n", { ui = { 170, 30 } })
    local function layout()
      return child:lua("return vim.fn.winlayout()[1]")
    end
    assert.are.equal("row", layout())
    child:stop()
    start("a\n", "b\n", { ui = { 150, 30 } })
    assert.are.equal("col", layout())
  end)

  it("paints a large proposal while the editor goes on", function()
    local old, new = {}, {}
    for i = 1, 20000 do
      old[i], new[i] = "line " .. i, i % 4 == 0 and "other " .. i or "line " .. i
    end
    start(table.concat(old, "\n") .. "\n", table.concat(new, "\n") .. "\n")
    -- 5,000 hunks, with two or three marks each.
    child:wait(
      [[
      local namespace = vim.api.nvim_get_namespaces()["claudecode.diff.overlay"]
      return #vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {}) == 15000
    ]],
      20000
    )
    child:keys("G")
    assert.are.same({ "- line 20000", "+ other 20000" }, vim.list_slice(shown(), #shown() - 1))
  end)

  it("counts the rest of a very large deletion", function()
    start(("x\n"):rep(3000) .. "end\n", "end\n")
    child:wait([[
      local namespace = vim.api.nvim_get_namespaces()["claudecode.diff.overlay"]
      local mark = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })[1]
      return #mark[4].virt_lines == 501 and mark[4].virt_lines[501][1][1] == "… and 2500 more deleted lines"
    ]])
  end)

  it("takes its colours from the colour scheme, and gives way to groups that somebody has set", function()
    start("a\n", "b\n", { setup = [[vim.cmd("highlight ClaudeCodeInlineDiffAdd guifg=#123456")]] })
    local function group(name)
      return child:lua("return vim.api.nvim_get_hl(0, { name = ... })", name)
    end
    assert.are.equal(0x123456, group("ClaudeCodeInlineDiffAdd").fg)
    assert.are.equal("DiffDelete", group("ClaudeCodeInlineDiffDelete").link)
    child:lua("vim.cmd.colorscheme('habamax')")
    assert.are.equal("DiffDelete", group("ClaudeCodeInlineDiffDelete").link)
  end)

  it("gets a tab of its own where there is no room, and where another diff is", function()
    start("a\n", "b\n")
    stage.propose(child, "c.txt", "c\n", { tab_name = "other" })
    child:wait("return #events == 2")
    assert.are.equal(2, child:lua("return #vim.api.nvim_list_tabpages()"))
  end)
end)
