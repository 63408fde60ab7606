//! Regular expressions for jq's `test`, `match`, `capture`, `scan`, `split`, `sub` and `gsub`.

use jaq_core::{
    Cv, Error, ValR,
    native::{Fun, bome, run, v},
};
use jaq_json::Val;
use regex_bites::{Captures, Regex, RegexBuilder};

use super::state::Data;

/// The three functions that the definitions of jq's library build on.
pub(super) fn functions() -> impl Iterator<Item = Fun<Data>> {
    [
        run(("matches", v(2), |cv| bome(search(cv, Parts { gaps: false, matches: true })))),
        run(("split_matches", v(2), |cv| bome(search(cv, Parts { gaps: true, matches: true })))),
        run(("split_", v(2), |cv| bome(search(cv, Parts { gaps: true, matches: false })))),
    ]
    .into_iter()
}

/// What of a text is wanted.
#[derive(Clone, Copy)]
struct Parts {
    gaps: bool,
    matches: bool,
}

fn search(mut cv: Cv<'_, Data>, wanted: Parts) -> ValR<Val> {
    let (flags, expression) = (cv.0.pop_var(), cv.0.pop_var());
    let (text, flags) = (text_of(&cv.1)?, text_of(&flags)?);
    let expression = compile(text_of(&expression)?, flags)?;
    let most = if flags.contains('g') { usize::MAX } else { 1 };
    let skips_empty = flags.contains('n');
    let whole = |found: &Captures<'_>| found.get(0).map_or(0..0, |found| found.range());
    let mut parts = Vec::new();
    let mut end = 0;
    let all = expression.captures_iter(text);
    for found in all.filter(|found| !(skips_empty && whole(found).is_empty())).take(most) {
        let range = whole(&found);
        if wanted.gaps {
            parts.push(string(text.get(end..range.start).unwrap_or_default()));
            end = range.end;
        }
        if wanted.matches {
            parts.push(groups(text, &expression, &found));
        }
    }
    if wanted.gaps {
        parts.push(string(text.get(end..).unwrap_or_default()));
    }
    Ok(parts.into_iter().collect())
}

/// The match and its groups, each as an object.
fn groups(text: &str, expression: &Regex, found: &Captures<'_>) -> Val {
    let group = |(group, name): (Option<regex_bites::Match<'_>>, Option<&str>)| {
        let group = group?;
        let before = text.get(..group.start()).unwrap_or_default();
        let mut entries = vec![
            ("offset", Val::from(before.chars().count())),
            ("length", Val::from(group.as_str().chars().count())),
            ("string", string(group.as_str())),
        ];
        entries.extend(name.map(|name| ("name", string(name))));
        Some(Val::obj(entries.into_iter().map(|(key, value)| (string(key), value)).collect()))
    };
    found.iter().zip(expression.capture_names()).filter_map(group).collect()
}

fn compile(expression: &str, flags: &str) -> Result<Regex, Error<Val>> {
    let mut builder = RegexBuilder::new(expression);
    for flag in flags.chars() {
        match flag {
            'g' | 'n' => {}
            'i' => drop(builder.case_insensitive(true)),
            'x' => drop(builder.ignore_whitespace(true)),
            's' => drop(builder.dot_matches_new_line(true)),
            'm' => drop(builder.multi_line(true)),
            'l' => drop(builder.swap_greed(true)),
            'p' => drop(builder.multi_line(true).dot_matches_new_line(true)),
            other => return Err(Error::str(format_args!("{other} is not a flag"))),
        }
    }
    builder.build().map_err(Error::str)
}

fn text_of(value: &Val) -> Result<&str, Error<Val>> {
    match value {
        Val::TStr(bytes) => std::str::from_utf8(bytes).map_err(Error::str),
        _ => Err(Error::str("regular expressions are for text")),
    }
}

fn string(text: &str) -> Val {
    Val::from(text.to_owned())
}
