//! A scripted run in which reviewers, agents and people disagree: one of each new kind of event.

use ralph_core::{
    ending::Ending,
    event::{Event, IterationStart, Reviewed},
    evidence::{Evidence, Judged, Label},
    ids::TaskId,
    input::Reapplied,
    outcome::Outcome,
    plan::{
        Criterion, Status, Task,
        amend::{Amendment, Changes, Proposal, Ruled, Ruling, Source},
        person::TaskWish,
    },
    review::{Finding, FindingSeverity, Judgement, Ruling as CriterionRuling},
    stuck::{Measures, Stuck},
    vocabulary::{Kind, Stage},
};

use super::scripts::{Beat, Script};

/// Everything that agents, reviewers and people can say about tasks.
pub(crate) fn talked() -> Vec<Beat> {
    let mut script = Script::new();
    script.iteration("T-001", 1, 0).work().ended(Ending::Ok);
    script.decide(vec![
        Event::AmendmentsProposed {
            proposals: ruled().into_iter().map(|one| one.proposal).collect(),
            unreadable: vec!["plan amendment 4: it names no task".into()],
        },
        Event::Committed {
            task: "T-001".into(),
            iteration: 1,
            commit: "a1b2c3d4e5f6".into(),
            tree: "t1".into(),
        },
        moved("T-001", Status::InProgress, Status::NeedsReview, ""),
        Event::AmendmentsRuled { task: "T-001".into(), ruled: ruled() },
        Event::IterationClosed,
    ]);
    review(&mut script, 2, false);
    start(&mut script, 3, "T-001", Kind::Fix);
    script.decide(vec![
        Event::Escalated {
            task: "T-001".into(),
            stuck: Stuck::SameFailure { times: 3, fingerprint: "f".into() },
            measures: Measures { shift: true, expand: vec!["app.db".into()], climb: false },
        },
        moved("T-001", Status::InProgress, Status::NeedsReview, ""),
        Event::IterationClosed,
    ]);
    start(&mut script, 4, "T-001", Kind::Review);
    script.decide(vec![
        Event::ReviewUnusable {
            task: "T-001".into(),
            nth: 1,
            why: "no structured review was handed over".into(),
        },
        Event::IterationClosed,
    ]);
    review(&mut script, 5, true);
    question(&mut script);
    people(&mut script);
    script.finished(Outcome::NeedsPerson { why: "1 parked".into() }, &[]);
    script.beats()
}

fn start(script: &mut Script, iteration: u32, task: &str, kind: Kind) {
    script.pass(3).decide(vec![Event::IterationStarted(IterationStart {
        iteration,
        retry: 0,
        kind,
        task: task.into(),
        title: "scaffold".into(),
        attempt: 1,
        max_attempts: 3,
        agent: "codex".into(),
        model: String::new(),
    })]);
}

fn review(script: &mut Script, iteration: u32, approved: bool) {
    start(script, iteration, "T-001", Kind::Review);
    let finding = |severity, title: &str| Finding {
        severity,
        title: title.into(),
        detail: "say what it is for".into(),
        place: "src/lib.rs:3".into(),
    };
    let ruling = CriterionRuling {
        criterion: 1,
        met: approved,
        evidence: "src/lib.rs:3".into(),
        comment: if approved { "" } else { "nobody would understand it" }.into(),
    };
    let blocking =
        finding(FindingSeverity::Blocking, "criterion 1 is not met: the code reads well");
    let judgement = Judgement {
        approved,
        rulings: vec![ruling],
        findings: if approved { Vec::new() } else { vec![blocking] },
        warnings: vec![finding(FindingSeverity::Quality, "the name is short")],
    };
    let mut events = vec![Event::Reviewed(Box::new(Reviewed {
        task: "T-001".into(),
        review: if approved { 2 } else { 1 },
        agent: "codex".into(),
        model: String::new(),
        tree: "t1".into(),
        judgement,
        summary: if approved { "good" } else { "not yet" }.into(),
        print: String::new(),
    }))];
    events.extend(if approved {
        done()
    } else {
        vec![
            moved("T-001", Status::NeedsReview, Status::ChangesRequested, "src/lib.rs:3"),
            moved("T-001", Status::ChangesRequested, Status::InProgress, ""),
        ]
    });
    events.push(Event::IterationClosed);
    script.decide(events);
}

fn done() -> Vec<Event> {
    let by = Judged::Reviewer {
        agent: "codex".into(),
        iteration: 5,
        met: true,
        evidence: "src/lib.rs:3".into(),
        comment: String::new(),
    };
    let evidence = Evidence { criterion: "the code reads well".into(), by, tree: "t1".into() };
    vec![
        Event::EvidenceRecorded {
            task: "T-001".into(),
            evidence: vec![evidence],
            labels: vec![Label::NotTested],
        },
        moved("T-001", Status::NeedsReview, Status::Done, ""),
    ]
}

fn question(script: &mut Script) {
    start(script, 6, "T-002", Kind::Implement);
    let question = "Which port should it listen on?".to_owned();
    script.decide(vec![
        Event::QuestionAsked {
            task: "T-002".into(),
            question: question.clone(),
            in_passing: false,
        },
        Event::Proceeded { to: Stage::Park },
    ]);
    script.decide(vec![
        Event::WorkKept {
            task: "T-002".into(),
            branch: "ralph/parked/T-002".into(),
            head: "2222222bbbb".into(),
            tree: "t0".into(),
        },
        moved("T-002", Status::InProgress, Status::Parked, &format!("it asks: {question}")),
        Event::IterationClosed,
    ]);
}

fn people(script: &mut Script) {
    let changes = Box::new(Changes { title: Some("x".into()), ..Changes::default() });
    let wishes = [
        TaskWish::Add { task: Box::new(task("T-008", "by a person")) },
        TaskWish::Edit { id: "T-003".into(), changes },
    ];
    for wish in wishes {
        script.decide(vec![Event::PlanChanged { wish }]);
    }
    let task: TaskId = "T-002".into();
    script
        .decide(vec![Event::ProposalDecided { number: 1, accepted: true, why: String::new() }])
        .decide(vec![Event::ProposalDecided { number: 2, accepted: false, why: "no".into() }])
        .decide(vec![
            Event::AnswerGiven { task: task.clone(), answer: "8080".into() },
            moved("T-002", Status::Parked, Status::Pending, ""),
        ])
        .decide(vec![Event::WorkReapplied {
            task: task.clone(),
            result: Reapplied { tree: None, notes: vec!["src/lib.rs conflicts".into()] },
        }])
        .decide(vec![Event::ApprovalGiven { task: task.clone() }])
        .decide(vec![Event::WorkReapplied {
            task: task.clone(),
            result: Reapplied { tree: Some("t2".into()), notes: Vec::new() },
        }])
        .decide(vec![
            Event::TaskReset { task },
            moved(
                "T-002",
                Status::Pending,
                Status::Parked,
                "the reviewer still wants changes after 5 reviews",
            ),
        ]);
}

fn ruled() -> Vec<Ruled> {
    let one = |amendment, ruling| Ruled {
        proposal: Proposal { from: Source::Handoff, amendment },
        ruling,
    };
    let remove = |id: &str| Amendment::Remove { id: id.into(), reason: "not needed".into() };
    let waits = || Ruling::Waits { why: "a person decides what is left out".into() };
    let add = Amendment::Add {
        task: Box::new(task("T-007", "retry on timeout")),
        after: None,
        reason: "found while working".into(),
    };
    vec![
        one(add, Ruling::Applied),
        one(remove("T-003"), waits()),
        one(remove("T-002"), waits()),
        one(remove("T-001"), Ruling::Refused { why: "T-001 is being worked on".into() }),
    ]
}

fn task(id: &str, title: &str) -> Task {
    Task {
        id: id.into(),
        title: title.into(),
        description: "d".into(),
        acceptance_criteria: vec![Criterion::Sentence("it retries".into())],
        ..Task::default()
    }
}

fn moved(task: &str, from: Status, to: Status, why: &str) -> Event {
    Event::TaskMoved { task: task.into(), from, to, why: why.into() }
}
