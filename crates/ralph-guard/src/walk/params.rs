//! Values of parameters, and what the operators in `${…}` make of them.

use super::walker::Walker;
use crate::{
    marks::{self, HOLE},
    syntax::Param,
    verdict::Walk,
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
        let Some((sign, word)) = &param.op else { return Ok(value) };
        let text = self.text_of(word)?;
        Ok(match sign {
            'l' => "0".into(),
            '!' if marks::is_unknown(&value) => HOLE.to_string(),
            '!' => self.frame.var(&value),
            '-' | '=' if value == HOLE.to_string() => text,
            '-' | '=' | '?' => value,
            '+' => text,
            '#' | '%' => stripped(&value, *sign, &marks::typed(&text)),
            _ => marks::residue(&value),
        })
    }
}

/// A value without a prefix or suffix.
fn stripped(value: &str, sign: char, pattern: &str) -> String {
    let is_plain = !pattern.contains(['*', '?', '[']);
    match (sign, pattern) {
        ('#', _) if is_plain => value.strip_prefix(pattern).unwrap_or(value).to_owned(),
        ('%', _) if is_plain => value.strip_suffix(pattern).unwrap_or(value).to_owned(),
        ('%', "/*") => value.rsplit_once('/').map_or(value, |(head, _)| head).to_owned(),
        ('#', "#*/") => value.rsplit('/').next().unwrap_or_default().to_owned(),
        ('%', "%.*" | ".*") if !marks::is_unknown(value) => {
            value.split_once('.').map_or(value, |(head, _)| head).to_owned()
        }
        _ => marks::residue(value),
    }
}
