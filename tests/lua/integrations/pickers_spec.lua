-- Mentions from pickers, over stand-ins for their public API: snacks.nvim, telescope.nvim, fzf-lua.
local Explorer = require("tests.lua.integrations.explorer")

local HARD = Explorer.HARD
local FILES = vim.list_extend({ "a.txt", "b.txt", "sub/a.txt", "sp dir/z z.txt" }, HARD)

---@param stand_in string
---@return fun(): tests.Explorer, tests.Child
local function explorer_of(stand_in)
  local explorer
  setup(function()
    explorer = Explorer.start({ files = FILES, stand_in = stand_in })
    explorer:link("sub", "linked")
  end)
  teardown(function()
    explorer:stop()
  end)
  before_each(function()
    explorer:clear()
  end)
  return function()
    return explorer, explorer.child
  end
end

describe("in a picker of snacks.nvim", function()
  local get = explorer_of("snacks")
  local explorer, child

  ---@param names string[] a name in brackets is an item without a file
  ---@param top integer?
  local function open(names, top)
    child:lua(
      [[
      local names, top, dir = ...
      _G.picker = stand_in.open(vim.tbl_map(function(name)
        return name:find("^%(") and { text = name } or { file = "./" .. name, cwd = dir }
      end, names), top)
    ]],
      names,
      top or 1,
      child.dir
    )
  end

  before_each(function()
    explorer, child = get()
    child:lua([[for index in ipairs(stand_in.pickers) do stand_in.pickers[index] = nil end]])
  end)

  it("the current item is mentioned, from the list and from the prompt, whatever its name", function()
    open({ "a.txt", "sub", "linked", unpack(HARD, 1, 6) })
    explorer:mentions({ "a.txt" }, "zt")
    explorer:mentions({ "sub/" }, "jzs")
    explorer:mentions({ "linked/" }, "jzt")
    for _, name in ipairs({ unpack(HARD, 1, 6) }) do
      explorer:mentions({ name }, "jzt")
    end
    child:lua([[vim.api.nvim_set_current_win(picker.input.win.win)]])
    explorer:mentions({ HARD[6] }, "i<F2>")
    explorer:mentions({ HARD[6] }, "<F3>")
    assert.are.equal("i", child:lua([[return vim.fn.mode()]]))
    explorer:mentions({ HARD[6] }, "<Esc>Vzt")
  end)

  it("selected items are mentioned in their order; a Visual selection of the list goes first", function()
    open({ "a.txt", "b.txt", "sub", "日本語.txt" })
    child:lua([[picker:select(4) picker:select(1)]])
    explorer:mentions({ "日本語.txt", "a.txt" }, "zt")
    explorer:mentions({ "b.txt", "sub/" }, "jVjzt")
    assert.are.equal("n", child:lua([[return vim.fn.mode(1)]]))
    explorer:mentions({ "a.txt", "b.txt" }, ":1,2ClaudeCodeTreeAdd<CR>")
  end)

  it("rows are counted from where the list is scrolled to", function()
    open({ "a.txt", "b.txt", "sub", "日本語.txt" }, 3)
    explorer:mentions({ "sub/", "日本語.txt" }, "ggVjzt")
    explorer:mentions({ "日本語.txt" }, "zt")
  end)

  it("of several pickers the one of the window is asked", function()
    open({ "a.txt" })
    local first = child:lua([[return vim.api.nvim_get_current_win()]])
    open({ "b.txt" })
    explorer:mentions({ "b.txt" }, "zt")
    child:lua([[vim.api.nvim_set_current_win(...)]], first)
    explorer:mentions({ "a.txt" }, "zt")
  end)

  it("items without a file are not mentioned", function()
    open({ "(a command)", "a.txt" })
    explorer:mentions({ "a.txt" }, "VGzt")
    explorer:refuses("no file or directory is selected in snacks%.nvim", "ggzt")
  end)

  it("a picker that is gone gives one sentence", function()
    open({ "a.txt" })
    child:lua([[stand_in.pickers[1] = nil]])
    explorer:refuses("snacks%.nvim has no open picker", "zt")
  end)
end)

describe("in the prompt of telescope.nvim", function()
  local get = explorer_of("telescope")
  local explorer, child

  ---@param entries string names, the current one first
  ---@param multi string[]?
  local function open(entries, multi)
    child:lua(
      [[
      local entries, multi, dir = ...
      local function entry(name) return stand_in.file_entry(name, dir) end
      stand_in.open(vim.tbl_map(entry, entries), vim.tbl_map(entry, multi), dir)
    ]],
      entries,
      multi or {},
      child.dir
    )
    child:keys("i")
  end

  before_each(function()
    explorer, child = get()
  end)

  it("the current entry is mentioned from Insert and Normal mode, whatever its name", function()
    for _, name in ipairs(HARD) do
      open({ name })
      explorer:mentions({ name }, "<F2>")
      explorer:mentions({ name }, "<F3>")
      assert.are.equal("i", child:lua([[return vim.fn.mode()]]))
      explorer:mentions({ name }, "<Esc>zt")
      explorer:clear()
    end
    open({ "sub" })
    explorer:mentions({ "sub/" }, "<F2>")
  end)

  it("a multi-selection is mentioned in its order, each file once", function()
    open({ "a.txt" }, { "日本語.txt", "sub", "b.txt", "日本語.txt" })
    explorer:mentions({ "日本語.txt", "sub/", "b.txt" }, "<F2>")
  end)

  it("entries name their file in different ways", function()
    for _, code in ipairs({
      [[{ filename = dir .. "/a.txt", lnum = 3 }]],
      [[{ filename = "a.txt", lnum = 3 }]],
      [[{ filename = "sub/a.txt", cwd = vim.uv.cwd() }]],
      [[{ path = dir .. "/./a.txt", filename = "wrong" }]],
    }) do
      child:lua(([[local dir = ... stand_in.open({ %s }, {}, dir)]]):format(code), child:path("sub"))
      child:keys("i")
      explorer:mentions({ "sub/a.txt" }, "<F2>")
      explorer:clear()
    end
  end)

  it("without an entry, or with one that is no file, one sentence says so", function()
    open({})
    explorer:refuses("no file or directory is selected in telescope%.nvim", "<F2>")
    explorer:clear()
    child:lua([[stand_in.open({ { value = "blue" } }, {})]])
    child:keys("i")
    explorer:refuses("no file or directory is selected in telescope%.nvim", "<F2>")
  end)
end)

describe("the action for fzf-lua", function()
  local get = explorer_of("fzf_lua")
  local explorer, child

  ---@param wanted string[]
  ---@param selected string[]
  ---@param opts table?
  local function adds(wanted, selected, opts)
    child:lua(
      [[
      local selected, opts = ...
      require("claudecode.integrations.fzf_lua").add(selected, opts)
    ]],
      selected,
      opts
    )
    assert.are.same(wanted, explorer:mentioned(#wanted))
    assert.are.same({}, explorer:said())
  end

  before_each(function()
    explorer, child = get()
  end)

  it("mentions what is selected, in order, whatever the names, each file once", function()
    adds(HARD, HARD, { cwd = child.dir })
    adds({ "sub/", "b.txt" }, { "i\u{2002}sub", "\u{2002}b.txt:3:1: text", "b.txt:9:1:more" }, { cwd = child.dir })
    adds({ "a.txt" }, { child:path("a.txt") })
    adds({ "a.txt" }, { "a.txt" })
  end)

  it("says so when nothing is selected, and when fzf-lua fails or is not there", function()
    local function refuses(pattern, code)
      child:lua([[said = {}]])
      child:lua(code)
      assert.are.equal(1, #explorer:said())
      assert.matches(pattern, explorer:said()[1])
    end
    local add = [[require("claudecode.integrations.fzf_lua").add(%s)]]
    refuses("no file or directory is selected in fzf%-lua%.$", add:format("{}"))
    refuses("fzf%-lua could not say what is selected: [^\n]+%.$", add:format("nil"))
    child:lua([[
      package.loaded["fzf-lua.path"] = nil
      _G.real, package.preload["fzf-lua.path"] = package.preload["fzf-lua.path"], nil
    ]])
    refuses("fzf%-lua is not loaded", add:format([[{ "a.txt" }]]))
    child:lua([[package.preload["fzf-lua.path"] = real]])
  end)

  it("is what the terminal of fzf points to", function()
    child:lua([[vim.cmd("enew | setfiletype fzf")]])
    explorer:refuses("fzf runs in a terminal, .*claudecode%-fzf%-lua%.$", "zt")
  end)
end)
