-- Stands in for fzf-lua: require("fzf-lua.path").entry_to_file(line, opts), whose lines have icon, no-break space, path
-- and position. Run in the Neovim under test.
package.preload["fzf-lua.path"] = function()
  return {
    entry_to_file = function(line, opts)
      local path = line:gsub("^.*\u{2002}", "")
      local file, lnum, col = path:match("^(.-):(%d+):(%d+):")
      path = file or path
      if opts.cwd and path:sub(1, 1) ~= "/" then
        path = opts.cwd .. "/" .. path
      end
      return { stripped = path, path = path, line = tonumber(lnum) or 0, col = tonumber(col) or 0 }
    end,
  }
end
