-- Every way out of a diff, in every layout: the right answer exactly once, and a screen as it was.
local stage = require("tests.lua.diff.stage")

local VIEWS = {
  vertical = { layout = "vertical" },
  horizontal = { layout = "horizontal" },
  unified = { layout = "unified" },
  ["vertical, new tab"] = { open_in_new_tab = true },
  ["horizontal, new tab"] = { layout = "horizontal", open_in_new_tab = true },
  ["unified, new tab"] = { layout = "unified", open_in_new_tab = true },
}

-- What the user was doing when the proposal came.
local SCENES = {
  ["in the only window"] = [[
    vim.cmd("edit b.txt | 3")
  ]],
  ["in the file itself, among others"] = [[
    vim.cmd("edit a.txt | 2 | normal! l")
    vim.cmd("vsplit b.txt | 2 | vertical resize 30")
    vim.cmd("split c.txt | resize 8 | wincmd h")
    vim.wo.wrap, vim.wo.foldcolumn, vim.o.scrollopt = true, "3", "ver,hor"
  ]],
  ["in Terminal mode"] = [[
    vim.cmd("edit b.txt | 3")
    vim.cmd("botright vsplit | terminal cat")
    vim.cmd("vertical resize 35 | setlocal winfixwidth")
    vim.cmd.startinsert()
  ]],
}

-- The client's part once the user has accepted: it closes twice, then writes.
local WRITE = [[
  local path, text = ...
  local diff = require("claudecode.diff")
  diff.close("diff", 1)
  diff.close("diff", 1)
  local file = io.open(path, "wb")
  file:write(text)
  file:close()
  diff.check_written(1)
]]

local ACCEPT = {
  [":w"] = ":w<CR>",
  [":wq"] = ":wq<CR>",
  [":x"] = ":x<CR>",
  ["ZZ"] = "ZZ",
  ["a mapping of <Cmd>x<CR>"] = "<F5>x",
  ["a mapping of <Cmd>w<CR>"] = "gs",
  ["a mapping that calls vim.cmd.write()"] = "gl",
  [":ClaudeCodeDiffAccept"] = ":lua require('claudecode.diff').accept_current()<CR>",
}

local REJECT = {
  [":q"] = ":q<CR>",
  [":q!"] = ":q!<CR>",
  [":close"] = ":close<CR>",
  ["CTRL-W c"] = "<C-w>c",
  [":bd"] = ":bd<CR>",
  [":bw"] = ":bw<CR>",
  ["ZQ"] = "ZQ",
  [":tabclose"] = ":tabclose<CR>",
  [":ClaudeCodeDiffDeny"] = ":lua require('claudecode.diff').deny_current()<CR>",
}

-- What others do, by the answer that the call gets.
local OTHERS = {
  ["close_tab"] = { "require('claudecode.diff').close('diff', 1)", "rejected" },
  ["closeAllDiffTabs"] = { "require('claudecode.diff').close_all(1)", "rejected" },
  [":ClaudeCodeCloseAllDiffs"] = { "require('claudecode.diff').close_all_by_user()", "rejected" },
  ["the end of the connection"] = { "require('claudecode.diff').client_gone(1)", nil },
  ["the end of the server"] = { "require('claudecode.diff').stop()", nil },
  ["a cancelled call"] = { "require('claudecode.diff').cancel('diff')", nil },
}

---@param view string
---@param scene string
---@return tests.Child
---@return table picture
local function begin(view, scene)
  local child = stage.start({
    files = { ["a.txt"] = stage.OLD, ["b.txt"] = "one\ntwo\nthree\n", ["c.txt"] = "c\n" },
    setup = ([[
      require("claudecode.config").setup({ auto_start = false, diff_opts = %s })
      vim.keymap.set("n", "gs", "<Cmd>w<CR>")
      vim.keymap.set("n", "<F5>x", "<cmd>silent xit<cr>")
      vim.keymap.set("n", "gl", function() vim.cmd.write() end)
    ]]):format(vim.inspect(VIEWS[view])),
  })
  child:lua(SCENES[scene])
  if scene == "in Terminal mode" then
    child:wait("return vim.api.nvim_get_mode().mode == 't'")
  end
  child:keys("") -- one turn of the main loop
  local before = child:lua("return picture()")
  stage.propose(child, "a.txt", stage.NEW)
  child:wait("return #events == 1 and vim.api.nvim_get_mode().mode == 'n'")
  return child, before
end

---@param child tests.Child
---@param before table
---@param answers table
---@param reason string
local function is_as_before(child, before, answers, reason)
  stage.wait_closed(child)
  child:wait("return #events == 2")
  assert.are.same(answers, child:lua("return answers"))
  assert.are.equal(reason, child:lua("return events[2].reason"))
  child:wait("return vim.api.nvim_get_mode().mode == " .. vim.inspect(before.mode))
  assert.are.same({}, stage.differences(before, child:lua("return picture()")))
end

for view in vim.spairs(VIEWS) do
  for scene in vim.spairs(SCENES) do
    describe(("a diff (%s) that comes %s"):format(view, scene), function()
      local child, before

      before_each(function()
        child, before = begin(view, scene)
      end)
      after_each(function()
        child:stop()
      end)

      for name, keys in vim.spairs(ACCEPT) do
        it("is accepted by " .. name, function()
          child:keys(keys)
          child:wait("return #answers == 1")
          child:lua(WRITE, child:path("a.txt"), stage.NEW)
          is_as_before(child, before, { { kind = "saved", tab_name = "diff", text = stage.NEW } }, "accepted")
          assert.are.same({}, child:lua("return said"))
        end)
      end

      for name, keys in vim.spairs(REJECT) do
        if name ~= ":tabclose" or view == "new tab" then
          it("is rejected by " .. name, function()
            child:keys(keys)
            is_as_before(child, before, { { kind = "rejected", tab_name = "diff" } }, "rejected")
          end)
        end
      end

      for name, other in vim.spairs(OTHERS) do
        it("ends with " .. name, function()
          child:lua(other[1])
          local answers = other[2] and { { kind = other[2], tab_name = "diff" } } or {}
          stage.wait_closed(child)
          is_as_before(child, before, answers, child:lua("return events[2].reason"))
        end)
      end

      it("neither stops :qa nor is answered by it", function()
        local log = child:path("answers.txt")
        child:lua(
          [[
            local log = ...
            vim.api.nvim_create_autocmd("VimLeave", { callback = function()
              vim.fn.writefile({ tostring(#answers) }, log)
            end })
          ]],
          log
        )
        child:input(":qa<CR>")
        assert.are.equal(0, child:wait_exit(3000))
        assert.are.equal("0\n", child:read("answers.txt"))
      end)
    end)
  end
end

describe("a diff in the only tab but one", function()
  it("is rejected by :tabclose, which takes the user's own windows of that tab too", function()
    local child = stage.start({ args = { "a.txt" } })
    child:lua("vim.cmd('tabnew b.txt | tabfirst')")
    stage.propose(child, "a.txt", stage.NEW)
    child:keys(":tabclose<CR>")
    stage.wait_closed(child)
    assert.are.same({ { kind = "rejected", tab_name = "diff" } }, child:lua("return answers"))
    assert.are.equal(1, child:lua("return #vim.api.nvim_list_tabpages()"))
    child:stop()
  end)
end)
