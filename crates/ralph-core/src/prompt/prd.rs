//! What of `prd.md` holds for every task: its Non-Goals and Constraints. The file itself is for agents to read.

use ralph_text::cut;
use serde::{Deserialize, Serialize};

/// Most bytes kept of one section.
const MAX_SECTION: usize = 8 << 10;

/// A requirements document that somebody has written, not only laid out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Prd {
    /// What must not be built.
    pub non_goals: String,
    /// What holds whatever is built.
    pub constraints: String,
}

impl Prd {
    /// Reads a document; nothing if it holds only headings and placeholders.
    pub fn read(text: &str) -> Option<Self> {
        let text = without_comments(text);
        let section = |names: &[&str]| cut::middle(&section(&text, names), MAX_SECTION);
        text.lines().any(says_something).then(|| Self {
            non_goals: section(&["non-goals", "non goals", "out of scope"]),
            constraints: section(&["constraints"]),
        })
    }
}

/// The lines below the first heading of one of these names, up to the next heading as high; placeholders do not count.
fn section(text: &str, names: &[&str]) -> String {
    let mut level = None;
    let mut lines = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        match (level, heading(line).filter(|_| !is_code)) {
            (None, Some((depth, title))) if names.contains(&title.as_str()) => level = Some(depth),
            (Some(own), Some((depth, _))) if depth <= own => break,
            (Some(_), _) => lines.push(line),
            _ => {}
        }
    }
    if lines.iter().any(|line| says_something(line)) {
        lines.join("\n").trim().to_owned()
    } else {
        String::new()
    }
}

/// The depth and the plain name of a heading, without a number before it or a remark after it.
fn heading(line: &str) -> Option<(usize, String)> {
    let depth = line.len() - line.trim_start_matches('#').len();
    let title = line[depth..].strip_prefix(' ').filter(|_| (1..=6).contains(&depth))?;
    let title = title.trim_start_matches(|c: char| c.is_ascii_digit() || " .)".contains(c));
    let title = title.split(['(', '_', '—', ':']).next().unwrap_or_default();
    Some((depth, title.trim().trim_matches('*').to_lowercase()))
}

/// Whether a line is more than layout or a placeholder.
fn says_something(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['-', '*', '>', ' ']).trim();
    let is_placeholder = (line.starts_with('<') && line.ends_with('>'))
        || (line.starts_with('[') && line.ends_with(']'))
        || (line.starts_with('_') && line.ends_with('_'));
    let is_word = ["todo", "tbd", "n/a", "none"]
        .contains(&line.trim_end_matches('.').to_lowercase().as_str());
    !is_placeholder
        && !is_word
        && heading(line).is_none()
        && line.chars().any(char::is_alphanumeric)
}

/// The text without `<!-- … -->`.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = inside.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scaffold_is_not_a_document() {
        let scaffold = "# Product\n\n<!-- say what\nit is -->\n\n## 4. Non-Goals\n\n- todo\n- <what not>\n\n## Constraints\n_none yet_\n";
        assert_eq!(Prd::read(scaffold), None);
        assert_eq!(Prd::read(""), None);
    }

    #[test]
    fn non_goals_and_constraints_are_found_whatever_stands_around_them() {
        let text = "# Shop\n\nSells things.\n\n## 4. Non-Goals (required)\n\n- no `# payments`\n\n### Later\n\n- gifts\n\n\
                    ## 7. **Constraints**\n\n```\n# not a heading\n```\n- cents, never floats\n\n## Risks\n\n- fire\n";
        let prd = Prd::read(text).unwrap_or_default();
        assert_eq!(prd.non_goals, "- no `# payments`\n\n### Later\n\n- gifts");
        assert_eq!(prd.constraints, "```\n# not a heading\n```\n- cents, never floats");
        let bare = Prd::read("# Shop\n\nSells things.\n\n## Constraints\n\n- TBD\n");
        assert_eq!(bare, Some(Prd::default()));
    }

    #[test]
    fn a_section_without_end_is_cut() {
        let text = format!("# P\n\n## Constraints\n\n{}", "- word\n".repeat(10_000));
        let prd = Prd::read(&text).unwrap_or_default();
        assert!(prd.constraints.len() < MAX_SECTION + 100);
    }
}
