//! What a new task needs: from a person little.

use super::*;
use crate::plan::Criterion;

fn ruling(mode: Mode, task: Task) -> Ruling {
    let truth = Plan { tasks: vec![Task { id: "a".into(), ..Task::default() }], ..Plan::default() };
    let judging = Judging {
        truth: &truth,
        current: None,
        is_unjudged: false,
        mode,
        permits: Permits { may_add: true, ..Permits::default() },
        waiting: Vec::new(),
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
    assert_eq!(ruling(Mode::Person, task.clone()), Ruling::Applied);
    assert_eq!(ruling(Mode::Implement, task.clone()), refused("it has no description"));
    let untitled = Task { title: String::new(), ..task };
    assert_eq!(ruling(Mode::Person, untitled), refused("it has no title"));
}
