//! Tests start ralph as a user would: each place that switches the sandbox or the review off is counted, and there may
//! not be more of them than there are.

use crate::repository::Repository;

/// What switches a default off, and in how many places tests do so. A limit may only fall.
const LIMITS: &[(&str, usize)] = &[
    ("without_review(Because::ItCountsCalls)", 28),
    ("without_review(Because::ItIsAboutThat)", 1),
    ("without_sandbox(Because::ItIsAboutThat)", 4),
    ("without_sandbox(Because::ItReachesOut)", 11),
    ("without_sandbox(Because::ItRepeatsALot)", 2),
    ("--skip-review", 5),
    ("--sandbox=off", 4),
    ("mode = \\\"off\\\"", 10),
];

/// Where tests start ralph.
const TESTS: [&str; 2] = ["crates/ralph/tests/", "crates/testkit/src/kill/"];

/// Every switch is in the table, as often as the table says.
pub(crate) fn are_used(repository: &Repository) -> Vec<String> {
    let texts: Vec<&str> =
        TESTS.iter().flat_map(|folder| repository.rust_below(folder)).map(|it| it.1).collect();
    let uses = |needle: &str| texts.iter().map(|text| text.matches(needle).count()).sum::<usize>();
    let mut findings = Vec::new();
    for (needle, limit) in LIMITS {
        let found = uses(needle);
        if found != *limit {
            findings.push(format!(
                "{needle}: tests switch a default off in {found} places, the table says {limit}; if there are \
                 fewer now, lower the limit"
            ));
        }
    }
    for function in ["without_review(", "without_sandbox("] {
        let listed: usize =
            LIMITS.iter().filter(|it| it.0.starts_with(function)).map(|it| uses(it.0)).sum();
        if uses(&format!(".{function}")) > listed {
            findings.push(format!("{function}…): a use names no listed reason"));
        }
    }
    if uses("\"RALPH_SANDBOX\", \"off\"") > 0 {
        findings.push("RALPH_SANDBOX=off: use without_sandbox, which takes a reason".into());
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_default_that_one_more_test_switches_off() {
        let skips = "(\"--skip-review\") ".repeat(3);
        let planted = Repository::planted(&[
            ("crates/ralph/tests/a.rs", &skips),
            ("crates/ralph/tests/b.rs", "run.with_env(\"RALPH_SANDBOX\", \"off\")"),
            ("crates/ralph/tests/c.rs", "run.without_review(Because::Of)"),
        ]);
        let found = are_used(&planted);
        for part in ["--skip-review", "RALPH_SANDBOX=off", "names no listed reason"] {
            assert!(found.iter().any(|one| one.contains(part)), "{part}: {found:?}");
        }
    }
}
