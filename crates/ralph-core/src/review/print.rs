//! Tells whether two reviews found the same.

use ralph_text::fingerprint::{digest, normalise};

use super::verdict::Finding;

/// Twelve hexadecimal digits that stand for these findings, in any order.
///
/// Title and file tell findings apart. Line numbers move with every change and no two reviewers explain a
/// thing in the same words, so neither lines nor details count.
pub fn findings_print(findings: &[Finding]) -> String {
    let mut lines: Vec<String> = findings.iter().map(line).collect();
    lines.sort_unstable();
    lines.dedup();
    let parts: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
    digest(&parts).chars().take(12).collect()
}

fn line(finding: &Finding) -> String {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    // The words around them keep a title from being taken for a program's line of progress.
    let whole = format!("found {} in {}", words(&finding.title), words(&finding.place));
    normalise(&whole.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::FindingSeverity;

    fn finding(title: &str, detail: &str, place: &str) -> Finding {
        Finding {
            severity: FindingSeverity::Blocking,
            title: title.into(),
            detail: detail.into(),
            place: place.into(),
        }
    }

    #[test]
    fn order_lines_case_and_details_do_not_matter() {
        let one = [
            finding("Password is logged", "in plain text", "src/log.rs:12"),
            finding("criterion 1 is not met", "", ""),
        ];
        let other = [
            finding("criterion 1 is  not met", "still", ""),
            finding("password is logged", "again", "src/log.rs:90"),
            finding("password is logged", "and again", "src/log.rs:91"),
        ];
        assert_eq!(findings_print(&one), findings_print(&other));
        assert_eq!(findings_print(&one).len(), 12);
    }

    #[test]
    fn other_findings_have_another_print() {
        let base = findings_print(&[finding("a", "", "src/a.rs")]);
        for other in [
            vec![],
            vec![finding("b", "", "src/a.rs")],
            vec![finding("a", "", "src/b.rs")],
            vec![finding("a", "", "src/a.rs"), finding("b", "", "src/a.rs")],
        ] {
            assert_ne!(base, findings_print(&other), "{other:?}");
        }
        let checking = findings_print(&[finding("Checking is slow", "", "")]);
        assert_ne!(checking, findings_print(&[finding("Running is slow", "", "")]));
    }
}
