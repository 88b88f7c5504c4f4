-- Which files the globs of selection.exclude mean, the default ones first of all.
local Child = require("tests.lua.child")

describe("selection.exclude", function()
  local child

  setup(function()
    child = Child.start({})
  end)

  teardown(function()
    child:stop()
  end)

  ---@param globs string[]? the default when nil
  ---@return boolean
  local function excludes(globs, path)
    return child:lua(
      [[
        local list, path = ...
        local globs = require("claudecode.context.globs")
        list = list ~= vim.NIL and list or require("claudecode.config").defaults().selection.exclude
        return globs.find(vim.tbl_map(globs.compile, list), path) ~= nil
      ]],
      globs or vim.NIL,
      path
    )
  end

  it("covers by default what people keep secrets in", function()
    local names = [[
      .env .env.local .envrc prod.env .ENV terraform.tfvars terraform.tfstate
      id_rsa id_ed25519 id_ed25519_github ID_RSA server.key tls.pem a.p12 a.pfx AuthKey.p8 putty.ppk store.jks db.kdbx
      notes.gpg vpn.ovpn .ssh/config .gnupg/x .password-store/a/b.txt config/master.key
      credentials .aws/credentials .aws/config credentials.json application_default_credentials.json
      .claude/.credentials.json credentials.yml.enc .cargo/credentials.toml client_secret_1.json
      secrets.yml secrets.yaml secret.toml .secrets .vault-token .kube/config kubeconfig .docker/config.json
      .config/gh/hosts.yml .netrc _netrc .netrc.gpg .npmrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd
      rclone.conf .bash_history .zsh_history
    ]]
    for name in names:gmatch("%S+") do
      assert.is_true(excludes(nil, "/home/me/" .. name), name)
    end
    assert.is_true(excludes(nil, "/dev/shm/pass.Ab3/x.txt"))
    assert.is_true(excludes(nil, "/etc/shadow"))
  end)

  it("leaves by default what people want help with", function()
    local names = [[
      a.txt environment.ts env.lua src/env.d.ts keys.rs keyboard.key.ts public/config credentials.rs secret_santa.py
      Dockerfile config.json package.json .gitignore hosts.yml ssh/config history.md tsconfig.json pem.go
    ]]
    for name in names:gmatch("%S+") do
      assert.is_false(excludes(nil, "/home/me/" .. name), name)
    end
  end)

  it("takes globs for names, paths and directories, and ignores case", function()
    for _, case in ipairs({
      { "*.sql", "/p/A.SQL", true },
      { "*.sql", "/p/a.sqlx", false },
      { ".env*", "/.env/x", false },
      { "private/", "/p/private/deep/.x", true },
      { "private/", "/p/private", false },
      { "private/*", "/p/private/x", true },
      { "private/*", "/p/private/deep/x", false },
      { "a/**/b", "/x/a/b", true },
      { "a/**/b", "/x/a/1/2/b", true },
      { "aws/x", "/h/my-aws/x", false },
      { "/h/*", "/h/x", true },
      { "/h/*", "/q/h/x", false },
      { "x.{a,{b,c}}", "/x.c", true },
      { "[!a-c]?", "/d日", true },
      { "[!a-c]?", "/bx", false },
      { "a.b", "/axb", false },
      { "a**b", "/aqqb", true },
      { "[ab", "/[ab", true },
      { "{a", "/{a", true },
      { "[z-a]", "/[z-a]", true },
      { "a\\|b", "/a", false },
      { "~a$^.", "/~a$^.", true },
      { "É*", "/éa", true },
      { "*.pem", "/a\255.pem", true },
      { "*.pem", "/a\nb.pem", true },
      { "p/", "/p/a\nb", true },
    }) do
      assert.are.equal(case[3], excludes({ case[1] }, case[2]), vim.inspect(case))
    end
    assert.is_true(excludes({ "~/x" }, child:lua([[return vim.uv.os_homedir()]]) .. "/x"))
    assert.is_false(excludes({ "~/x" }, "/q/x"))
  end)
end)
