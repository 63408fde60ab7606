//! What somebody made of the plan file, as proposals against the truth. A file that is damaged proposes nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::{Amendment, Changes, PlanChanges, Proposal, Source, claims};
use crate::{
    ids::TaskId,
    plan::{Plan, Task, formats::plan_json},
};

const REASON: &str = "edit of plan.json";

/// Reads an edited plan file as proposals against the plan as ralph last wrote it, and says in words what
/// cannot be one. A file that is cut off, emptied, no plan or another plan gives one sentence only.
pub fn from_edit(truth: &Plan, edited: &str) -> (Vec<Proposal>, Vec<String>) {
    if edited.trim().is_empty() {
        return (Vec::new(), vec!["plan.json was emptied".into()]);
    }
    let plan = match plan_json::parse(edited) {
        Ok(plan) => plan,
        Err(error) => return (Vec::new(), vec![format!("plan.json was damaged: {error}")]),
    };
    if !truth.tasks.is_empty() && plan.tasks.is_empty() {
        return (Vec::new(), vec!["all tasks were removed from plan.json".into()]);
    }
    let known: BTreeMap<&TaskId, &Task> = truth.tasks.iter().map(|task| (&task.id, task)).collect();
    if !known.is_empty() && !plan.tasks.iter().any(|task| known.contains_key(&task.id)) {
        return (Vec::new(), vec!["plan.json was replaced by another plan".into()]);
    }
    let mut words = Vec::new();
    if has_other_order(truth, &plan) {
        words.push("the order of the tasks in plan.json changed, which has no effect: use `priority` or `order`".into());
    }
    (compare(truth, &plan, &known, &said_reviews(edited)), words)
}

/// The same edit as if it had been made to what ralph wrote later: where the tasks stand is not what somebody wrote.
/// What cannot be read stays as it is.
pub fn rebase(edited: &str, was: &str, now: &str) -> String {
    let read = |text: &str| plan_json::parse(text).ok();
    let (Some(mut edit), Some(was), Some(now)) = (read(edited), read(was), read(now)) else {
        return edited.to_owned();
    };
    for task in &mut edit.tasks {
        if let (Some(old), Some(mut new)) = (was.task(&task.id), now.task(&task.id).cloned()) {
            Changes::between(old, task).write_to(&mut new);
            *task = new;
        }
    }
    let is_new = |task: &&Task| was.position(&task.id).is_none();
    let added = now.tasks.iter().filter(is_new).filter(|task| edit.position(&task.id).is_none());
    let added: Vec<Task> = added.cloned().collect();
    edit.tasks.extend(added);
    plan_json::render(&edit)
}

/// New tasks first, since others may depend on them; removals last.
fn compare(
    truth: &Plan,
    edited: &Plan,
    known: &BTreeMap<&TaskId, &Task>,
    reviews: &[Option<Value>],
) -> Vec<Proposal> {
    let mut seen = BTreeSet::new();
    let (mut added, mut amendments) = (Vec::new(), Vec::new());
    for (at, task) in edited.tasks.iter().enumerate() {
        let Some(old) = known.get(&task.id).filter(|_| seen.insert(&task.id)) else {
            added.push(with_review(task, reviews.get(at)));
            continue;
        };
        let mut changes = Changes::between(old, task);
        if let Some(Some(said)) = reviews.get(at) {
            changes.other.insert(claims::REVIEW_STATUS.into(), said.clone());
        }
        if !changes.names().is_empty() {
            let (id, changes) = (task.id.clone(), Box::new(changes));
            amendments.push(Amendment::Modify { id, changes, reason: REASON.into() });
        }
    }
    let changes = PlanChanges::between(truth, edited);
    if !changes.names().is_empty() {
        amendments.push(Amendment::Plan { changes: Box::new(changes), reason: REASON.into() });
    }
    let gone = truth.tasks.iter().filter(|task| !seen.contains(&task.id));
    amendments
        .extend(gone.map(|task| Amendment::Remove { id: task.id.clone(), reason: REASON.into() }));
    let added = dependencies_first(added).into_iter().map(|task| Amendment::Add {
        task: Box::new(task),
        after: None,
        reason: REASON.into(),
    });
    let all = added.chain(amendments);
    all.map(|amendment| Proposal { from: Source::PlanFile, amendment }).collect()
}

/// New tasks so that none comes before another new one that it needs, where that is possible.
fn dependencies_first(mut left: Vec<Task>) -> Vec<Task> {
    let mut sorted = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let missing: BTreeSet<TaskId> = left.iter().map(|task| task.id.clone()).collect();
        let (ready, waiting): (Vec<Task>, Vec<Task>) = left
            .into_iter()
            .partition(|task| !task.depends_on.iter().any(|id| missing.contains(id)));
        if ready.is_empty() {
            sorted.extend(waiting);
            break;
        }
        sorted.extend(ready);
        left = waiting;
    }
    sorted
}

/// What an edited plan says in `review_status`, where that is not what the status says anyway. The plan's
/// reader passes over that field, but a task that was called approved must not go by unseen.
fn said_reviews(edited: &str) -> Vec<Option<Value>> {
    #[derive(Deserialize)]
    struct Edited {
        tasks: Vec<EditedTask>,
    }
    #[derive(Deserialize)]
    struct EditedTask {
        status: Option<Value>,
        review_status: Option<Value>,
    }
    let tasks = serde_json::from_str(edited.trim_start_matches('\u{feff}'))
        .map_or(Vec::new(), |edited: Edited| edited.tasks);
    let said =
        |task: EditedTask| task.review_status.filter(|said| task.status.as_ref() != Some(said));
    tasks.into_iter().map(said).collect()
}

fn with_review(task: &Task, said: Option<&Option<Value>>) -> Task {
    let mut task = task.clone();
    if let Some(Some(said)) = said {
        claims::keep_review_status(&mut task, said.clone());
    }
    task
}

/// Whether tasks that both have stand in another order.
fn has_other_order(truth: &Plan, edited: &Plan) -> bool {
    let places: BTreeMap<&TaskId, usize> =
        truth.tasks.iter().enumerate().map(|(at, task)| (&task.id, at)).collect();
    let order: Vec<usize> =
        edited.tasks.iter().filter_map(|task| places.get(&task.id).copied()).collect();
    !order.is_sorted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Status;

    fn task(id: &str, depends_on: &[&str]) -> Task {
        Task {
            id: id.into(),
            title: "t".into(),
            depends_on: depends_on.iter().map(|id| TaskId::from(*id)).collect(),
            ..Task::default()
        }
    }

    fn plan(tasks: Vec<Task>) -> Plan {
        Plan { tasks, ..Plan::default() }
    }

    fn headlines(truth: &Plan, edited: &Plan) -> Vec<String> {
        let (proposals, _) = from_edit(truth, &plan_json::render(edited));
        proposals.iter().map(|proposal| proposal.amendment.headline()).collect()
    }

    #[test]
    fn an_edit_of_an_older_plan_leaves_where_tasks_stand_by_now() {
        let was = plan(vec![task("a", &[]), task("b", &[])]);
        let now = plan(vec![
            Task { status: Status::Done, ..task("a", &[]) },
            task("b", &[]),
            task("c", &[]),
        ]);
        let mut edited = was.clone();
        edited.tasks[1].description = "mine".into();
        let [was, edited, later] = [&was, &edited, &now].map(plan_json::render);
        let (proposals, words) = from_edit(&now, &rebase(&edited, &was, &later));
        let headlines: Vec<String> = proposals.iter().map(|one| one.amendment.headline()).collect();
        assert_eq!((headlines, words), (vec!["modify b (description)".to_owned()], Vec::new()));
        assert_eq!(rebase("broken", &was, &later), "broken");
    }

    #[test]
    fn new_tasks_come_first_in_the_order_of_their_needs_and_removals_last() {
        let truth = plan(vec![task("a", &[]), task("b", &[])]);
        let mut edited = plan(vec![
            task("z", &["y"]),
            task("y", &["x", "a"]),
            task("x", &[]),
            task("a", &["x"]),
        ]);
        edited.branch = "main".into();
        assert_eq!(
            headlines(&truth, &edited),
            [
                "add x: t",
                "add y: t",
                "add z: t",
                "modify a (depends_on)",
                "change the plan (branch)",
                "remove b"
            ]
        );
    }

    #[test]
    fn new_tasks_in_a_circle_are_all_proposed() {
        let truth = plan(vec![task("a", &[])]);
        let edited = plan(vec![task("a", &[]), task("x", &["y"]), task("y", &["x"])]);
        assert_eq!(headlines(&truth, &edited), ["add x: t", "add y: t"]);
    }

    #[test]
    fn an_id_used_twice_is_a_second_task() {
        let truth = plan(vec![task("a", &[])]);
        let edited = plan(vec![task("a", &[]), Task { title: "again".into(), ..task("a", &[]) }]);
        assert_eq!(headlines(&truth, &edited), ["add a: again"]);
    }

    #[test]
    fn another_order_is_mentioned_and_proposes_nothing() {
        let truth = plan(vec![task("a", &[]), task("b", &[])]);
        let edited = plan(vec![task("b", &[]), task("a", &[])]);
        let (proposals, words) = from_edit(&truth, &plan_json::render(&edited));
        assert_eq!((proposals.len(), words.len()), (0, 1));
    }

    #[test]
    fn a_review_status_that_the_status_does_not_bear_out_is_seen() {
        let truth = plan(vec![Task { status: Status::NeedsReview, ..task("a", &[]) }]);
        let rendered = plan_json::render(&truth);
        assert_eq!(from_edit(&truth, &rendered).0, []);
        let said = r#""review_status": "needs_review""#;
        assert!(rendered.contains(said));
        let edited = rendered.replace(said, r#""review_status": "approved""#);
        let (proposals, _) = from_edit(&truth, &edited);
        let headlines: Vec<_> = proposals.iter().map(|p| p.amendment.headline()).collect();
        assert_eq!(headlines, ["modify a (review_status)"]);
    }
}
