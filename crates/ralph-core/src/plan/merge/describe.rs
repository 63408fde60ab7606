//! The difference in plain lines, for a person who is asked whether to write it.

use std::collections::BTreeMap;

use super::{Kept, Merged};
use crate::{ids::TaskId, plan::Status};

impl Merged {
    /// Whether writing it would change anything.
    pub fn changes_anything(&self) -> bool {
        !(self.added.is_empty()
            && self.changed.is_empty()
            && self.removed.is_empty()
            && self.plan_fields.is_empty())
    }

    /// One line for each difference: `+` new, `~` changed, `-` gone, `=` kept although the new plan differs.
    pub fn describe(&self) -> Vec<String> {
        let tasks = self.plan.tasks.iter();
        let titles: Titles<'_> = tasks.map(|task| (&task.id, first_line(&task.title))).collect();
        let title = |id: &TaskId| titles.get(id).copied().unwrap_or_default();
        let mut lines = Vec::new();
        if !self.plan_fields.is_empty() {
            lines.push(format!("~ the plan itself ({})", self.plan_fields.join(", ")));
        }
        for id in &self.added {
            lines.push(format!("+ {id}: {}", title(id)));
        }
        for changed in &self.changed {
            let title = title(&changed.id);
            lines.push(format!("~ {}: {title} ({})", changed.id, changed.fields.join(", ")));
        }
        for removed in &self.removed {
            lines.push(format!("- {}: {}", removed.id, first_line(&removed.title)));
        }
        for kept in &self.kept {
            if let Some(why) = why_kept(kept) {
                lines.push(format!("= {}: {} stays, {why}", kept.id, title(&kept.id)));
            }
        }
        lines
    }

    /// `new: 2, changed: 1, gone: 1, as before: 3`.
    pub fn summary(&self) -> String {
        let stay = self.kept.len() + self.unchanged;
        format!(
            "new: {}, changed: {}, gone: {}, as before: {stay}",
            self.added.len(),
            self.changed.len(),
            self.removed.len()
        )
    }
}

type Titles<'a> = BTreeMap<&'a TaskId, &'a str>;

/// Nothing is said of a task that only moved on since the new plan's source was written.
fn why_kept(kept: &Kept) -> Option<String> {
    if !kept.is_in_new_plan {
        return Some(match kept.status {
            Status::Pending => "a task that was begun depends on it".to_owned(),
            status => format!("it is {}", status.word()),
        });
    }
    let differs = kept.differs.join(", ");
    (!differs.is_empty())
        .then(|| format!("it is {}; not taken over: {differs}", kept.status.word()))
}

fn first_line(title: &str) -> &str {
    title.lines().next().unwrap_or_default()
}
