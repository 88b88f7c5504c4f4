-- Every option, with every word that it may be and values of each kind: the effect is seen, in a Neovim of its own. And
-- with wrong values: one message, the default, and the other options apply.
local Stage = require("tests.lua.surface.options.stage")

---@type table<string, tests.OptionEntry>
local OPTIONS = {}
for _, group in ipairs({ "server", "diffs", "terminal" }) do
  for key, entry in pairs(require("tests.lua.surface.options." .. group)) do
    OPTIONS[key] = entry
  end
end

---@param key string full key
---@param value string Lua
---@return string options Lua of a table
local function options(key, value)
  local parts = vim.split(key, ".", { plain = true })
  local text = value
  for i = #parts, 1, -1 do
    text = ("{ %s = %s }"):format(parts[i], text)
  end
  return text
end

describe("every option", function()
  local stage

  after_each(function()
    if stage then
      stage:stop()
      stage = nil
    end
  end)

  it("is in the table, with each of its words and wrong values", function()
    vim.opt.runtimepath:prepend(require("tests.lua.child").repo())
    local missing = {}
    for _, option in ipairs(require("claudecode.config.schema")) do
      local key = option[1]
      local entry = OPTIONS[key]
      if not entry or #entry == 0 or #entry.wrong == 0 then
        missing[#missing + 1] = key
      end
      for _, word in ipairs(option.kind.words or {}) do
        local found = vim.tbl_filter(function(case)
          return case.word == word
        end, entry or {})
        if #found == 0 then
          missing[#missing + 1] = key .. " = " .. word
        end
      end
    end
    assert.are.same({}, missing)
  end)

  for key, entry in pairs(OPTIONS) do
    for _, case in ipairs(entry) do
      it(("%s = %s"):format(key, vim.trim(case.value:gsub("%s+", " "))), function()
        stage = Stage.start({ options = options(key, case.value), base = case.base, init = case.init })
        case.effect(stage)
      end)
    end

    it(key .. " set to something wrong", function()
      stage = Stage.start({ options = "{ auto_start = false }" })
      local other = key == "env" and "models = { { name = 'x', value = 'y' } }" or "env = { OTHER = 'o' }"
      for _, value in ipairs(entry.wrong) do
        local result = stage.child:lua(([[
            said = {}
            local config = require("claudecode.config")
            local found = config.setup(vim.tbl_extend("force", { %s }, %s))
            local at = vim.split(%q, ".", { plain = true })
            return {
              is_default = vim.deep_equal(vim.tbl_get(found, unpack(at)), vim.tbl_get(config.defaults(), unpack(at))),
              other = found.env.OTHER or found.models[1].value,
              faults = #config.faults(),
            }
          ]]):format(other, options(key, value), key))
        local about = key .. " = " .. value
        assert.are.same({ is_default = true, other = key == "env" and "y" or "o", faults = 1 }, result, about)
        local said = stage.child:lua([[return said]])
        assert.are.equal(1, #said, about)
        assert.matches("^claudecode: " .. vim.pesc(key), said[1], about)
      end
    end)
  end
end)
