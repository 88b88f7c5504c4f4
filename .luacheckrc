-- luacheck: `make lint` runs it inside Neovim (scripts/luacheck.lua).
std = "luajit"
cache = false
max_line_length = 120
read_globals = { "vim" }
ignore = {
  "212/_.*", -- an unused argument whose name says so
  "122/vim", -- vim.bo[buf].x = y sets a field of a read-only global
}
include_files = { "**/*.lua", ".luacheckrc" }
exclude_files = { ".cache", "target" }
files["tests/lua"] = { std = "+busted" }
files[".luacheckrc"] = { std = "+luacheckrc" }
files["**/meta.lua"] = { ignore = { "211", "212", "241" } } -- types only: nothing there is used by code
