-- Mentions from explorers, over stand-ins for their public API: nvim-tree, neo-tree, oil.nvim, mini.files.
local Explorer = require("tests.lua.integrations.explorer")

local HARD = Explorer.HARD
local FILES = vim.list_extend({ "a.txt", "sub/inner.txt", "sub/deep/x.txt", "sp dir/z z.txt" }, HARD)

---@param stand_in string
---@return fun(): tests.Explorer, tests.Child
local function explorer_of(stand_in)
  local explorer
  setup(function()
    explorer = Explorer.start({ files = FILES, stand_in = stand_in })
    explorer:link("a.txt", "link")
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

describe("in nvim-tree", function()
  local get = explorer_of("nvim_tree")
  local explorer, child

  before_each(function()
    explorer, child = get()
    child:lua([[stand_in.open(...)]], child.dir)
  end)

  it("the entry under the cursor is mentioned, whatever its name; a directory has a slash", function()
    for _, name in ipairs(vim.list_extend({ "link" }, HARD)) do
      explorer:go(name)
      explorer:mentions({ name }, "zt")
      explorer:mentions({ name }, "zs")
    end
    explorer:go("sub")
    explorer:mentions({ "sub/" }, "zt")
    explorer:go("linked")
    explorer:mentions({ "linked/" }, "zt")
  end)

  it("a selection of lines mentions what stands there, and leaves cursor and view alone", function()
    for _, keys in ipairs({ "zt", "zs" }) do
      explorer:go("sub")
      child:keys("V3j")
      local view = child:lua([[return vim.fn.winsaveview()]])
      explorer:mentions({ "sub/", "sub/deep/", "sub/deep/x.txt", "sub/inner.txt" }, keys)
      assert.are.same(view, child:lua([[return vim.fn.winsaveview()]]))
      assert.are.equal("n", child:lua([[return vim.fn.mode(1)]]))
    end
    explorer:go("sub")
    explorer:mentions({ "sub/", "sub/deep/" }, "VjzT")
    explorer:go("sub")
    explorer:mentions({ "sub/deep/", "sub/deep/x.txt" }, ":+1,+2ClaudeCodeSend<CR>")
  end)

  it("marks are mentioned, directories too; a selection of lines goes first", function()
    for _, name in ipairs({ "sub", "a.txt", "日本語.txt" }) do
      explorer:go(name)
      child:lua([[require("nvim-tree.api").marks.toggle()]])
    end
    explorer:mentions({ "a.txt", "sub/", "日本語.txt" }, "ggzt")
    explorer:go("link")
    explorer:mentions({ "link" }, "Vzt")
    for _, name in ipairs({ "sub", "a.txt", "日本語.txt" }) do
      explorer:go(name)
      child:lua([[require("nvim-tree.api").marks.toggle()]])
    end
    explorer:mentions({ "日本語.txt" }, "zt")
  end)

  it("the line of the root is no entry", function()
    explorer:refuses("no file or directory is selected in nvim%-tree", "ggzt")
    explorer:clear()
    child:lua([[stand_in.open(...)]], child.dir)
    explorer:mentions({ "100%.txt" }, "ggVjzt")
  end)

  it("directories that share a line are mentioned as the last of them", function()
    child:lua([[
      local deep = { name = "deep", type = "directory", absolute_path = vim.uv.cwd() .. "/sub/deep" }
      require("nvim-tree.api").tree.get_node_under_cursor = function()
        return { name = "sub", type = "directory", absolute_path = vim.uv.cwd() .. "/sub", group_next = deep }
      end
    ]])
    explorer:mentions({ "sub/deep/" }, "zt")
    child:lua([[package.loaded["nvim-tree.api"] = nil]])
  end)

  it("an API that throws amid a selection leaves the cursor where it was", function()
    child:lua([[require("nvim-tree.api").tree.get_node_under_cursor = function() error("no explorer") end]])
    child:keys("3GVjj")
    explorer:refuses("nvim%-tree could not say what is selected: no explorer%.$", "zt")
    assert.are.equal(5, child:lua([[return vim.fn.line(".")]]))
    assert.are.equal("n", child:lua([[return vim.fn.mode(1)]]))
    child:lua([[package.loaded["nvim-tree.api"] = nil]])
  end)
end)

describe("in neo-tree", function()
  local get = explorer_of("neo_tree")
  local explorer, child

  ---@param source string
  ---@param position string
  ---@param paths string[] relative; a message stands in brackets
  local function open(source, position, paths)
    child:lua(
      [[
      local source, position, dir, paths = ...
      stand_in.open(source, position, vim.tbl_map(function(path)
        local is_message = path:find("^%(")
        local is_dir = vim.fn.isdirectory(dir .. "/" .. path) == 1
        return {
          name = path,
          path = is_message and dir .. path or path:find("://") and path or dir .. "/" .. path,
          type = is_message and "message" or is_dir and "directory" or "file",
        }
      end, paths))
    ]],
      source,
      position,
      child.dir,
      paths
    )
  end

  before_each(function()
    explorer, child = get()
  end)

  it("the entries in the lines are mentioned, whatever their names; a directory has a slash", function()
    open("filesystem", "left", vim.list_extend({ "sub", "linked", "link" }, HARD))
    explorer:mentions({ "sub/", "linked/", "link" }, "ggV2jzt")
    explorer:mentions(HARD, "4GVGzs")
    explorer:mentions({ HARD[1], HARD[2] }, ":4,5ClaudeCodeTreeAdd<CR>")
    for line, name in ipairs(HARD) do
      explorer:mentions({ name }, (line + 3) .. "Gzt")
    end
  end)

  it("each window is asked for what it shows: buffers, changes, a tree in the place of a file", function()
    open("filesystem", "current", { "sub" })
    open("filesystem", "left", { "a.txt" })
    open("git_status", "left", { "link" })
    open("buffers", "left", { "sub/inner.txt", "term://~//1:/bin/sh" })
    for source, wanted in pairs({ buffers = "sub/inner.txt", git_status = "link", filesystem = "a.txt" }) do
      child:lua(
        [[
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          local variables = vim.b[vim.api.nvim_win_get_buf(win)]
          if variables.neo_tree_source == ... and variables.neo_tree_position == "left" then
            vim.api.nvim_set_current_win(win)
          end
        end
      ]],
        source
      )
      explorer:mentions({ wanted }, "ggzt")
      if source == "buffers" then
        explorer:mentions({ wanted }, "VGzt")
        explorer:refuses("no file or directory is selected in neo%-tree", "Gzt")
        child:lua([[said = {}]])
      end
    end
    child:lua([[
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.b[vim.api.nvim_win_get_buf(win)].neo_tree_position == "current" then
          vim.api.nvim_set_current_win(win)
        end
      end
    ]])
    explorer:mentions({ "sub/" }, "ggzt")
  end)

  it("lines that are messages are no entries", function()
    open("filesystem", "left", { "a.txt", "(3 hidden items)" })
    explorer:mentions({ "a.txt" }, "VGzt")
    explorer:refuses("no file or directory is selected in neo%-tree", "Gzt")
  end)

  it("a window without a tree gives one sentence", function()
    open("filesystem", "left", { "a.txt" })
    child:lua([[vim.b.neo_tree_source = "other"]])
    explorer:refuses("neo%-tree could not say what is selected: [^\n]+%.$", "zt")
  end)
end)

describe("in oil.nvim", function()
  local get = explorer_of("oil")
  local explorer, child

  ---@param names string[]
  local function open(names)
    child:lua([[stand_in.open(...)]], child.dir .. "/", names)
  end

  before_each(function()
    explorer, child = get()
  end)

  it("the entries in the lines are mentioned, whatever their names; a directory has a slash", function()
    open(vim.list_extend({ "sub", "linked", "link" }, HARD))
    explorer:mentions({ "sub/", "linked/", "link" }, "ggV2jzt")
    explorer:mentions(HARD, "4GVGzs")
    explorer:mentions({ HARD[1], HARD[2] }, ":4,5ClaudeCodeSend<CR>")
    for line, name in ipairs(HARD) do
      explorer:mentions({ name }, (line + 3) .. "Gzt")
    end
  end)

  it("a rename that is not saved leaves the name on disk; what is new is not on disk", function()
    open({ "a.txt", "link" })
    child:keys("ggA.renamed<Esc>")
    explorer:mentions({ "a.txt" }, "zt")
    child:keys("Gonew.txt<Esc>")
    explorer:refuses("new%.txt is not on disk", "zt")
    child:keys("u")
    child:keys("Go<Esc>")
    explorer:refuses("no file or directory is selected in oil%.nvim", "zt")
  end)

  it("the parent directory is no entry", function()
    open({ "..", "a.txt" })
    explorer:mentions({ "a.txt" }, "ggVGzt")
    explorer:refuses("no file or directory is selected in oil%.nvim", "ggzt")
  end)

  it("a directory elsewhere cannot be mentioned", function()
    child:lua([[stand_in.open(nil, { "a.txt" })]])
    explorer:refuses("oil%.nvim shows no directory of this machine", "ggzt")
  end)
end)

describe("in mini.files", function()
  local get = explorer_of("mini_files")
  local explorer, child

  ---@param names string[]
  local function open(names)
    child:lua([[stand_in.open(...)]], child.dir, names)
  end

  before_each(function()
    explorer, child = get()
  end)

  it("the entries in the lines are mentioned, whatever their names; a directory has a slash", function()
    open(vim.list_extend({ "sub", "linked", "link" }, HARD))
    explorer:mentions({ "sub/", "linked/", "link" }, "ggV2jzt")
    explorer:mentions(HARD, "4GVGzs")
    explorer:mentions({ HARD[1], HARD[2] }, "4GVjzT")
    for line, name in ipairs(HARD) do
      explorer:mentions({ name }, (line + 3) .. "Gzt")
    end
  end)

  it("a rename that is not applied leaves the name on disk; what is new is no entry", function()
    open({ "a.txt", "link" })
    child:keys("ggA.renamed<Esc>")
    explorer:mentions({ "a.txt" }, "zt")
    child:keys("Gonew.txt<Esc>")
    explorer:refuses("no file or directory is selected in mini%.files", "zt")
  end)

  it("a buffer that it does not know gives one sentence", function()
    open({ "a.txt" })
    child:lua([[stand_in.shown[vim.api.nvim_get_current_buf()] = nil]])
    explorer:refuses("mini%.files could not say what is selected: `buf_id` should be [^\n]+%.$", "zt")
  end)
end)
