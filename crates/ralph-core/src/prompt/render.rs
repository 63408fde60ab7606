//! Renders a brief: the task's id and title first, foreign text fenced, everything within its budget.

mod blocks;
mod compact;
mod feedback;
mod fix;
mod plan;
mod review;
mod skills;
mod steering;
mod task;
#[cfg(test)]
mod tests;
mod work;

use self::feedback::FeedbackText;
use super::{
    brief::{Brief, Section, Work},
    budget::{allot, share},
    template::{Layout, TemplateError, TemplateName},
    template_variables::Values,
    trim,
};
use crate::plan::Task;
use ralph_text::tokens::tokens;
use ralph_text::{cut, markdown::fenced};

/// A section that would get less than this is left out: a stump helps nobody.
const LEAST: usize = 20;

/// A prompt, and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    /// The sections that are in it, most important first.
    pub sections: Vec<Used>,
    pub template: TemplateName,
    /// It was laid out by the user's own template.
    pub is_own: bool,
    /// Why the user's template was not used, if it could not be.
    pub trouble: Option<TemplateError>,
}

impl Rendered {
    /// Estimated tokens of the whole text.
    pub fn tokens(&self) -> usize {
        tokens(&self.text)
    }
}

/// What a section takes of a prompt, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    pub section: Section,
    pub tokens: usize,
    /// What it should have at most.
    pub budget: usize,
    /// What it would have taken whole.
    pub wanted: usize,
}

/// The text for an agent, about `budget_tokens` long where the task leaves that room.
pub fn render(brief: &Brief, budget_tokens: usize) -> Rendered {
    let template = brief.template_name();
    let laid_out = |layout| lay_out(brief, layout, budget_tokens);
    let own = brief.template.as_deref().map(|source| laid_out(Layout::Own(source))).transpose();
    let (own, trouble) = match own {
        Ok(own) => (own, None),
        Err(trouble) => (None, Some(trouble)),
    };
    let is_own = own.is_some();
    // The embedded templates are tested, so that nothing is lost here but what the tests would have found.
    let page = own.or_else(|| laid_out(Layout::Embedded(template)).ok()).unwrap_or_default();
    let (text, sections) = (page.text, page.sections);
    Rendered { text, sections, template, is_own, trouble }
}

/// Tokens that a task takes of every prompt about it.
pub fn task_tokens(task: &Task) -> usize {
    Fixed::new(&Brief::new(Work::Task(Box::new(task.clone())))).tokens()
}

/// A text and what its sections took.
#[derive(Default)]
struct Page {
    text: String,
    sections: Vec<Used>,
}

fn lay_out(brief: &Brief, layout: Layout<'_>, budget: usize) -> Result<Page, TemplateError> {
    let counter = brief.counter;
    let numbers = counter.map_or((0, 0), |counter| (counter.iteration, counter.of));
    let fixed = Fixed::new(brief);
    let instructions = layout.frame_tokens()? + tokens(&fixed.handoff);
    let sections = Sections::new(brief, (fixed.tokens(), instructions), budget);
    let empty = Values::new(numbers.0, numbers.1);
    let mut values = fixed.fill(brief, empty);
    for (name, text) in &sections.texts {
        values = values.with(name, text.clone());
    }
    let text = fixed.completed(&layout.render(&values)?);
    Ok(Page { text, sections: sections.used })
}

/// What no budget trims, and no template can leave out.
struct Fixed {
    heading: String,
    count: String,
    task: String,
    description: String,
    criteria: String,
    handoff: String,
}

impl Fixed {
    fn new(brief: &Brief) -> Self {
        Self {
            heading: work::heading(&brief.work),
            count: brief.counter.filter(|one| one.is_told).map(work::count).unwrap_or_default(),
            task: work::text(brief),
            description: work::description(brief),
            criteria: work::criteria(brief),
            handoff: work::handoff(brief),
        }
    }

    fn tokens(&self) -> usize {
        tokens(&self.heading) + tokens(&self.count) + tokens(&self.task)
    }

    fn fill(&self, brief: &Brief, values: Values) -> Values {
        let (id, title) = work::id_and_title(&brief.work);
        values
            .with("kind", brief.template_name().name())
            .with("task_id", id)
            .with("title", title)
            .with("heading", self.heading.as_str())
            .with("count", self.count.as_str())
            .with("task", self.task.as_str())
            .with("description", self.description.as_str())
            .with("criteria", self.criteria.as_str())
            .with("handoff", self.handoff.as_str())
    }

    /// The text with what a template may have left out: the heading on top, task and handoff at the end.
    fn completed(&self, text: &str) -> String {
        let mut text = text.trim().to_owned();
        if !text.starts_with(&self.heading) {
            text = format!("{}\n\n{text}", self.heading);
        }
        let has = |part: &str| text.contains(part.trim());
        let is_told = has(&self.task)
            || (!self.description.is_empty() && has(&self.description) && has(&self.criteria));
        let missing = [(is_told, self.task.as_str()), (has(&self.handoff), self.handoff.as_str())];
        for (_, part) in missing.into_iter().filter(|(is_there, _)| !is_there) {
            text = format!("{text}\n\n{}", part.trim());
        }
        format!("{text}\n")
    }
}

/// The sections that share what task and instructions leave.
struct Sections {
    texts: Vec<(&'static str, String)>,
    used: Vec<Used>,
}

impl Sections {
    fn new(brief: &Brief, (task, instructions): (usize, usize), budget: usize) -> Self {
        let whole = FeedbackText::new(brief, usize::MAX);
        let mut wants = vec![
            (Section::Task, task),
            (Section::Instructions, instructions),
            (Section::Feedback, whole.tokens()),
            (Section::Skills, tokens(&skills::section(&brief.skills, usize::MAX))),
            (Section::Steering, tokens(&steering::text(brief, usize::MAX))),
        ];
        let background = brief.background.iter().filter(|(_, text)| !text.trim().is_empty());
        let background: Vec<_> = background.collect();
        wants.extend(
            background.iter().map(|(one, text)| (*one, tokens(&under(*one, text, usize::MAX)))),
        );
        let given = allot(&wants, budget);
        let is_whole = given[2] >= wants[2].1;
        let feedback = if is_whole { whole } else { FeedbackText::new(brief, given[2]) };
        let mut texts = vec![
            ("results", feedback.before),
            ("feedback", feedback.after),
            ("skills", skills::section(&brief.skills, given[3])),
            ("steering", steering::text(brief, given[4])),
        ];
        for ((section, text), room) in background.iter().zip(&given[5..]) {
            texts.push((section.variable(), under(*section, text, *room)));
        }
        let mut used: Vec<Used> = Vec::new();
        for ((section, wanted), given) in wants.into_iter().zip(given) {
            let is_own = |name: &str| {
                name == section.variable() || (name == "results" && section == Section::Feedback)
            };
            let cut = || {
                texts.iter().filter(|(name, _)| is_own(name)).map(|(_, text)| tokens(text)).sum()
            };
            let tokens = if given >= wanted { wanted } else { cut() };
            used.push(Used { section, tokens, budget: share(section, budget), wanted });
        }
        used.retain(|one| one.wanted > 0);
        used.sort_by_key(|one| one.section);
        Self { texts, used }
    }
}

/// A section's text below its heading; words that are not the user's are fenced.
fn under(section: Section, text: &str, room: usize) -> String {
    let head = format!("## {}\n\n", section.heading());
    let made = |text: &str| match section.label() {
        Some(label) => format!("{head}{label}\n\n{}", fenced(text)),
        None => format!("{head}{text}"),
    };
    let text = text.trim();
    let whole = made(text);
    if tokens(&whole) <= room {
        return whole;
    }
    let around = tokens(&made("")) + LEAST;
    if room < around {
        return String::new();
    }
    let shorter = |bytes| made(&cut::middle(text, bytes));
    trim::fit(room, text.len(), shorter, |made| tokens(made)).unwrap_or_default()
}
