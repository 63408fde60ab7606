//! One place for markup that is not escaped: whoever writes some elsewhere may put others' text into a page as code.

use crate::{repository::Repository, shape::outside_tests, words::code_lines};

/// The one place, for constants.
const OWNER: &str = "crates/ralph-core/src/report/html/constants.rs";

/// Nobody but one file hands markup to a page unescaped.
pub(crate) fn one_place(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, text) in repository.rust_below("crates/") {
        if path == OWNER || path.starts_with("crates/testkit/") {
            continue;
        }
        let lines = code_lines(outside_tests(path, text));
        let found = lines.filter(|(_, line)| line.contains("PreEscaped"));
        findings.extend(found.map(|(number, _)| {
            format!("{path}:{number}: only {OWNER} may use PreEscaped, and for constants only")
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_that_is_not_escaped_is_found_elsewhere() {
        let planted = Repository::planted(&[
            ("crates/ralph-core/src/report/html/a.rs", "use maud::PreEscaped;\n"),
            ("crates/ralph/src/b.rs", "html! { (PreEscaped(title)) }\n// PreEscaped\n"),
            (OWNER, "PreEscaped(STYLE)\n"),
        ]);
        assert_eq!(one_place(&planted).len(), 2);
    }
}
