---@meta
-- The types of the native module (src/lua_api.rs). Functions return a value, or nil and one sentence; none throws
-- for a failure that can be expected. JSON crosses as text.

---@class claudecode.Native
---@field abi integer Checked at load against native/init.lua.
---@field version string
local Native = {}

---Starts the server; with one that runs, takes over configuration and doorbell (a reload of the Lua side).
---@param config_json string See src/config.rs.
---@return string? info_json {fresh: boolean, doorbell: integer (a descriptor, now the caller's), status: see status()}
---@return string? err
function Native.start(config_json) end

---Removes the lock file and ends the connections; waits at most 50 ms.
---@param handover_path? string Leave port and token there for the process that takes over.
---@return boolean was_running
function Native.stop(handover_path) end

---The oldest event, or nil: then the doorbell will ring for the next.
---@return string? event_json See bridge/drain.lua.
---@return table<string, string>? long_arguments String arguments of 16 KiB and more, left out of the JSON.
function Native.take() end

---Rings the doorbell again, for events that are still queued.
function Native.ring() end

---Answers a tool call.
---@param call integer
---@param json string {"result": …} or {"error": {"code": integer, "message": string}}
---@return boolean taken False when nobody waits any more.
function Native.reply(call, json) end

---Tells one client something, without waiting.
---@param client integer
---@param method string
---@param params_json string
---@return true?
---@return string? err
function Native.notify(client, method, params_json) end

---Makes this the newest selection. Clients that follow get it, unless it is what they last got.
---@param head_json string An object: all params but `text`.
---@param text string Any bytes; those that are not UTF-8 are replaced.
---@return true?
---@return string? err
function Native.publish(head_json, text) end

---Lets a client follow the published selection from now on, behind what was queued for it.
---@param client integer
---@return true?
---@return string? err
function Native.subscribe(client) end

---Has the lock file looked at again.
---@param places_json string {"cwds": string[], "lsp": string[]}
---@return true?
---@return string? err
function Native.workspace(places_json) end

---@return string? status_json See claudecode.Status; nil when no server runs.
function Native.status() end

---Where a Visual selection starts and ends (src/text/selection.rs).
---@param facts_json string
---@return integer? start_line 0-based
---@return integer|string start_character Byte offset, or the error.
---@return integer end_line
---@return integer end_character Exclusive.
---@return integer text_end Where the text ends in the last line.
function Native.span(facts_json) end

---@param text string
---@param max integer Bytes.
---@return integer length Of the longest prefix that ends between two grapheme clusters.
function Native.cut(text, max) end

---Which lines of a text differ from another's (src/text/lines.rs).
---@param old string Any bytes.
---@param new string
---@return integer[] hunks Four numbers for each: first line and count of `old`, first line and count of `new`; from 1.
---A side without lines names the line before the place.
function Native.hunks(old, new) end

---Which words of a changed line went, and which came (src/text/words.rs).
---@param old string Any bytes.
---@param new string
---@return integer[] gone Byte offsets in `old`: start, end (exclusive), start, end; in order.
---@return integer[] added The same in `new`.
function Native.words(old, new) end

---Opens the log once; later calls only set the level.
---@param path string
---@param level "trace"|"debug"|"info"|"warn"|"error"|"off"
---@return true?
---@return string? err
function Native.log_open(path, level) end

---@param level "trace"|"debug"|"info"|"warn"|"error"
---@param component string
---@param line string
function Native.log(level, component, line) end
