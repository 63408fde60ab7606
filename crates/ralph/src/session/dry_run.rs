//! `ralph run --dry-run`: what a run would do first, and starts nothing.

use ralph_agents::Place;
use ralph_core::{
    effect::AgentCall,
    event::RunStart,
    gates::report::{GateSpec, Severity},
    preflight,
    prompt::{Rendered, Used},
    run::{self, RunState},
};
use ralph_engine::{clock, layout::Layout};
use serde_json::{Value as Json, json};

use super::{past_runs, project::Project, trust};
use crate::{
    context::{Context, Entry, Tone, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::console::review_words,
};

/// Shows limits, gates, the first command line and the first prompt with what it is made of.
pub(crate) fn show(
    project: &Project,
    start: RunStart,
    context: &Context,
) -> Result<u8, CommandError> {
    let state = RunState::new(ralph_engine::run::new_id(), clock::now(), start);
    let standing = trust::standing(&project.repository);
    let first = match run::first_call(&state) {
        None => None,
        Some((mut call, prompt)) => {
            call.loadable = standing.loadable(project.repository.root());
            Some(First { command: command(&call, &state)?, call, prompt })
        }
    };
    let folder = project.repository.root().display().to_string();
    if context.json {
        answer_json(&as_json(&state, first.as_ref(), &folder))?;
        return Ok(exit::DONE);
    }
    let mut lines = plan_lines(&state, &project.layout);
    lines.extend(standing.words().map(|words| format!("project agent configuration: {words}")));
    match &first {
        None => lines.push("work        nothing left to do".into()),
        Some(first) => lines.extend(first.lines(&state, &folder)),
    }
    let entries: Vec<_> = lines.into_iter().map(|line| Entry::text(0, Tone::Plain, line)).collect();
    context.answer(&entries)?;
    Ok(exit::DONE)
}

/// The first call of a run.
struct First {
    call: AgentCall,
    prompt: Rendered,
    /// Program and arguments.
    command: Vec<String>,
}

impl First {
    fn lines(&self, state: &RunState, folder: &str) -> Vec<String> {
        let words: Vec<_> = self.command.iter().map(|word| quoted(word)).collect();
        let prompt = &self.prompt;
        let budget = state.start.settings.memory.context_budget_tokens;
        let mut lines = vec![
            format!("task        {} ({})", self.call.task, self.call.kind.word()),
            format!("command     {}", words.join(" ")),
            format!("folder      {folder}"),
            format!("template    {}", template(prompt)),
            format!("estimate    about {} tokens of {budget} for the prompt", prompt.tokens()),
            String::new(),
            format!("{:<14} {:>7} {:>7}  trimmed", "section", "tokens", "budget"),
        ];
        lines.extend(prompt.sections.iter().map(row));
        lines.push(String::new());
        lines.extend(prompt.text.lines().map(str::to_owned));
        lines
    }
}

fn plan_lines(state: &RunState, layout: &Layout) -> Vec<String> {
    let start = &state.start;
    let mut lines = vec![
        format!("iterations  at most {}: {}", start.max_iterations, start.max_iterations_why),
        format!("sandbox     {}", start.isolation),
    ];
    if !state.is_planning() {
        lines.insert(0, format!("branch      {}", start.branch));
        lines.push(format!("review      {}", review_words(start)));
        let mode = start.settings.review.mode;
        let estimate = preflight::estimate(&start.plan, mode, &past_runs::runs(layout));
        lines.push(format!("estimate: {}", past_runs::words(&estimate)));
    }
    for gate in &start.gates {
        let severity = if gate.severity == Severity::Hard { "hard" } else { "soft" };
        lines.push(format!("gate        {} ({severity}): {}", gate.name, gate.command));
    }
    lines
}

/// One section in the table.
fn row(used: &Used) -> String {
    let trimmed = match left_out(used) {
        0 => String::new(),
        _ if used.tokens == 0 => format!("left out, {} tokens", used.wanted),
        some => format!("{some} of {} tokens", used.wanted),
    };
    let name = used.section.name();
    format!("{name:<14} {:>7} {:>7}  {trimmed}", used.tokens, used.budget).trim_end().to_owned()
}

fn left_out(used: &Used) -> usize {
    used.wanted.saturating_sub(used.tokens)
}

fn template(prompt: &Rendered) -> String {
    let name = prompt.template.name();
    match (&prompt.trouble, prompt.is_own) {
        (Some(trouble), _) => format!("{name}, built in, because your own failed: {trouble}"),
        (None, true) => format!("{name}, your own (.ralph/prompts)"),
        (None, false) => format!("{name}, built in"),
    }
}

fn command(call: &AgentCall, state: &RunState) -> Result<Vec<String>, CommandError> {
    let place = Place {
        run: state.run.clone(),
        started: clock::now(),
        folder: "FOLDER".into(),
        scratch: "SCRATCH".into(),
        ralph: "ralph".into(),
    };
    let command = ralph_agents::of_call(call)
        .command(call, &place)
        .map_err(|error| CommandError::usage(error.to_string(), error.help()))?;
    Ok(std::iter::once(command.program).chain(command.args).collect())
}

fn as_json(state: &RunState, first: Option<&First>, folder: &str) -> Json {
    let start = &state.start;
    let gate = |gate: &GateSpec| json!({ "name": gate.name, "severity": gate.severity, "command": gate.command });
    let first = first.map(|first| {
        let prompt = &first.prompt;
        let section = |used: &Used| {
            json!({
                "name": used.section.name(),
                "tokens": used.tokens,
                "budget": used.budget,
                "trimmed": left_out(used),
            })
        };
        json!({
            "task": first.call.task,
            "kind": first.call.kind.word(),
            "agent": first.call.agent,
            "command": first.command,
            "folder": folder,
            "template": { "name": prompt.template.name(), "own": prompt.is_own },
            "tokens": prompt.tokens(),
            "budget": start.settings.memory.context_budget_tokens,
            "sections": prompt.sections.iter().map(section).collect::<Vec<_>>(),
            "prompt": prompt.text,
        })
    });
    json!({
        "v": 1,
        "branch": start.branch,
        "max_iterations": start.max_iterations,
        "max_iterations_why": start.max_iterations_why,
        "review": review_words(start),
        "isolation": start.isolation,
        "gates": start.gates.iter().map(gate).collect::<Vec<_>>(),
        "first": first,
    })
}

/// An argument as a shell would need it, long ones cut.
fn quoted(word: &str) -> String {
    let cut: String = word.chars().take(60).collect();
    let dots = if cut.len() < word.len() { "…" } else { "" };
    if !cut.is_empty() && cut.chars().all(|c| c.is_alphanumeric() || "-_./=,:".contains(c)) {
        format!("{cut}{dots}")
    } else {
        format!("'{cut}{dots}'")
    }
}
