//! Renders a brief: the task's id and title first, foreign text fenced, everything within its budget.

mod fix;
mod review;
#[cfg(test)]
mod tests;
mod told;
mod work;

use super::{
    brief::{Brief, Section},
    budget::{allot, tokens},
};
use crate::cut;

/// A section that would get less than this is left out: a stump helps nobody.
const LEAST: usize = 20;

/// A prompt, and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    /// Name and estimated tokens of each section that is in it.
    pub sections: Vec<(&'static str, usize)>,
}

/// The text for an agent, about `budget_tokens` long where the task leaves that room.
pub fn render(brief: &Brief, budget_tokens: usize) -> Rendered {
    let task = work::text(brief);
    let instructions = work::instructions(brief);
    let whole = told::Told::new(brief, usize::MAX);
    let mut wants = vec![
        (Section::Task, tokens(&task)),
        (Section::Instructions, tokens(&instructions)),
        (Section::Feedback, tokens(&whole.before) + tokens(&whole.after)),
    ];
    wants.extend(brief.background.iter().map(|(section, text)| (*section, tokens(text.trim()))));
    let given = allot(&wants, budget_tokens);
    let told = told::Told::new(brief, given[2]);
    let mut parts = Parts::default();
    parts.add(Section::Task, &work::heading(&brief.work));
    parts.add(Section::Task, &brief.counter.map(work::count).unwrap_or_default());
    parts.add(Section::Feedback, &told.before);
    parts.add(Section::Task, &task);
    parts.add(Section::Feedback, &told.after);
    for ((section, text), room) in brief.background.iter().zip(&given[3..]) {
        parts.add(*section, &background(*section, text.trim(), *room));
    }
    parts.add(Section::Instructions, &instructions);
    parts.rendered()
}

/// Texts in the order of the prompt, with what each section has used.
#[derive(Default)]
struct Parts {
    texts: Vec<String>,
    sections: Vec<(Section, usize)>,
}

impl Parts {
    fn add(&mut self, section: Section, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match self.sections.iter_mut().find(|(known, _)| *known == section) {
            Some((_, used)) => *used += tokens(text),
            None => self.sections.push((section, tokens(text))),
        }
        self.texts.push(text.to_owned());
    }

    fn rendered(self) -> Rendered {
        Rendered {
            text: format!("{}\n", self.texts.join("\n\n")),
            sections: self
                .sections
                .into_iter()
                .map(|(section, used)| (section.name(), used))
                .collect(),
        }
    }
}

fn background(section: Section, text: &str, room: usize) -> String {
    if text.is_empty() || room < LEAST.min(tokens(text)) {
        return String::new();
    }
    format!("## {}\n\n{}", section.heading(), cut::middle(text, room.saturating_mul(4)))
}
