//! The skills of a task: the user's own text. The first ones win where there is no room for all.

use ralph_text::{markdown::one_line, tokens::tokens};

use crate::prompt::{brief::Section, trim};

/// Tokens kept for the line that names what was left out.
const REST: usize = 40;
/// Tokens between two blocks.
const BETWEEN: usize = 2;
/// A skill that would get less is left out: a stump helps nobody.
const LEAST: usize = 60;

/// The section, at most so many tokens long.
pub(super) fn section(skills: &[(String, String)], room: usize) -> String {
    let mut blocks = vec![format!("## {}", Section::Skills.heading())];
    let all: Vec<_> = blocks.iter().cloned().chain(skills.iter().map(block)).collect();
    let whole = all.join("\n\n");
    if tokens(&whole) <= room {
        return if skills.is_empty() { String::new() } else { whole };
    }
    let mut left = room.saturating_sub(tokens(&blocks[0]) + BETWEEN);
    let mut out: Vec<&str> = Vec::new();
    for (at, skill) in skills.iter().enumerate() {
        let (name, block) = (&skill.0, block(skill));
        let is_last = at + 1 == skills.len() && out.is_empty();
        let most = if is_last { left } else { left.saturating_sub(REST) };
        let block = if tokens(&block) <= most {
            block
        } else if at == 0 && most >= LEAST {
            trim::middle(&block, most)
        } else {
            out.push(name);
            continue;
        };
        left = left.saturating_sub(tokens(&block) + BETWEEN);
        blocks.push(block);
    }
    if blocks.len() == 1 {
        return String::new();
    }
    if !out.is_empty() {
        blocks.push(format!("Left out to save room: {}.", out.join(", ")));
    }
    blocks.join("\n\n")
}

fn block((name, text): &(String, String)) -> String {
    format!("### {}\n\n{}", one_line(name), text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(name: &str, words: usize) -> (String, String) {
        (name.to_owned(), format!("{} end", "word ".repeat(words)))
    }

    #[test]
    fn the_first_skills_win_and_the_rest_are_named() {
        let skills = [skill("one", 300), skill("two", 300), skill("three", 20)];
        let text = section(&skills, 420);
        assert!(
            text.contains("### one") && text.contains("### three") && !text.contains("### two"),
            "{text}"
        );
        assert!(text.ends_with("Left out to save room: two.") && tokens(&text) <= 420);
        assert!(!section(&skills, 2000).contains("Left out"));
    }

    #[test]
    fn a_first_skill_too_long_is_cut_and_none_is_no_section() {
        let text = section(&[skill("one", 3000)], 200);
        assert!(text.contains("bytes left out") && tokens(&text) <= 200, "{text}");
        assert_eq!(section(&[skill("one", 3000)], 30), "");
        assert_eq!(section(&[], 1500), "");
    }
}
