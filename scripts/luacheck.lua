-- luacheck inside Neovim, so that no Lua interpreter is needed:  nvim -l scripts/luacheck.lua [ARGUMENTS...]
---@diagnostic disable: unresolved-require
local here = assert(vim.uv.fs_realpath(debug.getinfo(1, "S").source:sub(2)))
local repo = vim.fn.fnamemodify(here, ":h:h")
local tools = repo .. "/.cache/tools/lua"
package.path = table.concat({ tools .. "/?.lua", tools .. "/?/init.lua", package.path }, ";")
package.cpath = tools .. "/?.so;" .. package.cpath
require("luacheck.main")
