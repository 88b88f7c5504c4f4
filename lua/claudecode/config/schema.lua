-- Every option in one table: key, kind, default, description, former names. Checks, help and types come from it.

local kinds = require("claudecode.config.kinds")

---@class claudecode.config.Option
---@field [1] string full key, parts joined by dots
---@field kind claudecode.config.Kind
---@field default any nil when the option is unset by default
---@field text string description for the help page and the types
---@field old table<string, claudecode.config.Former>|nil by former full key
---@field since string|nil version that it takes effect with; until then setting it changes nothing
---@field retired boolean|nil accepted for old configurations, has no effect

---@class claudecode.config.Former
---@field kind claudecode.config.Kind what it was
---@field translate fun(value: any): any to the present value

---@param kind claudecode.config.Kind
---@return claudecode.config.Former one that was only renamed
local function renamed(kind)
  return {
    kind = kind,
    translate = function(value)
      return value
    end,
  }
end

---@param yes any
---@param no any
---@return claudecode.config.Former one that was true or false, and what these are now
local function switch(yes, no)
  return {
    kind = kinds.boolean,
    translate = function(value)
      if value then
        return yes
      end
      return no
    end,
  }
end

---@type claudecode.config.Option[]
local schema = {
  -- Server
  {
    "port_range.min",
    kind = kinds.integer(1, 65535),
    default = 10000,
    text = "Lowest port that the server may take.",
  },
  {
    "port_range.max",
    kind = kinds.integer(1, 65535),
    default = 65535,
    text = "Highest port that the server may take.",
  },
  {
    "auto_start",
    kind = kinds.boolean,
    default = true,
    text = "Start the server in setup(). When false, only |:ClaudeCodeStart| starts it.",
  },
  {
    "server.allowed_hosts",
    kind = kinds.texts,
    default = {},
    text = "Host names, besides loopback ones, that a client may name in its request"
      .. " (for CLAUDE_CODE_IDE_HOST_OVERRIDE).",
  },
  {
    "export_env",
    kind = kinds.boolean,
    default = false,
    text = "Put the server's port into |vim.env| while it runs, so that `claude` in any |:terminal| connects.",
  },
  {
    "prebuilt",
    kind = kinds.boolean,
    default = true,
    since = "a later version",
    text = "Let |:ClaudeCodeBuild| fetch a library that is already built.",
  },
  {
    "log_level",
    kind = kinds.one_of("trace", "debug", "info", "warn", "error"),
    default = "info",
    text = "What goes into the log. Texts of files and the access token never do.",
  },

  -- The Claude CLI
  {
    "terminal_cmd",
    kind = kinds.command,
    text = "Command of the CLI; `claude` when unset. A string may hold arguments, quotes and `~`; it is split like a"
      .. " shell would, or taken whole if it names an executable. A list is taken as it is.",
  },
  {
    "env",
    kind = kinds.environment,
    default = {},
    text = "Environment variables for the CLI.",
  },
  {
    "permission_mode",
    kind = kinds.one_of(unpack(kinds.PERMISSION_MODES)),
    text = 'Passed to a CLI that is started here as `--permission-mode`. With "default" Claude asks before it edits'
      .. " and the edit opens as a diff; unset leaves the choice to the CLI, whose own mode may write without asking.",
  },
  {
    "models",
    kind = kinds.models,
    default = {
      { name = "Default (recommended)", value = "default" },
      { name = "Opus (latest)", value = "opus" },
      { name = "Opus, 1M context", value = "opus[1m]" },
      { name = "Sonnet (latest)", value = "sonnet" },
      { name = "Sonnet, 1M context", value = "sonnet[1m]" },
      { name = "Haiku (latest)", value = "haiku" },
    },
    text = "What |:ClaudeCodeSelectModel| offers.",
  },

  -- What Claude sees
  {
    "track_selection",
    kind = kinds.boolean,
    default = true,
    text = "Tell connected clients which file is open and what is selected.",
  },
  {
    "visual_demotion_delay_ms",
    kind = kinds.integer(0),
    default = 50,
    text = "Milliseconds that a selection outlives the cursor movement that ends it.",
  },
  {
    "selection.exclude",
    kind = kinds.texts,
    default = {
      -- Environments
      ".env*",
      "*.env",
      "*.tfvars",
      "*.tfstate",
      -- Keys and stores of passwords
      "id_{rsa,dsa,ecdsa,ed25519}*",
      "*.{key,pem,p8,p12,pfx,pkcs12,ppk,jks,keystore,kdb,kdbx,gpg,age,ovpn}",
      ".ssh/",
      ".gnupg/",
      ".password-store/",
      "/dev/shm/{pass,gopass}*/",
      -- Credentials
      "credentials",
      "*credentials*.{json,toml,yml,yaml,xml,csv,ini,enc}",
      "client_secret*.json",
      "{secret,secrets}.*",
      ".secrets",
      ".vault-token",
      ".aws/",
      ".kube/config",
      "kubeconfig",
      ".docker/config.json",
      ".config/gh/hosts.yml",
      "{.,_}netrc",
      "{.,_}netrc.*",
      ".{npmrc,pypirc,pgpass,my.cnf,git-credentials,htpasswd,dockercfg,terraformrc,s3cfg,boto}",
      "rclone.conf",
      -- What was typed into shells and databases
      ".*_history",
      "/etc/{shadow,gshadow}*",
    },
    text = "Globs of files of which neither text nor selection is shared; see |claudecode-sharing|. Setting it replaces"
      .. " the default.",
  },
  {
    "selection.max_bytes",
    kind = kinds.integer(1),
    default = 65536,
    text = "Longest selected text, in bytes, that is sent while the selection changes.",
  },
  {
    "focus_after_send",
    kind = kinds.boolean,
    default = false,
    text = "Move to the Claude terminal after a send.",
  },
  {
    "connection_wait_delay",
    kind = kinds.integer(0),
    text = "Milliseconds between a client's first list of tools and the first message to it; 150 when unset.",
  },
  {
    "connection_timeout",
    kind = kinds.integer(1),
    default = 10000,
    text = "Milliseconds until a message says that Claude has not connected. Nothing that waits is dropped.",
  },
  {
    "queue_timeout",
    kind = kinds.integer(1),
    default = 5000,
    text = "Milliseconds until a message says why a mention still waits. Nothing that waits is dropped.",
  },

  -- Diffs
  {
    "diff_opts.enabled",
    kind = kinds.boolean,
    default = true,
    text = "Show proposals in Neovim. When false, Claude asks in its terminal about each edit; `/config` there has a"
      .. ' setting "Diff tool" that makes it show the text of the edit too.',
  },
  {
    "diff_opts.layout",
    kind = kinds.any_of(kinds.one_of("vertical", "horizontal", "unified"), kinds.viewer),
    default = "vertical",
    old = { ["diff_opts.vertical_split"] = switch("vertical", "horizontal") },
    text = "How a proposal is shown: beside the file, below it, or unified: one text, what is gone above what is new."
      .. " A table is a viewer of your own (|claudecode-viewer|).",
  },
  {
    "diff_opts.open_in_new_tab",
    kind = kinds.boolean,
    default = false,
    old = { ["diff_opts.open_in_current_tab"] = switch(false, true) },
    text = "Open each diff in a tab page of its own.",
  },
  {
    "diff_opts.keep_terminal_focus",
    kind = kinds.boolean,
    default = false,
    text = "Leave the cursor in the Claude terminal when a diff opens.",
  },
  {
    "diff_opts.hide_terminal_in_new_tab",
    kind = kinds.boolean,
    default = false,
    text = "Do not show the Claude terminal in a diff's own tab page.",
  },
  {
    "diff_opts.on_new_file_reject",
    kind = kinds.one_of("keep_empty", "close_window"),
    default = "keep_empty",
    text = "Whether an empty window in which a new file was proposed stays when you reject it, or closes.",
  },
  {
    "diff_opts.auto_resize_terminal",
    kind = kinds.boolean,
    default = true,
    text = "Give the Claude terminal the width `terminal.diff_split_width_percentage` while a diff is open.",
  },
  {
    "diff_opts.close_all_scope",
    kind = kinds.one_of("client", "editor"),
    default = "client",
    text = "Whose pending diffs a client closes when it closes all: its own, or every one.",
  },
  {
    "diff_opts.auto_close_on_accept",
    kind = kinds.boolean,
    retired = true,
    text = "Former option: a diff always closes once it is accepted.",
  },
  {
    "diff_opts.show_diff_stats",
    kind = kinds.boolean,
    retired = true,
    text = "Former option.",
  },
  {
    "review.when",
    kind = kinds.one_of("before", "off"),
    default = "off",
    text = 'When edits are reviewed. "before": each edit of a Claude that is started here opens as a diff first,'
      .. ' whatever its permission mode; "off": as that mode has it. |:ClaudeCodeReview| changes it for this session.',
  },
  {
    "hooks",
    kind = kinds.boolean,
    default = true,
    text = "Let a Claude that is started here tell Neovim of its edits, by hooks of its own (`--plugin-dir`). The first"
      .. " start of a new version goes without.",
  },

  -- Terminal
  {
    "terminal.provider",
    kind = kinds.any_of(kinds.one_of("auto", "snacks", "native", "external", "none"), kinds.map),
    default = "auto",
    text = 'Where the CLI runs. "native" is a Neovim terminal, "snacks" one of snacks.nvim, "external" a terminal'
      .. ' program (`provider_opts.external_terminal_cmd`), "none" leaves starting it to you, a table of functions is'
      .. ' a provider of your own (|claudecode-provider|). "auto" is snacks where it is installed, else native.',
  },
  {
    "terminal.split_side",
    kind = kinds.one_of("left", "right"),
    default = "right",
    text = "Side of the terminal window.",
  },
  {
    "terminal.split_width_percentage",
    kind = kinds.share,
    default = 0.30,
    text = "Width of the terminal window, as a share of the screen.",
  },
  {
    "terminal.diff_split_width_percentage",
    kind = kinds.share,
    text = "The same while a diff is open beside it; unset leaves the width as it is.",
  },
  {
    "terminal.auto_close",
    kind = kinds.boolean,
    default = true,
    text = "Close the terminal window when the CLI ends.",
  },
  {
    "terminal.auto_insert",
    kind = kinds.boolean,
    default = true,
    text = "Enter Terminal mode whenever the terminal gets the focus through a command, unless you have scrolled back.",
  },
  {
    "terminal.show_native_term_exit_tip",
    kind = kinds.boolean,
    default = true,
    text = "Say once which keys leave Terminal mode.",
  },
  {
    "terminal.fix_streamed_paste",
    kind = kinds.any_of(kinds.one_of("auto"), kinds.boolean),
    default = "auto",
    text = 'Keep large pastes whole (Neovim before 0.12.2 splits them); "auto" does where that is needed.',
  },
  {
    "terminal.snacks_win_opts",
    kind = kinds.map,
    default = {},
    text = "Options of the window for snacks.nvim (`snacks.win.Config`), such as position, width, height or border.",
  },
  {
    "terminal.env",
    kind = kinds.environment,
    default = {},
    text = "Environment variables for the CLI; they win over `env`.",
  },
  {
    "terminal.cwd",
    kind = kinds.text,
    old = { cwd = renamed(kinds.text) },
    text = "Directory that the CLI starts in. Unset: Neovim's own.",
  },
  {
    "terminal.git_repo_cwd",
    kind = kinds.boolean,
    default = false,
    old = { git_repo_cwd = renamed(kinds.boolean) },
    text = "Start the CLI at the top of the current file's git work tree.",
  },
  {
    "terminal.cwd_provider",
    kind = kinds.callback,
    old = { cwd_provider = renamed(kinds.callback) },
    text = "Function of { file, file_dir, cwd } that returns the directory to start in, or nil for the default.",
  },
  {
    "terminal.provider_opts.external_terminal_cmd",
    kind = kinds.external_command,
    text = "Command of the external terminal, a line or a list of words: `%s` is the CLI's command; of two, the"
      .. " first is the directory. Or a function (command, env, cwd) that returns such a command, without `%s`.",
  },
}

for _, option in ipairs(schema) do
  if option.since then
    option.text = ("%s Takes effect with %s."):format(option.text, option.since)
  end
end

return schema
