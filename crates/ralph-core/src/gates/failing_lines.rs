//! The lines of a gate's output that say what failed, gathered while it is read. In a long output they lie where the
//! excerpt is cut: of thousands of passing tests an agent needs the one that is not. Knows marks, no runner's format.

/// What a line begins with that reports a failure, behind its indent.
const BEGINS: [&str; 20] = [
    "not ok ", "FAIL ", "FAIL:", "FAILED", "--- FAIL", "(fail)", "ERROR ", "ERROR:", "[ERROR]",
    "error:", "error[", "error ", "Error:", "panic:", "fatal:", "✖ ", "✗ ", "✘ ", "✕ ", "× ",
];
/// What it ends with.
const ENDS: [&str; 4] = [" FAILED", " ... FAIL", " ... ERROR", " (FAILED)"];
/// What marks a failure that is expected, in any case.
const EXPECTED: [&str; 2] = ["# todo", "# skip"];

/// So many lines after such a one belong to it, if they are indented deeper or are remarks.
const DETAILS: usize = 12;
/// So much of a line is kept.
const LONGEST: usize = 300;

/// Failing lines and their details, up to a limit.
#[derive(Debug)]
pub(super) struct FailingLines {
    max_chars: usize,
    max_lines: usize,
    chars: usize,
    lines: Vec<String>,
    /// The lines that report a failure, by their place in `lines`.
    heads: Vec<usize>,
    /// The indent of the failure that details may still follow, and how many.
    open: Option<(usize, usize)>,
}

impl FailingLines {
    pub(super) fn new(max_chars: usize, max_lines: usize) -> Self {
        Self { max_chars, max_lines, chars: 0, lines: Vec::new(), heads: Vec::new(), open: None }
    }

    /// Takes the next line.
    pub(super) fn line(&mut self, line: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if is_failure(text) {
            self.open = Some((indent, DETAILS));
            self.heads.push(self.lines.len());
            self.keep(line);
        } else if let Some((above, left)) = self.open {
            let belongs =
                left > 0 && !text.is_empty() && (indent > above || text.starts_with("# "));
            self.open = belongs.then(|| (above, left - 1));
            if belongs {
                self.keep(line);
            }
        }
    }

    fn keep(&mut self, line: &str) {
        let line: String = line.chars().take(LONGEST).collect();
        let chars = line.chars().count() + 1;
        if self.lines.len() < self.max_lines && self.chars + chars <= self.max_chars {
            self.chars += chars;
            self.lines.push(line);
        } else {
            self.max_lines = 0;
        }
    }

    /// All of them, if one of the failures is not in what is shown anyway.
    pub(super) fn unless_in(&self, shown: &str) -> Option<String> {
        let heads = self.heads.iter().filter_map(|at| self.lines.get(*at));
        let mut heads = heads.map(|line| line.trim());
        heads.any(|head| !shown.contains(head)).then(|| self.lines.join("\n"))
    }
}

fn is_failure(text: &str) -> bool {
    let is_marked = BEGINS.iter().any(|mark| text.starts_with(mark))
        || ENDS.iter().any(|mark| text.trim_end().ends_with(mark));
    let is_expected = || {
        let text = text.to_ascii_lowercase();
        EXPECTED.iter().any(|mark| text.contains(mark))
    };
    is_marked && !is_expected()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(lines: &[&str]) -> Vec<String> {
        let mut failing = FailingLines::new(1000, 10);
        for line in lines {
            failing.line(line);
        }
        failing.lines
    }

    #[test]
    fn a_failure_is_kept_with_what_belongs_to_it() {
        let tap = [
            "ok 1 - a",
            "not ok 2 - b",
            "  ---",
            "  expected: 3",
            "ok 3 - c",
            "not ok 4 - d # Todo later",
            "# done",
        ];
        assert_eq!(gathered(&tap), tap[1..4]);
        let bats = ["not ok 1 adds", "# (in test file a.bats, line 2)", "ok 2 b"];
        assert_eq!(gathered(&bats), bats[..2]);
        let words =
            ["0 errors", "the error is gone", "test failed_login ... ok", "FAILURE is an option"];
        assert!(gathered(&words[..3]).is_empty());
    }

    #[test]
    fn what_is_gathered_has_a_limit() {
        let mut failing = FailingLines::new(40, 10);
        for n in 0..100 {
            failing.line(&format!("not ok {n} - test"));
        }
        assert_eq!(failing.lines.len(), 2);
        assert_eq!(failing.unless_in("not ok 0 - test\nnot ok 1 - test"), None);
        assert!(failing.unless_in("not ok 1 - test").is_some());
    }
}
