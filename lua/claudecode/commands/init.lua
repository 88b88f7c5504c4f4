-- What each user command does, and how its arguments are completed.

local notify = require("claudecode.notify")

local M = {}

---@class claudecode.Command
---@field impl fun(call: table) see nvim_create_user_command() for the shape of a call
---@field complete nil|fun(lead: string, line: string, position: integer): string[]

local CLI_ARGUMENTS = { "--continue", "--resume", "--model", "--permission-mode", "--add-dir", "--verbose" }

-- What may stand behind an argument.
---@type table<string, fun(): string[]>
local VALUES = {
  ["--model"] = function()
    return vim.tbl_map(function(model)
      return model.value
    end, require("claudecode.config").get().models)
  end,
  ["--permission-mode"] = function()
    return require("claudecode.config.kinds").PERMISSION_MODES
  end,
}

---@param lead string
---@param line string
---@param position integer bytes of the line in front of the cursor
---@return string[]
local function complete_cli(lead, line, position)
  local values = VALUES[line:sub(1, position - #lead):match("(%S+)%s+$")]
  local words = values and values() or CLI_ARGUMENTS ---@type string[]
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

---A command of the terminal, which needs the server for Claude to connect to.
---@param action fun(args: string)
---@return claudecode.Command
local function terminal_command(action)
  return {
    impl = function(call)
      require("claudecode").ensure_started()
      action(call.args)
    end,
    complete = complete_cli,
  }
end

---@param action string function of claudecode.diff
---@return claudecode.Command
local function diff_command(action)
  return {
    impl = function()
      require("claudecode.diff")[action]()
    end,
  }
end

---A command whose work comes with a later version.
---@param what string names one thing
---@param version string
---@return claudecode.Command
local function planned(what, version)
  return {
    impl = function()
      notify.info(("%s is not there yet; it comes with version %s."):format(what, version))
    end,
  }
end

---@type table<string, claudecode.Command>
local commands = {
  ClaudeCode = terminal_command(function(args)
    require("claudecode.terminal").simple_toggle(nil, args)
  end),
  ClaudeCodeFocus = terminal_command(function(args)
    require("claudecode.terminal").focus_toggle(nil, args)
  end),
  ClaudeCodeOpen = terminal_command(function(args)
    require("claudecode.terminal").open(nil, args)
  end),
  ClaudeCodeSelectModel = terminal_command(function(args)
    require("claudecode").open_with_model(args)
  end),
  ClaudeCodeClose = {
    impl = function()
      require("claudecode.terminal").close()
    end,
  },
  ClaudeCodeSendText = {
    impl = function(call)
      local ok, err = require("claudecode.terminal").send_to_terminal(call.args, { submit = not call.bang })
      if not ok then
        notify.warn(err .. ".")
      end
    end,
  },

  ClaudeCodeSend = {
    impl = function(call)
      local send = require("claudecode.commands.send")
      send.send(send.mentions(call))
    end,
  },
  ClaudeCodeAdd = {
    impl = function(call)
      local mention, err = require("claudecode.commands.add").mention(call.args)
      require("claudecode.commands.send").send(mention and { mention }, err)
    end,
    complete = function(lead, line, position)
      return require("claudecode.commands.add").complete(lead, line, position)
    end,
  },
  ClaudeCodeTreeAdd = {
    impl = function(call)
      local send = require("claudecode.commands.send")
      send.send(send.tree_mentions(call))
    end,
  },
  ClaudeCodeShare = {
    impl = function(call)
      require("claudecode.commands.share").run(call.args)
    end,
    complete = function(lead)
      return require("claudecode.commands.share").complete(lead)
    end,
  },

  ClaudeCodeStart = {
    impl = function()
      local claudecode = require("claudecode")
      local running = claudecode.state.server ~= nil
      if claudecode.start() then
        notify.info(
          ("%s on port %d."):format(running and "the server already runs" or "server started", claudecode.state.port)
        )
      end
    end,
  },
  ClaudeCodeStop = {
    impl = function()
      local running = require("claudecode").state.server ~= nil
      require("claudecode").stop()
      notify.info(running and "server stopped." or "the server was not running.")
    end,
  },
  ClaudeCodeStatus = {
    impl = function()
      notify.page(require("claudecode.status").report())
    end,
  },
  ClaudeCodeBuild = {
    impl = function()
      require("claudecode.commands.build").run()
    end,
  },
  ClaudeCodeLog = {
    impl = function(call)
      require("claudecode.commands.log").run(call)
    end,
  },

  ClaudeCodeDiffAccept = diff_command("accept_current"),
  ClaudeCodeDiffDeny = diff_command("deny_current"),
  ClaudeCodeCloseAllDiffs = diff_command("close_all_by_user"),
  ClaudeCodeDiffs = {
    impl = function()
      require("claudecode.diff.list").choose()
    end,
  },
  ClaudeCodeReview = {
    impl = function(call)
      local review = require("claudecode.review")
      if call.args == "before" or call.args == "off" then
        review.set(call.args --[[@as claudecode.ReviewWhen]])
      elseif call.args ~= "" then
        return notify.warn(("ClaudeCodeReview takes before or off, not %q."):format(call.args))
      end
      notify.info(review.describe() .. ".")
    end,
    complete = function(lead)
      return vim.tbl_filter(function(word)
        return vim.startswith(word, lead)
      end, { "before", "off" })
    end,
  },
  ClaudeCodeNote = planned("A note to Claude", "0.5.0"),
}

---@param name string
---@param call table
function M.run(name, call)
  commands[name].impl(call)
end

---@param name string
---@param lead string the argument before the cursor
---@param line string the whole command line
---@param position integer cursor in it, in bytes
---@return string[]
function M.complete(name, lead, line, position)
  local complete = commands[name].complete
  return complete and complete(lead, line, position) or {}
end

---@return string[] names of all commands that are implemented here
function M.names()
  local names = vim.tbl_keys(commands)
  table.sort(names)
  return names
end

return M
