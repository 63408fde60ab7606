//! The format as a whole: its facts, and how a plan becomes a document.

use super::{
    super::{
        Facts, FormatError, Look, PlanFormat, criterion,
        format::{EVERY_FIELD, EVERY_STATUS},
        loose,
    },
    back, read, write,
};
use crate::plan::{Criterion, Plan};

pub(in super::super) struct Yaml;

static FACTS: Facts = Facts {
    name: "yaml",
    aliases: &["yml"],
    task_fields: EVERY_FIELD,
    plan_fields: EVERY_FIELD,
    statuses: EVERY_STATUS,
    recognises,
    write_back: Some(back::write_back),
};

impl PlanFormat for Yaml {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn parse(&self, text: &str) -> Result<Plan, FormatError> {
        read::plan(text)
    }

    fn render(&self, plan: &Plan) -> Option<String> {
        let mut plan = plan.clone();
        for one in plan.tasks.iter_mut().flat_map(|task| &mut task.acceptance_criteria) {
            // Sentences are read as every tool may write them, with or without a check behind them.
            if let Criterion::Sentence(text) = one {
                *text = criterion::write(&Criterion::Sentence(text.clone()));
            }
        }
        serde_json::to_value(plan).ok().map(|plan| write::document(&plan))
    }
}

fn recognises(look: &Look<'_>) -> bool {
    let is_named = look.ends_with(&[".yaml", ".yml"]);
    let has_list = |line: &str| {
        line.strip_suffix(':')
            .is_some_and(|name| loose::TASK_LISTS.contains(&name.to_lowercase().as_str()))
    };
    is_named || (look.json.is_none() && look.text.lines().any(|line| has_list(line.trim_end())))
}
