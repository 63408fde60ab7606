//! A statement as words that can be compared: small words left out, endings cut, numbers and negation apart.

use std::collections::{BTreeMap, BTreeSet};

/// Words that say nothing of what a statement is about.
const SMALL: [&str; 140] = [
    "a",
    "about",
    "above",
    "after",
    "again",
    "all",
    "also",
    "always",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "done",
    "during",
    "each",
    "either",
    "else",
    "ever",
    "every",
    "everything",
    "everywhere",
    "few",
    "for",
    "from",
    "had",
    "has",
    "have",
    "having",
    "here",
    "how",
    "if",
    "in",
    "inside",
    "instead",
    "into",
    "is",
    "it",
    "its",
    "itself",
    "just",
    "let",
    "may",
    "me",
    "might",
    "more",
    "most",
    "must",
    "my",
    "need",
    "needs",
    "neither",
    "never",
    "no",
    "nobody",
    "none",
    "nor",
    "not",
    "nothing",
    "now",
    "of",
    "off",
    "on",
    "once",
    "only",
    "onto",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "per",
    "rather",
    "same",
    "shall",
    "she",
    "should",
    "since",
    "so",
    "some",
    "still",
    "such",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "to",
    "too",
    "under",
    "until",
    "up",
    "upon",
    "very",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whole",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "yet",
    "you",
    "your",
];
/// Words that say what happens and not to what: two ways of saying the same differ in them.
const LIGHT: [&str; 138] = [
    "accept",
    "accepted",
    "allow",
    "allowed",
    "applied",
    "apply",
    "became",
    "become",
    "began",
    "begin",
    "begun",
    "belong",
    "break",
    "bring",
    "call",
    "called",
    "caller",
    "callers",
    "come",
    "contain",
    "contains",
    "convert",
    "create",
    "created",
    "data",
    "depend",
    "do",
    "drop",
    "dropped",
    "enforce",
    "ensure",
    "exceed",
    "exist",
    "expect",
    "follow",
    "forbid",
    "form",
    "forms",
    "free",
    "get",
    "give",
    "given",
    "go",
    "goes",
    "gone",
    "handle",
    "happen",
    "held",
    "hold",
    "include",
    "insist",
    "interval",
    "intervals",
    "keep",
    "kept",
    "know",
    "known",
    "lead",
    "leave",
    "left",
    "live",
    "look",
    "made",
    "make",
    "mean",
    "meant",
    "module",
    "modules",
    "move",
    "moved",
    "need",
    "offer",
    "pass",
    "permit",
    "prefer",
    "present",
    "prevent",
    "produce",
    "provide",
    "put",
    "ran",
    "read",
    "receive",
    "record",
    "records",
    "refer",
    "rely",
    "remain",
    "remove",
    "removed",
    "render",
    "replace",
    "replaced",
    "require",
    "required",
    "respect",
    "return",
    "run",
    "save",
    "schedule",
    "scheduled",
    "see",
    "seem",
    "send",
    "sent",
    "set",
    "show",
    "signal",
    "sit",
    "speak",
    "stand",
    "start",
    "started",
    "stay",
    "stop",
    "store",
    "stored",
    "support",
    "switch",
    "take",
    "taken",
    "tell",
    "thing",
    "things",
    "treat",
    "try",
    "turn",
    "use",
    "used",
    "value",
    "values",
    "want",
    "way",
    "went",
    "work",
    "write",
    "written",
    "wrote",
];
/// Words that turn a statement into its opposite.
const NEGATIVE: [&str; 14] = [
    "not",
    "no",
    "never",
    "cannot",
    "without",
    "none",
    "nobody",
    "nor",
    "free",
    "forbidden",
    "banned",
    "prohibited",
    "disallowed",
    "avoid",
];

/// The words of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bag {
    /// In order, without numbers.
    pub(super) words: Vec<String>,
    /// Those of them that name things.
    pub(super) names: Vec<String>,
    pub(super) numbers: BTreeSet<String>,
    /// The word right before a word: `tax` in `tax client`.
    pub(super) before: BTreeMap<String, String>,
    pub(super) is_negative: bool,
}

impl Bag {
    pub(super) fn of(text: &str) -> Self {
        let mut bag = Self::default();
        let mut before: Option<String> = None;
        for raw in text.split(|c: char| !is_inside(c)) {
            let raw = raw.trim_matches(['.', '-', '_', '\'', '+', ':']).to_lowercase();
            let word = raw.trim_end_matches("'s");
            if word.is_empty() {
                continue;
            }
            let previous = before.take();
            bag.is_negative |= NEGATIVE.contains(&word) || word.ends_with("n't");
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                bag.numbers.insert(word.to_owned());
            } else if !is_small(word) {
                let stem = stem(word);
                if !bag.words.contains(&stem) {
                    bag.before.extend(previous.map(|previous| (stem.clone(), previous)));
                    if !is_light(word) {
                        bag.names.push(stem.clone());
                    }
                    bag.words.push(stem.clone());
                }
                before = Some(stem);
            }
        }
        bag
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    pub(super) fn has_same_words(&self, other: &Self) -> bool {
        self.words.len() == other.words.len() && self.words.iter().all(|word| other.has(word))
    }

    /// Whether a word that both have belongs to different things: `tax client` and `mail client`.
    pub(super) fn is_about_another(&self, other: &Self) -> bool {
        self.before.iter().any(|(word, own)| {
            other.before.get(word).is_some_and(|theirs| !self.has(theirs) && !other.has(own))
        })
    }

    /// The words of both, in order.
    pub(super) fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.words.extend(other.words.iter().filter(|word| !self.has(word)).cloned());
        both.names.extend(other.names.iter().filter(|word| !self.has(word)).cloned());
        both.numbers.extend(other.numbers.iter().cloned());
        both
    }
}

/// Characters that belong to a word: names of files, routes and functions stay whole.
fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || "_/.-'+:@".contains(c)
}

fn is_small(word: &str) -> bool {
    word.len() < 2 || SMALL.binary_search(&word).is_ok()
}

fn is_light(word: &str) -> bool {
    let is_listed = |word: &str| LIGHT.binary_search(&word).is_ok();
    let plain = word.strip_suffix("ing").or_else(|| word.strip_suffix('s')).unwrap_or(word);
    is_listed(word) || is_listed(plain) || is_listed(&format!("{plain}e"))
}

/// The word without its ending, so that `stores`, `stored` and `storing` are one. Names keep theirs.
fn stem(word: &str) -> String {
    if word.len() < 4 || !word.chars().all(|c| c.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    let cut = |end: &str| word.strip_suffix(end).filter(|stem| stem.len() >= 3);
    let stem = match (cut("ies"), cut("ing"), cut("ed"), cut("es"), cut("s")) {
        (Some(stem), ..) => return format!("{stem}y"),
        (_, Some(stem), ..) | (_, _, Some(stem), ..) => stem,
        (.., Some(stem), _) if stem.ends_with(['s', 'x', 'z', 'h']) => stem,
        (.., Some(stem)) if !word.ends_with("ss") && !word.ends_with("us") => stem,
        _ => word,
    };
    let stem = stem.trim_end_matches('e');
    let mut chars = stem.chars().rev();
    let is_doubled =
        chars.next().is_some_and(|last| chars.next() == Some(last) && !"lsz".contains(last));
    stem[..stem.len() - usize::from(is_doubled)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_are_sorted() {
        assert!(SMALL.is_sorted() && LIGHT.is_sorted());
    }

    #[test]
    fn endings_and_small_words_make_no_difference() {
        let words = |text| Bag::of(text).words.join(" ");
        assert_eq!(words("The stores are stored, storing."), "stor");
        assert_eq!(
            words("Imports of `src/a.rs` from planned modules"),
            "import src/a.rs plan modul"
        );
        assert_eq!(words("queries, query; classes and a class"), "query class");
    }

    #[test]
    fn numbers_and_negation_are_told_apart() {
        let bag = Bag::of("The limit must not be above 10 MB, isn't it?");
        assert_eq!(bag.words, ["limit", "mb", "isn't"]);
        assert!(bag.is_negative && bag.numbers.contains("10"));
        assert!(!Bag::of("at most 10").is_negative);
    }
}
