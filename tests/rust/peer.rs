//! A WebSocket client that shares no code with the server and can also speak badly. Blocking, with a time limit.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// How long any single wait may take before the test fails.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// What came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    /// A text message.
    Text(String),
    /// A pong with its payload.
    Pong(Vec<u8>),
    /// A close frame with its code.
    Close(Option<u16>),
    /// End of file, or a reset.
    Gone,
}

/// A connection after its upgrade.
pub struct Peer {
    stream: TcpStream,
    buffer: Vec<u8>,
    next_id: u64,
    /// Notifications met while waiting for an answer.
    pub notifications: Vec<Value>,
}

/// The head of a good upgrade, with these headers besides.
pub fn upgrade_head(extra: &[(&str, &str)]) -> String {
    let head = "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let lines: Vec<String> = extra.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    [head, &lines.concat(), "\r\n"].concat()
}

/// Opens a TCP connection to the server.
pub fn dial(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Sends a request head and reads the response's, and what came behind it.
pub fn http(port: u16, head: &str) -> (TcpStream, u16, String, Vec<u8>) {
    let mut stream = dial(port);
    stream.write_all(head.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).expect("a response in time");
        assert_ne!(count, 0, "closed before a response: {}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&chunk[..count]);
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_ascii_lowercase();
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    (stream, status, head, bytes[end..].to_vec())
}

/// One frame; `first` is the first byte (FIN, RSV and opcode).
pub fn frame(first: u8, masked: bool, payload: &[u8]) -> Vec<u8> {
    let mask = [0x12, 0x34, 0x56, 0x78];
    let flag = if masked { 0x80 } else { 0 };
    let mut bytes = vec![first];
    match payload.len() {
        length @ 0..126 => bytes.push(flag | u8::try_from(length).unwrap()),
        length @ 126..65536 => {
            bytes.push(flag | 0x7e);
            bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        length => {
            bytes.push(flag | 0x7f);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    if masked {
        bytes.extend(mask);
        bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key));
    } else {
        bytes.extend(payload);
    }
    bytes
}

impl Peer {
    /// Connects with the token.
    pub fn connect(port: u16, token: &str) -> Self {
        let host = format!("127.0.0.1:{port}");
        let head = upgrade_head(&[
            ("Host", &host),
            ("Sec-WebSocket-Protocol", "mcp"),
            ("x-claude-code-ide-authorization", token),
        ]);
        let (stream, status, head, buffer) = http(port, &head);
        assert_eq!(status, 101, "{head}");
        Self { stream, buffer, next_id: 0, notifications: Vec::new() }
    }

    /// Connects and goes through the handshake as CLI 2.1.332 does, `tools/list` included.
    pub fn initialized(port: u16, token: &str) -> Self {
        let mut peer = Self::connect(port, token);
        peer.request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        peer.notify("notifications/initialized", Value::Null);
        peer.request("tools/list", Value::Null);
        peer
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the connection is open");
    }

    /// Sends one text message in one frame.
    pub fn text(&mut self, text: &str) {
        self.raw(&frame(0x81, true, text.as_bytes()));
    }

    /// Sends a notification; null params are left out.
    pub fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        self.text(&message.to_string());
    }

    /// Sends a request and returns its id.
    pub fn start(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let mut message = json!({"jsonrpc": "2.0", "id": self.next_id, "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        self.text(&message.to_string());
        self.next_id
    }

    /// The whole reply with this id; keeps notifications that come before it.
    pub fn reply(&mut self, id: u64) -> Value {
        loop {
            let message = self.message();
            if message["id"] == json!(id) {
                return message;
            }
            assert!(message.get("id").is_none(), "an answer nobody waits for: {message}");
            self.notifications.push(message);
        }
    }

    /// A request and its whole reply.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        self.reply(id)
    }

    /// Calls a tool: the whole reply.
    pub fn call(&mut self, tool: &str, arguments: impl Into<Value>) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments.into()}))
    }

    /// The next notification of this method.
    pub fn notification(&mut self, method: &str) -> Value {
        if let Some(at) = self.notifications.iter().position(|message| message["method"] == method) {
            return self.notifications.remove(at);
        }
        loop {
            let message = self.message();
            if message["method"] == method {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// The next message, which must be JSON.
    pub fn message(&mut self) -> Value {
        match self.next() {
            Got::Text(text) => serde_json::from_str(&text).expect("the server sends JSON"),
            other => panic!("a message was expected, not {other:?}"),
        }
    }

    /// The next thing that comes in.
    pub fn next(&mut self) -> Got {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(got) = self.parse() {
                return got;
            }
            let mut chunk = vec![0; 65536];
            match self.stream.read(&mut chunk) {
                Ok(0) => return Got::Gone,
                Ok(count) => self.buffer.extend_from_slice(&chunk[..count]),
                Err(e) if matches!(e.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => return Got::Gone,
                Err(e) => panic!("nothing came in time: {e}"),
            }
            assert!(Instant::now() < until, "nothing came in time");
        }
    }

    /// The next thing that is no notification.
    pub fn next_but_notifications(&mut self) -> Got {
        loop {
            match self.next() {
                Got::Text(text) if text.contains("\"method\":") => {}
                other => return other,
            }
        }
    }

    /// Whether nothing comes for this long.
    pub fn is_silent_for(&mut self, time: Duration) -> bool {
        if self.parse_ahead() {
            return false;
        }
        self.stream.set_read_timeout(Some(time)).unwrap();
        let mut chunk = [0; 4096];
        let silent = match self.stream.read(&mut chunk) {
            Ok(count) => {
                self.buffer.extend_from_slice(&chunk[..count]);
                false
            }
            Err(e) => matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        };
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        silent
    }

    fn parse_ahead(&self) -> bool {
        self.buffer.len() >= 2
    }

    fn parse(&mut self) -> Option<Got> {
        let bytes = &self.buffer;
        let (first, second) = (*bytes.first()?, *bytes.get(1)?);
        assert_eq!(second & 0x80, 0, "a server does not mask");
        assert_eq!(first & 0x70, 0, "no extension was negotiated");
        assert_ne!(first & 0x80, 0, "the server sends whole messages");
        let (start, length) = match second & 0x7f {
            126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().unwrap()))),
            127 => (10, usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().unwrap())).unwrap()),
            length => (2, usize::from(length)),
        };
        let payload = bytes.get(start..start + length)?.to_vec();
        self.buffer.drain(..start + length);
        Some(match first & 0x0f {
            1 => Got::Text(String::from_utf8(payload).expect("text frames are UTF-8")),
            8 => Got::Close(payload.get(..2).map(|code| u16::from_be_bytes([code[0], code[1]]))),
            10 => Got::Pong(payload),
            opcode => panic!("the server sent opcode {opcode}"),
        })
    }

    /// Drops the connection without a close frame.
    pub fn vanish(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
