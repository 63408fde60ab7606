//! What stays, what follows, and how it is told.

use serde_json::json;

use super::*;
use crate::{
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task, problems},
};

fn task(id: &str, title: &str) -> Task {
    Task { id: id.into(), title: title.into(), ..Task::default() }
}

fn needs(id: &str, title: &str, needed: &[&str]) -> Task {
    Task { depends_on: needed.iter().map(|id| TaskId::from(*id)).collect(), ..task(id, title) }
}

fn plan(tasks: Vec<Task>) -> Plan {
    Plan { tasks, ..Plan::default() }
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.tasks.iter().map(|task| task.id.as_str()).collect()
}

#[test]
fn a_plan_merged_with_itself_changes_nothing() {
    let same = plan(vec![
        Task { status: Status::Done, notes: Some("n".into()), ..task("a", "x") },
        Task { skills: vec!["s".into()], ..needs("b", "y", &["a"]) },
    ]);
    let merged = merge(&same, same.clone());
    assert!(!merged.changes_anything());
    assert_eq!((merged.plan, merged.unchanged), (same, 2));
}

#[test]
fn begun_tasks_stay_whole_and_pending_ones_follow() {
    let done = Task { status: Status::Done, ..task("a", "build it") };
    let old = plan(vec![done.clone(), task("b", "old words"), task("c", "to go")]);
    let new = plan(vec![
        Task { description: "other".into(), ..task("a", "another title") },
        task("b", "new words"),
        task("d", "to come"),
    ]);
    let merged = merge(&old, new);
    assert_eq!(ids(&merged.plan), ["a", "b", "d"]);
    assert_eq!(merged.plan.tasks.first(), Some(&done));
    assert_eq!(
        merged.describe(),
        [
            "+ d: to come",
            "~ b: new words (title)",
            "- c: to go",
            "= a: build it stays, it is done; not imported: title, description",
        ]
    );
    assert_eq!(merged.summary(), "1 added, 1 changed, 1 removed, 1 unchanged");
}

#[test]
fn what_begun_tasks_depend_on_stays_too_so_that_the_plan_remains_sound() {
    let failed = Task { status: Status::Failed, ..needs("c", "z", &["b"]) };
    let old = plan(vec![task("a", "x"), needs("b", "y", &["a"]), failed, task("e", "v")]);
    let merged = merge(&old, plan(vec![needs("d", "w", &["c"])]));
    assert_eq!(ids(&merged.plan), ["a", "b", "c", "d"]);
    assert_eq!(problems(&merged.plan), []);
    assert_eq!(
        merged.describe(),
        [
            "+ d: w",
            "- e: v",
            "= a: x stays, a started task depends on it",
            "= b: y stays, a started task depends on it",
            "= c: z stays, it is failed",
        ]
    );
}

#[test]
fn a_task_with_another_id_is_known_by_its_title_and_dependencies_follow() {
    let old = plan(vec![Task { status: Status::Done, ..task("T-001", "Add a  form") }]);
    let new = plan(vec![task("S-1", "add a form"), needs("S-2", "test it", &["S-1"])]);
    let merged = merge(&old, new);
    assert_eq!(ids(&merged.plan), ["T-001", "S-2"]);
    assert_eq!(merged.plan.tasks.get(1).map(|t| t.depends_on.clone()), Some(vec!["T-001".into()]));
    assert_eq!(problems(&merged.plan), []);
}

#[test]
fn titles_that_are_not_unique_identify_nothing() {
    let old = plan(vec![task("a", "same"), task("b", "same")]);
    let merged = merge(&old, plan(vec![task("c", "same")]));
    assert_eq!(ids(&merged.plan), ["c"]);
    // An id that the old plan uses for something else is not given away.
    let old = plan(vec![task("a", "one")]);
    let merged = merge(&old, plan(vec![task("a", "two"), task("b", "one")]));
    assert_eq!(ids(&merged.plan), ["a", "b"]);
}

#[test]
fn blank_fields_erase_no_settings_but_text_criteria_and_dependencies_are_the_new_plans() {
    let old = Task {
        description: "d".into(),
        acceptance_criteria: vec![Criterion::Sentence("c".into())],
        priority: Some(3),
        skills: vec!["rust".into()],
        agent: Some("codex".into()),
        extra: [("owner".to_owned(), json!("me"))].into_iter().collect(),
        ..needs("a", "t", &["b"])
    };
    let mut new = task("a", "t");
    new.priority = Some(1);
    let merged = merge(&plan(vec![old.clone(), task("b", "u")]), plan(vec![new, task("b", "u")]));
    let expected = Task {
        description: String::new(),
        acceptance_criteria: Vec::new(),
        depends_on: Vec::new(),
        priority: Some(1),
        ..old
    };
    assert_eq!(merged.plan.tasks.first(), Some(&expected));
    assert_eq!(
        merged.describe(),
        ["~ a: t (description, acceptance_criteria, priority, depends_on)"]
    );
}

#[test]
fn commands_that_prove_work_are_never_lost() {
    let gated = |commands: &[&str]| Plan {
        verify_commands: commands.iter().map(|&c| c.to_owned()).collect(),
        ..Plan::default()
    };
    let merged = merge(&gated(&["make test"]), gated(&["make lint"]));
    assert_eq!(merged.plan.verify_commands, ["make test", "make lint"]);
    assert_eq!(merged.describe(), ["~ the plan itself (verify_commands)"]);
    assert!(!merge(&gated(&["make test"]), Plan::default()).changes_anything());
}

#[test]
fn an_empty_plan_takes_everything() {
    let new = Plan { project: "p".into(), ..plan(vec![task("a", "x")]) };
    let merged = merge(&Plan::default(), new.clone());
    assert_eq!(merged.plan, new);
    assert_eq!(merged.describe(), ["~ the plan itself (project)", "+ a: x"]);
}

#[test]
fn large_plans_are_merged_in_reasonable_time() {
    let many = |from: usize| {
        plan((from..from + 6_000).map(|n| task(&format!("T-{n}"), &format!("t {n}"))).collect())
    };
    let merged = merge(&many(0), many(3_000));
    assert_eq!(merged.summary(), "3000 added, 0 changed, 3000 removed, 3000 unchanged");
}
