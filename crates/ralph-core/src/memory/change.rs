//! Changes of mind in plain sentences: what a sentence says no longer holds, read conservatively.

use super::bag::Bag;

/// What a sentence revokes: words that describe it, and words that it must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) phrase: Bag,
    pub(super) must: Bag,
    /// The sentence says only that something is over, and nothing that holds instead.
    pub(super) is_end: bool,
    /// Only a ban can be revoked by it.
    pub(super) is_permission: bool,
}

/// Verbs of a change between two values that are named by `from … to …`.
const MOVES: [&str; 14] = [
    "moved",
    "switched",
    "migrated",
    "changed",
    "raised",
    "lowered",
    "reduced",
    "increased",
    "renamed",
    "ported",
    "converted",
    "extended",
    "shortened",
    "went",
];
/// What is said of something that is over.
const OVER: [&str; 12] = [
    "was lifted",
    "is lifted",
    "is obsolete",
    "was dropped",
    "was removed",
    "is gone",
    "any more",
    "anymore",
    "was revoked",
    "was superseded",
    "is superseded",
    "does not apply",
];
/// Words about a rule that are no part of it.
const ABOUT_RULES: [&str; 18] = [
    "holds",
    "applies",
    "true",
    "applied",
    "needed",
    "valid",
    "lifted",
    "dropped",
    "removed",
    "obsolete",
    "revoked",
    "superseded",
    "limit",
    "ban",
    "rule",
    "restriction",
    "constraint",
    "requirement",
];
/// Words after which a value ends and what it is for begins.
const AFTER_VALUE: [&str; 6] = [" for ", " as ", " in ", " on ", " when ", " because "];

/// What a sentence revokes, if it does.
pub(super) fn change(text: &str) -> Option<Change> {
    let text = text.to_lowercase();
    between_values(&text)
        .or_else(|| instead(&text))
        .or_else(|| replaced(&text))
        .or_else(|| over(&text))
}

/// `moved X from A to B`.
fn between_values(text: &str) -> Option<Change> {
    let is_move = text.split(|c: char| !c.is_alphabetic()).any(|word| MOVES.contains(&word));
    let (before, rest) = text.split_once(" from ").filter(|_| is_move)?;
    let (old, rest) = rest.split_once(" to ")?;
    let after =
        AFTER_VALUE.iter().find_map(|word| rest.split_once(word)).map_or("", |(_, after)| after);
    Some(replacing(&format!("{before} {after}"), old))
}

/// `B instead of A`, `B rather than A`.
fn instead(text: &str) -> Option<Change> {
    let (before, rest) =
        text.split_once(" instead of ").or_else(|| text.split_once(" rather than "))?;
    let rest = clause(rest);
    let (old, about) = value(rest);
    Some(replacing(&format!("{before} {about}"), old))
}

/// `B replaces A for X`, `replaced A with B`.
fn replaced(text: &str) -> Option<Change> {
    if let Some((before, rest)) = text.split_once(" replaces ") {
        let (old, about) = value(clause(rest));
        return Some(replacing(&format!("{before} {about}"), old));
    }
    let (before, rest) = text.split_once("replaced ")?;
    let (old, rest) = rest.split_once(" with ").or_else(|| rest.split_once(" by "))?;
    let (_, about) = value(clause(rest));
    Some(replacing(&format!("{before} {about}"), old))
}

/// `X no longer holds`, `the limit was lifted`, `A may do X again`.
fn over(text: &str) -> Option<Change> {
    let clauses = text.split(';').flat_map(|part| part.split(". "));
    let clauses: Vec<&str> = clauses.filter(|part| !part.trim().is_empty()).collect();
    let says_over = |clause: &&&str| {
        clause.contains("no longer") || OVER.iter().any(|words| clause.contains(words))
    };
    if let Some(clause) = clauses.iter().find(says_over) {
        let mut phrase = Bag::of(&clause.replace("no longer", " "));
        let ends: Vec<String> = ABOUT_RULES.iter().flat_map(|word| Bag::of(word).words).collect();
        phrase.words.retain(|word| !ends.contains(word));
        phrase.names.retain(|word| !ends.contains(word));
        let is_end = clauses.len() == 1;
        return Some(Change { phrase, must: Bag::default(), is_end, is_permission: false });
    }
    let again = clauses.iter().find(|clause| {
        let words: Vec<&str> = clause.split_whitespace().collect();
        words.contains(&"again") && (words.contains(&"may") || words.contains(&"can"))
    })?;
    let phrase = Bag::of(again);
    let is_end = clauses.len() == 1;
    Some(Change { phrase, must: Bag::default(), is_end, is_permission: true })
}

/// A value that another one took the place of, with what it is about.
fn replacing(about: &str, old: &str) -> Change {
    let must = Bag::of(old);
    Change { phrase: must.with(&Bag::of(about)), must, is_end: false, is_permission: false }
}

fn clause(text: &str) -> &str {
    text.split([';', ',', '.']).next().unwrap_or(text)
}

/// A value and what follows it.
fn value(text: &str) -> (&str, &str) {
    AFTER_VALUE.iter().find_map(|word| text.split_once(word)).unwrap_or((text, ""))
}

impl Change {
    /// A statement that is revoked by name.
    pub(super) fn named(phrase: Bag) -> Self {
        Self { phrase, must: Bag::default(), is_end: true, is_permission: false }
    }
}
