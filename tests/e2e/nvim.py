"""A real Neovim with the plugin, in a terminal: real keys go in, Lua queries come out over --listen."""
import json
import os
import time

import rpc

INIT = """
vim.opt.runtimepath:append({plugin})
vim.o.swapfile, vim.o.shadafile, vim.o.more = false, "NONE", false
{before}
"""

WINDOWS = """
local all = {}
for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    local buf = vim.api.nvim_win_get_buf(win)
    all[#all + 1] = {
      win = win, tab = tab, buf = buf, name = vim.api.nvim_buf_get_name(buf), kind = vim.bo[buf].buftype,
      diff = vim.wo[win].diff, modified = vim.bo[buf].modified,
      text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\\n"),
    }
  end
end
return all
"""


class Held(Exception):
    """Neovim waits at a prompt that no scenario asked for."""


class Nvim:
    """One Neovim; `before` is Lua that runs ahead of the plugin's own files (vim.g.claudecode = ...)."""

    def __init__(self, tmux, binary, plugin, run, cwd, env, files=(), before=""):
        self.socket, self.client = os.path.join(run, "nvim.sock"), None
        init = os.path.join(run, "init.lua")
        with open(init, "w") as f:
            f.write(INIT.format(plugin=json.dumps(plugin), before=before))
        argv = [binary, "--clean", "--listen", self.socket, "-u", init, *files]
        self.pane = tmux.start("nvim", argv, cwd, env)

    def lua(self, code):
        """Runs a Lua chunk in Neovim and returns its value, by way of JSON; fails if a prompt holds Neovim."""
        client, end = self._client(), time.monotonic() + 2
        while client.call("nvim_get_mode").get("blocking"):
            if time.monotonic() > end:
                raise Held("Neovim is held by a prompt (hit-enter?) and runs nothing until the user presses a key")
            time.sleep(0.03)
        chunk = f"local value = (function() {code}\nend)() return vim.json.encode(value == nil and vim.NIL or value)"
        return json.loads(client.call("nvim_exec_lua", chunk, []))

    def _client(self):
        end = time.monotonic() + 15
        while self.client is None:
            try:
                self.client = rpc.Client(self.socket)
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.03)
        return self.client

    def ex(self, command):
        """Types an Ex command, as a user does."""
        self.pane.type(":" + command)
        self.pane.keys("Enter")

    def windows(self):
        return self.lua(WINDOWS)

    def buffers(self):
        """The names of all buffers."""
        return self.lua("return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())")

    def layout(self):
        """What a user would notice to be out of place: splits, sizes, views, folds, current window and buffer."""
        return self.lua("""
          local views = {}
          for _, win in ipairs(vim.api.nvim_list_wins()) do
            local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
            local options = {}
            for _, name in ipairs({ "foldmethod", "foldenable", "foldcolumn", "scrollbind", "cursorbind", "wrap" }) do
              options[#options + 1] = tostring(vim.wo[win][name])
            end
            local closed = vim.api.nvim_win_call(win, function() return vim.fn.foldclosed(1) end)
            views[#views + 1] = { options, closed, win, vim.api.nvim_win_get_buf(win), vim.api.nvim_win_get_width(win),
              vim.api.nvim_win_get_height(win), view.lnum, view.col, view.topline }
          end
          return { vim.fn.winlayout(), vim.api.nvim_get_current_win(), views, vim.fn.tabpagenr("$") }""")

    def focus(self, win):
        """Makes a window current, in Normal mode."""
        self.lua(f"vim.api.nvim_set_current_win({win}) vim.cmd.stopinsert()")

    def messages(self):
        return self.lua('return vim.api.nvim_exec2("messages", { output = true }).output')

    def proposal(self, text, path):
        """The window that shows exactly `text` in a buffer that is not the file itself, or None."""
        for window in self.windows():
            if window["text"].rstrip("\n") == text.rstrip("\n") and window["name"] != path:
                return window
        return None
