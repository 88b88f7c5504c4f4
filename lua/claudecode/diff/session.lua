-- Keeps proposals out of what `:mksession` writes while a diff is on the screen.
local M = {}

---@type { before: string, during?: string }?
local options
local shown = 0

---A diff is shown. Sessions leave out windows whose text is no file, as 'sessionoptions' without "blank" asks for: up
---to Neovim 0.11, no event comes before a session is written.
function M.enter()
  shown = shown + 1
  if shown == 1 then
    options = { before = vim.o.sessionoptions }
    vim.opt.sessionoptions:remove("blank")
    options.during = vim.o.sessionoptions
  end
end

---A diff is gone.
function M.leave()
  shown = shown - 1
  if shown == 0 and options then
    -- Unless somebody else has set it meanwhile.
    if vim.o.sessionoptions == options.during then
      vim.o.sessionoptions = options.before
    end
    options = nil
  end
end

return M
