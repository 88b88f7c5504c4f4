-- Where the cursor goes when a proposal comes, and what of the user's survives when it goes.
local stage = require("tests.lua.diff.stage")

describe("keys that are on their way", function()
  local child

  after_each(function()
    child:stop()
  end)

  local function is_untouched()
    assert.are.equal(
      stage.NEW,
      child:lua([[
        for _, buf in ipairs(vim.api.nvim_list_bufs()) do
          if vim.b[buf].claudecode_diff_tab_name then
            return require("claudecode.diff.text").read(buf)
          end
        end
      ]])
    )
    assert.are.same({}, child:lua("return answers"))
  end

  local function start_terminal()
    child = stage.start({
      args = { "b.txt" },
      setup = [[require("claudecode").setup({ terminal = { provider = "none" } })]],
    })
    child:lua("vim.cmd('botright vsplit | terminal cat') vim.cmd.startinsert()")
    child:wait("return vim.api.nvim_get_mode().mode == 't'")
  end

  it("go on into a terminal's line when a proposal comes in the middle of it", function()
    start_terminal()
    child:input("hello")
    child:wait("return vim.fn.getline(1) == 'hello'")
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 1")
    child:input(" ZZ:q dd")
    child:wait("return vim.fn.getline(1) == 'hello ZZ:q dd'")
    is_untouched()
  end)

  for name, keys in
    vim.spairs({
      ["is sent"] = "hello<CR>",
      ["is thrown away"] = "hello<C-u>",
      ["is an answer by a digit"] = "2",
      ["has not begun"] = "<S-Tab>",
    })
  do
    it("follow the cursor to the proposal when the line " .. name, function()
      start_terminal()
      child:keys(keys)
      stage.propose(child, "a.txt", stage.NEW)
      child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
    end)
  end

  it("are recorded where the macro began", function()
    child = stage.start({ args = { "b.txt" } })
    child:keys("qqx")
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 1")
    child:keys("xxq")
    assert.are.equal("", child:lua("return vim.fn.getline(1)"))
    assert.are.equal("xxx", child:lua("return vim.fn.getreg('q')"))
    is_untouched()
  end)

  it("are those of a macro that runs", function()
    child = stage.start({ args = { "b.txt" } })
    child:lua([[
      vim.fn.setreg("q", "x:sleep 100m\rx:lua RAN = true\r")
      vim.defer_fn(function() propose(vim.uv.cwd() .. "/a.txt", "alpha\nBETA\ngamma\n") end, 20)
    ]])
    child:keys("@q")
    child:wait("return RAN and #events == 1")
    assert.are.equal("e", child:lua("return vim.fn.getbufline(buffer_of('b.txt'), 1)[1]"))
    is_untouched()
  end)
end)

describe("keys into the very file that a proposal is for", function()
  for _, layout in ipairs({ "vertical", "horizontal", "unified" }) do
    for name, case in
      vim.spairs({
        ["an operator"] = { "d", "d", "l2\nl3\nl4\nl5\n" },
        ["an operator downwards"] = { "d", "j", "l3\nl4\nl5\n" },
        ["Insert mode"] = { "ia", "b<Down>c<Esc>", "abl1\nl2c\nl3\nl4\nl5\n" },
        ["Visual mode"] = { "v", "jx", "2\nl3\nl4\nl5\n" },
        ["a macro"] = { "qqx", "jxq", "1\n2\nl3\nl4\nl5\n" },
      })
    do
      it(("stay where they were meant: %s (%s)"):format(name, layout), function()
        local child = stage.start({
          files = { ["a.txt"] = "l1\nl2\nl3\nl4\nl5\n" },
          args = { "a.txt" },
          setup = ([[require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = %q } })]]):format(
            layout
          ),
        })
        local window = child:lua("return vim.api.nvim_get_current_win()")
        child:input(case[1])
        child:wait("return vim.api.nvim_get_mode().mode ~= 'n' or vim.fn.reg_recording() ~= ''")
        -- A request that waits for a key does not answer before it.
        child:lua([[
          vim.schedule(function() propose(vim.uv.cwd() .. "/a.txt", "l1\nl2\nL3\nl4\nl5\n") end)
        ]])
        child:lua("vim.wait(50)")
        child:input(case[2])
        child:wait("return #events == 1 and vim.api.nvim_get_mode().mode == 'n' and vim.fn.reg_recording() == ''")
        assert.are.equal(window, child:lua("return vim.api.nvim_get_current_win()"))
        assert.are.equal(case[3], child:lua([[return require("claudecode.diff.text").read(buffer_of("a.txt"))]]))
        child:stop()
      end)
    end
  end
end)

describe("the cursor", function()
  for _, event in ipairs({ "WinLeave", "BufLeave", "WinEnter", "BufEnter" }) do
    for _, layout in ipairs({ "vertical", "unified" }) do
      it(("gets to a proposal (%s) though a handler of %s throws"):format(layout, event), function()
        local child = stage.start({
          args = { "a.txt" },
          setup = ([[
            require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = %q } })
            vim.api.nvim_create_autocmd(%q, { callback = function() error("boom") end })
          ]]):format(layout, event),
        })
        stage.propose(child, "a.txt", stage.NEW)
        child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
        child:lua("require('claudecode.diff').close('diff', 1)")
        stage.wait_closed(child)
        assert.are.equal("a.txt", child:lua("return vim.fn.bufname('%')"))
        child:stop()
      end)
    end
  end
end)

describe("what the user has changed in a proposal", function()
  local child

  before_each(function()
    child = stage.start({ args = { "a.txt" } })
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
  end)
  after_each(function()
    child:stop()
  end)

  for what, code in
    vim.spairs({
      ["closed by its client"] = "diff.close('diff', 1)",
      ["closed with all"] = "diff.close_all(1)",
      ["left by its client"] = "diff.client_gone(1)",
      ["cancelled"] = "diff.cancel('diff')",
      ["stopped"] = "diff.stop()",
      ["replaced"] = "propose(vim.uv.cwd() .. '/a.txt', 'other\\n')",
    })
  do
    it("is kept in a buffer when it is " .. what, function()
      child:keys("GoPRECIOUS<Esc>")
      child:lua("local diff = require('claudecode.diff') " .. code)
      local kept = child:wait([[
        local buf = vim.fn.bufnr("a.txt (withdrawn)")
        return buf > 0
          and { vim.api.nvim_buf_get_lines(buf, 0, -1, false), vim.bo[buf].buflisted, vim.bo[buf].modified }
      ]])
      assert.are.same({ { "alpha", "BETA", "gamma", "PRECIOUS" }, true, false }, kept)
      assert.matches(
        'withdrew the proposal for a.txt; .* kept in the buffer "a.txt %(withdrawn%)"',
        child:lua("return said[1]")
      )
    end)
  end

  it("goes with a proposal that the user rejects, and leaves nothing", function()
    child:keys("GoPRECIOUS<Esc>:q<CR>")
    stage.wait_closed(child)
    assert.are.equal(-1, child:lua([[return vim.fn.bufnr("withdrawn")]]))
    assert.are.same({}, child:lua("return said"))
  end)

  it("is nothing, and nothing is kept, when it was only looked at", function()
    child:keys("Gox<Esc>u")
    child:lua("require('claudecode.diff').close('diff', 1)")
    stage.wait_closed(child)
    assert.are.equal(-1, child:lua([[return vim.fn.bufnr("withdrawn")]]))
    assert.are.same({}, child:lua("return said"))
  end)
end)
