local Child = require("tests.lua.child")

describe("options", function()
  local child

  -- Keeps what the plugin says in `said`.
  local LISTEN = [[
    _G.said = {}
    vim.notify = function(text, level, opts)
      table.insert(said, { text = text, level = level, title = (opts or {}).title })
    end
  ]]

  local function start(setup, init)
    child = Child.start({ init = LISTEN .. (init or ""), setup = setup })
  end

  local function said()
    return child:lua("return said")
  end

  after_each(function()
    child:stop()
  end)

  it("are complete without any setup", function()
    start()
    local missing = child:lua([[
      local config, missing = require("claudecode.config").get(), {}
      for _, option in ipairs(require("claudecode.config.schema")) do
        if option.default ~= nil then
          local value = config
          for part in option[1]:gmatch("[^.]+") do value = value[part] end
          if not vim.deep_equal(value, option.default) then table.insert(missing, option[1]) end
        end
      end
      return missing
    ]])
    assert.are.same({}, missing)
    assert.are.same({}, said())
  end)

  it("have the defaults that users of such plugins know", function()
    start()
    local config = child:lua([[return require("claudecode.config").get()]])
    assert.are.same({ min = 10000, max = 65535 }, config.port_range)
    assert.are.equal(50, config.visual_demotion_delay_ms)
    assert.are.equal(10000, config.connection_timeout)
    assert.are.equal(5000, config.queue_timeout)
    assert.are.equal("vertical", config.diff_opts.layout)
    assert.are.equal("keep_empty", config.diff_opts.on_new_file_reject)
    assert.are.equal("auto", config.terminal.provider)
    assert.are.equal("right", config.terminal.split_side)
    assert.are.equal(0.30, config.terminal.split_width_percentage)
    assert.is_nil(config.permission_mode)
    assert.is_nil(config.terminal_cmd)
  end)

  it("apply one by one: a wrong one is named with its full key, and the rest is taken", function()
    start([[require("claudecode.config").setup({
        terminal = { split_side = "top", auto_close = false }, log_level = "debug" })]])
    local config = child:lua([[return require("claudecode.config").get()]])
    assert.are.equal("right", config.terminal.split_side)
    assert.is_false(config.terminal.auto_close)
    assert.are.equal("debug", config.log_level)
    assert.are.equal(1, #said())
    assert.matches('terminal%.split_side: expected one of "left", "right", got "top"', said()[1].text)
    assert.are.equal("claudecode.nvim", said()[1].title)
  end)

  it("name the nearest known key for an unknown one", function()
    start(
      [[require("claudecode.config").setup({
      terminal = { split_sid = "left" }, split_width_percentage = 0.4, trak_selection = false, zzzzzzzzzzzzzzz = 1 })]]
    )
    local text = said()[1].text
    assert.are.equal(1, #said())
    assert.matches("terminal%.split_sid: did you mean terminal%.split_side%?", text)
    assert.matches("split_width_percentage: did you mean terminal%.split_width_percentage%?", text)
    assert.matches("trak_selection: did you mean track_selection%?", text)
    assert.matches("zzzzzzzzzzzzzzz: unknown option", text)
    assert.are.equal(4, child:lua([[return #require("claudecode.config").faults()]]))
  end)

  it("survive any type in any place", function()
    start()
    local thrown = child:lua([==[
      local bad = { true, 3, -1.5, "", "x", {}, { 1 }, { a = 1 }, function() end, 0/0, math.huge }
      local thrown = {}
      for _, option in ipairs(require("claudecode.config.schema")) do
        for _, value in ipairs(bad) do
          for _, key in ipairs({ option[1], (option[1]:match("^[^.]+")) }) do
            local opts, at = {}, nil
            at = opts
            local parts = vim.split(key, ".", { plain = true })
            for i = 1, #parts - 1 do at[parts[i]] = {} at = at[parts[i]] end
            at[parts[#parts]] = value
            local ok, err = pcall(require("claudecode.config").setup, opts)
            if not ok then table.insert(thrown, key .. ": " .. err) end
          end
        end
      end
      for _, value in ipairs(bad) do
        local ok, err = pcall(require("claudecode.config").setup, value)
        if not ok then table.insert(thrown, tostring(err)) end
      end
      return thrown
    ]==])
    assert.are.same({}, thrown)
  end)

  it("accept their former names", function()
    start([[require("claudecode.config").setup({
      cwd = "/tmp", git_repo_cwd = true, cwd_provider = function() end,
      diff_opts = { vertical_split = false, open_in_current_tab = false, auto_close_on_accept = true,
        show_diff_stats = true },
    })]])
    assert.are.same({}, said())
    local found = child:lua([[
      local config = require("claudecode.config").get()
      return { config.terminal.cwd, config.terminal.git_repo_cwd, type(config.terminal.cwd_provider),
        config.diff_opts.layout, config.diff_opts.open_in_new_tab }
    ]])
    assert.are.same({ "/tmp", true, "function", "horizontal", true }, found)
  end)

  it("leave out the wrong entries of a table, by name, and keep the right ones", function()
    start([[require("claudecode.config").setup({
      env = { GOOD = "1", NUMBER = 2, BAD = {}, ["a=b"] = "x" },
      models = { { name = "Mine", value = "mine" }, "opus", { name = "no value" } },
      selection = { exclude = { "*.key", 5 } },
    })]])
    local config = child:lua([[return require("claudecode.config").get()]])
    assert.are.same({ GOOD = "1", NUMBER = 2 }, config.env)
    assert.are.same({ { name = "Mine", value = "mine" } }, config.models)
    assert.are.same({ "*.key" }, config.selection.exclude)
    assert.are.same({
      "claudecode: env.BAD: expected the name of a variable and a text, got {}; left out",
      'env.a=b: expected the name of a variable and a text, got "x"; left out',
      'models[2]: expected { name = …, value = … }, got "opus"; left out',
      'models[3]: expected { name = …, value = … }, got { name = "no value" }; left out',
      "selection.exclude[2]: expected a string that is not empty, got 5; left out",
    }, vim.split(said()[1].text, "\n"))
    assert.are.equal(1, #said())
  end)

  it("name the nearest word, also where something else is allowed too", function()
    start([[require("claudecode.config").setup({
      terminal = { provider = "snack" }, diff_opts = { layout = "Vertical" } })]])
    assert.matches('diff_opts.layout: did you mean "vertical"?', said()[1].text, nil, true)
    assert.matches('terminal.provider: did you mean "snacks"?', said()[1].text, nil, true)
  end)

  it("of a former name must be what that name wanted", function()
    start([[require("claudecode.config").setup({ git_repo_cwd = 1, cwd = false,
      diff_opts = { vertical_split = "no", open_in_current_tab = 3, show_diff_stats = "x" } })]])
    local text = said()[1].text
    local vertical =
      'diff_opts.vertical_split (now diff_opts.layout): expected true or false, got "no"; using "vertical"'
    assert.matches(vertical, text, nil, true)
    assert.matches("diff_opts.open_in_current_tab (now diff_opts.open_in_new_tab): expected true or", text, nil, true)
    assert.matches(
      "git_repo_cwd (now terminal.git_repo_cwd): expected true or false, got 1; using false",
      text,
      nil,
      true
    )
    assert.matches("cwd (now terminal.cwd): expected a string that is not empty, got false; leaving", text, nil, true)
    assert.matches('diff_opts.show_diff_stats: expected true or false, got "x"', text, nil, true)
  end)

  it("prefer a present name over a former one", function()
    start([[require("claudecode.config").setup({
      cwd = "/old", terminal = { cwd = "/new" }, diff_opts = { vertical_split = false, layout = "unified" } })]])
    assert.are.same(
      { "/new", "unified" },
      child:lua([[local c = require("claudecode.config").get() return { c.terminal.cwd, c.diff_opts.layout }]])
    )
  end)

  it("may come from vim.g.claudecode, as a table or a function, and setup() wins over it", function()
    start(
      nil,
      [[vim.g.claudecode = { auto_start = false, log_level = "warn", terminal = { split_side = "left", cwd = "/g" } }]]
    )
    child:lua([[require("claudecode.config").setup({ terminal = { cwd = "/s" } })]])
    assert.are.same(
      { "warn", "left", "/s" },
      child:lua([[
        local c = require("claudecode.config").get()
        return { c.log_level, c.terminal.split_side, c.terminal.cwd }
      ]])
    )
    child:stop()
    start(nil, [[vim.g.claudecode = function() return { auto_start = false, log_level = "error" } end]])
    assert.are.equal("error", child:lua([[return require("claudecode.config").get().log_level]]))
    child:stop()
    start(nil, [[vim.g.claudecode = function() error("oh") end]])
    child:wait([[return #said == 1]])
    assert.matches("vim%.g%.claudecode: the function failed: .*oh", said()[1].text)
  end)

  it("stay when setup() is called again without any", function()
    start([[
      require("claudecode.config").setup({ log_level = "warn" })
      require("claudecode.config").setup()
    ]])
    assert.are.equal("warn", child:lua([[return require("claudecode.config").get().log_level]]))
  end)

  it("refuse a port range that is upside down", function()
    start([[require("claudecode.config").setup({ port_range = { min = 3000, max = 2000 } })]])
    assert.are.same({ min = 10000, max = 65535 }, child:lua([[return require("claudecode.config").get().port_range]]))
    assert.matches("port_range: min 3000 is above max 2000", said()[1].text)
  end)

  it("are not changed by later changes of the user's own table", function()
    start([[
      local mine = { env = { A = "1" } }
      require("claudecode.config").setup(mine)
      mine.env.A = "2"
    ]])
    assert.are.equal("1", child:lua([[return require("claudecode.config").get().env.A]]))
  end)

  it("can be replaced for one call of the terminal", function()
    start([[require("claudecode.config").setup({ terminal = { split_side = "left" } })]])
    assert.are.same(
      { "right", 0.3, "left" },
      child:lua([[
        local config = require("claudecode.config")
        local once = config.terminal({ split_side = "right", nonsense = 1 })
        return { once.split_side, once.split_width_percentage, config.get().terminal.split_side }
      ]])
    )
    assert.matches("terminal%.nonsense: unknown option", said()[1].text)
  end)

  it("that take effect with a later version say so once, when they are not at their default", function()
    local setup = [[require("claudecode.config").setup({ prebuilt = false,
      terminal = { fix_streamed_paste = "auto" },
      selection = { exclude = { "*.env" } } })]]
    start(setup .. setup)
    local texts = vim.tbl_map(function(message)
      return message.text
    end, said())
    assert.are.equal(1, #texts)
    assert.matches("prebuilt comes with a later version; until then it has no effect", texts[1])
  end)

  it("name a mode of the CLI, else the nearest one is named and none is passed on", function()
    start([[require("claudecode.config").setup({ permission_mode = "defualt" })]])
    assert.matches('permission_mode: did you mean "default"%?', said()[1].text)
    assert.is_nil(child:lua([[return require("claudecode.config").get().permission_mode]]))
  end)

  it("warn at once of a command with an open quote", function()
    start([[require("claudecode.config").setup({ terminal_cmd = "claude 'oh" })]])
    assert.matches("terminal_cmd: expected a command line with closed quotes", said()[1].text)
  end)

  it("that are wrong show key and nearest key on the last line, and how many more there are", function()
    child = Child.start({
      ui = { 80, 24 },
      setup = [[require("claudecode.config").setup({
      terminal = { split_sid = 1 } })]],
    })
    child:wait_screen("claudecode: terminal.split_sid: did you mean terminal.split_side?", 2000)
    child:lua([[require("claudecode.config").setup({ terminal = { split_sid = 1 }, zzzzzzzzzzzz = 1 })]])
    child:wait_screen("terminal.split_sid: did you mean t… +1 more in :messages", 2000)
  end)
end)

describe("the help page and the types", function()
  it("say what the schema and the commands say", function()
    local result =
      vim.system({ vim.v.progpath, "--clean", "-l", Child.repo() .. "/doc/gen.lua", "--check" }):wait(20000)
    assert.are.equal("", result.stderr)
    assert.are.equal(0, result.code)
  end)
end)
