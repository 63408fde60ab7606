//! Which task of the new plan is which task of the old one: known by its id, else by its title.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    ids::TaskId,
    plan::{Plan, Task},
};

/// Gives tasks of the new plan the ids under which the old plan knows them, and corrects the dependencies on them.
pub(super) fn adopt_known_ids(existing: &Plan, incoming: &mut Plan) {
    let names = renames(existing, incoming);
    if names.is_empty() {
        return;
    }
    for task in &mut incoming.tasks {
        if let Some(known) = names.get(&task.id) {
            task.id = known.clone();
        }
        for needed in &mut task.depends_on {
            if let Some(known) = names.get(needed) {
                *needed = known.clone();
            }
        }
    }
}

/// New id to old id, where the ids do not meet and a title that both plans have only once does.
fn renames(existing: &Plan, incoming: &Plan) -> BTreeMap<TaskId, TaskId> {
    let ids = |plan: &'_ Plan| plan.tasks.iter().map(|task| task.id.clone()).collect();
    let (old_ids, new_ids): (BTreeSet<TaskId>, BTreeSet<TaskId>) = (ids(existing), ids(incoming));
    let old = by_title(&existing.tasks);
    let mut names = BTreeMap::new();
    for (title, id) in by_title(&incoming.tasks) {
        if let (Some(id), Some(Some(old))) = (id, old.get(&title))
            && !old_ids.contains(id)
            && !new_ids.contains(*old)
        {
            names.insert(id.clone(), (*old).clone());
        }
    }
    names
}

/// The task of each title; none where several share it.
fn by_title(tasks: &[Task]) -> BTreeMap<String, Option<&TaskId>> {
    let mut titles = BTreeMap::new();
    for task in tasks {
        let title = task.title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        if title.is_empty() {
            continue;
        }
        titles.entry(title).and_modify(|id| *id = None).or_insert(Some(&task.id));
    }
    titles
}
