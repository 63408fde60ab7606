//! The questions of `ralph init`: each with an answer that Enter gives, none that a flag has answered. Writes nothing.

use ralph_core::gates::report::{FailAction, Severity};

use super::{
    args::{self, InitArgs},
    choices::Choices,
};
use crate::{
    args::{limits, run::Review},
    ask::{Asker, Lean, Text},
    diagnostics::CommandError,
    session::{
        agents::Found,
        gate_detection::{FoundGate, with_own_names},
        probe::GitState,
    },
};

/// Kinds of gates and what they mean.
const KINDS: [(&str, &str); 4] = [
    ("test", "must run at least one test"),
    ("lint", "soft in lenient runs"),
    ("build", "must succeed"),
    ("custom", "must succeed"),
];

/// Where a failure's text goes in the next prompt.
const ACTIONS: [(FailAction, &str, &str); 3] = [
    (FailAction::Append, "after the task", "the task first, then the failure"),
    (FailAction::Prepend, "before the task", "the failure first, then the task"),
    (FailAction::Replace, "instead of the task", "only the failure"),
];

/// Dollars that a run may cost unless somebody says otherwise: a night's work, and no surprise.
const PROPOSED_COST: f64 = 20.0;

/// What is known before anybody is asked.
pub(super) struct Known<'a> {
    pub(super) args: &'a InitArgs,
    pub(super) git: &'a GitState,
    pub(super) agents: &'a [Found],
    /// Whether there is a place to push to.
    pub(super) has_remote: bool,
}

/// Asks for everything that flags have not said.
pub(super) fn ask(
    asker: &mut Asker,
    known: &Known<'_>,
    mut choices: Choices,
) -> Result<Choices, CommandError> {
    let args = known.args;
    if matches!(known.git, GitState::NoRepository) && !args.git_init {
        let question = "This is not a git repository, and ralph needs one. Create it?";
        choices.makes_repository = asker.confirm(question, Lean::Yes)?;
    }
    if args.agent.is_none() {
        ask_agent(asker, known.agents, &mut choices)?;
    }
    if args.model.is_none() {
        choices.model = asker.text(&Text {
            note: "as the agent spells it; Enter for the agent's default",
            nothing: "the agent's default",
            ..Text::new("Which model?")
        })?;
    }
    if args.gate.is_empty() {
        choices.gates = ask_gates(asker, choices.gates)?;
    }
    if args.max_iterations.is_none() && args.max_cost.is_none() && args.max_duration.is_none() {
        ask_limits(asker, &mut choices)?;
    }
    if args.review.is_none() {
        choices.review = ask_review(asker)?;
    }
    if known.has_remote && !args.push {
        choices.pushes = asker.confirm("Push accepted work after each commit?", Lean::No)?;
    }
    if !args.private {
        let question = "Share settings and plan with the team through git?";
        choices.is_private = !asker.confirm(question, Lean::Yes)?;
    }
    Ok(choices)
}

fn ask_agent(
    asker: &mut Asker,
    agents: &[Found],
    choices: &mut Choices,
) -> Result<(), CommandError> {
    let is_installed = |found: &&Found| found.path.is_some();
    let mut offered: Vec<&Found> = agents.iter().filter(is_installed).collect();
    if offered.is_empty() {
        offered = agents.iter().collect();
    }
    let mut options: Vec<(String, String)> = offered
        .iter()
        .map(|found| {
            let note = match (&found.path, &found.version) {
                (None, _) => "not installed yet",
                (Some(_), Some(version)) => version,
                (Some(_), None) => "unknown version",
            };
            (found.name.clone(), note.to_owned())
        })
        .collect();
    let default = offered.iter().position(|found| found.name == choices.agent).unwrap_or(0);
    options.push(("another command".into(), "any program that takes a prompt".into()));
    let chosen = asker.select("Which agent should do the work?", &options, default)?;
    if let Some(found) = offered.get(chosen) {
        choices.set_agent(&found.name);
        return Ok(());
    }
    let is_there = |answer: &str| match answer {
        "" => Err("name a program, such as ./agent.sh".to_owned()),
        _ => Ok(()),
    };
    let note = "a program with its flags; it gets the prompt on stdin";
    choices.set_agent(&asker.text(&Text {
        note,
        check: &is_there,
        ..Text::new("Which command?")
    })?);
    Ok(())
}

fn ask_gates(asker: &mut Asker, found: Vec<FoundGate>) -> Result<Vec<FoundGate>, CommandError> {
    if found.is_empty() {
        return ask_own_gates(asker, Vec::new());
    }
    let mut options: Vec<(String, String)> = found
        .iter()
        .map(|gate| {
            let soft = if gate.severity == Severity::Soft { ", soft: red now" } else { "" };
            (gate.line(), format!("{}, from {}{soft}", gate.kind, gate.from))
        })
        .collect();
    let all: Vec<usize> = (0..options.len()).collect();
    options.push(("another command".into(), String::new()));
    let question = "Which commands verify the work?";
    let chosen = asker.select_some(question, &options, &all)?;
    let adds = chosen.contains(&found.len());
    let kept = found.into_iter().enumerate().filter(|(at, _)| chosen.contains(at));
    let kept = kept.map(|(_, gate)| gate).collect();
    if adds { ask_own_gates(asker, kept) } else { Ok(kept) }
}

/// Adds gates until nothing is typed.
fn ask_own_gates(
    asker: &mut Asker,
    mut gates: Vec<FoundGate>,
) -> Result<Vec<FoundGate>, CommandError> {
    loop {
        let (question, note) = if gates.is_empty() {
            ("Which command verifies the work?", "such as make test; Enter skips this for now")
        } else {
            ("Which other command?", "Enter continues")
        };
        let command = asker.text(&Text { note, nothing: "no more", ..Text::new(question) })?;
        if command.is_empty() {
            return Ok(with_own_names(gates));
        }
        gates.push(ask_own_gate(asker, &command)?);
    }
}

fn ask_own_gate(asker: &mut Asker, command: &str) -> Result<FoundGate, CommandError> {
    let mut gate = FoundGate::given(command);
    let kinds = KINDS.map(|(name, note)| (name.to_owned(), note.to_owned()));
    let likely = KINDS.iter().position(|(name, _)| *name == gate.kind).unwrap_or(KINDS.len() - 1);
    let kind = asker.select("What kind of gate is it?", &kinds, likely)?;
    if let Some((kind, _)) = KINDS.get(kind) {
        gate = gate.of_kind(kind);
    }
    let actions = ACTIONS.map(|(_, name, note)| (name.to_owned(), note.to_owned()));
    let action = asker.select("Where should the next prompt show the failure?", &actions, 0)?;
    gate.fail_action = ACTIONS.get(action).map_or(FailAction::Append, |(action, ..)| *action);
    let note = "such as: do not change the tests; Enter for none";
    let hint = Text { note, ..Text::new("Which hint should the agent get when it fails?") };
    gate.hint = asker.text(&hint)?;
    Ok(gate)
}

/// Asks what a run may use.
pub(super) fn ask_limits(asker: &mut Asker, choices: &mut Choices) -> Result<(), CommandError> {
    let options = [
        (format!("${PROPOSED_COST} for a run"), "iterations from the number of tasks"),
        ("what the plan needs".to_owned(), "iterations from the number of tasks, no other limit"),
        ("my own limits".to_owned(), "iterations, money, time"),
    ];
    let options = options.map(|(name, note)| (name, note.to_owned()));
    match asker.select("Which limits should a run have?", &options, 0)? {
        0 => {
            choices.max_cost = PROPOSED_COST;
            return Ok(());
        }
        1 => return Ok(()),
        _ => {}
    }
    let mut limit = |question, note, check: &dyn Fn(&str) -> Result<(), String>| {
        asker.text(&Text { note, default: "0", check, ..Text::new(question) })
    };
    let check = |answer: &str| args::iterations(answer).map(drop);
    let answer = limit("How many iterations at most?", "0 means what the plan needs", &check)?;
    choices.max_iterations = args::iterations(&answer).unwrap_or(0);
    let check = |answer: &str| limits::cost(answer).map(drop);
    let answer = limit("How many dollars at most?", "0 means no limit", &check)?;
    choices.max_cost = limits::cost(&answer).unwrap_or(0.0);
    let check = |answer: &str| limits::length(answer).map(drop);
    let answer = limit("How long at most?", "such as 45m or 4h; 0 means no limit", &check)?;
    choices.max_duration = limits::length(&answer).unwrap_or_default();
    Ok(())
}

fn ask_review(asker: &mut Asker) -> Result<Review, CommandError> {
    let options = [
        ("every task", "a second agent reviews all work"),
        ("where needed", "only tasks with a criterion that no check covers"),
        ("no task", "gates and checks alone decide"),
    ];
    let options = options.map(|(name, note)| (name.to_owned(), note.to_owned()));
    Ok(match asker.select("Which tasks should a second agent review?", &options, 0)? {
        0 => Review::On,
        1 => Review::Auto,
        _ => Review::Off,
    })
}
