//! From a situation to what to type. Every command here exists, with the flags it has: a test of the binary types them.

use super::{
    quote::quoted,
    situation::{Again, FinishedWork, Need, Obstacle, Raised, Situation, Work},
    step::Next,
};
use crate::{settings::Length, usage::MicroUsd};

const PLAN: &str = "ralph plan \"what you want\"";
const PLAN_MORE: &str = "ralph plan \"what comes next\"";
const RUN: &str = "ralph run";
const RESUME: &str = "ralph resume";
const RELOAD: &str = "ralph resume --reload-settings";
const DRAFT: &str = "ralph plan";
const STOP: &str = "ralph stop";

/// What to do next.
pub fn next_command(situation: &Situation) -> Next {
    let Situation { obstacles, work } = situation;
    let next = Next::default();
    let has_changes = obstacles.contains(&Obstacle::Changes);
    let goal = match work {
        Work::NotSetUp => next.then("ralph init"),
        Work::NothingPlanned => next.then(PLAN).then(start(has_changes)),
        Work::Archived => next.then(PLAN_MORE).then(start(has_changes)),
        Work::Planned => next.then(start(has_changes)),
        Work::Running { question: Some(task) } => {
            return person(&Need::Answer(task.clone()), next).or(STOP);
        }
        Work::Running { question: None } => return next.by_hand("wait").or(STOP),
        // Whatever lies there of a run that died is its own: it refuses none of it.
        Work::Paused | Work::Died => return next.then(RESUME).or(STOP),
        Work::Resumable => next.then(RESUME),
        Work::Limited(Raised { setting: Some(key), .. }) => {
            next.by_hand(format!("raise {key} in the settings")).then(RELOAD)
        }
        Work::Limited(limits) => next.then(raised(RESUME, limits)),
        Work::PlanningLimited(limits) => next.then(raised(DRAFT, limits)),
        Work::Person(need) => return person(need, look(need)),
        Work::Shown(need) => return person(need, next),
        Work::Prevented { help, again } => prevented(help, *again, start(has_changes)),
        Work::Bug { run } => next
            .then(RESUME)
            .by_hand(format!("report it with the journal of run {run} if it happens again")),
        Work::Finished(result) => return finished(result),
        Work::Drafted => return next,
    };
    let is_resumed = matches!(
        work,
        Work::Resumable
            | Work::Limited(_)
            | Work::Bug { .. }
            | Work::Prevented { again: Again::Resume, .. }
    );
    goal.after(cleared(obstacles, is_resumed))
}

/// A run starts beside changes if it may keep them; one that continues does not touch them.
fn start(has_changes: bool) -> &'static str {
    if has_changes { "ralph run --stash" } else { RUN }
}

/// What must be put right first.
fn cleared(obstacles: &[Obstacle], is_resumed: bool) -> Next {
    obstacles.iter().fold(Next::default(), |next, obstacle| match obstacle {
        Obstacle::NoGit => next.by_hand("install git"),
        Obstacle::NoRepository => next.then("git init"),
        Obstacle::NoCommit => {
            next.then("git add -A").then("git commit --allow-empty -m \"first commit\"")
        }
        Obstacle::NoIdentity => next
            .then("git config --global user.name \"your name\"")
            .then("git config --global user.email \"your address\""),
        Obstacle::Detached => next.then("git switch -c my-work"),
        // Without ralph's own files: the plan in them says what is done.
        Obstacle::Changes if is_resumed => next.then("git stash push -- . ':!.ralph'"),
        Obstacle::Changes => next,
        Obstacle::NoAgent => next
            .by_hand("install the agent or name another as agent.command in .ralph/settings.toml"),
        Obstacle::NoGate => next.by_hand("add a [[gate]] to .ralph/settings.toml"),
        Obstacle::Other { help } => next.by_hand(help),
    })
}

/// The command with the flags that raise these limits.
fn raised(command: &str, limits: &Raised) -> String {
    let Raised { iterations, cost, tokens, duration, .. } = limits;
    let dollars = |cost: &MicroUsd| {
        let cents = cost.0.div_ceil(10_000);
        let rest = cents % 100;
        if rest == 0 { (cents / 100).to_string() } else { format!("{}.{rest:02}", cents / 100) }
    };
    let flags = [
        iterations.map(|most| format!(" -n {most}")),
        cost.as_ref().map(|most| format!(" --max-cost {}", dollars(most))),
        tokens.map(|most| format!(" --max-tokens {most}")),
        duration.map(|most| format!(" --max-duration {}", Length(most))),
    ];
    flags.into_iter().flatten().fold(command.to_owned(), |line, flag| line + &flag)
}

/// What a person looks at before they decide.
fn look(need: &Need) -> Next {
    match need {
        Need::Decision(task) | Need::GivenUp(task) => {
            Next::default().then(format!("ralph task show {}", quoted(task.as_str())))
        }
        _ => Next::default(),
    }
}

fn person(need: &Need, next: Next) -> Next {
    match need {
        Need::Answer(task) => {
            next.then(format!("ralph task answer {} \"…\"", quoted(task.as_str())))
        }
        Need::Decision(task) => {
            let task = quoted(task.as_str());
            next.then(format!("ralph task approve {task}"))
                .or(format!("ralph task answer {task} \"…\""))
                .or(format!("ralph task retry {task}"))
        }
        Need::AgentFailed(task) => {
            let task = quoted(task.as_str());
            next.then(format!("ralph logs {task}")).then(format!("ralph task retry {task}"))
        }
        Need::GivenUp(task) => next.then(format!("ralph task retry {}", quoted(task.as_str()))),
        Need::Proposals => next.then("ralph task proposals"),
        Need::Drafts { folder } => {
            next.by_hand(format!("look at the drafts in {folder}")).then("ralph plan")
        }
    }
}

/// What was said about it, and the command that works then. Some of it names the command itself.
fn prevented(help: &str, again: Again, start: &str) -> Next {
    let next = Next::default();
    if let Some((first, RESUME)) = help.rsplit_once(", then run ") {
        return next.by_hand(first).then(RESUME);
    }
    let next = if help.is_empty() { next } else { next.by_hand(help) };
    if [RUN, RESUME, "ralph plan"].iter().any(|command| help.contains(command)) {
        return next;
    }
    match again {
        Again::Run => next.then(start),
        Again::Resume => next.then(RESUME),
        Again::Plan => next.then("ralph plan"),
        Again::Same => next.by_hand("start it again"),
    }
}

fn finished(result: &FinishedWork) -> Next {
    let next = Next::default();
    let next = if result.is_unproved { next.then("ralph report") } else { next };
    let (base, branch) = (quoted(&result.base), quoted(&result.branch));
    if result.is_apart() && result.has_commits {
        next.then(format!("git diff {base}...{branch}"))
            .then(format!("git switch {base}"))
            .then(format!("git merge {branch}"))
    } else if result.has_plan {
        next.then("ralph archive")
    } else {
        next.then(PLAN_MORE)
    }
}
