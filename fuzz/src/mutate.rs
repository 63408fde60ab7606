//! Changes an input by lines and by JSON values, so that most of what comes out is nearly a real stream.

use serde_json::{Map, Value};

use crate::{
    input::{ERRORS, FILTERS, FLOODS, HEADER, MANY},
    rng::Rng,
    words::{ERROR_LINES, NAMES, RAW, TEXTS},
};

type Lines = Vec<Vec<u8>>;

/// Stands in a JSON text for a value that is put there as it is.
const RAW_MARK: &str = "\u{1c}raw";

/// One changed input.
pub fn mutate(data: &[u8], rng: &mut Rng) -> Vec<u8> {
    let (mut header, body) = split(data);
    change_header(&mut header, rng);
    let mut parts = body.splitn(2, |byte| *byte == ERRORS);
    let mut out = to_lines(parts.next().unwrap_or_default());
    let mut errors = parts.next().map(to_lines);
    for _ in 0..=rng.below(3) {
        match &mut errors {
            Some(errors) if rng.one_in(6) => change_errors(errors, rng),
            None if rng.one_in(40) => {
                errors = Some(vec![rng.pick(ERROR_LINES).as_bytes().to_vec()])
            }
            _ if rng.one_in(3) => change_lines(&mut out, rng),
            _ => change_json(&mut out, rng),
        }
    }
    let mut whole = header;
    whole.extend(out.join(&b'\n'));
    if let Some(errors) = errors {
        whole.push(ERRORS);
        whole.extend(errors.join(&b'\n'));
    }
    if rng.one_in(12) {
        whole.truncate(rng.below(whole.len()).max(HEADER));
    }
    whole
}

/// Some lines of the one, then some of the other.
pub fn cross(one: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let (mut whole, body) = split(one);
    let (_, other) = split(other);
    let (first, second) = (to_lines(body), to_lines(other));
    let mut lines: Lines = first[..rng.below(first.len() + 1)].to_vec();
    lines.extend_from_slice(&second[rng.below(second.len() + 1)..]);
    whole.extend(lines.join(&b'\n'));
    whole
}

fn split(data: &[u8]) -> (Vec<u8>, &[u8]) {
    match data.split_at_checked(HEADER) {
        Some((header, body)) => (header.to_vec(), body),
        None => (vec![0; HEADER], data),
    }
}

fn to_lines(text: &[u8]) -> Lines {
    text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn change_header(header: &mut [u8], rng: &mut Rng) {
    // Long runs and filters are slow: few inputs have them, and their children mostly not.
    if rng.one_in(2) {
        header[4] = 0;
        header[3] %= FILTERS;
    } else if rng.one_in(150) {
        header[4] = FLOODS;
    }
    if rng.one_in(6) {
        let at = rng.below(4);
        header[at] = rng.below(256) as u8;
    }
    if rng.one_in(8) {
        header[0] = 0;
    }
}

fn change_errors(lines: &mut Lines, rng: &mut Rng) {
    if rng.one_in(2) {
        let at = rng.below(lines.len() + 1);
        lines.insert(at, rng.pick(ERROR_LINES).as_bytes().to_vec());
    } else {
        change_lines(lines, rng);
    }
}

fn change_lines(lines: &mut Lines, rng: &mut Rng) {
    let (at, to) = (rng.below(lines.len()), rng.below(lines.len()));
    match rng.below(10) {
        0 => lines.swap(at, to),
        1 if lines.len() > 1 => drop(lines.remove(at)),
        2 => lines.insert(to, lines[at].clone()),
        3 => {
            let line = lines.remove(at);
            lines.insert(to.min(lines.len()), line);
        }
        4 => {
            let end = rng.below(lines[at].len() + 1);
            lines[at].truncate(end);
        }
        5 => lines.truncate(at + 1),
        6 => {
            let place = rng.below(lines[at].len() + 1);
            lines[at].insert(place, *rng.pick(&[0xff, 0xc3, 0x80, 0, b'\r', MANY, b'"', b'\\']));
        }
        7 if at + 1 < lines.len() => {
            let next = lines.remove(at + 1);
            lines[at].extend(next);
        }
        8 => lines.insert(at, rng.pick(TEXTS).as_bytes().to_vec()),
        _ => lines.push(lines[at].clone()),
    }
}

/// Changes one value of one line that is JSON.
fn change_json(lines: &mut Lines, rng: &mut Rng) {
    let at = rng.below(lines.len());
    let line = String::from_utf8_lossy(&lines[at]).replace(char::from(MANY), "\\u001d");
    let Ok(mut value) = serde_json::from_str::<Value>(&line) else {
        return change_lines(lines, rng);
    };
    let mut raw = String::new();
    for _ in 0..=rng.below(2) {
        change_value(&mut value, &mut raw, rng, 0);
    }
    let mut text = value.to_string().replace("\\u001d", "\u{1d}");
    if !raw.is_empty() {
        text = text.replace("\"\\u001craw\"", &raw);
    }
    if rng.one_in(30) {
        // The same name twice.
        text = text.replacen('{', &format!("{{\"{}\":{},", rng.pick(NAMES), rng.pick(RAW)), 1);
    }
    lines[at] = text.into_bytes();
}

/// Walks down by chance and changes what is there.
fn change_value(value: &mut Value, raw: &mut String, rng: &mut Rng, depth: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() && (depth == 0 || !rng.one_in(5)) => {
            if rng.one_in(5) {
                return change_fields(fields, rng);
            }
            let at = rng.below(fields.len());
            if let Some(inner) = fields.values_mut().nth(at) {
                change_value(inner, raw, rng, depth + 1);
            }
        }
        Value::Array(list) if !list.is_empty() && !rng.one_in(4) => {
            let at = rng.below(list.len());
            match rng.below(8) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                _ => change_value(&mut list[at], raw, rng, depth + 1),
            }
        }
        Value::String(text) if rng.one_in(3) => change_text(text, rng),
        Value::Bool(truth) if !rng.one_in(4) => *truth = !*truth,
        Value::Number(number) if rng.one_in(3) => {
            let number = number.as_f64().unwrap_or_default();
            *value = Value::from(*rng.pick(&[-number, number * 1e6, number + 1.0, number / 3.0]));
        }
        _ => replace(value, raw, rng),
    }
}

fn replace(value: &mut Value, raw: &mut String, rng: &mut Rng) {
    *value = match rng.below(12) {
        0 => Value::Array(vec![value.take()]),
        1 => Value::Object(Map::from_iter([((*rng.pick(NAMES)).to_owned(), value.take())])),
        2..=5 => Value::from(*rng.pick(TEXTS)),
        6 if raw.is_empty() => {
            let deep = rng.below(200);
            *raw = "[".repeat(deep) + &"]".repeat(deep);
            Value::from(RAW_MARK)
        }
        _ => {
            if raw.is_empty() {
                (*rng.pick(RAW)).clone_into(raw);
            }
            Value::from(RAW_MARK)
        }
    };
}

fn change_text(text: &mut String, rng: &mut Rng) {
    match rng.below(6) {
        0 => text.push(char::from(MANY)),
        1 => text.insert(0, char::from(MANY)),
        2 => text.push_str(*rng.pick(TEXTS)),
        3 => {
            let end = text.floor_char_boundary(rng.below(text.len() + 1));
            text.truncate(end);
        }
        4 => text.push('\n'),
        _ => (*rng.pick(TEXTS)).clone_into(text),
    }
}

fn change_fields(fields: &mut Map<String, Value>, rng: &mut Rng) {
    let at = rng.below(fields.len());
    let Some(name) = fields.keys().nth(at).cloned() else {
        return;
    };
    match rng.below(4) {
        0 => drop(fields.shift_remove(&name)),
        1 => {
            let value = fields.shift_remove(&name).unwrap_or_default();
            fields.insert((*rng.pick(NAMES)).to_owned(), value);
        }
        2 => {
            let copy = fields[&name].clone();
            fields.insert((*rng.pick(NAMES)).to_owned(), copy);
        }
        _ => drop(fields.insert((*rng.pick(NAMES)).to_owned(), Value::from(*rng.pick(TEXTS)))),
    }
}
