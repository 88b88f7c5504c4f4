//! JSON-RPC 2.0: text in, [`Message`] out; and the texts of replies and notifications.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, value::RawValue};

/// The text is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON, but not a request or notification (a batch counts here too).
pub const INVALID_REQUEST: i32 = -32600;
/// No such method.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// Missing or wrong parameters, an unknown tool included.
pub const INVALID_PARAMS: i32 = -32602;
/// A fault of ours.
pub const INTERNAL_ERROR: i32 = -32603;
/// A tool's own refusal, where the protocol asks for an error and not for a result.
pub const TOOL_ERROR: i32 = -32000;

/// A request's id exactly as the peer wrote it: a string or a number of any precision.
#[derive(Debug, Clone)]
pub struct Id(Box<RawValue>);

impl Id {
    /// The id's JSON text.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.0.get()
    }

    /// The id from a parsed value, as it stands in `notifications/cancelled`.
    #[must_use]
    pub fn same_as(&self, value: &Value) -> bool {
        serde_json::from_str::<Value>(self.as_json()).is_ok_and(|own| own == *value)
    }
}

/// A peer's message, owned and fully parsed.
#[derive(Debug)]
pub enum Message {
    /// Wants an answer under `id`.
    Request {
        /// To be echoed.
        id: Id,
        /// For example `tools/call`.
        method: String,
        /// Empty when the peer sent none.
        params: Map<String, Value>,
    },
    /// Wants none.
    Notification {
        /// For example `notifications/initialized`.
        method: String,
        /// Empty when the peer sent none.
        params: Map<String, Value>,
    },
    /// An answer to something we asked, whatever it says.
    Response {
        /// Of our request, if it could be read.
        id: Option<Id>,
    },
}

/// A message that must be answered with an error at once.
#[derive(Debug)]
pub struct Rejection {
    /// The id, if one could be read.
    pub id: Option<Id>,
    /// One of the codes above.
    pub code: i32,
    /// For the peer's log.
    pub message: String,
}

#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Box<RawValue>>,
    method: Option<Value>,
    params: Option<Value>,
    result: Option<Box<RawValue>>,
    error: Option<Box<RawValue>>,
}

/// Keeps `"id": null` apart from no id at all.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

fn reject<T>(id: Option<Id>, code: i32, message: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection { id, code, message: message.into() })
}

/// The UTF-16 unit of an escape `\uXXXX` that a text begins with.
fn escaped_unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// JavaScript's strings may hold half a surrogate pair, which no UTF-8 can, and JSON.stringify writes it as an escape.
/// It becomes U+FFFD, as wherever JavaScript writes UTF-8. None if there is no such escape.
fn without_half_pairs(text: &str) -> Option<String> {
    const ESCAPE: usize = "\\uXXXX".len();
    let mut mended = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(next) = text.get(at..)?.find('\\') {
        at += next;
        match escaped_unit(&text[at..]) {
            None => at += "\\n".len(),
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(&text[at + ESCAPE..]), Some(0xDC00..=0xDFFF)) => {
                at += 2 * ESCAPE;
            }
            Some(0xD800..=0xDFFF) => {
                mended.push_str(&text[kept..at]);
                mended.push('\u{FFFD}');
                at += ESCAPE;
                kept = at;
            }
            Some(_) => at += ESCAPE,
        }
    }
    (kept > 0).then(|| mended + &text[kept..])
}

/// Reads one message.
///
/// # Errors
/// A [`Rejection`] carries what to answer: -32700 for text that is not JSON, -32600 for JSON that is no single
/// message, -32602 for params that are no object.
pub fn parse(text: &str) -> Result<Message, Rejection> {
    let first = text.trim_start().as_bytes().first().copied();
    if first != Some(b'{') {
        return match serde_json::from_str::<serde::de::IgnoredAny>(text) {
            Ok(_) if first == Some(b'[') => reject(None, INVALID_REQUEST, "batches are not supported"),
            Ok(_) => reject(None, INVALID_REQUEST, "a message must be an object"),
            Err(e) => reject(None, PARSE_ERROR, format!("not JSON: {e}")),
        };
    }
    let read = serde_json::from_str(text)
        .or_else(|e| without_half_pairs(text).map_or(Err(e), |mended| serde_json::from_str(&mended)));
    let envelope: Envelope = match read {
        Ok(envelope) => envelope,
        Err(e) if e.is_data() => return reject(None, INVALID_REQUEST, format!("not a message: {e}")),
        Err(e) => return reject(None, PARSE_ERROR, format!("not JSON: {e}")),
    };
    let id = match envelope.id {
        None => None,
        Some(raw) if matches!(raw.get().as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9')) => Some(Id(raw)),
        Some(_) => return reject(None, INVALID_REQUEST, "an id must be a string or a number"),
    };
    if envelope.jsonrpc.as_ref().and_then(Value::as_str) != Some("2.0") {
        return reject(id, INVALID_REQUEST, "jsonrpc must be \"2.0\"");
    }
    let method = match envelope.method {
        Some(Value::String(method)) => method,
        None if envelope.result.is_some() || envelope.error.is_some() => return Ok(Message::Response { id }),
        _ => return reject(id, INVALID_REQUEST, "method must be a string"),
    };
    let params = match envelope.params {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        // A notification is never answered, not even a wrong one.
        Some(_) if id.is_none() => Map::new(),
        Some(_) => return reject(id, INVALID_PARAMS, "params must be an object"),
    };
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: i32,
    message: &'a str,
}

#[derive(Serialize)]
struct Reply<'a> {
    jsonrpc: &'static str,
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorObject<'a>>,
}

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: &'a str,
    method: &'a str,
}

#[derive(Serialize)]
struct Notification<'a> {
    jsonrpc: &'static str,
    method: &'a str,
    params: &'a RawValue,
}

/// The text of a successful reply.
#[must_use]
pub fn result(id: &Id, result: &RawValue) -> String {
    to_text(&Reply { jsonrpc: "2.0", id: Some(&id.0), result: Some(result), error: None })
}

/// The text of an error reply; `id` is null when it could not be read.
#[must_use]
pub fn error(id: Option<&Id>, code: i32, message: &str) -> String {
    let error = ErrorObject { code, message };
    to_text(&Reply { jsonrpc: "2.0", id: id.map(|id| &*id.0), result: None, error: Some(error) })
}

/// The text of a request of ours, without params.
#[must_use]
pub fn request(id: &str, method: &str) -> String {
    to_text(&Request { jsonrpc: "2.0", id, method })
}

/// The text of a notification.
#[must_use]
pub fn notification(method: &str, params: &RawValue) -> String {
    to_text(&Notification { jsonrpc: "2.0", method, params })
}

/// Serialises what cannot fail to serialise: strings, integers and JSON that is already text.
pub(crate) fn to_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// As [`to_text`], as a value that goes into a reply unread.
pub(crate) fn to_raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::without_half_pairs;

    #[test]
    fn halves_of_surrogate_pairs_become_replacement_characters() {
        for (text, mended) in [
            (r"a\ud83cb", Some("a\u{FFFD}b")),
            (r"\udf89\uD83C", Some("\u{FFFD}\u{FFFD}")),
            (r"\ud83c\ud83c\udf89", Some("\u{FFFD}\\ud83c\\udf89")),
            (r"\\ud83c \u00e9 \n\", None),
            (r"\ud83c\udf89", None),
            (r"\ud83", None),
            ("\\é\\ud83c", None),
            ("", None),
        ] {
            assert_eq!(without_half_pairs(text).as_deref(), mended, "{text}");
        }
    }
}
