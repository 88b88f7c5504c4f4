-- ClaudeCodeSend and ClaudeCodeTreeAdd over explorers of any kind: what is one, how many messages, events, failures.
local Child = require("tests.lua.child")
local Explorer = require("tests.lua.integrations.explorer")

-- An explorer that a user has added: each line is a path.
local REGISTER = [[
  require("claudecode.integrations").register("paths", {
    name = "paths.nvim",
    selected = function(buf, range)
      _G.asked = { buf = buf, range = range }
      local line = vim.fn.line(".")
      range = range or { first = line, last = line }
      return vim.api.nvim_buf_get_lines(buf, range.first - 1, range.last, true)
    end,
  })
]]

describe("an explorer that a user has added", function()
  local explorer, child

  ---@param lines string[]
  local function show(lines)
    child:lua(
      [[
      vim.cmd("enew! | setlocal buftype=nofile filetype=paths")
      vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)
    ]],
      lines
    )
  end

  setup(function()
    explorer = Explorer.start({ files = { "a.txt", "b.txt", "c.txt", "a#b.txt", "line\nbreak", ".env" } })
    child = explorer.child
    child:lua(REGISTER)
  end)

  teardown(function()
    explorer:stop()
  end)

  before_each(function()
    explorer:clear()
    child:lua(REGISTER)
  end)

  it("is asked with its buffer, and with the lines of a range or of Visual mode", function()
    show({ "a.txt", "b.txt", "c.txt" })
    local buf = child:lua([[return vim.api.nvim_get_current_buf()]])
    for _, keys in ipairs({ "zt", "zs", "zT", "zS", ":ClaudeCodeSend<CR>", "<Plug>(claudecode-tree-add)" }) do
      explorer:mentions({ "b.txt" }, "2G" .. keys)
      assert.are.same({ buf = buf }, child:lua([[return asked]]))
    end
    for _, keys in ipairs({ "zt", "zs", "zT", "zS", "<Plug>(claudecode-tree-add)", "<Plug>(claudecode-send)" }) do
      for _, visual in ipairs({ "2Gvj", "3G$vk", "2GVj", "3GVk", "2G<C-v>j$" }) do
        explorer:mentions({ "b.txt", "c.txt" }, visual .. keys)
        assert.are.same({ buf = buf, range = { first = 2, last = 3 } }, child:lua([[return asked]]))
        assert.are.equal("n", child:lua([[return vim.fn.mode(1)]]), visual .. keys)
      end
    end
    explorer:mentions({ "a.txt", "b.txt" }, "gg2<Plug>(claudecode-send)")
    explorer:mentions({ "a.txt", "b.txt", "c.txt" }, ":%ClaudeCodeTreeAdd | let g:after = 1<CR>")
    assert.are.equal(1, child:lua([[return vim.g.after]]))
  end)

  it("can be asked by users too, which changes nothing", function()
    show({ "a.txt", "b.txt", "c.txt", "." })
    local get = [[return { require("claudecode.integrations").get_selected_files_from_tree(...) }]]
    assert.are.same({ { child:path("a.txt") } }, child:lua(get))
    assert.are.same({ { child:path("b.txt"), child:path("c.txt") } }, child:lua(get, { first = 2, last = 3 }))
    assert.are.same({ { child.dir .. "/" } }, child:lua(get, { first = 4, last = 4 }))
    child:keys("Vj")
    assert.are.same({ { child:path("a.txt"), child:path("b.txt") } }, child:lua(get))
    assert.are.equal("V", child:lua([[return vim.fn.mode()]]))
  end)

  it("gives absolute paths, each once, and an event for each file", function()
    show({ "a.txt", "./a.txt", child.dir .. "/./b.txt", child.dir })
    explorer:mentions({ "a.txt", "b.txt", "" }, "VGzt")
    assert.are.same({
      { file_path = child:path("a.txt"), context = "ClaudeCodeTreeAdd" },
      { file_path = child:path("b.txt"), context = "ClaudeCodeTreeAdd" },
      { file_path = child.dir .. "/", context = "ClaudeCodeTreeAdd" },
    }, child:lua([[return sent]]))
    explorer:mentions({ "a.txt" }, "ggzs")
    assert.are.equal("ClaudeCodeSend", child:lua([[return sent[4].context]]))
  end)

  it("mentions what can be mentioned, and says in one message what cannot", function()
    show({ "a.txt", "gone.txt", "a#b.txt", "b.txt" })
    child:keys("VGzt")
    assert.are.same({ "a.txt", "b.txt" }, explorer:mentioned(2))
    local said = explorer:said()
    assert.are.equal(1, #said)
    assert.matches(
      "2 of 4 were not mentioned: .*gone%.txt is not on disk, .*; .*a#b%.txt: it has a # .*prompt instead%.$",
      said[1]
    )
  end)

  it("keeps a message short, however much fails", function()
    local lines = {}
    for index = 1, 40 do
      lines[index] = ("gone%d.txt"):format(index)
    end
    show(lines)
    child:keys("VGzt")
    local said = explorer:said()
    assert.are.equal(1, #said)
    assert.matches("40 of 40 were not mentioned: .*gone1.txt .*gone3.txt .*; and 37 more%.$", said[1])
  end)

  it("asks about a file that is not shared", function()
    show({ "a.txt", ".env", "b.txt" })
    child:lua(
      [[vim.ui.select = function(choices, opts, on_choice) _G.prompt = opts.prompt on_choice(choices[2], 2) end]]
    )
    explorer:mentions({ "a.txt", "b.txt", ".env" }, "VGzt")
    assert.matches("%.env is not shared", child:lua([[return prompt]]))
  end)

  it("takes as many as there are", function()
    local lines = {}
    for index = 1, 1000 do
      lines[index] = child.dir .. ("/%d.txt"):format(index)
    end
    child:lua([[for _, path in ipairs(...) do io.open(path, "w"):close() end]], lines)
    show(lines)
    child:keys("VGzt")
    assert.are.equal(1000, #explorer:mentioned(1000))
    assert.are.same({}, explorer:said())
  end)

  local REGISTERED = [[require("claudecode.integrations").register("paths", { name = "paths.nvim", selected = %s })]]
  for what, case in pairs({
    ["that throws"] = {
      [[function() error("broken\nbadly") end]],
      "paths.nvim could not say what is selected: broken%.$",
    },
    ["that throws a table"] = { [[function() error({}) end]], "paths.nvim could not say what is selected: [^\n]+%.$" },
    ["whose plugin is not loaded"] = {
      [[function() end, plugin = "paths.core"]],
      "paths.nvim is not loaded, so it cannot say what is selected%.$",
    },
    ["with nothing selected"] = { "function() return {} end", "no file or directory is selected in paths.nvim%.$" },
    ["with a reason"] = { [[function() return nil, "paths.nvim sleeps" end]], "claudecode: paths.nvim sleeps%.$" },
    ["with another answer"] = { "function() return 1 end", "paths.nvim did not answer with a list of paths" },
    ["with a list of other things"] = {
      "function() return { {} } end",
      "paths.nvim did not answer with a list of paths",
    },
  }) do
    it(what .. " gives one sentence, from Visual mode too, which ends", function()
      child:lua(REGISTERED:format(case[1]))
      show({ "a.txt", "b.txt" })
      explorer:refuses(case[2], "zt")
      explorer:refuses(case[2], "zs")
      explorer:refuses(case[2], "Vjzt")
      assert.are.equal("n", child:lua([[return vim.fn.mode(1)]]))
    end)
  end

  it("needs a filetype and a function", function()
    for _, arguments in ipairs({ "1, {}", [["x"]], [["x", {}]], [["x", { selected = 1 }]] }) do
      local ok = child:lua(
        [[return (pcall(loadstring("require('claudecode.integrations').register(" .. ... .. ")")))]],
        arguments
      )
      assert.is_false(ok)
    end
  end)

  it("may take the place of one that is known", function()
    child:lua([[
      require("claudecode.integrations").register("oil", { selected = function() return { "c.txt" } end })
      vim.cmd("enew! | setlocal filetype=oil")
    ]])
    explorer:mentions({ "c.txt" }, "zt")
  end)
end)

describe("an explorer that is not loaded", function()
  it("is named in one sentence", function()
    local explorer = Explorer.start({ files = {} })
    for filetype, name in pairs({
      NvimTree = "nvim-tree",
      ["neo-tree"] = "neo-tree",
      oil = "oil.nvim",
      minifiles = "mini.files",
      snacks_picker_list = "snacks.nvim",
      snacks_picker_input = "snacks.nvim",
      TelescopePrompt = "telescope.nvim",
    }) do
      explorer.child:lua([[vim.cmd("enew! | setlocal filetype=" .. ...)]], filetype)
      explorer:refuses("claudecode: " .. vim.pesc(name) .. " is not loaded, so it cannot say what is selected%.$", "zt")
      explorer:refuses("claudecode: " .. vim.pesc(name) .. " is not loaded, so it cannot say what is selected%.$", "zs")
    end
    explorer:stop()
  end)
end)

describe("ClaudeCodeTreeAdd", function()
  it("in a file says what to use instead, whatever the file's path", function()
    local explorer = Explorer.start({ files = { "oil/neo-tree/NvimTree/minifiles.netrw", "oil.lua" } })
    for _, name in ipairs({ "oil.lua", "oil/neo-tree/NvimTree/minifiles.netrw" }) do
      explorer.child:lua([[vim.cmd.edit(...)]], name)
      explorer:refuses("is a file, not a file explorer: use :ClaudeCodeAdd %% .*:ClaudeCodeSend for lines%.$", "zt")
      explorer.child:lua([[said = {}]])
      explorer.child:keys("Vzs")
      assert.are.equal(0, explorer.peer:notification("at_mentioned").lineStart)
    end
    explorer:stop()
  end)

  it("in another buffer names its filetype, and the page that says how to add an explorer", function()
    local explorer = Explorer.start({ files = {} })
    explorer.child:lua([[vim.cmd("enew | setlocal buftype=nofile filetype=nerdtree")]])
    explorer:refuses('filetype "nerdtree".* :ClaudeCodeAdd takes a path, and :help claudecode%-explorers', "zt")
    explorer.child:lua([[vim.cmd("enew | setlocal buftype=nofile")]])
    explorer:refuses("without a filetype", "zt")
    explorer:stop()
  end)

  it("without a Claude keeps the mentions, in order, and says so once", function()
    local explorer = Explorer.start({ files = { "1", "2", "3", "4", "5" }, client = false })
    local child = explorer.child
    child:lua(REGISTER)
    child:lua([[
      vim.cmd("edit 1")
      vim.cmd("enew! | setlocal buftype=nofile filetype=paths")
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { "1", "2", "3", "4", "5" })
    ]])
    child:keys("VGzt")
    child:wait([[return #said > 0]])
    local said = explorer:said()
    assert.are.equal(1, #said)
    assert.matches("5 mentions wait: no Claude is running", said[1])
    assert.are.same({}, child:lua([[return sent]]))
    explorer:connect()
    assert.are.same({ "1", "2", "3", "4", "5" }, explorer:mentioned(5))
    explorer:stop()
  end)

  it("says once that the server is stopped", function()
    local explorer = Explorer.start({ files = { "1", "2" }, client = false })
    local child = explorer.child
    child:lua(REGISTER)
    child:lua([[
      require("claudecode").stop()
      vim.cmd("enew! | setlocal buftype=nofile filetype=paths")
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { "1", "2" })
    ]])
    child:keys("VGzt")
    assert.are.same(
      { "claudecode: 2 of 2 were not mentioned: the server is stopped; :ClaudeCodeStart starts it." },
      explorer:said()
    )
    explorer:stop()
  end)

  it("says once that the server cannot start", function()
    local child = Child.start({
      files = { ["1"] = "", ["2"] = "" },
      env = { CLAUDECODE_NATIVE = "/nowhere.so" },
      init = [[_G.said = {} vim.notify = function(text) table.insert(said, text) end]],
      setup = REGISTER,
    })
    child:lua([[
      vim.cmd("enew! | setlocal buftype=nofile filetype=paths")
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { "1", "2" })
      vim.cmd("%ClaudeCodeTreeAdd")
    ]])
    assert.are.equal(1, #child:lua([[return said]]))
    child:stop()
  end)
end)

it("nothing of the explorers is loaded before it is needed", function()
  local child = Child.start({ args = { "a.txt" }, files = { ["a.txt"] = "1\n" } })
  child:lua([[require("claudecode").setup({ terminal = { provider = "none" } })]])
  assert.are.same(
    {},
    child:lua([[
    vim.cmd("%ClaudeCodeSend")
    return vim.tbl_filter(function(name)
      return name:find("^claudecode%.integrations%.") ~= nil
    end, vim.tbl_keys(package.loaded))
  ]])
  )
  child:stop()
end)
