//! Patterns of paths: `*`, `**`, `?`, `[a-z]`, `{a,b}`, `\` before a character that stands for itself.
//!
//! Time grows with pattern times path, whatever both are: no pattern can make it explode.

/// So many characters a pattern may have.
const LONGEST: usize = 1_000;
/// So many patterns may come out of the braces of one.
const MOST_ALTERNATIVES: usize = 256;

/// Why a text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    #[error("is empty")]
    Empty,
    #[error("has a `[` without its `]`")]
    OpenBracket,
    #[error("has a `{{` without its `}}`")]
    OpenBrace,
    #[error("is longer than {LONGEST} characters")]
    TooLong,
    #[error("has more than {MOST_ALTERNATIVES} alternatives")]
    TooMany,
}

/// A pattern of paths relative to the worktree. ASCII letters match in either case, as some disks do.
///
/// Without a `/` inside it names a file or folder anywhere, else it begins at the top. What matches a folder
/// matches everything in it; a `/` at the end matches only folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    alternatives: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    parts: Vec<Part>,
    is_folder: bool,
}

/// One name of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// `**`: any number of names.
    Deep,
    Name(Vec<Piece>),
}

/// One character of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// `*`: any number of characters.
    Many,
    One,
    Is(char),
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Glob {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, GlobError> {
        let text: Vec<char> = text.trim().to_ascii_lowercase().chars().collect();
        if text.len() > LONGEST {
            return Err(GlobError::TooLong);
        }
        let alternatives = expand(&text)?;
        let alternatives = alternatives.iter().map(|text| Pattern::parse(text));
        Ok(Self { alternatives: alternatives.collect::<Result<_, _>>()? })
    }

    /// Whether it matches a path or a folder above it.
    pub fn matches(&self, path: &str) -> bool {
        self.matches_names(&names(path))
    }

    /// The same for a path that is split already.
    pub(super) fn matches_names(&self, names: &[Vec<char>]) -> bool {
        self.alternatives.iter().any(|pattern| pattern.matches(names))
    }
}

/// The names a path is made of, in lower case.
pub(super) fn names(path: &str) -> Vec<Vec<char>> {
    path.split('/').map(|name| name.to_ascii_lowercase().chars().collect()).collect()
}

impl Pattern {
    fn parse(text: &[char]) -> Result<Self, GlobError> {
        let names: Vec<&[char]> = text.split(|c| *c == '/').collect();
        let is_folder = names.len() > 1 && names.last().is_some_and(|name| name.is_empty());
        let is_anchored = names.iter().rev().skip(usize::from(is_folder)).count() > 1;
        let mut parts = if is_anchored { Vec::new() } else { vec![Part::Deep] };
        for name in names.into_iter().filter(|name| !matches!(name, [] | ['.'])) {
            parts.push(match name {
                ['*', '*'] => Part::Deep,
                name => Part::Name(pieces(name)?),
            });
        }
        match parts.as_slice() {
            // A folder's content is meant, not the folder.
            [.., Part::Deep] if is_anchored => parts.push(Part::Name(vec![Piece::Many])),
            [] | [Part::Deep] => return Err(GlobError::Empty),
            _ => {}
        }
        Ok(Self { parts, is_folder })
    }

    fn matches(&self, path: &[Vec<char>]) -> bool {
        let is_deep = |part: &Part| *part == Part::Deep;
        let fits = |part: &Part, name: &Vec<char>| match part {
            Part::Deep => true,
            Part::Name(pieces) => {
                walk(pieces, name, |piece| *piece == Piece::Many, |piece, c| piece.fits(*c)).pop()
                    == Some(true)
            }
        };
        let mut matched = walk(&self.parts, path, is_deep, fits);
        if self.is_folder {
            matched.pop();
        }
        matched.into_iter().skip(1).any(|is_match| is_match)
    }
}

impl Piece {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Many | Self::One => true,
            Self::Is(own) => *own == c,
            Self::Class { is_negated, ranges } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *is_negated
            }
        }
    }
}

/// Which beginnings of `input`, the empty one first, the whole pattern matches. All ways are followed at once.
fn walk<P, I>(
    pattern: &[P],
    input: &[I],
    repeats: impl Fn(&P) -> bool,
    fits: impl Fn(&P, &I) -> bool,
) -> Vec<bool> {
    let skip = |reached: &mut [bool]| {
        for (at, part) in pattern.iter().enumerate() {
            if reached[at] && repeats(part) {
                reached[at + 1] = true;
            }
        }
    };
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip(&mut reached);
    let mut matched = vec![reached[pattern.len()]];
    for item in input {
        let mut next = vec![false; pattern.len() + 1];
        for (at, part) in pattern.iter().enumerate() {
            if reached[at] && fits(part, item) {
                next[at + usize::from(!repeats(part))] = true;
            }
        }
        skip(&mut next);
        reached = next;
        matched.push(reached[pattern.len()]);
    }
    matched
}

fn pieces(name: &[char]) -> Result<Vec<Piece>, GlobError> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        pieces.push(match (first, after) {
            ('*', _) => Piece::Many,
            ('?', _) => Piece::One,
            ('[', _) => {
                let (class, after) = class(after)?;
                rest = after;
                class
            }
            ('\\', [own, after @ ..]) => {
                rest = after;
                Piece::Is(*own)
            }
            (own, _) => Piece::Is(*own),
        });
    }
    Ok(pieces)
}

/// What stands between `[` and `]`; a `]` that comes first stands for itself.
fn class(text: &[char]) -> Result<(Piece, &[char]), GlobError> {
    let is_negated = matches!(text.first(), Some('!' | '^'));
    let text = &text[usize::from(is_negated)..];
    let end = text.iter().skip(1).position(|c| *c == ']').ok_or(GlobError::OpenBracket)? + 1;
    let (mut inside, after) = (&text[..end], &text[end + 1..]);
    let mut ranges = Vec::new();
    while let Some((first, rest)) = inside.split_first() {
        let (last, rest) = match rest {
            ['-', last, rest @ ..] => (last, rest),
            rest => (first, rest),
        };
        ranges.push((*first, *last));
        inside = rest;
    }
    Ok((Piece::Class { is_negated, ranges }, after))
}

/// The patterns that the first braces of a text stand for, and those of what comes after.
fn expand(text: &[char]) -> Result<Vec<Vec<char>>, GlobError> {
    let Some(open) = unescaped(text).find(|at| text[*at] == '{') else {
        return Ok(vec![text.to_vec()]);
    };
    let (mut depth, mut from, mut choices, mut close) = (0_usize, open + 1, Vec::new(), None);
    for at in unescaped(text).filter(|at| *at > open) {
        match text[at] {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                choices.push(&text[from..at]);
                from = at + 1;
            }
            '}' => {
                choices.push(&text[from..at]);
                close = Some(at);
                break;
            }
            _ => {}
        }
    }
    let close = close.ok_or(GlobError::OpenBrace)?;
    let mut all = Vec::new();
    for choice in choices {
        all.extend(expand(&[&text[..open], choice, &text[close + 1..]].concat())?);
        if all.len() > MOST_ALTERNATIVES {
            return Err(GlobError::TooMany);
        }
    }
    Ok(all)
}

/// Where the characters stand that no `\` takes the meaning from.
fn unescaped(text: &[char]) -> impl Iterator<Item = usize> {
    let mut is_escaped = false;
    text.iter().enumerate().filter_map(move |(at, c)| {
        let counts = !is_escaped && *c != '\\';
        is_escaped = !is_escaped && *c == '\\';
        counts.then_some(at)
    })
}

#[cfg(test)]
#[path = "glob_tests.rs"]
mod tests;
