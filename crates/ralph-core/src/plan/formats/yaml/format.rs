//! The format as a whole: its facts, and how a plan becomes a document.

use super::{
    super::{
        Look, PlanFormat, criterion,
        format::{EVERY_FIELD, EVERY_STATUS},
        other_tools,
    },
    read, write,
};
use crate::plan::{Criterion, Plan};

pub(in super::super) static FORMAT: PlanFormat = PlanFormat {
    name: "yaml",
    aliases: &["yml"],
    task_fields: EVERY_FIELD,
    plan_fields: EVERY_FIELD,
    statuses: EVERY_STATUS,
    recognises,
    parse: read::plan,
    render: Some(render),
    write_back: None,
};

fn render(plan: &Plan) -> String {
    let mut plan = plan.clone();
    for one in plan.tasks.iter_mut().flat_map(|task| &mut task.acceptance_criteria) {
        // Sentences are read as every tool may write them, with or without a check behind them.
        if let Criterion::Sentence(text) = one {
            *text = criterion::write(&Criterion::Sentence(text.clone()));
        }
    }
    write::document(&serde_json::to_value(plan).unwrap_or_default())
}

fn recognises(look: &Look<'_>) -> bool {
    let is_named = look.ends_with(&[".yaml", ".yml"]);
    let has_list = |line: &str| {
        line.strip_suffix(':')
            .is_some_and(|name| other_tools::TASK_LISTS.contains(&name.to_lowercase().as_str()))
    };
    is_named || (look.json.is_none() && look.text.lines().any(|line| has_list(line.trim_end())))
}
