//! The line over a pane that is about one try of a task.

use crate::{
    reporters::line::{Line, Tone},
    watch::model::Model,
};

/// `T-005 rate limits  try 2  iteration 9  implement  follow`.
pub(super) fn of_try(model: &Model) -> Line {
    let line = of_task(model);
    let Some(step) = model.step() else { return line.dim("  not begun") };
    let attempt = step.attempt.map(|nth| format!("  try {nth}")).unwrap_or_default();
    let line = line.dim(format!("{attempt}  iteration {}  {}", step.iteration, step.kind));
    if model.is_live() {
        return line.add(Tone::Accent, if model.is_following { "  follow" } else { "" });
    }
    line.dim(format!("  {}", step.result))
}

/// `T-005 rate limits`.
pub(super) fn of_task(model: &Model) -> Line {
    let Some(task) = model.task() else { return Line::new().dim("no task") };
    let title = model.timeline.title(&task);
    Line::new().add(Tone::Bold, format!("{task} ")).plain(title)
}
