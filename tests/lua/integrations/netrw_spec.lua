-- Mentions from the real netrw, in each of its styles.
local Explorer = require("tests.lua.integrations.explorer")

local HARD = Explorer.HARD
local FILES = vim.list_extend({
  "a.txt",
  "b.txt",
  "sub/a.txt",
  "sub/deep/x.txt",
  "sub/sub/y.txt",
  "row/1.txt",
  "row/2.txt",
  "row/3.txt",
  "sp dir/z z.txt",
}, HARD)
local STYLES = { thin = 0, long = 1, wide = 2, tree = 3 }

describe("in netrw", function()
  local explorer, child

  setup(function()
    explorer = Explorer.start({ files = FILES })
    child = explorer.child
    child:lua([[vim.uv.fs_chmod("b.txt", 493)]])
    explorer:link("a.txt", "link")
    explorer:link("sub", "linked")
    child:write("odd/file", "")
    explorer:link("nowhere", "odd/broken")
  end)

  teardown(function()
    explorer:stop()
  end)

  ---@param style string
  ---@param dir string? instead of the project
  ---@param keeps_marks boolean?
  local function open(style, dir, keeps_marks)
    explorer:clear()
    child:lua(
      [[
      local style, dir, keeps_marks = ...
      vim.cmd("silent! bwipeout!")
      vim.g.netrw_liststyle, vim.g.netrw_fastbrowse, vim.g.netrw_sort_by = style, 0, "name"
      vim.cmd.edit(vim.fn.fnameescape(dir))
      vim.w.netrw_liststyle, vim.w.netrw_treetop, vim.w.netrw_treedict = nil, nil, nil
      vim.cmd.edit(vim.fn.fnameescape(dir))
      if not keeps_marks then vim.fn["netrw#Call"]("NetrwUnMarkFile", 1) end
    ]],
      STYLES[style],
      dir and child:path(dir) or child.dir,
      keeps_marks
    )
    assert.are.equal("netrw", child:lua([[return vim.bo.filetype]]))
    assert.are.equal(STYLES[style], child:lua([[return vim.w.netrw_liststyle]]), style)
  end

  ---Puts the cursor on an entry, however it is shown.
  local function go(name)
    local found = child:lua(
      [[
      local name, is_wide = vim.fn.escape(..., "\\"), vim.w.netrw_liststyle == 2
      return vim.fn.search(
        ("\\V\\%%>%dl\\%%(%s\\)\\zs%s\\%%(%s\\)"):format(
          vim.w.netrw_bannercnt - 1,
          is_wide and "\\^\\|  " or "\\^\\|| ",
          is_wide and vim.fn.escape(name, "\\") or name,
          "\\[@*]\\?\\%(\\t\\|  \\|\\$\\)"
        ),
        "w"
      )
    ]],
      name
    )
    assert(found > 0, "no entry " .. name)
  end

  for style in pairs(STYLES) do
    describe("with the style " .. style, function()
      before_each(function()
        open(style)
      end)

      it("the entry under the cursor is mentioned, whatever its name", function()
        for _, name in ipairs(vim.list_extend({ "a.txt", "b.txt", "link" }, HARD)) do
          go(name)
          explorer:mentions({ name }, "zt")
          explorer:mentions({ name }, "zs")
        end
      end)

      it("a directory has a slash, a symlink to one too", function()
        for shown, path in pairs({ ["sub/"] = "sub/", ["sp dir/"] = "sp dir/", linked = "linked/" }) do
          go(shown)
          explorer:mentions({ path }, "zt")
        end
      end)

      it("what is no entry is not mentioned, nor what is not on disk", function()
        explorer:refuses("no file or directory is selected in netrw", "ggzt")
        go("../")
        explorer:refuses("no file or directory is selected in netrw", "zt")
        open(style, "odd")
        go("broken")
        explorer:refuses("broken is not on disk", "zt")
      end)

      it("cursor, registers and marks stay as they are", function()
        child:lua([[vim.fn.setreg("a", "mine") vim.fn.setreg('"', "unnamed")]])
        go("b.txt")
        child:keys("lma")
        local state = [[return { vim.fn.winsaveview(), vim.fn.getpos("'a"), vim.fn.getreg("a"), vim.fn.getreg('"') }]]
        local before = child:lua(state)
        explorer:mentions({ "b.txt" }, "zt")
        assert.are.same(before, child:lua(state))
      end)

      it("marked files are mentioned in the order of marking, and stay marked", function()
        local names = { "b.txt", "a.txt", "back\\slash", "é ü.txt", "sub/", "star*" }
        for _, name in ipairs(names) do
          go(name)
          child:keys("mf")
        end
        for _ = 1, 2 do
          explorer:mentions(names, "ggzt")
          explorer:mentions(names, "ggzs")
        end
        go("100%.txt")
        if style ~= "wide" then
          explorer:mentions({ "100%.txt" }, "Vzt")
        end
        child:keys("mu")
        explorer:mentions({ "100%.txt" }, "zt")
      end)
    end)
  end

  it("a Visual selection mentions all entries in its lines, which ends Visual mode", function()
    for _, style in ipairs({ "thin", "long", "tree" }) do
      open(style, "row")
      for _, keys in ipairs({ "zt", "zs", "zT", "zS" }) do
        go("1.txt")
        explorer:mentions({ "row/1.txt", "row/2.txt", "row/3.txt" }, "V2j" .. keys)
        assert.are.equal("n", child:lua([[return vim.fn.mode(1)]]))
        go("3.txt")
        explorer:mentions({ "row/1.txt", "row/2.txt", "row/3.txt" }, "<C-v>2k" .. keys)
      end
      go("1.txt")
      explorer:mentions({ "row/1.txt", "row/2.txt" }, ":,+1ClaudeCodeTreeAdd<CR>")
      explorer:mentions({ "row/2.txt" }, ":+1ClaudeCodeSend<CR>")
    end
  end)

  it("lines of the banner, ./ and ../ are left out of a range", function()
    for style, wanted in pairs({
      thin = { "row/1.txt", "row/2.txt", "row/3.txt" },
      long = { "row/1.txt", "row/2.txt", "row/3.txt" },
      wide = { "row/1.txt", "row/2.txt", "row/3.txt" },
      tree = { "row/", "row/1.txt", "row/2.txt", "row/3.txt" },
    }) do
      open(style, "row")
      explorer:mentions(wanted, ":%ClaudeCodeTreeAdd<CR>")
      explorer:mentions(wanted, "ggVGzt")
      explorer:refuses("no file or directory is selected in netrw", ":1,3ClaudeCodeTreeAdd<CR>")
      explorer:clear()
    end
  end)

  it("the wide style has several entries in a line", function()
    child:lua([[vim.o.columns = 120]])
    open("wide")
    assert(child:lua([[return vim.w.netrw_fpl]]) > 2)
    go("a.txt")
    local line = child:lua([[return vim.fn.getline(".")]])
    child:keys("Vzt")
    local paths = explorer:mentioned(#vim.split(line:gsub("^%.%.?/", ""), "%s%s+", { trimempty = true }))
    assert.is_true(vim.tbl_contains(paths, "a.txt"))
    assert.are.same({}, explorer:said())
    go("日本語.txt")
    explorer:mentions({ "日本語.txt" }, "zt")
    explorer:mentions({ "日本語.txt" }, "$zt")
  end)

  it("the tree knows the directory of each entry, and of each mark", function()
    open("tree")
    go("sub/")
    child:keys("<CR>")
    go("deep/")
    child:keys("<CR>")
    go("x.txt")
    explorer:mentions({ "sub/deep/x.txt" }, "zt")
    explorer:mentions({ "sub/deep/" }, "kzt")
    explorer:mentions({ "sub/deep/", "sub/deep/x.txt", "sub/sub/", "sub/a.txt" }, "V3jzt")
    go("x.txt")
    child:keys("mf")
    child:lua([[vim.fn.search("| | sub/")]])
    child:keys("mf")
    go("deep/")
    child:keys("mf")
    go("linked")
    child:keys("mf")
    explorer:mentions({ "sub/deep/x.txt", "sub/sub/", "sub/deep/", "linked/" }, "ggzt")
    child:keys("mu")
  end)

  it("a name that looks like a branch of the tree is read as a name", function()
    child:write("| pipe", "")
    open("tree")
    go("| pipe")
    explorer:mentions({ "| pipe" }, "zt")
    os.remove(child:path("| pipe"))
  end)

  it("the top of the tree is a directory like others", function()
    open("tree")
    child:lua([[vim.fn.search("^project/")]])
    explorer:mentions({ "" }, "zt")
    explorer:mentions({ "", "odd/" }, "Vjzt")
  end)

  it("marks of several directories come together", function()
    open("thin")
    go("a.txt")
    child:keys("mf")
    open("thin", "sub", true)
    go("a.txt")
    child:keys("mf")
    explorer:mentions({ "a.txt", "sub/a.txt" }, "zt")
    child:keys("mu")
  end)

  it("it works without the banner, sorted by time, and after the style was changed", function()
    child:lua([[vim.g.netrw_banner = 0]])
    for style in pairs(STYLES) do
      open(style)
      go("b.txt")
      explorer:mentions({ "b.txt" }, "zt")
    end
    child:lua([[vim.g.netrw_banner = 1]])
    open("thin")
    child:keys("s")
    go("b.txt")
    explorer:mentions({ "b.txt" }, "zt")
    for _ = 1, 4 do
      child:keys("i")
      go("two  blanks.txt")
      explorer:mentions({ "two  blanks.txt" }, "zt")
    end
    child:keys("ss")
  end)

  it("a directory elsewhere cannot be mentioned", function()
    open("thin")
    go("a.txt")
    child:lua([[vim.b.netrw_curdir = "ftp://host/dir"]])
    explorer:refuses("netrw shows no directory of this machine", "zt")
  end)

  it("a name with a line break is refused in one message, without one", function()
    if child:lua([[return vim.fn.has("nvim-0.12")]]) == 0 then
      return -- the older netrw lists it as two entries
    end
    child:write("new\nline", "")
    open("thin")
    child:lua([[vim.fn.search("^new")]])
    child:keys("zt")
    assert.matches("line break in its name", explorer:said()[1])
    os.remove(child:path("new\nline"))
  end)
end)

it("netrw that fails is named, in one sentence", function()
  local explorer = Explorer.start({ files = { "a.txt" } })
  explorer.child:lua([[
    vim.cmd("edit . | call search('a.txt')")
    vim.cmd("function! netrw#Expose(name)\nthrow 'no marks today'\nendfunction")
  ]])
  explorer:refuses("netrw could not say what is selected: .*no marks today%.$", "zt")
  explorer:stop()
end)
