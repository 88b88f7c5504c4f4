-- openFile: names, places and answers.
local Child = require("tests.lua.child")
local tool = require("tests.lua.tools.call")

local TEXT = "one\n  two three\n日本語 four\n\nfive (a.b*c)\nsix\n"

describe("openFile", function()
  local child

  after_each(function()
    child:stop()
  end)

  ---@param opts table?
  local function start(opts)
    opts = vim.tbl_extend("keep", opts or {}, { ui = { 100, 30 }, files = {} })
    opts.files = vim.tbl_extend("keep", opts.files, { ["a.txt"] = TEXT, ["f.txt"] = "f\n" })
    child = Child.start(opts)
  end

  local function open(args)
    args.filePath = args.filePath or child:path("a.txt")
    return tool.call(child, "open_file", args)
  end

  ---@return string mode
  ---@return string text that `y` takes, with its line breaks
  local function selected()
    child:wait("return not vim.api.nvim_get_mode().blocking and vim.api.nvim_get_mode().mode ~= 'i'")
    local mode = child:api("nvim_get_mode").mode
    child:feed("y")
    return mode, child:lua("return vim.fn.getreg('\"')")
  end

  local function current_file()
    return child:lua("return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':t')")
  end

  it("shows the file and answers with its absolute path", function()
    start()
    for _, name in ipairs({ child:path("a.txt"), "a.txt", "sub/../a.txt", "file://" .. child:path("a.txt") }) do
      assert.are.same(
        { content = { "Opened file: " .. child:path("a.txt") } },
        open({ filePath = name, preview = true })
      )
      assert.are.equal("a.txt", current_file())
    end
    assert.are.equal(1, child:lua("return #vim.api.nvim_list_wins()"))
  end)

  it("takes names as they are", function()
    local names =
      { "a b.txt", "r/$id/q.ts", "app/[slug]/p.tsx", "100%.txt", "a#b.txt", "é ü.txt", "-x.txt", "+y", "~z", "a\nb" }
    local files = {}
    for _, name in ipairs(names) do
      files[name] = name
    end
    start({ files = files, env = { id = "wrong" } })
    for _, name in ipairs(names) do
      assert.are.same({ content = { "Opened file: " .. child:path(name) } }, open({ filePath = child:path(name) }))
      assert.are.same(vim.split(name, "\n"), child:lua("return vim.fn.getline(1, '$')"))
    end
    child:write(child.home .. "/at home", "home")
    open({ filePath = "~/at home" })
    assert.are.equal("home", child:lua("return vim.fn.getline(1)"))
  end)

  it("uses the one buffer of a file that has two names", function()
    start()
    assert(vim.uv.fs_symlink(child:path("a.txt"), child:path("link.txt")))
    open({})
    local buffers = child:lua("return #vim.api.nvim_list_bufs()")
    open({ filePath = child:path("link.txt") })
    assert.are.equal(buffers, child:lua("return #vim.api.nvim_list_bufs()"))
  end)

  it("selects lines, and with one line alone goes there", function()
    start()
    open({ startLine = 2, endLine = 3 })
    local mode, text = selected()
    assert.are.same({ "V", "  two three\n日本語 four\n" }, { mode, text })
    open({ startLine = 5, endLine = 99 })
    mode, text = selected()
    assert.are.same({ "V", "five (a.b*c)\nsix\n" }, { mode, text })
    open({ startLine = 3 })
    assert.are.same(
      { "n", { 3, 0 } },
      { child:api("nvim_get_mode").mode, child:lua("return vim.api.nvim_win_get_cursor(0)") }
    )
    open({ startLine = 3, selectToEndOfLine = true })
    mode, text = selected()
    assert.are.same({ "v", "日本語 four" }, { mode, text })
  end)

  it("selects text, which is no pattern and may span lines", function()
    start()
    local cases = {
      { { startText = "a.b*c" }, "a.b*c" },
      { { startText = "two", endText = "four" }, "two three\n日本語 four" },
      { { startText = "three\r\n日本" }, "three\n日本" },
      { { startText = "two", endText = "語" }, "two three\n日本語" },
      { { startText = "two", endText = "語", selectToEndOfLine = true }, "two three\n日本語 four" },
      { { startText = "four\n" }, "four\n" },
      { { startText = "o", startLine = 2 }, "o" },
      { { endText = "six" }, "six" },
    }
    for _, selection in ipairs({ "inclusive", "exclusive" }) do
      child:lua("vim.o.selection = ...", selection)
      for _, case in ipairs(cases) do
        assert.are.same({ content = { "Opened file: " .. child:path("a.txt") } }, open(case[1]))
        local mode, text = selected()
        assert.are.same({ "v", case[2], selection }, { mode, text, selection })
      end
    end
    open({ startText = "o", startLine = 2 })
    assert.are.same({ 2, 5 }, child:lua("return { vim.fn.line('v'), vim.fn.col('v') }"))
  end)

  it("says when the text is not there, and opens the file all the same", function()
    start()
    assert.are.same(
      { content = { ('Opened file: %s (text not found: "t.o")'):format(child:path("a.txt")) } },
      open({ startText = "t.o" })
    )
    assert.are.equal("a.txt", current_file())
    assert.are.equal("n", child:api("nvim_get_mode").mode)
    assert.matches('text not found: "none"', open({ startText = "two", endText = "none" }).content[1])
    local _, text = selected()
    assert.are.equal("two", text)
  end)

  it("is an error, in one line, for what cannot be opened", function()
    start({ files = { ["secret.txt"] = "" } })
    assert.are.same(
      { is_error = true, content = { "File not found: " .. child:path("no.txt") } },
      open({ filePath = "no.txt" })
    )
    assert.are.same(
      { is_error = true, content = { "Not a file but a directory: " .. child.dir } },
      open({ filePath = child.dir })
    )
    assert.are.same("Not a file but a character device: /dev/zero", open({ filePath = "/dev/zero" }).content[1])
    assert.is_true(open({ filePath = child:path("a.txt") .. "\0" }).is_error)
    assert.is_true(open({ filePath = "a.*" }).is_error)
    local long = open({ filePath = ("x"):rep(4 * 1024 * 1024) })
    assert.is_true(long.is_error and #long.content[1] < 200)
    assert.are.equal(1, child:lua("return #vim.api.nvim_list_bufs()"))
    child:keys("q:")
    child:wait("return vim.fn.getcmdwintype() == ':'")
    assert.matches("command%-line window", open({}).content[1])
  end)

  it("opens a file whose autocommands fail", function()
    local events = { "BufNew", "BufAdd", "BufReadPost", "FileType", "BufEnter", "BufWinEnter", "WinNew", "WinEnter" }
    for _, event in ipairs(events) do
      start()
      child:lua("vim.api.nvim_create_autocmd(..., { callback = function() error('broken') end })", event)
      child:lua("vim.wo.winfixbuf = true") -- It takes a new window.
      assert.are.same({ content = { "Opened file: " .. child:path("a.txt") } }, open({}), event)
      assert.are.equal("one", child:lua("return vim.fn.getline(1)"), event)
      assert.is_false(child:blocked(), event)
      child:stop()
    end
  end)
end)
