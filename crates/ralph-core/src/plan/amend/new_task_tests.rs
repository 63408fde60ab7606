//! What a new task needs: from a person little, from an agent something that could verify it.

use super::*;
use crate::plan::Criterion;

fn ruling(mode: Mode, ungated: Option<ReviewMode>, task: Task) -> Ruling {
    let truth = Plan { tasks: vec![Task { id: "a".into(), ..Task::default() }], ..Plan::default() };
    let judging = Judging {
        truth: &truth,
        current: None,
        is_unjudged: false,
        mode,
        permits: Permits { may_add: true, ..Permits::default() },
        waiting: Vec::new(),
        ungated,
    };
    let amendment = Amendment::Add { task: Box::new(task), after: None, reason: "needed".into() };
    let from = if mode == Mode::Person { Source::PlanFile } else { Source::Handoff };
    let ruled = judge(&judging, vec![Proposal { from, amendment }]);
    ruled.into_iter().next().map_or(Ruling::Applied, |one| one.ruling)
}

fn new(criteria: Vec<Criterion>) -> Task {
    Task {
        id: "n".into(),
        title: "n".into(),
        description: "more".into(),
        acceptance_criteria: criteria,
        ..Task::default()
    }
}

#[test]
fn a_person_needs_no_description_and_an_agent_does() {
    let task = Task { description: String::new(), ..new(Vec::new()) };
    assert_eq!(ruling(Mode::Person, None, task.clone()), Ruling::Applied);
    assert_eq!(ruling(Mode::Implement, None, task.clone()), refused("it has no description"));
    let untitled = Task { title: String::new(), ..task };
    assert_eq!(ruling(Mode::Person, None, untitled), refused("it has no title"));
}

#[test]
fn an_agents_task_that_nothing_could_verify_is_refused() {
    use ReviewMode::{Auto, Off, On};
    let checked = || Criterion::Checked { text: "works".into(), check: "true".into() };
    let sentence = || Criterion::Sentence("reads well".into());
    let never = refused("it has no check, and no gate or review could verify it");
    for (ungated, criteria, wanted) in [
        (Some(Off), vec![sentence()], never.clone()),
        (Some(Off), vec![checked()], Ruling::Applied),
        (Some(Auto), Vec::new(), never.clone()),
        (Some(Auto), vec![sentence()], Ruling::Applied),
        (Some(On), Vec::new(), Ruling::Applied),
        (None, Vec::new(), Ruling::Applied),
    ] {
        let case = format!("{ungated:?} {criteria:?}");
        assert_eq!(ruling(Mode::Implement, ungated, new(criteria)), wanted, "{case}");
    }
    assert_eq!(ruling(Mode::Person, Some(Off), new(Vec::new())), Ruling::Applied);
}
