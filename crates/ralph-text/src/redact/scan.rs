//! Finds every secret in a stretch of text: anchors by one automaton, then the check of each.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind, automaton::OverlappingState};

use super::{
    bare::{self, Bare},
    checks::token,
    forms,
    memo::Memo,
    rules::{self, Anchored},
    window::{Care, Miss, Verdict, Window, unfinished_escape},
};

/// Most bytes that a candidate may hold back.
pub(super) const HELD: usize = 16 << 10;
/// The same with what is dropped between them.
const HELD_WITH_DROPPED: usize = 4 * HELD;
/// Bytes before an anchor that checks look at.
pub(super) const BEHIND: usize = 64;
/// Most bytes of a known value that the automaton knows; the rest is compared.
const ANCHOR: usize = 12;

/// A known value in one of its forms.
#[derive(Debug)]
struct Form {
    name: usize,
    bytes: Vec<u8>,
}

/// Everything that is looked for.
#[derive(Debug)]
pub(super) struct Scanner {
    automaton: Option<AhoCorasick>,
    anchored: Vec<Anchored>,
    forms: Vec<Form>,
    names: Vec<String>,
    /// All anchors in lower case, sorted: to tell whether the end of a text may begin one.
    sorted: Vec<Vec<u8>>,
    longest: usize,
}

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'a str,
    /// Holds a value that was named, not only something that looks like a secret.
    pub(super) is_named: bool,
}

impl Hit<'_> {
    /// Whether nothing is lost without the other one.
    fn includes(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end && (self.is_named || !other.is_named)
    }
}

/// What a stretch of text holds.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    /// In order, none overlapping another.
    pub(super) hits: Vec<Hit<'a>>,
    /// What stands before this is decided.
    pub(super) decided: usize,
}

impl Scan<'_> {
    /// Adds a stretch of the text that was scanned to `out`, with its secrets replaced.
    pub(super) fn write(&self, text: &[u8], (from, to): (usize, usize), out: &mut Vec<u8>) {
        let mut at = from;
        for hit in self.hits.iter().take_while(|hit| hit.end <= to) {
            out.extend_from_slice(text.get(at..hit.start).unwrap_or_default());
            out.extend_from_slice(b"[redacted:");
            out.extend_from_slice(hit.kind.as_bytes());
            out.push(b']');
            at = hit.end;
        }
        out.extend_from_slice(text.get(at..to).unwrap_or_default());
    }
}

impl Scanner {
    pub(super) fn new(values: &[(String, String)]) -> Self {
        let (mut anchors, mut anchored): (Vec<_>, Vec<_>) = rules::anchors().into_iter().unzip();
        let (mut names, mut known) = (Vec::new(), Vec::new());
        for (name, value) in values {
            names.push(tame(name));
            for bytes in forms::of(value) {
                anchors.push(bytes.get(..ANCHOR.min(bytes.len())).unwrap_or_default().to_vec());
                anchored.push(Anchored::Value(known.len()));
                known.push(Form { name: names.len() - 1, bytes });
            }
        }
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
        let automaton = builder.kind(Some(AhoCorasickKind::DFA)).build(&anchors).ok();
        let mut sorted: Vec<_> = anchors.iter().map(|anchor| anchor.to_ascii_lowercase()).collect();
        sorted.sort();
        let longest = anchors.iter().map(Vec::len).max().unwrap_or(0);
        Self { automaton, anchored, forms: known, names, sorted, longest }
    }

    /// Whether it looks for more than patterns.
    pub(super) fn knows_values(&self) -> bool {
        !self.forms.is_empty()
    }

    /// Looks at the text from `from` on; what stands before was decided earlier and is only looked back at. What goes
    /// to logs is cleaned before it is shown, so it is looked at as it will be then, too.
    pub(super) fn scan<'a>(
        &'a self,
        text: &[u8],
        (from, is_whole): (usize, bool),
        care: Care,
    ) -> Scan<'a> {
        let Scan { mut hits, mut decided } = self.look(text, (from, is_whole), care);
        let readings = if care == Care::Logs { bare::readings(text, is_whole) } else { Vec::new() };
        for reading in readings {
            let bare = Bare::read(text, reading);
            let scan = self.look(&bare.text, (bare.after(from), is_whole), care);
            let stood =
                |hit: Hit<'a>| Hit { start: bare.place(hit.start), end: bare.end(hit.end), ..hit };
            hits.extend(scan.hits.into_iter().map(stood));
            let waits = bare.place(scan.decided);
            if text.len() - waits <= HELD_WITH_DROPPED {
                decided = decided.min(waits);
            }
        }
        let hits = merged(text, from, hits);
        let decided = before_hits(&hits, decided);
        // The beginning of an escape waits for what it escapes.
        let begun = text.get(..decided).filter(|_| !is_whole).and_then(unfinished_escape);
        Scan { hits, decided: begun.unwrap_or(decided).max(from) }
    }

    /// Looks at the text as it stands. Hits are in no order.
    fn look<'a>(&'a self, text: &[u8], (from, is_whole): (usize, bool), care: Care) -> Scan<'a> {
        let mut decided = if is_whole { text.len() } else { self.begun(text).max(from) };
        let mut hits = Vec::new();
        let memo = Memo::default();
        let mut state = OverlappingState::start();
        while let Some(automaton) = &self.automaton {
            automaton.find_overlapping(text, &mut state);
            let Some(found) = state.get_match() else {
                break;
            };
            if found.start() < from {
                continue;
            }
            let (start, after) = (found.start(), found.end());
            let window = Window { text, start, after, is_whole, care, memo: &memo };
            let Some(anchored) = self.anchored.get(found.pattern().as_usize()) else {
                continue;
            };
            match self.check(*anchored, &window) {
                (Ok((start, end)), kind) => {
                    let is_named = matches!(anchored, Anchored::Value(_));
                    let hit = Hit { start, end, kind, is_named };
                    if !hits.last().is_some_and(|last: &Hit<'_>| last.includes(&hit)) {
                        memo.found(start, end);
                        hits.push(hit);
                    }
                }
                (Err(Miss::More), _) if text.len() - start <= HELD => decided = decided.min(start),
                _ => {}
            }
        }
        Scan { hits, decided }
    }

    fn check(&self, anchored: Anchored, window: &Window<'_>) -> (Verdict, &str) {
        match anchored {
            Anchored::Prefix(prefix) => (token::check(prefix, window), prefix.kind),
            Anchored::Rule(rule) => ((rule.check)(window), rule.kind),
            Anchored::Value(number) => match self.forms.get(number) {
                Some(form) => {
                    let name = self.names.get(form.name).map_or("", String::as_str);
                    (compare(&form.bytes, window), name)
                }
                None => (Err(Miss::No), ""),
            },
        }
    }

    /// Where an anchor may have begun that the end of the text cuts off.
    fn begun(&self, text: &[u8]) -> usize {
        let most = self.longest.saturating_sub(1).min(text.len());
        let tail = text.get(text.len() - most..).unwrap_or_default().to_ascii_lowercase();
        let may_go_on = |suffix: &[u8]| {
            let at = self.sorted.partition_point(|anchor| anchor.as_slice() < suffix);
            self.sorted.get(at).is_some_and(|anchor| anchor.starts_with(suffix))
        };
        let begun = (0..tail.len()).find(|at| may_go_on(tail.get(*at..).unwrap_or_default()));
        text.len() - tail.len() + begun.unwrap_or(tail.len())
    }
}

/// Whether a known value stands at the anchor.
fn compare(form: &[u8], window: &Window<'_>) -> Verdict {
    let there = window.slice(window.start, (window.start + form.len()).min(window.text.len()));
    let wanted = form.get(..there.len()).unwrap_or_default();
    if !there.eq_ignore_ascii_case(wanted) {
        return Err(Miss::No);
    }
    if there.len() < form.len() {
        return Err(window.at_end());
    }
    Ok((window.start, window.start + form.len()))
}

/// Overlapping hits become one, and none begins inside an escape, so that JSON stays JSON.
fn merged<'a>(text: &[u8], from: usize, mut hits: Vec<Hit<'a>>) -> Vec<Hit<'a>> {
    hits.sort_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end)));
    let mut merged: Vec<Hit<'a>> = Vec::new();
    for mut hit in hits {
        let before = text.get(..hit.start).unwrap_or_default();
        hit.start = unfinished_escape(before).unwrap_or(hit.start).max(from);
        match merged.last_mut() {
            Some(last) if hit.start < last.end => {
                last.end = last.end.max(hit.end);
                last.is_named |= hit.is_named;
            }
            _ => merged.push(hit),
        }
    }
    merged
}

/// A hit is written whole or not yet.
fn before_hits(hits: &[Hit<'_>], mut decided: usize) -> usize {
    for hit in hits.iter().rev() {
        if hit.end > decided {
            decided = decided.min(hit.start);
        }
    }
    decided
}

/// Names stand in JSON and in sentences.
fn tame(name: &str) -> String {
    let name: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect();
    if name.is_empty() { "secret".into() } else { name }
}
