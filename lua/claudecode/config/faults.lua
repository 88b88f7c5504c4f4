-- Words for what is wrong with an option: loaded only where something is.

local M = {}

---Edits (insert, delete, replace a byte) that turn one word into the other.
local function distance(a, b)
  local row = {} ---@type number[]
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      diagonal, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, diagonal + cost)
    end
  end
  return row[#b]
end

local function last_part(key)
  return key:match("[^.]+$")
end

---The known key that a wrong one most likely stands for: by its last part anywhere, a neighbour before the others.
---@param key string full key
---@param known table<string, any>[] tables whose keys are full keys
---@return string|nil
local function nearest(key, known)
  local group = key:match("^(.*)%.") or ""
  local word = last_part(key):lower()
  local best, best_score
  local function consider(candidate)
    local score = distance(word, last_part(candidate)) + ((candidate:match("^(.*)%.") or "") == group and 0 or 0.5)
    if not best_score or score < best_score or (score == best_score and candidate < best) then
      best, best_score = candidate, score
    end
  end
  for _, keys in ipairs(known) do
    for candidate in pairs(keys) do
      consider(candidate)
    end
  end
  return best_score <= math.max(2.5, #word / 2) and best or nil
end

---A value as a person would write it, short enough for a message.
local function shown(value)
  local text = vim.inspect(value, { newline = " ", indent = "" })
  return #text <= 60 and text or text:sub(1, 57) .. "…"
end

---@param value any
---@param kind claudecode.config.Kind
---@return string " did you mean …?" if a word is nearly one that is known, else ""
local function nearest_word(value, kind)
  local best, best_score
  for _, word in ipairs(type(value) == "string" and kind.words or {}) do
    local score = distance(value:lower(), word:lower())
    if not best_score or score < best_score then
      best, best_score = word, score
    end
  end
  return best and best_score <= math.max(2, #best / 3) and (" did you mean %q?"):format(best) or ""
end

---@param key string full key, or what a message says in its place
---@param kind claudecode.config.Kind
---@param value any
---@param option claudecode.config.Option whose default stays
---@return string
function M.wrong(key, kind, value, option)
  local instead = option.default == nil and "leaving it unset" or "using " .. shown(option.default)
  return ("%s:%s expected %s, got %s; %s"):format(key, nearest_word(value, kind), kind.expected, shown(value), instead)
end

---@param key string full key of a table
---@param name any of its entry
---@param expected string
---@param value any
---@return string
function M.wrong_entry(key, name, expected, value)
  local place = type(name) == "string" and key .. "." .. name or ("%s[%s]"):format(key, tostring(name))
  return ("%s: expected %s, got %s; left out"):format(place, expected, shown(value))
end

---@param key string full key of a group, or what stands for it
---@param what string
---@param value any
---@return string
function M.no_table(key, what, value)
  return ("%s: expected %s, got %s"):format(key, what, shown(value))
end

---@param key string full key
---@param name any its last part
---@param known table<string, any>[] tables whose keys are full keys
---@return string
function M.unknown(key, name, known)
  local near = type(name) == "string" and nearest(key, known)
  -- Both keys first: the line may be cut behind them.
  return near and ("%s: did you mean %s?"):format(key, near) or key .. ": unknown option"
end

return M
