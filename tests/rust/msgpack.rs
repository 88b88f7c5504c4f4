//! `MessagePack` as Neovim's RPC speaks it: requests of text out, any value in, shown as JSON.

use std::io::{self, Read};

use serde_json::{Map, Number, Value};

/// A request; its parameters are texts and lists of them.
pub fn request(id: u32, method: &str, params: &Value) -> Vec<u8> {
    let mut out = vec![0x94, 0x00, 0xce];
    out.extend(id.to_be_bytes());
    write(&mut out, &method.into());
    write(&mut out, params);
    out
}

fn write(out: &mut Vec<u8>, value: &Value) {
    let length = |count: usize| u32::try_from(count).expect("not that much").to_be_bytes();
    match value {
        Value::String(text) => {
            out.push(0xdb);
            out.extend(length(text.len()));
            out.extend(text.as_bytes());
        }
        Value::Array(items) => {
            out.push(0xdd);
            out.extend(length(items.len()));
            for item in items {
                write(out, item);
            }
        }
        other => panic!("{other} cannot be sent"),
    }
}

fn bytes(from: &mut impl Read, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn unsigned(from: &mut impl Read, width: usize) -> io::Result<u64> {
    Ok(bytes(from, width)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn length(from: &mut impl Read, width: usize) -> io::Result<usize> {
    usize::try_from(unsigned(from, width)?).map_err(io::Error::other)
}

fn signed(from: &mut impl Read, width: u32) -> io::Result<i64> {
    let shift = 64 - 8 * width;
    Ok((unsigned(from, width as usize)? << shift).cast_signed() >> shift)
}

fn text(from: &mut impl Read, count: usize) -> io::Result<Value> {
    Ok(String::from_utf8_lossy(&bytes(from, count)?).into_owned().into())
}

fn list(from: &mut impl Read, count: usize) -> io::Result<Value> {
    (0..count).map(|_| read(from)).collect::<io::Result<Vec<_>>>().map(Value::Array)
}

fn map(from: &mut impl Read, count: usize) -> io::Result<Value> {
    let mut map = Map::new();
    for _ in 0..count {
        let key = read(from)?;
        map.insert(key.as_str().map_or_else(|| key.to_string(), Into::into), read(from)?);
    }
    Ok(Value::Object(map))
}

/// Handles of buffers and windows are of no use here.
fn skip(from: &mut impl Read, count: usize) -> io::Result<Value> {
    bytes(from, count + 1).map(|_| Value::Null)
}

/// Reads one value.
pub fn read(from: &mut impl Read) -> io::Result<Value> {
    let float = |number: f64| Number::from_f64(number).map_or(Value::Null, Value::Number);
    let first = bytes(from, 1)?[0];
    let small = |bits: u8| usize::from(first & bits);
    Ok(match first {
        0x00..=0x7f => first.into(),
        0x80..=0x8f => map(from, small(0x0f))?,
        0x90..=0x9f => list(from, small(0x0f))?,
        0xa0..=0xbf => text(from, small(0x1f))?,
        0xc2 => false.into(),
        0xc3 => true.into(),
        0xc4 | 0xd9 => length(from, 1).and_then(|count| text(from, count))?,
        0xc5 | 0xda => length(from, 2).and_then(|count| text(from, count))?,
        0xc6 | 0xdb => length(from, 4).and_then(|count| text(from, count))?,
        0xc7 => length(from, 1).and_then(|count| skip(from, count))?,
        0xc8 => length(from, 2).and_then(|count| skip(from, count))?,
        0xc9 => length(from, 4).and_then(|count| skip(from, count))?,
        0xca => float(f64::from(f32::from_bits(u32::try_from(unsigned(from, 4)?).map_err(io::Error::other)?))),
        0xcb => float(f64::from_bits(unsigned(from, 8)?)),
        0xcc..=0xcf => unsigned(from, 1 << (first - 0xcc))?.into(),
        0xd0..=0xd3 => signed(from, 1 << (first - 0xd0))?.into(),
        0xd4..=0xd8 => skip(from, 1 << (first - 0xd4))?,
        0xdc => length(from, 2).and_then(|count| list(from, count))?,
        0xdd => length(from, 4).and_then(|count| list(from, count))?,
        0xde => length(from, 2).and_then(|count| map(from, count))?,
        0xdf => length(from, 4).and_then(|count| map(from, count))?,
        0xe0..=0xff => first.cast_signed().into(),
        0xc0 | 0xc1 => Value::Null,
    })
}
