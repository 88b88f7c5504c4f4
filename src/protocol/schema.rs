//! Checks a tool's arguments against its input schema: the part of JSON Schema that tools here use.

use serde_json::{Map, Value};

/// Arguments as the tool may read them: null means absent, names that the schema does not know are dropped.
///
/// Only the top level is looked at; nested values pass as they are, after their type.
///
/// # Errors
/// One sentence that names the argument, what it must be and what it is.
pub fn check(schema: &Value, mut arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut checked = Map::new();
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, rule) in properties {
            match arguments.remove(name) {
                None | Some(Value::Null) => {}
                Some(value) => {
                    check_value(name, rule, &value)?;
                    checked.insert(name.clone(), value);
                }
            }
        }
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !checked.contains_key(name) {
            return Err(format!("{name} is missing"));
        }
    }
    Ok(checked)
}

fn check_value(name: &str, rule: &Value, value: &Value) -> Result<(), String> {
    if let Some(wanted) = rule.get("type").and_then(Value::as_str)
        && !is_a(wanted, value)
    {
        return Err(format!("{name} must be {}, not {}", with_article(wanted), kind(value)));
    }
    if let Some(least) = rule.get("minimum").and_then(Value::as_f64)
        && value.as_f64().is_some_and(|n| n < least)
    {
        return Err(format!("{name} must be at least {least}, not {value}"));
    }
    if let Some(allowed) = rule.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        return Err(format!("{name} must be one of {}", allowed.join(", ")));
    }
    Ok(())
}

fn is_a(wanted: &str, value: &Value) -> bool {
    match wanted {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        // 3.0 is an integer for JSON Schema.
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn null_and_unknown_arguments_vanish() {
        let schema = json!({"properties": {"path": {"type": "string"}, "line": {"type": "integer"}}});
        let got = check(&schema, object(json!({"path": "a", "line": null, "extra": [1]})));
        assert_eq!(got, Ok(object(json!({"path": "a"}))));
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_it_is() {
        let schema = json!({"properties": {
            "path": {"type": "string"}, "line": {"type": "integer", "minimum": 1}, "side": {"enum": ["left", "right"]},
        }, "required": ["path"]});
        let said = |arguments| check(&schema, object(arguments)).unwrap_err();
        assert_eq!(said(json!({})), "path is missing");
        assert_eq!(said(json!({"path": null})), "path is missing");
        assert_eq!(said(json!({"path": 3})), "path must be a string, not a number");
        assert_eq!(said(json!({"path": "a", "line": "1"})), "line must be an integer, not a string");
        assert_eq!(said(json!({"path": "a", "line": 1.5})), "line must be an integer, not a number");
        assert_eq!(said(json!({"path": "a", "line": 0})), "line must be at least 1, not 0");
        assert_eq!(said(json!({"path": "a", "side": "up"})), "side must be one of \"left\", \"right\"");
        assert!(check(&schema, object(json!({"path": "a", "line": 3.0}))).is_ok());
    }
}
