-- What a client proposes over the wire and the user accepts untouched comes back byte for byte, in every layout, and so
-- it is in the editor once the client has written it.
local Peer = require("tests.lua.peer")
local stage = require("tests.lua.diff.stage")

local CONTENTS = require("tests.lua.diff.contents")

for _, layout in ipairs({ "vertical", "horizontal", "unified" }) do
  describe(("a proposal of a client (%s)"):format(layout), function()
    local child, peer

    setup(function()
      child = stage.start({
        args = { "b.txt" },
        files = { ["b.txt"] = "b\n" },
        setup = ([[
          require("claudecode").setup({ terminal = { provider = "none" }, diff_opts = { layout = %q } })
        ]]):format(layout),
      })
      peer = Peer.connect(child, { timeout_ms = 30000 })
      peer:initialize()
    end)
    teardown(function()
      peer:close()
      child:stop()
    end)

    ---The CLI's order: close_tab twice while the disk is old, the baseline of diagnostics, the write.
    ---@param rel string
    ---@param text string
    local function write(rel, text)
      local path = child:path(rel)
      for _ = 1, 2 do
        peer:call("close_tab", { tab_name = rel })
      end
      peer:call("getDiagnostics", { uri = "file://" .. path })
      child:write(rel, text)
      peer:call("getDiagnostics")
      stage.wait_closed(child)
    end

    ---@param rel string
    ---@param arguments string JSON of new_file_contents
    ---@return string
    local function accepted(rel, arguments)
      child:lua("events = {}")
      local path = vim.json.encode(child:path(rel))
      peer.next_id = peer.next_id + 1
      local id = "diff " .. peer.next_id
      peer:send_text(
        (
          [[{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"openDiff","arguments":{]]
          .. [["old_file_path":%s,"new_file_path":%s,"tab_name":%q,"new_file_contents":%s}}}]]
        ):format(id, path, path, rel, arguments)
      )
      child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil", 30000)
      child:keys(":w<CR>")
      local result, err = peer:answer(id)
      assert.is_nil(err)
      assert.are.equal("FILE_SAVED", result.content[1].text)
      return result.content[2].text
    end

    ---@param text string
    ---@param expected string
    ---@param what string
    local function is_same(text, expected, what)
      -- Not assert.are.equal(): it would print both.
      local at = 1
      while at <= #expected and text:byte(at) == expected:byte(at) do
        at = at + 1
      end
      assert(text == expected, ("%s: %d bytes, not %d; they differ at %d"):format(what, #text, #expected, at))
    end

    for name, text in vim.spairs(CONTENTS) do
      it("comes back: " .. name, function()
        local encoded = vim.json.encode(text)
        child:write("old.txt", stage.OLD)
        is_same(accepted("old.txt", encoded), text, "of a file")
        write("old.txt", text)
        -- The file as it is now, proposed once more: it is loaded from the disk.
        is_same(accepted("old.txt", encoded), text, "of the same")
        write("old.txt", text)
        is_same(accepted("new/new.txt", encoded), text, "of a new file")
        write("new/new.txt", text)
        vim.fn.delete(child:path("new"), "rf")
      end)
    end

    for name, case in
      vim.spairs({
        ["escaped surrogates are one character"] = { [["\ud83c\udf89\n"]], "🎉\n" },
        ["escapes of all sorts"] = { [["\u0000\u000a\u2028\u00e9\/\n"]], "\0\n\226\128\168é/\n" },
        ["half a surrogate is no character"] = { [["a\ud83cb\n"]], "a\239\191\189b\n" },
        ["the other half neither"] = { [["a\udf89\n"]], "a\239\191\189\n" },
      })
    do
      it("is read as JSON: " .. name, function()
        is_same(accepted("old.txt", case[1]), case[2], name)
        write("old.txt", case[2])
      end)
    end

    it("is what Neovim writes afterwards, from the buffer of the file", function()
      for name, text in vim.spairs(CONTENTS) do
        child:write("seen.txt", stage.OLD)
        child:lua("vim.cmd('silent edit! seen.txt')")
        is_same(accepted("seen.txt", vim.json.encode(text)), text, name)
        write("seen.txt", text)
        -- The reload comes a moment after the write.
        vim.wait(10000, function()
          child:lua("vim.cmd('setlocal nofixendofline | silent noautocmd keepalt write! again.txt')")
          return child:read("again.txt") == text
        end, 5)
        is_same(child:read("again.txt"), text, name .. ", written by Neovim")
      end
      child:lua("vim.cmd('silent bwipeout! seen.txt')")
    end)
  end)
end
