//! The module as Lua sees it: the only file that names mlua. `lua/claudecode/native/meta.lua` has the types.
//!
//! Every export returns a value, or nil and one sentence. JSON crosses as text: deep tables cost microseconds an
//! object, and mlua's null is not `vim.NIL`.

// mlua decides what an export takes and returns.
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps)]

use std::{path::PathBuf, sync::Arc};

use log::{Level, LevelFilter};
use mlua::{Error, IntoLuaMulti, Lua, LuaString, MultiValue, Result, Table};
use parking_lot::Mutex;
use serde_json::value::RawValue;

use crate::{
    at_exit,
    bridge::{doorbell::Doorbell, queue::Queue},
    config::{Config, Limits},
    discovery::{
        handover::{self, Address},
        workspace::Places,
    },
    error::StartError,
    log as journal,
    protocol::jsonrpc::to_text,
    server::Server,
    session::{draft::Draft, outbox::Outgoing},
    text::{clusters, lines, selection, words},
};

/// Raised with every change that an older or newer Lua side would misread.
const ABI: u32 = 3;

/// The one piece of global state: the server outlives `package.loaded` and any number of `require`s.
static STATE: Mutex<State> = Mutex::new(State { running: None, address: None });

struct State {
    running: Option<(Server, Arc<Queue>)>,
    /// Where the last server was: the CLI comes back there with the token it has.
    address: Option<Address>,
}

#[mlua::lua_module(name = "claudecode_native")]
fn module(lua: &Lua) -> Result<Table> {
    at_exit::register(leave);
    let exports = lua.create_table()?;
    exports.set("abi", ABI)?;
    exports.set("version", env!("CARGO_PKG_VERSION"))?;
    exports.set("start", lua.create_function(start)?)?;
    exports.set("stop", lua.create_function(stop)?)?;
    exports.set("take", lua.create_function(take)?)?;
    exports.set("ring", lua.create_function(ring)?)?;
    exports.set("reply", lua.create_function(reply)?)?;
    exports.set("notify", lua.create_function(notify)?)?;
    exports.set("publish", lua.create_function(publish)?)?;
    exports.set("subscribe", lua.create_function(subscribe)?)?;
    exports.set("workspace", lua.create_function(workspace)?)?;
    exports.set("status", lua.create_function(status)?)?;
    exports.set("span", lua.create_function(span)?)?;
    exports.set("cut", lua.create_function(cut)?)?;
    exports.set("hunks", lua.create_function(hunks)?)?;
    exports.set("words", lua.create_function(changed_words)?)?;
    exports.set("log_open", lua.create_function(log_open)?)?;
    exports.set("log", lua.create_function(log_line)?)?;
    #[cfg(feature = "fault-injection")]
    exports.set("panic", lua.create_function(|_, ()| -> Result<()> { panic!("asked for by Lua") })?)?;
    Ok(exports)
}

fn failed(lua: &Lua, why: impl std::fmt::Display) -> Result<MultiValue> {
    (mlua::Nil, why.to_string()).into_lua_multi(lua)
}

fn done(lua: &Lua, result: std::result::Result<(), impl std::fmt::Display>) -> Result<MultiValue> {
    match result {
        Ok(()) => true.into_lua_multi(lua),
        Err(why) => failed(lua, why),
    }
}

/// Lua strings may hold any bytes; JSON may not.
fn text(bytes: &LuaString) -> String {
    String::from_utf8_lossy(&bytes.as_bytes()).into_owned()
}

fn raw(json: &LuaString) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(text(json))
}

/// `start(config_json)` → info JSON: the status, and the file descriptor to listen on. With a server that runs, it
/// only takes over the configuration and lets the caller listen in place of the one before.
fn start(lua: &Lua, config: LuaString) -> Result<MultiValue> {
    let config: Config = match serde_json::from_slice(&config.as_bytes()) {
        Ok(config) => config,
        Err(e) => return failed(lua, StartError::from(e)),
    };
    let (doorbell, listen_fd) = match Doorbell::new() {
        Ok(pair) => pair,
        Err(source) => return failed(lua, StartError::System { what: "make a pipe to Neovim", source }),
    };
    let mut state = STATE.lock();
    let fresh = state.running.is_none();
    if let Some((server, queue)) = &state.running {
        server.reconfigure(config);
        queue.attach(doorbell);
    } else {
        let queue = Arc::new(Queue::default());
        queue.attach(doorbell);
        let left = config.handover.as_deref().and_then(handover::take);
        let address = left.or_else(|| state.address.clone());
        match Server::start(config, Limits::default(), queue.clone(), address) {
            Ok(server) => state.running = Some((server, queue)),
            Err(e) => return failed(lua, e),
        }
    }
    let Some((server, _)) = &state.running else { return failed(lua, "the server is not running") };
    let info = serde_json::json!({"fresh": fresh, "doorbell": listen_fd, "status": server.status()});
    to_text(&info).into_lua_multi(lua)
}

/// `stop(handover_path?)`. With a path, port and token are left there for the process that takes over.
fn stop(_: &Lua, handover: Option<LuaString>) -> Result<bool> {
    let mut state = STATE.lock();
    let Some((server, queue)) = state.running.take() else { return Ok(false) };
    let address = server.address();
    if let Some(path) = handover {
        handover::leave(&PathBuf::from(text(&path)), &address);
    }
    state.address = Some(address);
    queue.detach();
    server.stop();
    Ok(true)
}

/// The process ends, and nobody has called `stop`.
extern "C" fn leave() {
    // Never waits: at this point nobody could give the lock back.
    if let Some((server, _)) = STATE.try_lock().and_then(|mut state| state.running.take()) {
        server.stop();
    }
}

/// `take()` → event JSON and a table of long string arguments, or nothing.
fn take(lua: &Lua, (): ()) -> Result<MultiValue> {
    let next = STATE.lock().running.as_ref().and_then(|(_, queue)| queue.take());
    let Some(delivery) = next else { return ().into_lua_multi(lua) };
    if delivery.long.is_empty() {
        return delivery.json.into_lua_multi(lua);
    }
    let long = lua.create_table_with_capacity(0, delivery.long.len())?;
    for (name, text) in delivery.long {
        long.raw_set(name, text)?;
    }
    (delivery.json, long).into_lua_multi(lua)
}

/// `ring()`: wakes the main loop again for what is still queued.
fn ring(_: &Lua, (): ()) -> Result<()> {
    if let Some((_, queue)) = &STATE.lock().running {
        queue.ring();
    }
    Ok(())
}

/// `reply(call, json)` → whether somebody waited for it.
fn reply(_: &Lua, (call, json): (u64, LuaString)) -> Result<bool> {
    let bytes = json.as_bytes().to_vec();
    Ok(STATE.lock().running.as_ref().is_some_and(|(server, _)| server.hub().pending.complete(call, bytes)))
}

fn with_server(
    lua: &Lua,
    action: impl FnOnce(&Server) -> std::result::Result<(), Box<dyn std::error::Error>>,
) -> Result<MultiValue> {
    match &STATE.lock().running {
        Some((server, _)) => done(lua, action(server)),
        None => failed(lua, "the server is not running"),
    }
}

/// `notify(client, method, params_json)` → true.
fn notify(lua: &Lua, (client, method, params): (u64, LuaString, LuaString)) -> Result<MultiValue> {
    with_server(lua, |server| Ok(server.hub().notify(client, &text(&method), &raw(&params)?)?))
}

/// `publish(head_json, text)` → true: the newest selection, for all who follow. The text stands beside the JSON: it may
/// be long, and this happens at every movement.
fn publish(lua: &Lua, (head, text): (LuaString, LuaString)) -> Result<MultiValue> {
    with_server(lua, |server| {
        server.hub().publish(Draft::new(head.as_bytes().to_vec(), text.as_bytes().to_vec()));
        Ok(())
    })
}

/// `subscribe(client)` → true: from now on, behind what is queued, the client follows the published selection.
fn subscribe(lua: &Lua, client: u64) -> Result<MultiValue> {
    with_server(lua, |server| Ok(server.hub().registry.send(client, Outgoing::Follow)?))
}

/// `workspace(places_json)` → true: the lock file will be looked at again.
fn workspace(lua: &Lua, places: LuaString) -> Result<MultiValue> {
    with_server(lua, |server| {
        server.moved(serde_json::from_slice::<Places>(&places.as_bytes())?);
        Ok(())
    })
}

/// `status()` → JSON, or nil when no server runs.
fn status(_: &Lua, (): ()) -> Result<Option<String>> {
    Ok(STATE.lock().running.as_ref().map(|(server, _)| to_text(&server.status())))
}

/// `span(facts_json)` → start line, start character, end line, end character, and where the text ends.
fn span(lua: &Lua, facts: LuaString) -> Result<MultiValue> {
    match serde_json::from_slice::<selection::Facts>(&facts.as_bytes()) {
        Ok(facts) => {
            let span = selection::span(&facts);
            (span.start.line, span.start.character, span.end.line, span.end.character, span.text_end)
                .into_lua_multi(lua)
        }
        Err(e) => failed(lua, e),
    }
}

/// `cut(text, max_bytes)` → length of the longest prefix that ends between two grapheme clusters.
fn cut(_: &Lua, (text, max): (LuaString, usize)) -> Result<usize> {
    Ok(clusters::cut(&text.as_bytes(), max))
}

/// `hunks(old, new)` → four numbers for each: first line and count of the old text, first line and count of the new one.
fn hunks(_: &Lua, (old, new): (LuaString, LuaString)) -> Result<Vec<u32>> {
    let hunks = lines::hunks(&old.as_bytes(), &new.as_bytes());
    Ok(hunks.iter().flat_map(|hunk| [hunk.from_start, hunk.from_count, hunk.to_start, hunk.to_count]).collect())
}

/// `words(old, new)` → what went and what came, each as a list of byte offsets: start, end, start, end.
fn changed_words(_: &Lua, (old, new): (LuaString, LuaString)) -> Result<(Vec<usize>, Vec<usize>)> {
    let (gone, added) = words::changed(&old.as_bytes(), &new.as_bytes());
    let flat = |ranges: words::Ranges| ranges.into_iter().flat_map(|range| [range.start, range.end]).collect();
    Ok((flat(gone), flat(added)))
}

/// `log_open(path, level)`: the levels are trace, debug, info, warn, error.
fn log_open(lua: &Lua, (path, level): (LuaString, LuaString)) -> Result<MultiValue> {
    let level = text(&level);
    match level.parse::<LevelFilter>() {
        Ok(level) => {
            journal::open(&PathBuf::from(text(&path)), level);
            true.into_lua_multi(lua)
        }
        Err(_) => failed(lua, format!("no log level is called {level}")),
    }
}

/// `log(level, component, text)`.
fn log_line(_: &Lua, (level, component, line): (LuaString, LuaString, LuaString)) -> Result<()> {
    let level = text(&level).parse::<Level>().map_err(|_| Error::runtime("no such log level"))?;
    journal::write_line(level, &text(&component), &text(&line));
    Ok(())
}
