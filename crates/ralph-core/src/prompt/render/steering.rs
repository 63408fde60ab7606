//! What a person said while the run went on, as the user's own words. The newest are never cut before older ones.

use ralph_text::tokens::tokens;

use crate::prompt::{
    brief::{Brief, Section, SteeredWord, Work},
    trim,
};

/// A word that would get fewer tokens than this is left out: a stump helps nobody.
const LEAST: usize = 20;
/// Tokens between two words.
const BETWEEN: usize = 1;
/// Tokens kept for the line that counts what was left out.
const REST: usize = 16;

/// The section, at most about so many tokens long; empty where nobody said anything.
pub(super) fn text(brief: &Brief, room: usize) -> String {
    let said = &brief.steering;
    if said.words.is_empty() {
        return String::new();
    }
    let how = match &brief.work {
        Work::Review(_) => {
            "The user said this while the work went on. It tells what is wanted: judge the work in its light. \
             Where it differs from the task, it holds."
        }
        Work::Task(_) | Work::Fix(..) | Work::Prompt(_) | Work::Plan(_) | Work::Compact(_) => {
            "The user said this while the run went on. It decides: follow it. Where it differs from the task, it \
             holds, and a later word holds over an earlier one."
        }
    };
    let head = format!("## {}\n\n{how}", Section::Steering.heading());
    let blocks: Vec<String> = said.words.iter().map(block).collect();
    let whole = joined(&head, said.left_out, &blocks);
    if tokens(&whole) <= room {
        return whole;
    }
    let blocks = newest(&blocks, room.saturating_sub(tokens(&head) + REST));
    joined(&head, said.left_out + said.words.len() - blocks.len(), &blocks)
}

/// As many of the newest as there is room for, oldest first.
fn newest(blocks: &[String], room: usize) -> Vec<String> {
    let mut left = room;
    let mut kept = Vec::new();
    for block in blocks.iter().rev() {
        let wanted = BETWEEN + tokens(block);
        if left < LEAST.min(wanted) {
            break;
        }
        kept.push(trim::middle(block, left.saturating_sub(BETWEEN)));
        left = left.saturating_sub(wanted);
    }
    kept.reverse();
    kept
}

fn joined(head: &str, missing: usize, blocks: &[String]) -> String {
    let count = match missing {
        0 => String::new(),
        1 => "(1 earlier message is left out here.)".into(),
        more => format!("({more} earlier messages are left out here.)"),
    };
    super::blocks::joined([head.to_owned(), count].into_iter().chain(blocks.iter().cloned()))
}

fn block(word: &SteeredWord) -> String {
    let about = if word.is_about_task { "About this task" } else { "About all the work" };
    format!("{about}: {}", word.text.trim())
}
