//! The variables of templates: their names, what they mean, and their values in one prompt.

use std::collections::BTreeMap;

use minijinja::Value;

/// Every variable and what it holds.
pub const VARIABLES: [(&str, &str); 19] = [
    ("kind", "the name of this template"),
    ("task_id", "the task's id, on one line"),
    ("title", "the task's title, on one line"),
    ("iteration", "the number of this iteration"),
    ("max_iterations", "how many there may be"),
    ("heading", "section: the first line, with id and title; put on top if it is left out"),
    ("count", "section: the line that counts iterations, if prompt.iteration_count is on"),
    ("results", "section: failures of gates with fail_action = \"prepend\""),
    (
        "task",
        "section: the task with its criteria, the user's prompt, what to plan from or to compact; added if it is left out",
    ),
    ("description", "the task's text alone"),
    ("criteria", "the task's criteria alone"),
    ("steering", "section: what the user said while the run went on"),
    ("feedback", "section: results, findings and answers, fenced where they are foreign"),
    ("project", "section: what the plan and the requirements say of the project"),
    ("skills", "section: the task's skills"),
    ("last", "section: what the iteration before handed over"),
    ("memory", "section: what is known so far"),
    ("earlier", "section: a line for iterations before that"),
    ("handoff", "section: how to hand over; added if it is left out"),
];

/// What the variables hold in one prompt.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    texts: BTreeMap<&'static str, String>,
    iteration: u32,
    max_iterations: u32,
}

impl Values {
    /// Values that say which iteration this is, and nothing else.
    pub(super) fn new(iteration: u32, max_iterations: u32) -> Self {
        Self { texts: BTreeMap::new(), iteration, max_iterations }
    }

    /// Something to say for every variable.
    pub(super) fn sample() -> Self {
        let text = |(name, _): (&'static str, _)| (name, format!("({name} {})", "x".repeat(60)));
        Self { texts: VARIABLES.map(text).into(), iteration: 1, max_iterations: 15 }
    }

    /// The same with one text more, after what the variable holds already.
    pub(super) fn with(mut self, name: &'static str, text: impl Into<String>) -> Self {
        let held = self.texts.entry(name).or_default();
        format!("{held}\n\n{}", text.into().trim()).trim().clone_into(held);
        self
    }

    /// Every variable with its value.
    pub(super) fn all(&self) -> BTreeMap<&'static str, Value> {
        let text = |name| self.texts.get(name).map_or("", String::as_str);
        let mut all: BTreeMap<_, _> =
            VARIABLES.iter().map(|&(name, _)| (name, Value::from(text(name)))).collect();
        all.insert("iteration", Value::from(self.iteration));
        all.insert("max_iterations", Value::from(self.max_iterations));
        all
    }
}
