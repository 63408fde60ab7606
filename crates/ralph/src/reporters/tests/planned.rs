//! A scripted planning run: a draft with mistakes, then one that can be used.

use ralph_core::{
    ending::Ending,
    event::{Event, IterationStart, Source},
    ids::TaskId,
    input::Workspace,
    outcome::Outcome,
    plan::{Plan, Task},
    planning::{Draft, PlanRequest, Question, Removal, Spec},
    run::{StartOptions, begin},
    settings::Settings,
    vocabulary::Kind,
};

use super::scripts::{Beat, Script};

/// A draft that asks, assumes, adds and removes.
fn draft() -> Draft {
    let task = Task { id: "T-001".into(), title: "scaffold".into(), ..Task::default() };
    Draft {
        summary: "one step".into(),
        questions: vec![Question { question: "Which format?".into(), ..Question::default() }],
        assumptions: vec!["files are small".into()],
        tasks: vec![task],
        remove: vec![Removal { id: TaskId::from("T-000"), why: "done already".into() }],
        ..Draft::default()
    }
}

/// The events of drafts, whatever run they are in.
fn drafts() -> [Event; 2] {
    let why = vec!["task T-001 has no acceptance criterion".into(), "`prd` says nothing".into()];
    [
        Event::DraftUnusable { nth: 1, why, is_shapeless: false },
        Event::PlanDrafted(Box::new(draft())),
    ]
}

/// The whole run.
pub(crate) fn planned() -> Vec<Beat> {
    let spec = Spec { path: "specs/import.md".into(), text: "Import.".into(), is_cut: false };
    let request = PlanRequest { specs: vec![spec], ..PlanRequest::default() };
    let source = Source::Planning { request: Box::new(request) };
    let start = begin(source, Plan::default(), Settings::default(), StartOptions::default());
    let mut script = Script::empty();
    script.decide(start.into_iter().map(|start| Event::RunStarted(Box::new(start))).collect());
    script.decide(vec![Event::WorkspaceOpened(Workspace {
        root: "/home/ann/demo".into(),
        head: "1111111aaaa".into(),
        ..Workspace::default()
    })]);
    for (iteration, drafted) in (1..).zip(drafts()) {
        script.pass(3).decide(vec![Event::IterationStarted(IterationStart {
            iteration,
            retry: 0,
            kind: Kind::Plan,
            task: "plan".into(),
            title: "draft a plan".into(),
            attempt: 1,
            max_attempts: 3,
            agent: "claude".into(),
            model: String::new(),
        })]);
        script.work().ended(Ending::Ok);
        script.decide(vec![drafted, Event::IterationClosed]);
    }
    script.finished(Outcome::Drafted, &[]);
    script.beats()
}
