//! Handshake, frames, JSON-RPC and the MCP life cycle, as a peer on the wire sees them.

use std::{
    io::{Read, Write},
    time::{Duration, Instant},
};

use claudecode_native::{bridge::Event, session::draft::Draft};
use serde_json::{Value, json};

use super::{
    peer::{Got, Peer, dial, frame, http, upgrade_head},
    server::{Served, until},
};

fn status_of(served: &Served, headers: &[(&str, &str)]) -> u16 {
    http(served.port, &upgrade_head(headers)).1
}

#[test]
fn only_the_token_from_a_loopback_host_without_origin_is_upgraded() {
    let served = Served::with(|config| config.allowed_hosts = vec!["host.docker.internal".into()], |_| {});
    let (host, token) = (format!("127.0.0.1:{}", served.port), served.token.clone());
    let auth = "x-claude-code-ide-authorization";
    let bearer = format!("Bearer {token}");
    assert_eq!(status_of(&served, &[("Host", &host), (auth, &token)]), 101);
    assert_eq!(status_of(&served, &[("Host", &host), ("Authorization", &bearer)]), 101);
    assert_eq!(status_of(&served, &[("Host", "host.docker.internal:1"), (auth, &token)]), 101);
    assert_eq!(status_of(&served, &[("Host", &host)]), 401);
    assert_eq!(status_of(&served, &[("Host", &host), (auth, &token[..20])]), 401);
    assert_eq!(status_of(&served, &[("Host", &host), (auth, &token), ("Origin", "http://evil.example")]), 403);
    assert_eq!(status_of(&served, &[("Host", "evil.example"), (auth, &token)]), 403);
}

#[test]
fn the_subprotocol_is_echoed_when_offered_and_only_then() {
    let served = Served::start();
    let host = format!("127.0.0.1:{}", served.port);
    let head = |protocols: &str| {
        let mut headers = vec![("Host", host.as_str()), ("x-claude-code-ide-authorization", &served.token)];
        if !protocols.is_empty() {
            headers.push(("Sec-WebSocket-Protocol", protocols));
        }
        http(served.port, &upgrade_head(&headers)).2
    };
    assert!(head("mcp").contains("\r\nsec-websocket-protocol: mcp\r\n"));
    assert!(head("chat, mcp").contains("\r\nsec-websocket-protocol: mcp\r\n"));
    assert!(!head("chat").contains("sec-websocket-protocol"));
    assert!(!head("").contains("sec-websocket-protocol"));
    assert!(!head("mcp").contains("sec-websocket-extensions"), "no extension is negotiated");
    assert!(head("mcp").contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="));
}

#[test]
fn other_http_requests_get_proper_statuses() {
    let served = Served::start();
    let ask = |head: &str| http(served.port, head).1;
    let rest = format!("Host: 127.0.0.1\r\nx-claude-code-ide-authorization: {}\r\n\r\n", served.token);
    assert_eq!(ask(&format!("GET / HTTP/1.1\r\n{rest}")), 426);
    assert_eq!(ask(&format!("GET /sse HTTP/1.1\r\n{rest}")), 426);
    assert_eq!(ask(&format!("POST / HTTP/1.1\r\nContent-Length: 0\r\n{rest}")), 405);
    assert_eq!(ask("nonsense\r\n\r\n"), 400);
    let old = upgrade_head(&[("Host", "127.0.0.1")]).replace("Version: 13", "Version: 8");
    assert_eq!(ask(&old), 426);
    let keyless = upgrade_head(&[("Host", "127.0.0.1")]).replace("dGhlIHNhbXBsZSBub25jZQ==", "short");
    assert_eq!(ask(&keyless), 400);
}

#[test]
fn a_bare_connect_and_close_disturbs_nobody() {
    let served = Served::start();
    let mut peer = served.initialized();
    drop(dial(served.port));
    assert_eq!(peer.request("ping", Value::Null)["result"], json!({}));
    assert!(served.server().status().journal.last_error.is_none(), "the CLI probes a port so");
}

#[test]
fn who_does_not_finish_the_handshake_in_time_is_let_go() {
    let served = Served::with(|_| {}, |limits| limits.handshake = Duration::from_millis(300));
    let mut slow = dial(served.port);
    slow.write_all(b"GET / HTTP/1.1\r\nHost: 127").unwrap();
    let mut rest = Vec::new();
    let begun = Instant::now();
    slow.read_to_end(&mut rest).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5));
    let mut mute = served.connect();
    assert_eq!(mute.next(), Got::Close(Some(1008)), "no initialize");
    let mut good = served.initialized();
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(good.request("ping", Value::Null)["result"], json!({}), "a client that came in time stays");
}

#[test]
fn one_session_too_many_gets_503_and_a_place_when_one_leaves() {
    let served = Served::with(|_| {}, |limits| limits.sessions = 2);
    let (first, _second) = (served.initialized(), served.initialized());
    let host = format!("127.0.0.1:{}", served.port);
    let headers = [("Host", host.as_str()), ("x-claude-code-ide-authorization", &served.token)];
    assert_eq!(status_of(&served, &headers), 503);
    first.vanish();
    until("the place is free", || served.server().status().clients.len() == 1);
    assert_eq!(status_of(&served, &headers), 101);
}

#[test]
fn fragments_are_joined_with_a_ping_between() {
    let served = Served::start();
    let mut peer = served.initialized();
    let text = json!({"jsonrpc": "2.0", "id": "é", "method": "ping"}).to_string();
    let (one, rest) = text.as_bytes().split_at(25);
    let (two, three) = rest.split_at(3);
    peer.raw(&frame(0x01, true, one));
    peer.raw(&frame(0x89, true, b"are you there"));
    assert_eq!(peer.next(), Got::Pong(b"are you there".to_vec()));
    peer.raw(&frame(0x00, true, two));
    peer.raw(&frame(0x80, true, three));
    assert_eq!(peer.message(), json!({"jsonrpc": "2.0", "id": "é", "result": {}}));
}

#[test]
fn a_bad_frame_ends_its_own_connection_with_the_right_code() {
    let served = Served::with(|_| {}, |limits| limits.message_in = 1 << 20);
    let mut other = served.initialized();
    let mut huge = vec![0x81, 0xff];
    huge.extend((8_u64 << 30).to_be_bytes());
    huge.extend([1, 2, 3, 4]);
    let cases: [(&str, Vec<u8>, u16); 9] = [
        ("invalid UTF-8", frame(0x81, true, b"\xff\xfe"), 1007),
        ("UTF-8 cut at the end", frame(0x81, true, "日".as_bytes().split_at(2).0), 1007),
        ("reserved bit", frame(0xc1, true, b"{}"), 1002),
        ("not masked", frame(0x81, false, b"{}"), 1002),
        ("reserved opcode", frame(0x83, true, b"{}"), 1002),
        ("close with one byte", frame(0x88, true, b"\x03"), 1002),
        ("ping in fragments", frame(0x09, true, b""), 1002),
        ("continuation of nothing", frame(0x80, true, b"{}"), 1002),
        ("declared length of 8 GiB", huge, 1009),
    ];
    for (what, bytes, code) in cases {
        let mut peer = served.initialized();
        peer.raw(&bytes);
        assert_eq!(peer.next(), Got::Close(Some(code)), "{what}");
        assert_eq!(other.request("ping", Value::Null)["result"], json!({}), "{what}: others go on");
    }
    let mut peer = served.initialized();
    peer.raw(&frame(0x81, true, &vec![b' '; (1 << 20) + 1]));
    assert_eq!(peer.next(), Got::Close(Some(1009)), "over the cap");
}

#[test]
fn a_close_is_answered_and_a_reset_is_no_fault() {
    let served = Served::start();
    let mut peer = served.initialized();
    peer.raw(&frame(0x88, true, &1000_u16.to_be_bytes()));
    assert_eq!(peer.next(), Got::Close(Some(1000)));
    assert_eq!(peer.next(), Got::Gone);
    served.initialized().vanish();
    until("both are gone", || served.server().status().clients.is_empty());
    assert!(served.server().status().journal.last_error.is_none());
}

#[test]
fn initialize_answers_the_revision_asked_for_if_known() {
    let served = Served::start();
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let mut peer = served.connect();
        let reply = peer.request("initialize", json!({"protocolVersion": asked, "capabilities": {}}));
        assert_eq!(
            reply["result"],
            json!({"protocolVersion": answered, "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "claudecode.nvim", "title": "Neovim", "version": "9.9.9"},
                "instructions": "Be kind."}),
        );
    }
}

#[test]
fn every_kind_of_wrong_message_gets_its_error() {
    let served = Served::start();
    let mut peer = served.initialized();
    let cases: [(&str, Value, i32); 17] = [
        ("not json", Value::Null, -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", Value::Null, -32700),
        ("", Value::Null, -32700),
        ("[]", Value::Null, -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Value::Null, -32600),
        ("3", Value::Null, -32600),
        ("{}", Value::Null, -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", json!(1), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", Value::Null, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", Value::Null, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":7}", json!(2), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"no/such\"}", json!("a"), -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\"}", json!(3), -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":[]}", json!(4), -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"nope\"}}", json!(5), -32602),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":7}}",
            json!(6),
            -32602,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":7}}}",
            json!(7),
            -32602,
        ),
    ];
    for (text, id, code) in cases {
        peer.text(text);
        let reply = peer.message();
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&id, &json!(code)), "{text}: {reply}");
        assert!(reply["error"]["message"].as_str().is_some_and(|m| !m.is_empty()));
    }
    assert_eq!(peer.request("ping", Value::Null)["result"], json!({}), "the session goes on");
}

#[test]
fn ids_come_back_as_they_were_written() {
    let served = Served::start();
    let mut peer = served.initialized();
    for id in ["\"a\\u00e9\"", "9007199254740993", "-0", "1.50", "12345678901234567890123"] {
        peer.text(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"));
        let Got::Text(reply) = peer.next() else { panic!("no reply to id {id}") };
        assert_eq!(reply, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"));
    }
}

#[test]
fn notifications_and_answers_are_never_answered() {
    let served = Served::start();
    let mut peer = served.connect();
    peer.notify("no/such/thing", json!({}));
    peer.notify("log_event", json!([1]));
    peer.text("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
    peer.text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}");
    assert_eq!(peer.request("initialize", json!({}))["id"], json!(1), "nothing came before it");
    peer.notify("no/such/thing", Value::Null);
    assert_eq!(peer.request("ping", Value::Null)["id"], json!(2));
}

#[test]
fn tools_are_listed_without_aliases_and_called_with_checked_arguments() {
    let served = Served::start();
    let mut peer = served.initialized();
    let tools = peer.request("tools/list", Value::Null)["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap().iter().map(|t| t["name"].clone()).collect::<Vec<_>>().len(), 4);
    assert_eq!(
        tools[0],
        json!({"name": "echo", "description": "for tests",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}, "count": {"type": "integer"}}}})
    );
    for name in ["echo", "echoAlias"] {
        let arguments = json!({"text": "日本", "count": null, "unknown": {"deep": [1]}});
        let reply = peer.request("tools/call", json!({"name": name, "arguments": arguments, "_meta": {"x": 1}}));
        assert_eq!(reply["result"]["content"][0]["text"], json!({"text": "日本"}).to_string());
    }
    assert_eq!(served.editor.calls.lock().last().unwrap().tool, "echo", "the listed name is passed on");
    assert!(!served.editor.calls.lock().last().unwrap().by_model);
    peer.request("tools/call", json!({"name": "echo", "_meta": {"claudecode/toolUseId": "toolu_1"}}));
    assert!(served.editor.calls.lock().last().unwrap().by_model);
}

#[test]
fn a_busy_editor_and_a_panic_are_errors_and_the_session_goes_on() {
    let served = Served::start();
    let mut peer = served.initialized();
    assert_eq!(peer.request("tools/call", json!({"name": "refuse"}))["error"]["code"], json!(-32000));
    let reply = peer.request("tools/call", json!({"name": "panic"}));
    assert_eq!(reply["error"], json!({"code": -32603, "message": "internal error"}));
    assert_eq!(peer.request("ping", Value::Null)["result"], json!({}));
    assert_eq!(served.server().status().pending, 0, "nothing is left waiting");
}

#[test]
fn a_call_ends_by_cancel_or_disconnect_and_is_never_answered_then() {
    let served = Served::start();
    let mut peer = served.initialized();
    let id = peer.start("tools/call", json!({"name": "wait"}));
    until("the call arrives", || served.editor.calls.lock().len() == 1);
    let call = served.editor.calls.lock()[0].call;
    peer.notify("notifications/cancelled", json!({"requestId": id}));
    served.told("cancelled", |event| *event == Event::Ended { call, reason: "cancelled" });
    assert!(!served.editor.hub().pending.complete(call, b"{\"result\":{}}".to_vec()), "too late");
    assert_eq!(peer.request("ping", Value::Null)["result"], json!({}), "no answer to the cancelled one before it");

    peer.start("tools/call", json!({"name": "wait"}));
    until("the call arrives", || served.editor.calls.lock().len() == 2);
    let call = served.editor.calls.lock()[1].call;
    peer.vanish();
    served.told("disconnected", |event| *event == Event::Ended { call, reason: "disconnected" });
    served.told("gone", |event| matches!(event, Event::Disconnected { .. }));
    assert_eq!(served.server().status().pending, 0);
}

#[test]
fn calls_of_one_session_are_bounded() {
    let served = Served::with(|_| {}, |limits| limits.calls = 3);
    let mut peer = served.initialized();
    for _ in 0..3 {
        peer.start("tools/call", json!({"name": "wait"}));
    }
    assert_eq!(peer.request("tools/call", json!({"name": "wait"}))["error"]["code"], json!(-32000));
    let mut other = served.initialized();
    assert!(other.request("tools/call", json!({"name": "echo"}))["result"].is_object(), "others are not concerned");
}

#[test]
fn an_answer_of_lua_is_made_valid_or_becomes_an_error() {
    let served = Served::with(|_| {}, |limits| limits.message_out = 4096);
    let mut peer = served.initialized();
    let long = format!("{{\"result\":\"{}\"}}", "x".repeat(5000));
    let cases: [(&[u8], Value); 4] = [
        (b"{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\xff\"}]}}", json!("a\u{fffd}")),
        (b"{\"result\":", json!("The editor's answer could not be sent; its log has the details.")),
        (b"{\"error\":{\"code\":-32000,\"message\":\"no\"}}", json!(-32000)),
        (long.as_bytes(), json!(-32603)),
    ];
    for (number, (answer, expected)) in cases.into_iter().enumerate() {
        let id = peer.start("tools/call", json!({"name": "wait"}));
        until("the call arrives", || served.editor.calls.lock().len() == number + 1);
        let call = served.editor.calls.lock()[number].call;
        assert!(served.editor.hub().pending.complete(call, answer.to_vec()));
        let reply = peer.reply(id);
        assert!(
            reply["result"]["content"][0]["text"] == expected || reply["error"]["code"] == expected,
            "{reply} has no {expected}"
        );
    }
}

#[test]
fn a_message_over_one_mebibyte_is_parsed_aside_and_answered_in_order() {
    let served = Served::start();
    let mut peer = served.initialized();
    let text = "ä".repeat(1 << 20);
    let reply = peer.request("tools/call", json!({"name": "echo", "arguments": {"text": text}}));
    assert_eq!(reply["result"]["content"][0]["text"], json!({"text": text}).to_string());
}

#[test]
fn a_client_is_ready_150_ms_after_its_first_list_or_a_second_after_initialized() {
    let ready = |event: &Event| matches!(event, Event::Ready { .. });
    let served = Served::start();
    let _peer = served.initialized();
    let begun = Instant::now();
    served.told("ready", ready);
    assert!(begun.elapsed() > Duration::from_millis(100), "not before the CLI listens");

    let served = Served::with(|_| {}, |limits| limits.ready_unasked = Duration::from_millis(300));
    let mut peer = served.connect();
    peer.request("initialize", json!({}));
    assert!(!served.editor.events.lock().iter().any(ready), "initialize alone is not enough");
    peer.notify("notifications/initialized", Value::Null);
    served.told("ready without a list", ready);
}

#[test]
fn the_cli_is_ready_when_it_has_answered_two_pings_or_had_time_to() {
    let ready = |served: &Served| served.editor.events.lock().iter().any(|e| matches!(e, Event::Ready { .. }));
    let hello = json!({"clientInfo": {"name": "claude-code", "version": "2.1.332"}});
    let served = Served::with(|_| {}, |limits| limits.ready_pings = Duration::from_secs(60));
    let mut peer = served.connect();
    peer.request("initialize", hello.clone());
    peer.request("tools/list", Value::Null);
    for _ in 0..2 {
        let ping = peer.message();
        assert_eq!((&ping["method"], ready(&served)), (&json!("ping"), false));
        peer.text(&json!({"jsonrpc": "2.0", "id": "another", "result": {}}).to_string());
        peer.text(&json!({"jsonrpc": "2.0", "id": ping["id"], "result": {}}).to_string());
    }
    until("it is ready", || ready(&served));

    let served = Served::with(|_| {}, |limits| limits.ready_pings = Duration::from_millis(200));
    let mut mute = served.connect();
    mute.request("initialize", hello);
    mute.request("tools/list", Value::Null);
    until("a mute one is ready too", || ready(&served));
}

#[test]
fn the_editor_learns_who_comes_and_goes() {
    let served = Served::start();
    let mut peer = served.initialized();
    peer.notify("ide_connected", json!({"pid": 4711}));
    served.told("identified", |event| *event == Event::Identified { client: 1, pid: 4711 });
    served
        .told("connected", |event| *event == Event::Connected { client: 1, name: "test".into(), version: "1".into() });
    let status = json!(served.server().status());
    assert_eq!(status["clients"][0]["pid"], json!(4711));
    assert_eq!(status["last_handshake"]["what"], json!("test 1"));
    let mute = served.connect();
    mute.vanish();
    peer.vanish();
    served.told("gone", |event| matches!(event, Event::Disconnected { client: 1, .. }));
    until("both are gone", || served.server().status().clients.is_empty());
    assert!(
        !served.editor.events.lock().iter().any(|e| matches!(e, Event::Disconnected { client: 2, .. })),
        "who never introduced itself never was a client"
    );
}

fn publish(served: &Served, text: &str) {
    served.server().hub().publish(Draft::new(b"{}".to_vec(), text.into()));
}

#[test]
fn a_follower_gets_the_newest_state_once_and_behind_what_was_queued() {
    let served = Served::start();
    let mut peer = served.initialized();
    publish(&served, "old");
    publish(&served, "new");
    let params = serde_json::value::to_raw_value(&json!({"filePath": "/a"})).unwrap();
    let hub = served.server().hub().clone();
    hub.notify(1, "at_mentioned", &params).unwrap();
    hub.registry.send(1, claudecode_native::session::outbox::Outgoing::Follow).unwrap();
    assert_eq!(peer.message()["method"], json!("at_mentioned"));
    assert_eq!(peer.message(), json!({"jsonrpc": "2.0", "method": "selection_changed", "params": {"text": "new"}}));
    publish(&served, "new");
    assert!(peer.is_silent_for(Duration::from_millis(100)), "what equals the last is not sent");
    publish(&served, "newer");
    assert_eq!(peer.message()["params"]["text"], json!("newer"));
}

#[test]
fn a_slow_reader_gets_the_newest_state_and_no_backlog() {
    let served = Served::start();
    let mut peer = served.initialized();
    served.server().hub().registry.send(1, claudecode_native::session::outbox::Outgoing::Follow).unwrap();
    // Far more than the kernel's buffers hold, while nobody reads.
    for number in 0..100 {
        publish(&served, &format!("{number}:{}", "x".repeat(1 << 20)));
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut got = 0;
    loop {
        let text = peer.notification("selection_changed")["params"]["text"].as_str().unwrap().to_string();
        got += 1;
        if text.starts_with("99:") {
            break;
        }
    }
    assert!(got < 90, "{got} of 100 states were sent to a peer that did not read");
}

#[test]
fn notifications_to_a_stuck_or_gone_client_are_refused_not_waited_for() {
    let served = Served::with(|_| {}, |limits| limits.outbox = 4);
    let _peer = served.initialized();
    let hub = served.server().hub().clone();
    let params = serde_json::value::to_raw_value(&json!({"text": "x".repeat(8 << 20)})).unwrap();
    let begun = Instant::now();
    let stuck = (0..40).find_map(|_| hub.notify(1, "n", &params).err()).expect("the outbox is bounded");
    assert_eq!(stuck.to_string(), "client 1 does not read what it is sent");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(hub.notify(77, "n", &params).unwrap_err().to_string(), "client 77 is not connected");
    let huge = serde_json::value::to_raw_value(&"x".repeat(17 << 20)).unwrap();
    assert!(hub.notify(1, "n", &huge).is_err(), "over what clients take");
}

#[test]
fn several_clients_are_served_side_by_side() {
    let served = Served::start();
    let mut peers: Vec<Peer> = (0..8).map(|_| served.initialized()).collect();
    for round in 0..20 {
        for (number, peer) in peers.iter_mut().enumerate() {
            let text = format!("{number}/{round}");
            let reply = peer.request("tools/call", json!({"name": "echo", "arguments": {"text": text}}));
            assert_eq!(reply["result"]["content"][0]["text"], json!({"text": text}).to_string());
        }
    }
}
