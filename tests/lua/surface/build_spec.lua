local Child = require("tests.lua.child")

-- Plays cargo: says what the real one says, and takes the library of this test run for its result.
local CARGO = [[#!/bin/sh
printf '%s\n' "$*" > "$OUT/arguments"
pwd -P > "$OUT/cwd"
echo '   Compiling something v1.0.0' >&2
sleep 0.3
[ -z "$CARGO_FAILS" ] || { echo 'error: it does not compile' >&2; exit 101; }
name=$(basename "$LIBRARY_NAME")
cp "$LIBRARY" "$OUT/built-$name"
mkdir -p "$OUT/release" && mv "$OUT/built-$name" "$OUT/release/$name"
echo '{"reason":"compiler-artifact","filenames":["'"$OUT/release/$name"'"]}'
echo '{"reason":"build-finished","success":true}'
]]

local LISTEN = [[
  _G.said = {}
  vim.notify = function(text, level) table.insert(said, { text = text, level = level }) end
]]

describe("the native library", function()
  local child, library

  ---@param env table<string, string>
  local function start(env)
    local cargo_env = vim.tbl_extend("force", { LIBRARY = vim.env.CLAUDECODE_NATIVE }, env)
    child = Child.start({ init = LISTEN })
    local bin = child:write(child.root .. "/bin/cargo", CARGO)
    assert(vim.uv.fs_chmod(bin, 493))
    vim.fn.mkdir(child.root .. "/out", "p")
    child:lua(
      [[
        local root, more = ...
        vim.env.PATH = root .. "/bin:" .. vim.env.PATH
        vim.env.OUT = root .. "/out"
        for name, value in pairs(more) do vim.env[name] = value end
        _G.native = require("claudecode.native")
        vim.env.LIBRARY_NAME = native.file_name()
        _G.target = native.install_dir() .. "/" .. native.file_name()
      ]],
      child.root,
      cargo_env
    )
    library = child:lua([[return target]])
  end

  local function wait_said(count)
    child:wait(("return #said >= %d"):format(count), 20000)
    return child:lua([[return said]])
  end

  after_each(function()
    child:stop()
  end)

  it("is built and put where it is looked for, and the one that is loaded is not written to", function()
    start({})
    local before = vim.fn.systemlist({ "git", "-C", Child.repo(), "status", "--porcelain" })
    child:write(library, "an older one")
    local old = assert(io.open(library, "rb"))
    child:lua([[native.load() vim.cmd.ClaudeCodeBuild() vim.cmd.ClaudeCodeBuild()]])
    local said = wait_said(3)
    assert.matches("building", said[1].text)
    assert.matches("already running", said[2].text)
    assert.matches("built and installed as .*Restart Neovim", said[3].text)
    assert.are.equal("an older one", old:read("*a"))
    old:close()
    assert.are.equal(child:read(vim.env.CLAUDECODE_NATIVE), child:read(library))
    assert.are.equal(
      "build --release --locked --message-format=json-render-diagnostics\n",
      child:read(child.root .. "/out/arguments")
    )
    assert.are.same({ vim.fs.basename(library) }, vim.fn.readdir(vim.fs.dirname(library)))
    assert.are.same(before, vim.fn.systemlist({ "git", "-C", Child.repo(), "status", "--porcelain" }))
  end)

  it("is not replaced by one that cannot be loaded", function()
    start({ LIBRARY = "/etc/passwd" })
    child:write(library, "the present one")
    child:lua([[vim.cmd.ClaudeCodeBuild()]])
    local said = wait_said(2)
    assert.matches("the new library was not installed", said[2].text)
    assert.are.equal("the present one", child:read(library))
    assert.are.same({ vim.fs.basename(library) }, vim.fn.readdir(vim.fs.dirname(library)))
  end)

  it("that does not compile is explained with what cargo said last", function()
    start({ CARGO_FAILS = "1" })
    child:lua([[vim.cmd.ClaudeCodeBuild()]])
    local said = wait_said(2)
    assert.matches("cargo build ended with code 101:\n.*error: it does not compile", said[2].text)
    assert.are.equal(vim.log.levels.ERROR, said[2].level)
    assert.is_nil(vim.uv.fs_stat(library))
  end)

  it("cannot be built without cargo, which is said with where to get it", function()
    start({ PATH = "/nonexistent", CARGO_HOME = "/nonexistent" })
    child:lua([[vim.cmd.ClaudeCodeBuild()]])
    assert.matches("cargo was not found%. Install Rust %(https://rustup%.rs%)", wait_said(2)[2].text)
  end)

  -- As a plugin manager does it: a coroutine that is resumed turn by turn and yields what it has to say.
  local RUN = [[
    local path = ...
    _G.lines, _G.turns, _G.failed, _G.done = {}, 0, nil, false
    local task = coroutine.create(assert(loadfile(path)))
    local function step()
      turns = turns + 1
      local ok, line = coroutine.resume(task)
      if not ok then failed = line end
      if ok and line then table.insert(lines, line) end
      if coroutine.status(task) == "dead" then done = true else vim.schedule(step) end
    end
    step()
  ]]

  it("is built by build.lua under a plugin manager, which goes on meanwhile", function()
    start({})
    child:lua(RUN, Child.repo() .. "/build.lua")
    assert.is_false(child:lua([[return done]]))
    child:wait([[return done]], 20000)
    assert.are.same({ "none", true }, child:lua([[return { failed or "none", turns > 3 }]]))
    local lines = child:lua([[return lines]])
    assert.matches("Compiling something", lines[1])
    assert.matches("installed .*claudecode_native", lines[#lines])
    assert.are.equal(child:read(vim.env.CLAUDECODE_NATIVE), child:read(library))
    assert.is_nil(child:lua([[return package.loaded["claudecode.native.install"] ]]))
  end)

  it("that build.lua cannot build is an error that says why", function()
    start({ CARGO_FAILS = "1" })
    child:lua(RUN, Child.repo() .. "/build.lua")
    child:wait([[return done]], 20000)
    assert.matches("^claudecode%.nvim: cargo build ended with code 101", child:lua([[return failed]]))
  end)

  it("can be built by hand, with nvim -l", function()
    start({})
    local result = child:lua(
      [[
      local result = vim.system({ vim.v.progpath, "--clean", "-l", ... }, { text = true }):wait(20000)
      return { result.code, result.stderr }
    ]],
      Child.repo() .. "/build.lua"
    )
    assert.are.equal(0, result[1], result[2])
    assert.matches("Compiling something", result[2])
    assert.matches("installed ", result[2])
  end)
end)
