-- An auto-save plugin that writes all it can, whenever it can, while the user works in a proposal: it accepts nothing.
local stage = require("tests.lua.diff.stage")

local VIEWS = {
  vertical = "{ layout = 'vertical' }",
  horizontal = "{ layout = 'horizontal' }",
  unified = "{ layout = 'unified' }",
  ["vertical, new tab"] = "{ open_in_new_tab = true }",
  ["unified, new tab"] = "{ layout = 'unified', open_in_new_tab = true }",
}

-- Every way to save that such plugins use, on every event that they use.
local STAND_IN = [[
  ATTEMPTS = 0
  local function save()
    ATTEMPTS = ATTEMPTS + 1
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.bo[buf].modified then
        vim.api.nvim_buf_call(buf, function() vim.cmd("silent! write") end)
      end
    end
    vim.cmd("silent! write")
    vim.cmd("silent! update")
    vim.cmd("silent! wall")
    pcall(vim.cmd.wall)
  end
  local when = ...
  vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged", "TextChangedI", "BufLeave", "BufEnter", "WinLeave",
    "TabLeave", "FocusLost", "CursorHold", "CursorHoldI", "CursorMoved", "ModeChanged", "CmdlineLeave" }, {
    nested = true,
    callback = function()
      if when == "at once" then
        save()
      elseif when == "next" then
        vim.schedule(save)
      else
        vim.defer_fn(save, 5)
      end
    end,
  })
  vim.o.updatetime = 10
  if when == "later" then
    vim.uv.new_timer():start(0, 3, vim.schedule_wrap(save))
  end
]]

-- What the user does; after each, the plugin has some time.
local WORK = {
  "gg$x",
  "iabc",
  "<C-o>",
  "h",
  "<C-x><C-n>",
  "<C-e><Esc>",
  "j",
  "d", -- the timer comes while the operator waits
  "d",
  "u",
  "gU",
  "w",
  "Vj",
  "<Esc>",
  ":s/a/b/",
  "<CR>",
  '"a',
  "yy",
  ":call input('')<CR>",
  "y<CR>",
  "<C-w>p",
  "<C-w>p",
  "qq",
  "x",
  "q",
  "@q",
}

for view, options in vim.spairs(VIEWS) do
  for _, when in ipairs({ "at once", "next", "later" }) do
    it(("an auto-save plugin that saves %s does not accept a proposal (%s)"):format(when, view), function()
      local child = stage.start({
        args = { "b.txt" },
        setup = ("require('claudecode.config').setup({ auto_start = false, diff_opts = %s })"):format(options),
      })
      child:lua("vim.cmd('vsplit a.txt | wincmd p')")
      stage.propose(child, "a.txt", stage.NEW)
      child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
      child:lua(STAND_IN, when)
      -- It does save.
      child:lua("vim.api.nvim_buf_set_lines(buffer_of('b.txt'), 0, 1, false, { 'changed' })")
      for _, keys in ipairs(WORK) do
        child:input(keys)
        vim.wait(12)
        if not child:blocked() then
          assert.are.same({}, child:lua("return answers"), "after " .. keys)
        end
      end
      child:api("nvim_ui_set_focus", false)
      vim.wait(12)
      assert.are.same({}, child:lua("return answers"))
      assert.are.equal(1, child:lua("return require('claudecode.diff').count()"))
      assert.is_true(child:lua("return ATTEMPTS") > #WORK / 2)
      assert.are.equal("changed\ntwo\nthree\n", child:read("b.txt"))
      assert.are.equal(stage.OLD, child:read("a.txt"))
      -- The user does.
      local text = child:lua("return require('claudecode.diff.text').read(0)")
      assert.are_not.equal(stage.NEW, text)
      child:keys(":w<CR>")
      child:wait("return #answers == 1")
      assert.are.same({ { kind = "saved", tab_name = "diff", text = text } }, child:lua("return answers"))
      child:stop()
    end)
  end
end

describe("a write in a proposal", function()
  local child

  before_each(function()
    child = stage.start({ args = { "b.txt" } })
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
  end)
  after_each(function()
    child:stop()
  end)

  -- In these states no SafeState comes while Neovim waits for a key.
  for _, keys in ipairs({ "d", "c", "gq", "y", "i<C-o>", "i<C-x><C-n>", "2d", ":call getchar()<CR>", "<F5>" }) do
    it("by a timer does not accept in the middle of " .. keys, function()
      child:lua([[
        vim.keymap.set("n", "<F5>", function() vim.fn.getcharstr() end)
        vim.uv.new_timer():start(20, 5, vim.schedule_wrap(function()
          vim.cmd("silent! write")
          WRITES = (WRITES or 0) + 1
        end))
      ]])
      child:input(keys)
      child:wait("return (WRITES or 0) > 3")
      assert.are.same({}, child:lua("return answers"))
    end)
  end

  it("by a timer does not accept while a mapping waits for something else", function()
    child:lua([[
      vim.keymap.set("n", "<F5>", function()
        vim.defer_fn(function() vim.cmd("silent! write") DONE = true end, 5)
        vim.wait(1000, function() return DONE end, 2)
      end)
    ]])
    child:keys("<F5>")
    child:wait("return DONE")
    assert.are.same({}, child:lua("return answers"))
  end)

  it("by a timer does not accept, with keys of its own", function()
    child:lua([[vim.defer_fn(function()
      vim.cmd("normal! gg")
      vim.cmd("silent! write")
      vim.cmd("silent! normal :write\r")
      DONE = true
    end, 5)]])
    child:wait("return DONE")
    assert.are.same({}, child:lua("return answers"))
  end)

  for what, code in
    vim.spairs({
      ["moves"] = "vim.cmd('normal! gg')",
      ["waits"] = "vim.wait(60, function() return false end, 5)",
      ["runs a program"] = "vim.system({ 'sleep', '0.05' }):wait()",
      ["runs a shell"] = "vim.fn.system('sleep 0.05')",
      ["asks"] = "vim.fn.getcharstr()",
      ["runs a command line"] = "vim.cmd('silent !true')",
    })
  do
    it("by a mapping that first " .. what .. " accepts", function()
      child:lua(([[vim.keymap.set("n", "<F5>", function() %s vim.cmd.write() end)]]):format(code))
      child:keys("<F5>y")
      child:wait("return #answers == 1")
      assert.are.equal("saved", child:lua("return answers[1].kind"))
    end)
  end

  for _, command in ipairs({ "edit b.txt", "bnext", "make", "silent !true", "split b.txt", "tabnew", "wincmd p" }) do
    it("by 'autowriteall' for :" .. command .. " does not accept", function()
      child:lua("vim.o.autowriteall, vim.o.makeprg = true, 'true'")
      child:keys("ggx")
      child:keys(":silent " .. command .. "<CR>")
      child:keys("")
      assert.are.same({}, child:lua("return answers"))
      assert.are.equal(1, child:lua("return require('claudecode.diff').count()"))
    end)
  end

  for _, command in ipairs({
    "wall",
    "silent wall",
    "silent! wall",
    "wa!",
    "bufdo silent! update",
    "windo silent! update",
  }) do
    it("by :" .. command .. " does not accept", function()
      child:keys("ggx")
      child:keys(":" .. command .. "<CR>")
      assert.are.same({}, child:lua("return answers"))
    end)
  end
end)
