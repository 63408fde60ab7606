//! The redactor of a run: made once from the values that its agents are given, shared by all that write.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::{Arc, LazyLock, OnceLock},
};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{
    checks::random,
    scan::{Hit, Scanner},
    stream::Stream,
    window::Care,
};

/// Knows what must not be written. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Redactor {
    lookup: Arc<Lookup>,
}

/// What is looked for, and how: made when the first text is looked at, because it takes longer than most texts.
#[derive(Debug, Default)]
struct Lookup {
    values: Vec<(String, String)>,
    scanner: OnceLock<Arc<Scanner>>,
}

/// A secret in a file, without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub kind: String,
    /// Counted from 1.
    pub line: u64,
    /// It is a value of the run's environment, not only something that looks like a secret.
    pub is_named: bool,
}

impl Default for Redactor {
    fn default() -> Self {
        static PATTERNS: LazyLock<Arc<Lookup>> = LazyLock::new(Arc::default);
        Self { lookup: Arc::clone(&PATTERNS) }
    }
}

impl Redactor {
    /// Knows these values, by name, and all patterns. Values that are short or ordinary words are left alone.
    pub fn new<N: Into<String>, V: AsRef<str>>(values: impl IntoIterator<Item = (N, V)>) -> Self {
        let values = values.into_iter().map(|(name, value)| (name.into(), value.as_ref().into()));
        let values: Vec<(String, String)> = values.collect();
        Self { lookup: Arc::new(Lookup { values, scanner: OnceLock::new() }) }
    }

    fn scanner(&self) -> &Arc<Scanner> {
        let Lookup { values, scanner } = &*self.lookup;
        scanner.get_or_init(|| Arc::new(Scanner::new(values)))
    }

    /// For text that comes in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(Arc::clone(self.scanner()))
    }

    /// A whole text without its secrets.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// A whole text of any bytes without its secrets.
    pub fn bytes<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let scan = self.scanner().scan(text, (0, true), Care::Logs);
        if scan.hits.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = Vec::with_capacity(text.len());
        scan.write(text, (0, text.len()), &mut out);
        Cow::Owned(out)
    }

    /// The secrets in a file that `old` does not hold already. Surer than for logs: values that only stand for a
    /// secret do not count, unless they are known to be one.
    pub fn new_secrets(&self, text: &[u8], old: &[u8]) -> Vec<Secret> {
        let scan = self.scanner().scan(text, (0, true), Care::Files);
        let value = |hit: &Hit<'_>| text.get(hit.start..hit.end).unwrap_or_default();
        let mut hits = scan.hits;
        hits.retain(|hit| hit.is_named || !random::is_stand_in(value(hit)));
        let known = contained(old, hits.iter().map(value));
        let (mut line, mut at) = (1, 0);
        let told = hits.iter().map(|hit| {
            let between = text.get(at..hit.start).unwrap_or_default();
            line += between.split(|byte| *byte == b'\n').skip(1).count() as u64;
            at = hit.start;
            Secret { kind: hit.kind.to_owned(), line, is_named: hit.is_named }
        });
        told.zip(known).filter(|(_, is_known)| !is_known).map(|(secret, _)| secret).collect()
    }

    /// Whether it knows exact values, beside the patterns.
    pub fn knows_values(&self) -> bool {
        self.scanner().knows_values()
    }
}

/// Whether a variable of this name holds a credential.
pub fn looks_secret(name: &str) -> bool {
    const ENDS: [&str; 12] = [
        "KEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIALS",
        "CREDENTIAL",
        "PAT",
        "AUTH",
        "DSN",
        "DATABASE_URL",
    ];
    let name = name.to_ascii_uppercase();
    let is_word = |end: &&str| {
        name.strip_suffix(*end).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
    };
    ENDS.iter().any(is_word) || name.contains("SECRET") || name.contains("_TOKEN_")
}

/// Which of these a text holds; read once, however many there are.
fn contained<'a>(text: &[u8], wanted: impl Iterator<Item = &'a [u8]>) -> Vec<bool> {
    let wanted: Vec<&[u8]> = wanted.collect();
    let mut found = vec![false; wanted.len()];
    let different: BTreeSet<&[u8]> = wanted.iter().copied().collect();
    let different: Vec<&[u8]> = different.into_iter().collect();
    if text.is_empty() || wanted.is_empty() {
        return found;
    }
    let mut builder = AhoCorasick::builder();
    let Ok(automaton) = builder.kind(Some(AhoCorasickKind::ContiguousNFA)).build(&different) else {
        return found;
    };
    let mut held = vec![false; different.len()];
    for one in automaton.find_overlapping_iter(text) {
        if let Some(held) = held.get_mut(one.pattern().as_usize()) {
            *held = true;
        }
    }
    for (found, wanted) in found.iter_mut().zip(wanted) {
        let at = different.binary_search(&wanted);
        *found = at.is_ok_and(|at| held.get(at).copied().unwrap_or(false));
    }
    found
}
