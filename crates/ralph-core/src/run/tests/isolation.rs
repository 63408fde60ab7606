//! What kept the agents in stands in the journal as it really was, also where a resume finds another backend.

use super::trial::{Call, Trial, tested};
use crate::{
    event::Event,
    input::{AgentReport, Resumption, What},
    isolation::{Contact, Isolation},
    run::RunState,
};

fn boxed() -> Isolation {
    Isolation {
        backend: "bubblewrap".into(),
        guarantee: "bubblewrap: kept in".into(),
        ..Isolation::default()
    }
}

fn taken_up(isolation: Option<Isolation>) -> Trial {
    let mut settings = tested();
    settings.limits.max_iterations = 1;
    let mut trial = Trial::new(settings, &[Call::Good]);
    let how = Resumption { isolation, max_iterations: Some(9), ..Resumption::default() };
    trial.feed(What::Resumed(how));
    trial
}

#[test]
fn a_resume_that_finds_another_backend_says_so_in_the_journal() {
    let trial = taken_up(Some(boxed()));
    let changed = Event::IsolationChanged { isolation: boxed() };
    assert!(trial.events().any(|event| *event == changed));
    assert_eq!(trial.state.start.isolation, boxed());
    assert_eq!(trial.state.earlier_isolations, [Isolation::off()]);
    let folded = RunState::fold(&trial.decisions);
    assert_eq!(folded.map(|state| state.start.isolation.clone()), Some(boxed()));
}

#[test]
fn a_resume_under_the_same_backend_says_nothing() {
    for same in [None, Some(Isolation::off())] {
        let trial = taken_up(same);
        assert!(!trial.events().any(|event| matches!(event, Event::IsolationChanged { .. })));
        assert_eq!(trial.state.earlier_isolations, []);
    }
}

#[test]
fn a_journal_from_before_the_sandbox_was_not_isolated() -> Result<(), serde_json::Error> {
    let trial = Trial::new(tested(), &[Call::Good]);
    let mut start = serde_json::to_value(&trial.decisions[0])?;
    if let Some(start) = start["events"][0].as_object_mut() {
        assert!(start.remove("isolation").is_some());
    }
    let old = serde_json::from_value(start)?;
    let state = RunState::fold([&old]);
    assert_eq!(state.map(|state| state.start.isolation.clone()), Some(Isolation::off()));
    Ok(())
}

#[test]
fn what_agents_asked_of_the_network_is_counted_for_the_report() {
    let mut trial = Trial::new(tested(), &[Call::Good]);
    let contact = Contact { host: "a.example".into(), allowed: 1, sent: 7, ..Contact::default() };
    let mut decision = trial.decisions[trial.decisions.len() - 1].clone();
    let report = AgentReport { traffic: vec![contact], ..super::trial::report(Call::Good) };
    decision.events = vec![Event::AgentEnded(Box::new(report))];
    trial.state.apply(&decision);
    trial.state.apply(&decision);
    let sent: Vec<u64> = trial.state.traffic.contacts().map(|one| one.sent).collect();
    assert_eq!(sent, [14]);
}
