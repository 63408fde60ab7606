//! Values of parameters, and what the operators in `${…}` make of them.

use super::walker::Walker;
use crate::{
    denial::Walk,
    marks::{self, FOUND, HOLE, SECRET},
    syntax::{Op, Param},
};

impl Walker {
    pub(super) fn param(&mut self, param: &Param) -> Walk<String> {
        let whole = self.frame.var(&param.name);
        let element = param.index.as_deref().and_then(|index| index.parse::<usize>().ok());
        let value = match element {
            Some(at) if !marks::is_unknown(&whole) => {
                whole.split_whitespace().nth(at).unwrap_or_default().to_owned()
            }
            _ => whole,
        };
        Ok(match &param.op {
            Op::Plain | Op::Other('?', _) => value,
            Op::Length => "0".into(),
            Op::Indirect if value.contains(FOUND) => SECRET.to_string(),
            Op::Indirect if marks::is_unknown(&value) => HOLE.to_string(),
            Op::Indirect => self.frame.var(&value),
            Op::Default(word) => {
                let default = self.text_of(word)?;
                if value == HOLE.to_string() { default } else { value }
            }
            Op::Alternative(word) => self.text_of(word)?,
            Op::Slice(range) => slice(&value, range).unwrap_or_else(|| marks::residue(&value)),
            Op::Other(sign, word) => {
                let pattern = self.text_of(word)?;
                changed(&value, *sign, &pattern)
            }
        })
    }
}

/// `offset` or `offset:length` of a known value.
fn slice(value: &str, range: &str) -> Option<String> {
    if marks::is_unknown(value) {
        return None;
    }
    let (offset, length) = range.split_once(':').map_or((range, None), |(a, b)| (a, Some(b)));
    let offset = offset.trim().parse::<usize>().ok()?;
    let rest = value.chars().skip(offset);
    match length {
        None => Some(rest.collect()),
        Some(length) => Some(rest.take(length.trim().parse::<usize>().ok()?).collect()),
    }
}

/// Prefixes and suffixes taken off, letters changed.
fn changed(value: &str, sign: char, pattern: &str) -> String {
    let typed = marks::typed(pattern);
    let is_plain = !typed.contains(['*', '?', '[']);
    match sign {
        '#' if is_plain => value.strip_prefix(&typed).unwrap_or(value).to_owned(),
        '%' if is_plain => value.strip_suffix(&typed).unwrap_or(value).to_owned(),
        '%' if typed == "/*" => value.rsplit_once('/').map_or(value, |(head, _)| head).to_owned(),
        '#' if typed == "#*/" => value.rsplit('/').next().unwrap_or_default().to_owned(),
        ',' => value.to_lowercase(),
        '^' => value.to_uppercase(),
        '/' if !marks::is_unknown(value) => {
            let pattern = typed.trim_start_matches('/');
            let (from, to) = pattern.split_once('/').unwrap_or((pattern, ""));
            if from.is_empty() || !is_plain {
                return HOLE.to_string();
            }
            value.replace(from, to)
        }
        _ => marks::residue(value),
    }
}
