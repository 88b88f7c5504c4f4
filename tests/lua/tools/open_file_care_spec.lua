-- openFile: modes, windows and edits that it leaves as they are.
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

  it("does not take the focus from a user who is typing", function()
    start({ args = { "f.txt" } })
    for _, keys in ipairs({ "ityped", "d", "R", "gh", ":echo 1" }) do
      child:lua("vim.cmd('silent! only! | edit! f.txt')")
      child:input(keys)
      child:wait("return vim.api.nvim_get_mode().mode ~= 'n'")
      local mode = child:api("nvim_get_mode").mode
      assert.are.same({ content = { "Opened file: " .. child:path("a.txt") } }, open({ startText = "two" }))
      assert.are.same({ mode, "f.txt" }, { child:api("nvim_get_mode").mode, current_file() }, keys)
      assert.are.same(
        { { 2, 2 } },
        child:lua([[
        return vim.tbl_map(vim.api.nvim_win_get_cursor, vim.fn.win_findbuf(vim.fn.bufnr("a.txt")))
      ]])
      )
      child:input("<C-\\><C-n>")
      child:wait("return vim.api.nvim_get_mode().mode == 'n'")
    end
    child:lua("vim.cmd('silent! only! | edit! f.txt | botright split | terminal') vim.cmd('startinsert')")
    child:wait("return vim.api.nvim_get_mode().mode == 't'")
    open({ startText = "two" })
    child:wait("return vim.api.nvim_get_mode().mode == 'v'")
    local _, text = selected()
    assert.are.equal("two", text)
  end)

  it("loads in the background without a trace", function()
    start({
      args = { "f.txt" },
      init = "vim.o.hidden = false vim.cmd('filetype on')",
      files = { ["b.lua"] = "x = 1\ny = 2\n" },
    })
    child:keys("ochanged<Esc>0i")
    local facts = [[return {
      vim.api.nvim_get_mode().mode, vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf(), vim.fn.winlayout(),
      vim.fn.winsaveview(), vim.fn.getline(1, "$"), vim.bo.modified, vim.fn.bufnr("#"), vim.fn.getmarklist(),
    }]]
    local before = child:lua(facts)
    local answer =
      tool.json(child, "open_file", { filePath = "b.lua", makeFrontmost = false, startLine = 1, endLine = 2 })
    assert.are.same({ success = true, filePath = child:path("b.lua"), languageId = "lua", lineCount = 2 }, answer)
    assert.are.same(before, child:lua(facts))
    assert.is_true(child:lua("return vim.bo[vim.fn.bufnr('b.lua')].buflisted"))
    answer = tool.json(child, "open_file", { filePath = "b.lua", makeFrontmost = false, startText = "zzz" })
    assert.matches("text not found", answer.message)
  end)

  it("opens elsewhere when the window cannot give up its unsaved edits", function()
    for _, option in ipairs({ "nohidden", "autowrite" }) do
      start({ args = { "f.txt" }, init = "vim.o.hidden = false vim.cmd('set " .. option .. "')" })
      child:keys("ochanged<Esc>")
      assert.are.same({ content = { "Opened file: " .. child:path("a.txt") } }, open({}))
      assert.are.equal("a.txt", current_file())
      assert.are.same({ "f", "changed" }, child:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"))
      assert.is_true(child:lua("return vim.bo[1].modified"))
      assert.are.equal("f\n", child:read("f.txt"))
      assert.are.equal(2, child:lua("return #vim.api.nvim_list_wins()"))
      child:stop()
    end
  end)

  it("leaves windows alone that are there for something else", function()
    start({
      args = { "f.txt" },
      setup = [[
        vim.o.number = true
        vim.cmd("edit f.txt | diffthis | vsplit d.txt | diffthis")
        vim.cmd("copen | wincmd t | pedit f.txt")
        vim.cmd("botright vsplit | terminal")
        vim.cmd("setlocal winfixbuf winfixwidth nonumber")
        function facts(w) return { w, vim.api.nvim_win_get_buf(w), vim.wo[w].diff } end
        before = vim.tbl_map(facts, vim.api.nvim_list_wins())
      ]],
    })
    assert.are.same({ content = { "Opened file: " .. child:path("a.txt") } }, open({}))
    assert.is_true(child:lua([[
      local new = vim.api.nvim_get_current_win()
      local others = vim.tbl_filter(function(w) return w ~= new end, vim.api.nvim_list_wins())
      return vim.deep_equal(before,
        vim.tbl_map(facts, others))
    ]]))
    assert.are.same(
      { number = true, diff = false, winfixbuf = false, winfixwidth = false, previewwindow = false },
      child:lua([[
        local names, values = { "number", "diff", "winfixbuf", "winfixwidth", "previewwindow" }, {}
        for _, name in ipairs(names) do values[name] = vim.wo[name] end
        return values
      ]])
    )
    assert.are.equal(
      0,
      child:lua(
        "return #vim.tbl_filter(function(b) return vim.bo[b].buftype == 'nofile' end, vim.api.nvim_list_bufs())"
      )
    )
  end)

  it("goes to a window that shows the file already", function()
    start({
      args = { "a.txt" },
      setup = "target = vim.api.nvim_get_current_win() vim.cmd('setlocal winfixbuf | diffthis | vsplit f.txt')",
    })
    open({ startText = "six" })
    assert.is_true(child:lua("return vim.api.nvim_get_current_win() == target and #vim.api.nvim_list_wins() == 2"))
  end)

  it("asks nobody about a swap file, and tells of it", function()
    start()
    child:lua([[
      vim.o.swapfile, vim.o.updatecount, vim.o.directory = true, 200, vim.env.HOME
      messages = {}
      vim.notify = function(text) table.insert(messages, text) end
      vim.cmd("edit a.txt | preserve")
      local swap = vim.fn.swapname(0)
      local file = assert(io.open(swap, "rb"))
      local bytes = file:read("*a")
      file:close()
      vim.cmd("bwipeout")
      file = assert(io.open(swap, "wb"))
      file:write(bytes)
      file:close()
    ]])
    for _, front in ipairs({ false, true }) do
      open({ makeFrontmost = front })
    end
    assert.is_false(child:blocked())
    assert.are.same(vim.split(TEXT, "\n", { trimempty = true }), child:lua("return vim.fn.getline(1, '$')"))
    assert.is_true(child:lua("return #messages == 1 and messages[1]:find('swap file') ~= nil"))
    assert.is_nil(child:lua("return vim.o.shortmess:find('A')"))
  end)
end)
