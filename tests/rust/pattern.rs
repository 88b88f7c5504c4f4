//! Patterns of JSON: what a transcript expects, compared with what came.

use serde_json::Value;

/// Says where `got` does not fit the pattern, or nothing.
///
/// Objects fit when every key of the pattern fits; lists when they have the same length and each item fits. A key with
/// `"$absent"` must not be there, `"$any"` fits everything. An object with one of these keys is more than an object:
/// `$json` reads the text as JSON, `$contains` looks for a text in it, `$has` for items in a list in any order, `$not`
/// for anything else.
pub fn misfit(pattern: &Value, got: &Value) -> Option<String> {
    compare("", pattern, got)
}

/// Fails unless `got` fits.
pub fn fits(pattern: &Value, got: &Value) {
    if let Some(why) = misfit(pattern, got) {
        panic!("{why}");
    }
}

fn compare(at: &str, pattern: &Value, got: &Value) -> Option<String> {
    let differs = || Some(format!("{at}: expected {pattern}, got {got}"));
    match pattern {
        Value::String(word) if word == "$any" => None,
        Value::Object(map) if map.len() == 1 => {
            let Some((word, inner)) = map.iter().next() else { return differs() };
            match (word.as_str(), got) {
                ("$json", Value::String(text)) => match serde_json::from_str(text) {
                    Ok(json) => compare(&format!("{at}(json)"), inner, &json),
                    Err(_) => differs(),
                },
                ("$contains", Value::String(text)) if text.contains(inner.as_str().unwrap_or("\0")) => None,
                ("$has", Value::Array(items)) => {
                    let wanted = inner.as_array()?;
                    let missing = wanted.iter().find(|want| !items.iter().any(|item| misfit(want, item).is_none()));
                    missing.map(|want| format!("{at}: {want} is not among {got}"))
                }
                ("$not", _) if compare(at, inner, got).is_some() => None,
                ("$json" | "$contains" | "$has" | "$not", _) => differs(),
                _ => keys(at, map, got),
            }
        }
        Value::Object(map) => keys(at, map, got),
        Value::Array(wanted) => {
            let Value::Array(items) = got else { return differs() };
            if wanted.len() != items.len() {
                return differs();
            }
            let mut pairs = wanted.iter().zip(items).enumerate();
            pairs.find_map(|(index, (want, item))| compare(&format!("{at}[{index}]"), want, item))
        }
        _ if pattern == got => None,
        _ => differs(),
    }
}

fn keys(at: &str, wanted: &serde_json::Map<String, Value>, got: &Value) -> Option<String> {
    if !got.is_object() {
        return Some(format!("{at}: expected {}, got {got}", Value::Object(wanted.clone())));
    }
    wanted.iter().find_map(|(key, want)| {
        let at = format!("{at}.{key}");
        match (got.get(key), want) {
            (None, Value::String(word)) if word == "$absent" => None,
            (Some(value), Value::String(word)) if word == "$absent" => Some(format!("{at}: not expected, got {value}")),
            (None, _) => Some(format!("{at}: missing in {got}")),
            (Some(value), _) => compare(&at, want, value),
        }
    })
}

/// The value with every `${name}` in its texts replaced.
pub fn fill(value: &Value, names: &[(&str, String)]) -> Value {
    match value {
        Value::String(text) => Value::String(
            names.iter().fold(text.clone(), |text, (name, with)| text.replace(&format!("${{{name}}}"), with)),
        ),
        Value::Array(items) => items.iter().map(|item| fill(item, names)).collect(),
        Value::Object(map) => map.iter().map(|(key, item)| (key.clone(), fill(item, names))).collect(),
        other => other.clone(),
    }
}
