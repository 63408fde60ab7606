//! The requirements document: the empty form of it that people fill in, and how such a form is recognised.

use std::fmt::Write as _;

/// A section: its key in a planner's draft, its title, for which work it is needed, and what to write there.
type Section = (&'static str, &'static str, &'static str, &'static str);

const SECTIONS: [Section; 10] = [
    (
        "summary",
        "Summary",
        "always",
        "Two to four sentences: what to build, for whom, and what will be different afterwards.",
    ),
    (
        "problem_statement",
        "Problem",
        "always",
        "How things are today, why that hurts, and why now.",
    ),
    (
        "goals",
        "Goals",
        "needed for anything but a small fix",
        "Three to six results, each of which can be measured or shown.",
    ),
    (
        "non_goals",
        "Non-goals",
        "needed for anything but a small fix, wise even then",
        "What must not be built or changed. Nothing keeps an agent on track better than this list.",
    ),
    (
        "background",
        "Background",
        "for larger work",
        "How the parts fit together, which files matter, which conventions of the code to follow, what terms mean.",
    ),
    (
        "technical_design",
        "Design",
        "always",
        "How to do it, with a sub-heading for each part that changes:\n\
         data (tables, indexes, who may see what), interfaces (requests, replies, errors),\n\
         logic (the steps), what people see (screens and how one leads to the next), environment (settings, services).",
    ),
    (
        "constraints",
        "Constraints",
        "for larger work",
        "Rules for every task: how values are stored, which libraries to use or avoid,\n\
         what must always stay true. One rule per line.",
    ),
    (
        "edge_cases",
        "Edge cases and errors",
        "for larger work",
        "A table works well: what happens, what causes it, what should follow, what the user is told.",
    ),
    (
        "risks",
        "Risks",
        "for larger work",
        "A table works well: what could go wrong, how likely, how bad, how to handle it.",
    ),
    (
        "open_questions",
        "Open questions",
        "whenever there are any",
        "What is not decided yet. Once it is, strike the line through and write the decision next to it.",
    ),
];

/// The empty form for a project: ten sections, each with a comment that says what to write.
pub fn scaffold(project: &str) -> String {
    let mut text = format!("# {}\n", title(project));
    text.push_str(
        "\n<!-- Requirements, for people and for the agents that work on the plan. Write what you know and delete the\n\
         \u{20}    sections that you do not need, or let `ralph plan` ask you and write it. -->\n",
    );
    for (number, (_, title, when, hint)) in SECTIONS.iter().enumerate() {
        let hint = hint.replace('\n', "\n     ");
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {}. {title}\n\n<!-- {when}\n     {hint} -->\n", number + 1);
    }
    text
}

/// The keys of the sections in a planner's draft with their headings, in order.
pub(crate) fn sections() -> impl Iterator<Item = (&'static str, String)> {
    (1..).zip(SECTIONS).map(|(number, (key, title, ..))| (key, format!("## {number}. {title}")))
}

/// Whether nobody has written anything yet: nothing but headings and comments.
pub fn is_scaffold(text: &str) -> bool {
    let mut rest = text;
    let mut said = String::new();
    while let Some((before, comment)) = rest.split_once("<!--") {
        said.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    said.push_str(rest);
    said.lines().all(|line| line.trim().is_empty() || line.starts_with('#'))
}

/// A name as it can stand in a heading.
fn title(project: &str) -> String {
    let words: Vec<&str> = project.split_whitespace().collect();
    if words.is_empty() { "Requirements".into() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scaffold_has_ten_sections_and_is_recognised() {
        let text = scaffold("demo\nproject");
        assert_eq!(text.lines().filter(|line| line.starts_with("## ")).count(), 10);
        assert!(text.starts_with("# demo project\n"), "{text}");
        assert!(is_scaffold(&text));
        assert_eq!(text.matches("<!--").count(), text.matches("-->").count());
    }

    #[test]
    fn a_single_word_of_a_person_makes_it_a_document() {
        let text = scaffold("demo");
        assert!(!is_scaffold(&text.replace("## 3.", "Faster.\n\n## 3.")));
        assert!(!is_scaffold("Build a kettle."));
        assert!(!is_scaffold("<!-- a --> Build <!-- b -->"));
    }

    #[test]
    fn an_empty_or_half_deleted_scaffold_is_still_one() {
        assert!(is_scaffold(""));
        assert!(is_scaffold("# demo\n\n## 1. Summary\n\n<!-- not closed\n"));
        assert!(is_scaffold(&scaffold("")));
    }
}
