//! Every situation and what is said about it: the table that documents quote.

use super::{Again, FinishedWork, Need, Obstacle, Raised, Situation, Work, next_command};
use crate::{plan::Status, time::Millis, usage::MicroUsd};

fn after(obstacles: &[Obstacle], work: Work) -> String {
    next_command(&Situation { obstacles: obstacles.to_vec(), work }).to_string()
}

#[test]
fn every_place_of_the_work_has_its_next_step() {
    let result = FinishedWork {
        branch: "ralph/p".into(),
        base: "main".into(),
        has_commits: true,
        is_unproved: false,
        has_plan: true,
    };
    let task = || "T-1".into();
    let prevented = |again| Work::Prevented { help: "log in".into(), again };
    for (work, next) in [
        (Work::NotSetUp, "ralph init"),
        (Work::NothingPlanned, "ralph plan \"what you want\", then ralph run"),
        (Work::Archived, "ralph plan \"what comes next\", then ralph run"),
        (Work::Planned, "ralph run"),
        (Work::Running { question: None }, "wait, or ralph stop"),
        (Work::Running { question: Some(task()) }, "ralph task answer T-1 \"…\", or ralph stop"),
        (Work::Paused, "ralph resume, or ralph stop"),
        (Work::Died, "ralph resume, or ralph stop"),
        (Work::Resumable, "ralph resume"),
        (Work::Person(Need::Answer(task())), "ralph task answer T-1 \"…\""),
        (
            Work::Person(Need::Decision(task())),
            "ralph task show T-1, then ralph task approve T-1, or ralph task answer T-1 \"…\", \
             or ralph task retry T-1",
        ),
        (
            Work::Shown(Need::Decision(task())),
            "ralph task approve T-1, or ralph task answer T-1 \"…\", or ralph task retry T-1",
        ),
        (Work::Person(Need::AgentFailed(task())), "ralph logs T-1, then ralph task retry T-1"),
        (Work::Person(Need::GivenUp(task())), "ralph task show T-1, then ralph task retry T-1"),
        (Work::Shown(Need::GivenUp(task())), "ralph task retry T-1"),
        (Work::Person(Need::Proposals), "ralph task proposals"),
        (
            Work::Person(Need::Drafts { folder: ".ralph/runs/x".into() }),
            "look at the drafts in .ralph/runs/x, then ralph plan",
        ),
        (prevented(Again::Resume), "log in, then ralph resume"),
        (prevented(Again::Run), "log in, then ralph run"),
        (prevented(Again::Plan), "log in, then ralph plan"),
        (prevented(Again::Same), "log in, then start it again"),
        (
            Work::Prevented { help: "run ralph resume later".into(), again: Again::Resume },
            "run ralph resume later",
        ),
        (
            Work::Prevented {
                help: "fix this, then run ralph resume".into(),
                again: Again::Resume,
            },
            "fix this, then ralph resume",
        ),
        (
            Work::Bug { run: "x".into() },
            "ralph resume, then report it with the journal of run x if it happens again",
        ),
        (
            Work::Finished(result.clone()),
            "git diff main...ralph/p, then git switch main, then git merge ralph/p",
        ),
        (
            Work::Finished(FinishedWork { is_unproved: true, ..result.clone() }),
            "ralph report, then git diff main...ralph/p, then git switch main, then git merge ralph/p",
        ),
        (Work::Finished(FinishedWork { has_commits: false, ..result.clone() }), "ralph archive"),
        (
            Work::Finished(FinishedWork { has_commits: false, has_plan: false, ..result.clone() }),
            "ralph plan \"what comes next\"",
        ),
        (Work::Finished(FinishedWork { base: "ralph/p".into(), ..result }), "ralph archive"),
        (Work::Drafted, ""),
    ] {
        assert_eq!(after(&[], work), next);
    }
}

#[test]
fn every_limit_that_is_used_up_is_raised_by_its_flag() {
    let none = Raised::default();
    for (work, next) in [
        (Work::Limited(Raised { iterations: Some(14), ..none }), "ralph resume -n 14"),
        (Work::Limited(Raised { tokens: Some(9), ..none }), "ralph resume --max-tokens 9"),
        (
            Work::Limited(Raised { cost: Some(MicroUsd(20_000_000)), ..none }),
            "ralph resume --max-cost 20",
        ),
        (
            Work::Limited(Raised {
                iterations: Some(4),
                cost: Some(MicroUsd(7_501_000)),
                duration: Some(Millis::secs(5_400)),
                ..none
            }),
            "ralph resume -n 4 --max-cost 7.51 --max-duration 1h30m",
        ),
        (Work::Limited(none), "ralph resume"),
        (
            Work::Limited(Raised { setting: Some("limits.max_task_tokens"), ..none }),
            "raise limits.max_task_tokens in the settings, then ralph resume --reload-settings",
        ),
        (
            Work::PlanningLimited(Raised { cost: Some(MicroUsd(1)), ..none }),
            "ralph plan --max-cost 0.01",
        ),
    ] {
        assert_eq!(after(&[], work), next);
    }
}

#[test]
fn a_run_that_is_not_the_newest_is_named() {
    let named = |work| {
        let situation = Situation { obstacles: Vec::new(), work };
        next_command(&situation).about_run("r1").to_string()
    };
    let raised = Raised { iterations: Some(14), ..Raised::default() };
    assert_eq!(named(Work::Resumable), "ralph resume r1");
    assert_eq!(named(Work::Limited(raised)), "ralph resume r1 -n 14");
    assert_eq!(named(Work::Planned), "ralph run");
}

#[test]
fn what_keeps_a_run_from_starting_is_put_right_first() {
    for (obstacle, next) in [
        (Obstacle::NoGit, "install git, then ralph run"),
        (Obstacle::NoRepository, "git init, then ralph run"),
        (
            Obstacle::NoCommit,
            "git add -A, then git commit --allow-empty -m \"first commit\", then ralph run",
        ),
        (
            Obstacle::NoIdentity,
            "git config --global user.name \"your name\", then git config --global user.email \
             \"your address\", then ralph run",
        ),
        (Obstacle::Detached, "git switch -c my-work, then ralph run"),
        (Obstacle::Changes, "ralph run --stash"),
        (
            Obstacle::NoAgent,
            "install the agent or name another as agent.command in .ralph/settings.toml, then ralph run",
        ),
        (Obstacle::NoGate, "add a [[gate]] to .ralph/settings.toml, then ralph run"),
        (Obstacle::Other { help: "finish it".into() }, "finish it, then ralph run"),
    ] {
        assert_eq!(after(&[obstacle], Work::Planned), next);
    }
    let both = [Obstacle::NoRepository, Obstacle::NoGate];
    assert_eq!(
        after(&both, Work::NothingPlanned),
        "git init, then add a [[gate]] to .ralph/settings.toml, then ralph plan \"what you want\", \
         then ralph run"
    );
    assert_eq!(
        after(&[Obstacle::Changes], Work::Resumable),
        "git stash push -- . ':!.ralph', then ralph resume"
    );
    // Nothing is started by these.
    for work in [Work::Died, Work::Paused, Work::Person(Need::Proposals)] {
        assert_eq!(after(&both, work.clone()), after(&[], work));
    }
}

#[test]
fn a_name_is_one_word_of_a_command_whatever_it_is() {
    for (name, typed) in
        [("T-1", "T-1"), ("a b", "'a b'"), ("$(id)", "'$(id)'"), ("it's", "'it'\\''s'"), ("", "''")]
    {
        let next = after(&[], Work::Person(Need::Answer(name.into())));
        assert_eq!(next, format!("ralph task answer {typed} \"…\""));
    }
}

#[test]
fn a_task_needs_a_person_only_where_nobody_else_can_continue() {
    let of = |status, asks, failed| Need::of(&"T-1".into(), status, asks, failed);
    assert_eq!(of(Status::Parked, true, true), Some(Need::Answer("T-1".into())));
    assert_eq!(of(Status::Parked, false, true), Some(Need::AgentFailed("T-1".into())));
    assert_eq!(of(Status::Parked, false, false), Some(Need::Decision("T-1".into())));
    assert_eq!(of(Status::Failed, true, false), Some(Need::GivenUp("T-1".into())));
    for status in [Status::Pending, Status::Done, Status::Skipped] {
        assert_eq!(of(status, true, true), None);
    }
}
