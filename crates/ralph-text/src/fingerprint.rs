//! Fingerprints of failures: the same failure gives the same hash, whatever the clock or the paths say.

mod digest;
mod gist;
mod listing;
mod noise;
mod normal;
mod patterns;

pub use digest::digest;
pub use gist::Gist;
pub use normal::normalise;

/// One thing that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailurePart<'a> {
    /// The gate's name, or the check's command.
    pub gate: &'a str,
    /// Names of failing tests, where they are known.
    pub failing: &'a [String],
    /// Its output as the agent sees it.
    pub output: &'a str,
    /// What stands for its whole output, where that was read; empty otherwise.
    pub gist: &'a str,
}

/// Twelve hexadecimal digits that stand for this failure; the order of the parts does not matter.
pub fn fingerprint(parts: &[FailurePart<'_>]) -> String {
    let mut digests: Vec<String> = parts.iter().map(part_digest).collect();
    digests.sort_unstable();
    let bytes: Vec<&[u8]> = digests.iter().map(String::as_bytes).collect();
    digest(&bytes).chars().take(12).collect()
}

fn part_digest(part: &FailurePart<'_>) -> String {
    let mut names: Vec<&str> = part.failing.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    // An excerpt that is cut shows other lines whenever something before the cut is longer.
    let whole = if part.gist.is_empty() { gist::of(part.output) } else { part.gist.to_owned() };
    digest(&[part.gate.as_bytes(), names.join("\n").as_bytes(), whole.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(gate: &str, failing: &[&str], output: &str) -> String {
        let failing: Vec<_> = failing.iter().copied().map(String::from).collect();
        fingerprint(&[FailurePart { gate, failing: &failing, output, gist: "" }])
    }

    #[test]
    fn a_fingerprint_is_twelve_hexadecimal_digits() {
        let print = of("test", &[], "boom");
        assert!(print.len() == 12 && print.chars().all(|c| c.is_ascii_hexdigit()), "{print}");
    }

    #[test]
    fn what_changes_without_meaning_changes_no_fingerprint() {
        for (one, other) in [
            ("finished in 0.17s", "finished in 12.03s"),
            ("ran for 3 ms", "ran for 1200 ms"),
            ("took 1m 30s", "took 2m 05s"),
            ("at 12:01:59 it broke", "at 07:33:00 it broke"),
            ("2026-11-14T00:40:26.123Z error", "2026-11-15T10:00:00Z error"),
            ("panicked at src/lib.rs:6:46:", "panicked at src/lib.rs:8:2:"),
            ("a.test.js:12 broke", "a.test.js:15 broke"),
            ("File \"x.py\", line 12, in f", "File \"x.py\", line 99, in f"),
            ("/tmp/a1/src/main.rs: no", "/home/dev/b/src/main.rs: no"),
            ("open /tmp/.tmpAb12Cd failed", "open /tmp/.tmpZZ99xx failed"),
            ("<Thing object at 0x7f05fa29e850>", "<Thing object at 0x7f11aa00b0c0>"),
            ("commit 3f2a9bc failed", "commit 77de01a failed"),
            ("id 7f347f8b-61e3-4f8c-ab67-673f3b70005c", "id 990b79ec-a2dc-49ef-9408-c92b0a43024f"),
            ("thread 'tests::adds' (11583) panicked", "thread 'tests::adds' (42) panicked"),
            ("pid 812 died", "pid 3 died"),
            ("pid=812 died", "pid=99999 died"),
            ("b failed\na failed", "a failed\nb failed\n\nb failed"),
            ("   Compiling sample v0.1.0\nboom", "boom"),
            ("test a ... ok\ntest b ... FAILED", "test b ... FAILED\ntest c ... ok"),
            (
                "boom\n[... 3 lines, 9 characters cut; x ...]",
                "boom\n[... 4 lines, 1 characters cut; x ...]",
            ),
            (" 12 | let x = y;", " 14 | let x = y;"),
        ] {
            assert_eq!(of("t", &[], one), of("t", &[], other), "{one} / {other}");
        }
        assert_eq!(of("t", &["a", "b"], ""), of("t", &["b", "a", "a"], ""));
    }

    #[test]
    fn another_failure_has_another_fingerprint() {
        let base = of("t", &["a"], "left: 1");
        for other in [
            of("u", &["a"], "left: 1"),
            of("t", &["b"], "left: 1"),
            of("t", &["a", "b"], "left: 1"),
            of("t", &[], "left: 1"),
            of("t", &["a"], "left: 2"),
            of("t", &["a"], ""),
        ] {
            assert_ne!(base, other);
        }
        for (one, other) in [
            ("cannot find value `x`", "cannot find value `y`"),
            ("src/lib.rs:6:46: no", "src/main.rs:6:46: no"),
            ("/home/dev/lib.rs: no", "/home/dev/main.rs: no"),
            ("expected 401, got 200", "expected 401, got 500"),
            ("the decade failed", "the facade failed"),
            ("No module named 'a'", "No module named 'b'"),
        ] {
            assert_ne!(of("t", &[], one), of("t", &[], other), "{one} / {other}");
        }
    }

    #[test]
    fn parts_count_in_any_order_but_stay_apart() {
        let part = |gate, output| FailurePart { gate, failing: &[], output, gist: "" };
        let (a, b) = (part("a", "x"), part("b", "y"));
        assert_eq!(fingerprint(&[a, b]), fingerprint(&[b, a]));
        assert_ne!(fingerprint(&[a, b]), fingerprint(&[part("a", "y"), part("b", "x")]));
    }
}
