//! From words to arguments: quotes, tildes, braces, variables, substitutions, wildcards.

use super::walker::Walker;
use crate::{
    marks::{self, ANY, HOLE, SET, STAR},
    syntax::{Piece, Script, Word},
    verdict::Walk,
};

/// Arguments that one word may become.
const MOST_FIELDS: usize = 64;

/// A character and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// Typed outside quotes.
    Bare(char),
    /// From an expansion outside quotes: it is split at blanks.
    Value(char),
    Quoted(char),
}

impl Unit {
    fn char(self) -> char {
        match self {
            Self::Bare(c) | Self::Value(c) | Self::Quoted(c) => c,
        }
    }
}

impl Walker {
    /// The arguments that a word becomes.
    pub(super) fn fields(&mut self, word: &Word) -> Walk<Vec<String>> {
        let mut units = Vec::new();
        let mut has_quotes = false;
        for piece in &word.pieces {
            has_quotes |= matches!(piece, Piece::Quoted(_));
            self.units(piece, &mut units)?;
        }
        if units.is_empty() {
            return Ok(if has_quotes { vec![String::new()] } else { Vec::new() });
        }
        let is_blank = |unit: &Unit| matches!(unit, Unit::Value(' ' | '\n' | '\t'));
        let parts = units.split(is_blank).filter(|part| !part.is_empty()).take(MOST_FIELDS);
        Ok(parts.map(|part| self.tilde(part.first().copied(), globs(part))).collect())
    }

    /// The text of a word where nothing is split: assignments, here-documents, file names.
    pub(super) fn text_of(&mut self, word: &Word) -> Walk<String> {
        let mut units = Vec::new();
        for piece in &word.pieces {
            self.units(piece, &mut units)?;
        }
        let text = globs(&units);
        Ok(self.tilde(units.first().copied(), text))
    }

    fn tilde(&self, first: Option<Unit>, text: String) -> String {
        if first != Some(Unit::Bare('~')) {
            if let Some((name, rest)) = text.split_once("=~/") {
                return format!("{name}={}/{rest}", self.frame.scene.home);
            }
            return text;
        }
        let end = text.find('/').unwrap_or(text.len());
        let (user, rest) = text.split_at(end);
        let directory = match user {
            "~" => self.frame.var("HOME"),
            "~+" => self.frame.cwd.clone(),
            "~-" => self.frame.var("OLDPWD"),
            user => format!("/home/{}", user.trim_start_matches('~')),
        };
        format!("{directory}{rest}")
    }

    fn units(&mut self, piece: &Piece, units: &mut Vec<Unit>) -> Walk<()> {
        match piece {
            Piece::Bare(text) => units.extend(text.chars().map(Unit::Bare)),
            Piece::Quoted(text) => units.extend(text.chars().map(Unit::Quoted)),
            Piece::Param { param, is_quoted } => {
                let value = self.param(param)?;
                let stays_whole = *is_quoted && !param.is_list();
                units.extend(value.chars().map(sort(stays_whole)));
            }
            Piece::Command { script, is_quoted } => {
                let value = self.substitution(script)?;
                units.extend(value.chars().map(sort(*is_quoted)));
            }
            Piece::Process(script) => {
                let value = self.substitution(script)?;
                let name = if marks::is_unknown(&value) || value.is_empty() {
                    marks::residue(&value)
                } else {
                    let name = format!("/dev/fd/pipe-{}", self.frame.files.len());
                    self.frame.keep_file(&name, &value, false);
                    name
                };
                units.extend(name.chars().map(Unit::Quoted));
            }
            Piece::Arithmetic(word) => {
                let inner = self.text_of(word)?;
                let is_number = inner.trim().chars().all(|c| c.is_ascii_digit());
                let value = if is_number { inner.trim().to_owned() } else { HOLE.to_string() };
                units.extend(value.chars().map(Unit::Quoted));
            }
        }
        Ok(())
    }

    /// What a substitution prints, without the line ends after it.
    fn substitution(&mut self, script: &Script) -> Walk<String> {
        let is_piped = std::mem::replace(&mut self.is_piped, true);
        let printed =
            self.subshell(|walker| walker.deeper(|walker| walker.script(script, None)))?;
        self.is_piped = is_piped;
        Ok(printed.trim_end_matches('\n').to_owned())
    }
}

fn sort(is_quoted: bool) -> fn(char) -> Unit {
    if is_quoted { Unit::Quoted } else { Unit::Value }
}

/// The text with its unquoted wildcards marked.
fn globs(units: &[Unit]) -> String {
    let closes = units.iter().rposition(|unit| unit.char() == ']');
    let mark = |(index, unit): (usize, &Unit)| match unit {
        Unit::Bare('*') | Unit::Value('*') => STAR,
        Unit::Bare('?') | Unit::Value('?') => ANY,
        Unit::Bare('[') | Unit::Value('[') if closes.is_some_and(|end| end > index + 1) => SET,
        unit => unit.char(),
    };
    units.iter().enumerate().map(mark).collect()
}
