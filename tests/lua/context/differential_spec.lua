-- What the plugin says is selected is compared with what `y` takes, in thousands of random cases of a real Neovim.
-- CASES says how many, SEED which ones: the seed is printed, and a complaint names the case. Without SEED these are
-- always the same: whether a change broke something must not depend on chance. `make test-selection` draws new ones.
local Child = require("tests.lua.child")

local CASES = tonumber(vim.env.CASES) or 3000
local SEED = tonumber(vim.env.SEED) or 2
local BATCH = 500
local FROM_OUTSIDE = math.ceil(CASES / 20)
-- In so many of a hundred cases the text that `y` took may not tell where it is. A mouse makes more blocks, and lands
-- where no key does.
local SKIPPED = { pressed = 2, typed = 4, clicked = 4 }

describe("what is told of a selection is what `y` takes", function()
  local child, total

  before_each(function()
    child = Child.start({
      files = { ["a.txt"] = "" },
      args = { "a.txt" },
      ui = { 80, 24 },
      setup = [[
        vim.o.undolevels, vim.o.report, vim.o.mouse = -1, 9999, "a"
        vim.o.cmdheight = 5 -- no message asks for a key
        require("claudecode").setup({ auto_start = false })
        Worker = dofile("]] .. Child.repo() .. [[/tests/lua/context/differential/worker.lua")]],
    })
    total = { done = 0, failed = 0, outcomes = {}, complaints = {} }
  end)

  after_each(function()
    child:stop()
  end)

  local function add(result)
    total.done, total.failed = total.done + result.done, total.failed + result.failed
    vim.list_extend(total.complaints, result.complaints)
    for outcome, count in pairs(result.outcomes) do
      total.outcomes[outcome] = (total.outcomes[outcome] or 0) + count
    end
  end

  ---@param how string
  local function report(how)
    local parts = {}
    for outcome, count in vim.spairs(total.outcomes) do
      parts[#parts + 1] = ("%s %d"):format(outcome:gsub("\22", "CTRL-V"), count)
    end
    print(("%d cases %s, SEED=%d: %s"):format(total.done, how, SEED, table.concat(parts, ", ")))
    local shown = table.concat(vim.list_slice(total.complaints, 1, 5), "\n")
    assert.are.equal(0, total.failed, ("%d disagreements\n%s"):format(total.failed, shown))
    assert.is_true((total.outcomes.skipped or 0) * 100 <= total.done * SKIPPED[how], "the oracle skips too much")
  end

  it("pressed by commands", function()
    local number = 1
    while total.done < CASES do
      local count = math.min(BATCH, CASES - total.done)
      local result = child:lua("return Worker.run(...)", SEED, number, count)
      number = result.next
      add(result)
    end
    report("pressed")
  end)

  ---@param how string
  ---@param act fun(case: table)
  local function from_outside(how, act)
    local number = 0
    while total.done < FROM_OUTSIDE do
      number = number + 1
      child:input("<Esc><Esc><C-\\><C-n>")
      child:wait([[return vim.api.nvim_get_mode().mode == "n"]])
      act(child:lua("return Worker.begin(...)", SEED, number))
      if child:blocked() then
        child:input("<Esc>") -- a key has waited for another, or a message for one
      end
      add(child:lua("return Worker.finish()"))
    end
    report(how)
  end

  it("typed", function()
    from_outside("typed", function(case)
      child:keys(table.concat(case.before) .. case.start)
      local mode = child:api("nvim_get_mode").mode
      while mode:find("^[vVsS\22\19]") do
        local key = table.remove(mode:find("[sS\19]") and case.select_motions or case.motions)
        if not key then
          return
        end
        child:keys(key)
        mode = child:api("nvim_get_mode").mode
      end
    end)
  end)

  it("clicked", function()
    from_outside("clicked", function(case)
      child:lua("vim.cmd.redraw()")
      for _, click in ipairs(case.clicks) do
        child:api("nvim_input_mouse", "left", click.action, click.modifier, 0, click.row, click.column)
        child:api("nvim_eval", "1")
      end
    end)
  end)
end)
