//! The requirements document: the empty form of it that people fill in, and how such a form is recognised.

use std::fmt::Write as _;

/// A section: its title, for which work it is needed, and what to write there.
type Section = (&'static str, &'static str, &'static str);

const SECTIONS: [Section; 10] = [
    (
        "Summary",
        "always",
        "Two to four sentences: what is to be built, for whom, and what is different afterwards.",
    ),
    ("Problem", "always", "How it is today, why that hurts, and why now."),
    (
        "Goals",
        "needed for anything but a small fix",
        "Three to six results, each one that can be measured or shown.",
    ),
    (
        "Non-goals",
        "needed for anything but a small fix, wise even then",
        "What must not be built or changed. Nothing keeps an agent on course better than this list.",
    ),
    (
        "Background",
        "for larger work",
        "How the parts hang together, which files matter, which habits of the code to follow, what words mean.",
    ),
    (
        "Design",
        "always",
        "How it is to be done, with a sub-heading for each part that is touched:\n\
         data (tables, indexes, who may see what), interfaces (requests, replies, errors),\n\
         logic (the steps), what people see (screens and how one leads to the next), surroundings (settings, services).",
    ),
    (
        "Constraints",
        "for larger work",
        "Rules that hold for every task, whichever is being worked on: how values are stored, which libraries are\n\
         used or not used, what must always stay true. One rule per line.",
    ),
    (
        "Edge cases and errors",
        "for larger work",
        "A table works well: what happens, what sets it off, what should follow, what the person is told.",
    ),
    (
        "Risks",
        "for larger work",
        "A table works well: what could go wrong, how likely, how bad, what is done about it.",
    ),
    (
        "Open questions",
        "whenever there are any",
        "What is not decided yet. Strike a line through once it is, and write the decision beside it.",
    ),
];

/// The empty form for a project: ten sections, each with a comment that says what to write.
pub fn scaffold(project: &str) -> String {
    let mut text = format!("# {}\n", title(project));
    text.push_str(
        "\n<!-- Requirements, for people and for the agents that work on the plan. Write what you know and delete the\n\
         \u{20}    sections that you do not need, or let `ralph plan` ask you and write it. -->\n",
    );
    for (number, (title, when, hint)) in SECTIONS.iter().enumerate() {
        let hint = hint.replace('\n', "\n     ");
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {}. {title}\n\n<!-- {when}\n     {hint} -->\n", number + 1);
    }
    text
}

/// The headings of the sections, in order.
pub(crate) fn headings() -> impl Iterator<Item = String> {
    (1..).zip(SECTIONS).map(|(number, (title, ..))| format!("## {number}. {title}"))
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
