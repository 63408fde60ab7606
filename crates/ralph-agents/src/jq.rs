//! jq filters over one line of JSON, in-process. Knows no agent, and reads neither clock, files nor variables.
//!
//! Every filter ends: it can define no recursion of its own, and the loops of the library are counted.

mod expressions;
mod library;
mod state;

use std::{cell::Cell, fmt::Write as _};

use jaq_core::{
    Compiler, Ctx, Vars,
    load::{Arena, Error, File, Lexer, Loader, lex},
};
use jaq_json::Val;
use state::{Data, RunData};

/// Most outputs of one filter for one line.
const OUTPUTS: usize = 1_000;
/// Most bytes of all outputs of one filter for one line.
const BYTES: usize = 256 * 1024;
/// Most rounds of all loops of one filter for one line. Also bounds how deep a value can be built.
const ROUNDS: u32 = 5_000;

/// One line of JSON.
pub(crate) struct Line(Val);

impl Line {
    /// Reads an object or a list; anything else that is valid JSON is more likely a word of text.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace())?;
        if !matches!(first, b'{' | b'[') {
            return None;
        }
        let read = || match String::from_utf8_lossy(line) {
            // Bytes that are no UTF-8 do not cost the whole line.
            std::borrow::Cow::Owned(mended) => serde_json::from_str(&mended),
            std::borrow::Cow::Borrowed(text) => serde_json::from_str(text),
        };
        read().ok().map(Line)
    }
}

/// A filter, compiled.
pub(crate) struct Filter(jaq_core::Filter<Data>);

/// Why a filter cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct FilterProblem(String);

impl Filter {
    pub(crate) fn compile(text: &str) -> Result<Self, FilterProblem> {
        refuse_definitions(text)?;
        let arena = Arena::default();
        let modules = Loader::new(library::definitions())
            .load(&arena, File { code: text, path: () })
            .map_err(|errors| not_loaded(errors.into_iter().map(|(_, error)| error)))?;
        Compiler::default()
            .with_funs(library::functions())
            .compile(modules)
            .map(Self)
            .map_err(|errors| undefined(errors.into_iter().flat_map(|(_, errors)| errors)))
    }

    /// What the filter gives for a line, as texts: null and empty texts are nothing, text stays as it is, anything
    /// else becomes JSON. A failure ends the outputs; those before it stand.
    pub(crate) fn outputs(&self, line: &Line) -> Vec<String> {
        let rounds = Cell::new(ROUNDS);
        let context =
            Ctx::<Data>::new(RunData { lut: &self.0.lut, rounds: &rounds }, Vars::new([]));
        let mut room = BYTES;
        let mut texts = Vec::new();
        for output in self.0.id.run((context, line.0.clone())).take(OUTPUTS) {
            let Ok(value) = output else { break };
            let text = text_of(&value);
            if text.is_empty() {
                continue;
            }
            let text = ralph_text::cut::head(&text, room);
            room -= text.len();
            texts.push(text.to_owned());
            if room == 0 {
                break;
            }
        }
        texts
    }
}

fn text_of(value: &Val) -> String {
    match value {
        Val::Null => String::new(),
        Val::TStr(bytes) | Val::BStr(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => {
            let mut text = String::new();
            // A value of any size is written; what is too long is cut by the caller.
            let _ = write!(text, "{other}");
            text
        }
    }
}

/// A definition can call itself for ever, deeper than any stack.
fn refuse_definitions(text: &str) -> Result<(), FilterProblem> {
    // What cannot be split into words is reported by the loader.
    let tokens = Lexer::new(text).lex().unwrap_or_default();
    match word_in(&tokens) {
        Some(word) => Err(FilterProblem(format!("uses `{word}`, which filters here may not"))),
        None => Ok(()),
    }
}

fn word_in<'a>(tokens: &[lex::Token<&'a str>]) -> Option<&'a str> {
    tokens.iter().find_map(|lex::Token(text, kind)| match kind {
        lex::Tok::Word => ["def", "import", "include"].into_iter().find(|word| word == text),
        lex::Tok::Block(inner) => word_in(inner),
        lex::Tok::Str(parts) => parts.iter().find_map(|part| match part {
            lex::StrPart::Term(token) => word_in(std::slice::from_ref(token)),
            _ => None,
        }),
        _ => None,
    })
}

fn not_loaded<'a>(errors: impl Iterator<Item = Error<&'a str>>) -> FilterProblem {
    let problems = errors.flat_map(|error| match error {
        Error::Io(errors) => errors.into_iter().map(|(_, why)| why).collect::<Vec<_>>(),
        Error::Lex(errors) => {
            errors.into_iter().map(|(expected, at)| expects(expected.as_str(), at)).collect()
        }
        Error::Parse(errors) => {
            errors.into_iter().map(|(expected, at)| expects(expected.as_str(), at)).collect()
        }
    });
    first_of(problems)
}

fn expects(what: &str, at: &str) -> String {
    match at.trim() {
        "" => format!("expects {what} at its end"),
        rest => format!("expects {what} at {:?}", ralph_text::cut::ellipsis(rest, 40)),
    }
}

fn undefined<'a>(
    errors: impl Iterator<Item = (&'a str, jaq_core::compile::Undefined)>,
) -> FilterProblem {
    first_of(errors.map(|(name, kind)| format!("uses the unknown {} {name:?}", kind.as_str())))
}

fn first_of(mut problems: impl Iterator<Item = String>) -> FilterProblem {
    FilterProblem(problems.next().unwrap_or_else(|| "cannot be parsed".into()))
}

#[cfg(test)]
mod tests;
