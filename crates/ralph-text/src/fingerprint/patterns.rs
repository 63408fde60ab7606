//! The one table of what changes between two runs of the same failure, and what takes its place.
//!
//! Numbers that could be somebody's value stay: a port that a person chose, an error's code, a count.

use std::sync::LazyLock;

use Where::{Everywhere, NotInComparisons};
use regex_automata::meta::Regex;

/// On which lines a pattern is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Everywhere,
    /// Not where a line compares values: times and hexadecimal digits are what a test expected or got there.
    NotInComparisons,
}

/// Parts of patterns by name.
const PARTS: [(&str, &str); 12] = [
    // What stands before a path, and what a name in a path is made of.
    ("{edge}", r#"(^|[ (\[{<"'`,;=|:])"#),
    ("{name}", r#"[^ /:()\[\]{}<>"'`,;=?|]"#),
    // Folders at the root of a machine; `/users/7` is a route of somebody's web server.
    (
        "{root}",
        "/(?:tmp|var|home|Users|root|usr|opt|private|workspaces?|builds?|github|app|srv|mnt|run|rustc|nix|data)",
    ),
    // Folders that projects have inside them.
    ("{inside}", "(?:src|lib|tests?|spec|node_modules)"),
    // Kinds of files that have line numbers: `app.js:12` is a place, `total.sum:12` a value.
    ("{source}", SOURCE),
    // Ports that systems hand out by themselves; lower ones are chosen, so they mean something.
    ("{port}", r"(?:3276[89]|327[7-9]\d|32[89]\d\d|3[3-9]\d{3}|[45]\d{4}|6[0-5]\d{3})\b"),
    // Without seconds it could be any ratio.
    ("{clock}", r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?Z?"),
    ("{zone}", r"(?: ?(?:UTC|GMT|CET|AM|PM|[+-]\d\d:?\d\d))?"),
    ("{month}", "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"),
    (
        "{duration}",
        r"\d+(?:\.\d+)? ?(?:[nuµμm]?s|m|h|secs?|seconds?|mins?|minutes?|hours?|millis|milliseconds)\b",
    ),
    (r"\d", "[0-9]"),
    (r"\b", r"(?-u:\b)"),
];

/// Endings of files with source code, and of those that rules are written in.
pub(super) const SOURCE: &str = "(?:rs|pyi?|[mc]?[jt]sx?|vue|svelte|go|rb|exs?|erl|php|java|kts?|scala|groovy|c|h|cc|\
    cpp|cxx|hh|hpp|m|cs|fs|swift|sh|bash|bats|t|p[lm]|lua|zig|hs|ml|clj|dart|sql|toml|ya?ml|json|md|html|css|xml|s|snap)";

/// Replaced from top to bottom, in lines with single spaces.
const TABLE: &[(Where, &str, &str)] = &[
    // The number that a runner gives to a failure hangs on what else ran.
    (Everywhere, r"^\d+\) ", ""),
    (Everywhere, r"^\d+/\d+ Test #\d+: ", ""),
    (Everywhere, r"^\d+ - (.+ \((?:Failed|Timeout|SEGFAULT|Not Run|Subprocess aborted)\))$", "$1"),
    (Everywhere, r"^\d+:\d+ (error|warning)\b", "$1"),
    (Everywhere, r"^not ok \d+ ", "not ok "),
    (Everywhere, r"^@@ .+ @@", "@@"),
    (Everywhere, r"^\[gw\d+\] ", ""),
    (Everywhere, r" \(FAILED - \d+\)$", " (FAILED)"),
    (Everywhere, r" ?\[ ?\d+%\]", ""),
    // Dates with a clock, clocks, durations. Runners show how long a test took only if it took long.
    (NotInComparisons, r"(?:^\.+)?\b\d{4}-\d\d-\d\d[T ]{clock}{zone}", "<time>"),
    (
        NotInComparisons,
        r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:{month} \d{1,2}|\d{1,2} {month} \d{4}),? {clock}{zone}(?: \d{4}\b)?",
        "<time>",
    ),
    (NotInComparisons, r"\b{clock}\b", "<time>"),
    (NotInComparisons, r"\b{duration}(?: ?{duration})*", "<time>"),
    (NotInComparisons, r" ?[(\[] ?<time>[)\]]:?(?: \( *\d+/\d+\))?", ""),
    (NotInComparisons, r"^([✕×✖✗✘❯]|FAIL|FAILED) (.+) <time>$", "$1 $2"),
    // Numbers whose name says that they change.
    (Everywhere, r"^(thread '.+') \(\d+\)", "$1 (<pid>)"),
    (Everywhere, r"(?i-u)\b((?:pid|tid|process|threadid)[ =:]+)\d+\b", "$1<pid>"),
    (Everywhere, r"(?i-u)(#(?:pid|reference|port)<)[0-9.]+>", "$1<pid>>"),
    (Everywhere, r"(?i-u)\b((?:line|lineno|column|col)[ =:]+)\d+\b", "$1<line>"),
    (Everywhere, r#"(?i-u)\b((?:seed|shuffle)[ =:"]+)\d+\b"#, "$1<seed>"),
    (Everywhere, r"\bgoroutine \d+\b", "goroutine <n>"),
    (Everywhere, r"(?i-u)\b(port[ =:]+){port}", "$1<port>"),
    (Everywhere, r#"(localhost:|\.\d+:|^:| :|":|\(:){port}"#, "$1<port>"),
    // Identifiers and addresses. Eight digits are rather an error's code, fewer than six a value.
    (Everywhere, r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<uuid>"),
    (Everywhere, r"\+0x[0-9a-f]+\b|\b0x(?:[0-9a-fA-F]{6,7}|[0-9a-fA-F]{9,})\b", "<hex>"),
    (Everywhere, r"\bat 0x[0-9a-f]+\b", "at <hex>"),
    (NotInComparisons, r"(?i-u)\b((?:commit|sha|revision) )\d{7,}\b", "$1<hex>"),
    (NotInComparisons, r"@[0-9a-f]{5,}\b", "@<hex>"),
    // The folder of the project and the number of the line change, the file stays.
    (
        Everywhere,
        r"{edge}(?:file://)?/(?:{name}+/)*?({inside}/(?:{name}+/)*)?({name}+\.{source})(?::\d+)+",
        "$1$2$3:<line>",
    ),
    (
        Everywhere,
        r"\b({name}+\.{source}|[Mm]akefile|Dockerfile|Rakefile|Gemfile|node:{name}+(?:/{name}+)*)(?::\d+)+",
        "$1:<line>",
    ),
    (Everywhere, r"({name}\.{source})\(\d+(?:,\d+)*\)", "$1(<line>)"),
    (Everywhere, r"{edge}(?:file://)?{root}/(?:{name}+/)*({inside}/{name})", "$1$2"),
    // What lies right in the folder for temporary files has a name that means nothing.
    (
        Everywhere,
        r#"{edge}/tmp/(?:(?:{name}+/)*[0-9a-fA-F]{6,}|{name}+?)(\.[a-z]{1,5})?($|[ :()\[\]{}<>"'`,;=?|])"#,
        "$1<temp>$2$3",
    ),
    (Everywhere, r"{edge}(?:file://)?{root}(?:/{name}+)*/({name})", "$1$2"),
    // `tmp_folder` is somebody's name, `facade` a word, `1000000` a number: see `is_made_up`.
    (NotInComparisons, r"(?:\.|\b)tmp[._-]?[A-Za-z0-9_]{6,}", "<temp>"),
    (NotInComparisons, r"\b[0-9a-fA-F]{7,}\b", "<hex>"),
];

/// The table, ready to use.
pub(super) static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    // One that cannot be read would be missed by a test.
    TABLE.iter().filter_map(|entry| Pattern::new(*entry)).collect()
});

/// A regular expression in which parts may stand by their names; `None` if it cannot be read.
pub(super) fn regex(pattern: &str) -> Option<Regex> {
    let whole =
        PARTS.iter().fold(pattern.to_owned(), |text, (name, part)| text.replace(name, part));
    Regex::new(&whole).ok()
}

/// A line of the table.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) applies: Where,
    find: Regex,
    put: &'static str,
    /// Matches a name or digits, which may be a word or a number after all.
    is_doubtful: bool,
}

impl Pattern {
    fn new((applies, find, put): (Where, &str, &'static str)) -> Option<Self> {
        Some(Self {
            applies,
            find: regex(find)?,
            put,
            is_doubtful: ["<temp>", "<hex>"].contains(&put),
        })
    }

    /// The line with every match replaced.
    pub(super) fn replace_in(&self, line: String) -> String {
        if !self.find.is_match(&line) {
            return line;
        }
        let (mut out, mut at) = (String::with_capacity(line.len()), 0);
        for found in self.find.captures_iter(&line) {
            let Some(whole) = found.get_match() else { continue };
            if self.is_doubtful && !is_made_up(&line[whole.range()]) {
                continue;
            }
            out.push_str(&line[at..whole.start()]);
            found.interpolate_string_into(&line, self.put, &mut out);
            at = whole.end();
        }
        out.push_str(&line[at..]);
        out
    }
}

/// Whether no person chose this: letters with digits among them, or with capitals where it is a name.
fn is_made_up(text: &str) -> bool {
    let has = |is: fn(&char) -> bool| text.chars().any(|c| is(&c));
    let is_name = text.contains("tmp");
    has(char::is_ascii_alphabetic)
        && (has(char::is_ascii_digit) || is_name && has(char::is_ascii_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read() {
        for (_, find, _) in TABLE {
            assert!(regex(find).is_some(), "{find}");
        }
    }
}
