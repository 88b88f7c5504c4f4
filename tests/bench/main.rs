//! What a call costs, measured through a real Neovim: ratios of one run, never absolute times.
//!
//! The floor is `ping` with as many bytes: answered by the native side, without the editor. A bound that does not
//! hold makes the run fail. `make bench` runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // It measures, and prints what it measured.

mod diffs;
#[allow(dead_code)]
#[path = "../rust/msgpack.rs"]
mod msgpack;
#[allow(dead_code)]
#[path = "../rust/neovim.rs"]
mod neovim;
#[allow(dead_code)]
#[path = "../rust/peer.rs"]
mod peer;
mod selection;
#[allow(dead_code)]
#[path = "../rust/server.rs"]
mod server;
mod startup;

use std::{process::ExitCode, time::Instant};

use neovim::{Neovim, Place, Wish};
use peer::Peer;
use serde_json::{Value, json};

/// A Lua side that measures: the longest time in which the main loop did not turn, and vim.json.decode.
const METER: &str = r#"
  local longest, last, timer = 0, nil, vim.uv.new_timer()
  function _G.meter_start()
    longest, last = 0, vim.uv.hrtime()
    timer:start(0, 1, function()
      local now = vim.uv.hrtime()
      longest, last = math.max(longest, now - last), now
    end)
  end
  function _G.meter_stop()
    timer:stop()
    return longest / 1e3
  end
  function _G.decode_us(bytes)
    local text = vim.json.encode({ jsonrpc = "2.0", id = 1, method = "tools/call",
      params = { name = "checkDocumentDirty", arguments = { filePath = ("x"):rep(bytes) } } })
    local times = {}
    for round = 1, 9 do
      collectgarbage()
      local start = vim.uv.hrtime()
      vim.json.decode(text)
      times[round] = vim.uv.hrtime() - start
    end
    table.sort(times)
    return times[5] / 1e3
  end
"#;

struct Bench {
    neovim: Neovim,
    peer: Peer,
    broken: usize,
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

/// Median and 99th percentile.
fn percentiles(times: Vec<f64>) -> (f64, f64) {
    let times = sorted(times);
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

impl Bench {
    /// Microseconds of `count` calls, one after the other.
    fn time(&mut self, count: usize, method: &str, params: &Value) -> Vec<f64> {
        let mut one = || {
            let start = Instant::now();
            self.peer.request(method, params.clone());
            start.elapsed().as_secs_f64() * 1e6
        };
        for _ in 0..=count / 10 {
            one();
        }
        (0..count).map(|_| one()).collect()
    }

    /// Calls a second with 64 in flight.
    fn throughput(&mut self, method: &str, params: &Value) -> f64 {
        const CALLS: u32 = 20_000;
        let start = Instant::now();
        // Answers may come in any order.
        let mut answers = 0;
        for sent in 0..CALLS {
            while sent - answers >= 64 {
                answers += u32::from(self.peer.message().get("id").is_some());
            }
            self.peer.start(method, params.clone());
        }
        while answers < CALLS {
            answers += u32::from(self.peer.message().get("id").is_some());
        }
        f64::from(CALLS) / start.elapsed().as_secs_f64()
    }

    fn bound(&mut self, what: &str, ratio: f64, most: f64) {
        let holds = ratio <= most;
        self.broken += usize::from(!holds);
        let verdict = if holds { "holds" } else { "BROKEN" };
        println!("{what:<62} {ratio:>8.2}   at most {most:>5.1}   {verdict}");
    }

    fn small_calls(&mut self) {
        let call = json!({"name": "getWorkspaceFolders"});
        let (floor, floor_99) = percentiles(self.time(10_000, "ping", &Value::Null));
        let (p50, p99) = percentiles(self.time(10_000, "tools/call", &call));
        println!("ping: {floor:.0} µs (p99 {floor_99:.0}); getWorkspaceFolders: {p50:.0} µs (p99 {p99:.0})");
        self.bound("small call through the editor / floor, p50", p50 / floor, 6.0);
        let (floor, rate) = (self.throughput("ping", &Value::Null), self.throughput("tools/call", &call));
        println!("64 in flight: ping {floor:.0}/s, getWorkspaceFolders {rate:.0}/s");
        self.bound("floor / small call, calls a second with 64 in flight", floor / rate, 8.0);
    }

    fn large_arguments(&mut self) {
        for (size, count) in [(100_000, 300), (1_000_000, 60), (10_000_000, 15)] {
            let text = "x".repeat(size);
            let (floor, _) = percentiles(self.time(count, "ping", &json!({"text": text})));
            let call = json!({"name": "checkDocumentDirty", "arguments": {"filePath": text}});
            let (p50, _) = percentiles(self.time(count, "tools/call", &call));
            println!("{size} bytes: ping {floor:.0} µs, call {p50:.0} µs");
            self.bound(&format!("call with {size} bytes / floor, p50"), p50 / floor, 4.0);
        }
    }

    /// The longest stall of the main loop in a 10 MB call, and vim.json.decode of the same bytes there.
    fn stall(&mut self) {
        const BYTES: usize = 10_000_000;
        let call = json!({"name": "checkDocumentDirty", "arguments": {"filePath": "x".repeat(BYTES)}});
        let measure = |bench: &mut Self, work: &dyn Fn(&mut Peer)| {
            let stalls = (0..9).map(|_| {
                bench.neovim.lua("meter_start()");
                work(&mut bench.peer);
                bench.neovim.lua("return meter_stop()").as_f64().unwrap_or(f64::MAX)
            });
            percentiles(stalls.collect()).0
        };
        let idle = measure(self, &|_| std::thread::sleep(std::time::Duration::from_millis(30)));
        let stalled = measure(self, &|peer| drop(peer.request("tools/call", call.clone())));
        let decode = self.neovim.lua(&format!("return decode_us({BYTES})")).as_f64().unwrap_or_default();
        println!("10 MB call: longest stall {stalled:.0} µs (idle {idle:.0}); vim.json.decode of it {decode:.0} µs");
        self.bound("longest stall in a 10 MB call / vim.json.decode of the same bytes", stalled / decode, 1.0);
    }
}

fn main() -> ExitCode {
    // `cargo test --benches` also comes here; it wants no measurements.
    if std::env::args().any(|argument| argument == "--test") {
        return ExitCode::SUCCESS;
    }
    let place = Place::new();
    let (mut neovim, lock) = Neovim::with_server(&place, &Wish::default());
    neovim.lua(METER);
    let version = neovim.lua("return tostring(vim.version())");
    println!("Neovim {version}");
    let mut bench = Bench { neovim, peer: lock.connect(), broken: 0 };
    bench.startup();
    bench.small_calls();
    bench.large_arguments();
    bench.stall();
    bench.selection();
    bench.diffs(&place.dir);
    if bench.broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
