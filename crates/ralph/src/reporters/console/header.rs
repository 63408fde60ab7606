//! How a run begins: what it is about, what limits it, what will be weaker than proof.

use ralph_core::{
    agent_facts::short_name,
    event::{RunStart, Source},
    gates::report::{CommandEnd, GateReport, GateResults, GateSpec},
    ids::RunId,
    input::Workspace,
    isolation::Isolation,
    memory::mcp,
    plan::{Status, Task},
    planning::PlanRequest,
    settings::{AtCap, CompactBy},
    timeline::Timeline,
    vocabulary::{Kind, ReviewMode},
};

use super::{options::Options, verdict};
use crate::{
    reporters::{
        block::{Block, Entry, dots},
        budget,
        line::{Line, Sign, Tone},
        plain, record,
    },
    words,
};

/// The lines a run starts with.
pub(crate) fn started(
    run: &RunId,
    start: &RunStart,
    (timeline, options): (&Timeline, &Options),
) -> Block {
    let mut parts = vec![subject(start, timeline), worker(start)];
    if start.isolation.is_isolated() {
        parts.push(start.isolation.summary());
    }
    parts.push(format!("limits {}", words_of_limits(start)));
    if !start.branch.is_empty() {
        parts.push(format!("branch {}", start.branch));
    }
    let mut block = vec![Entry::led(
        Line::new().add(Tone::Bold, format!("run {run}")).plain(" · "),
        dots(&parts),
    )];
    if options.verbose {
        let most = iterations(start.max_iterations);
        let text = format!("at most {most}: {}", start.max_iterations_why);
        block.push(Entry::text(2, Tone::Dim, text));
    }
    if options.verbose || !start.isolation.is_isolated() {
        block.push(isolation(&start.isolation, options));
    } else {
        block.extend(weaknesses(&start.isolation));
    }
    if !start.gates.is_empty() {
        let gates: Vec<String> = start.gates.iter().map(gate).collect();
        block.push(Entry::text(2, Tone::Dim, format!("gates: {}", dots(&gates))));
    } else if !matches!(start.source, Source::Planning { .. }) {
        block.push(Entry::text(2, Tone::Warn, "gates: none"));
    }
    if !matches!(start.source, Source::Prompt { .. } | Source::Planning { .. }) {
        block.push(Entry::text(2, Tone::Dim, format!("review: {}", review(start))));
    }
    block.extend(without_effect(start).filter(|_| options.verbose));
    block.extend(weaker(start, timeline));
    block
}

/// What the settings ask for and the agents chosen cannot be given.
fn without_effect(start: &RunStart) -> impl Iterator<Item = Entry> {
    let given =
        |kind: Kind| start.abilities_of(start.settings.agent.for_kind(kind).command).can_compact;
    let name = |kind: Kind| short_name(start.settings.agent.for_kind(kind).command);
    let coding = mcp::placed(mcp::of_kind(Kind::Implement, &start.library.mcp), "").is_some();
    let servers = (coding && !given(Kind::Implement)).then(|| {
        format!(
            ".ralph/mcp/coding.json has no effect: {} gets no MCP servers",
            name(Kind::Implement)
        )
    });
    let by_agent = start.settings.memory.compactor == CompactBy::Agent;
    let memory = (by_agent && !given(Kind::Compact)).then(|| {
        format!(
            "memory: compacted by ralph itself, which {} cannot be asked for",
            name(Kind::Compact)
        )
    });
    servers.into_iter().chain(memory).map(|text| Entry::text(2, Tone::Dim, text))
}

/// What keeps the agents in, in full for those who ask; that nothing does is a warning.
pub(crate) fn isolation(isolation: &Isolation, options: &Options) -> Entry {
    if !isolation.is_isolated() {
        return Entry::signed(Sign::Warning, isolation.to_string());
    }
    let words = if options.verbose { isolation.to_string() } else { isolation.summary() };
    Entry::text(2, Tone::Dim, format!("sandbox: {words}"))
}

/// What makes the box weaker here than it should be: nobody has to ask for that.
fn weaknesses(isolation: &Isolation) -> impl Iterator<Item = Entry> {
    let parts = isolation.guarantee.split("; ").filter(|part| part.starts_with("weaker: "));
    parts.map(|part| Entry::signed(Sign::Warning, format!("sandbox {part}")))
}

/// Which work is reviewed, by whom, and what happens in the end.
pub(crate) fn review(start: &RunStart) -> String {
    if matches!(start.source, Source::Prompt { .. }) {
        return "off: a prompt has no criteria".into();
    }
    let settings = &start.settings.review;
    let what = match settings.mode {
        ReviewMode::Off => return "off".into(),
        ReviewMode::On => "every task",
        ReviewMode::Auto => "tasks with a criterion that no check covers",
    };
    let reviewer = start.settings.agent.for_kind(Kind::Review);
    let who = agent(reviewer.command, reviewer.model);
    let end = match settings.at_cap {
        AtCap::Park => "then a person must look",
        AtCap::Approve => "then it is approved and says so",
    };
    let cap = words::count(settings.cap.into(), "change request");
    format!("{what}, by {who}; at most {cap}, {end}")
}

fn subject(start: &RunStart, timeline: &Timeline) -> String {
    match &start.source {
        Source::Plan => {
            let open = timeline.counts.total - timeline.counts.satisfied();
            let tasks = words::count(timeline.counts.total as u64, "task");
            if open < timeline.counts.total { format!("{tasks}, {open} to do") } else { tasks }
        }
        Source::Tasks { ids } => {
            let ids: Vec<&str> = ids.iter().map(ralph_core::ids::TaskId::as_str).collect();
            words::few(&ids, 3)
        }
        Source::Prompt { file: Some(file), .. } => format!("prompt {file}"),
        Source::Prompt { file: None, .. } => "prompt".into(),
        Source::Planning { request } => planning(request),
    }
}

/// What is planned from.
fn planning(request: &PlanRequest) -> String {
    let specs: Vec<&str> = request.specs.iter().map(|spec| spec.path.as_str()).collect();
    match (request.revise.is_some(), specs.is_empty()) {
        (true, _) => "revising the plan".into(),
        (false, false) => format!("planning from {}", words::few(&specs, 3)),
        (false, true) => "planning".into(),
    }
}

/// `claude/opus`: the program's name, and the model where one is chosen.
pub(crate) fn agent(command: &str, model: &str) -> String {
    record::who(&short_name(command), model)
}

/// Who works: the planner where a plan is drafted.
pub(crate) fn worker(start: &RunStart) -> String {
    let kind = match start.source {
        Source::Planning { .. } => Kind::Plan,
        Source::Plan | Source::Tasks { .. } | Source::Prompt { .. } => Kind::Implement,
    };
    let who = start.settings.agent.for_kind(kind);
    agent(who.command, who.model)
}

pub(crate) fn words_of_limits(start: &RunStart) -> String {
    let limits = &start.settings.limits;
    let mut parts = vec![iterations(start.max_iterations)];
    if limits.max_cost_usd > 0.0 {
        parts.push(format!("${}", limits.max_cost_usd));
    }
    if limits.max_tokens > 0 {
        parts.push(format!("{} tokens", words::short(limits.max_tokens)));
    }
    if !limits.max_duration.0.is_zero() {
        parts.push(budget::round(limits.max_duration.0));
    }
    parts.join(", ")
}

fn iterations(n: u32) -> String {
    words::count(n.into(), "iteration")
}

fn gate(gate: &GateSpec) -> String {
    if gate.name == gate.command {
        gate.name.clone()
    } else {
        format!("{} ({})", gate.name, gate.command)
    }
}

/// What will be weaker than proof, said before the work begins.
fn weaker(start: &RunStart, timeline: &Timeline) -> Block {
    let mut block = Vec::new();
    let mut warn = |text: String| {
        block.push(Entry::signed(Sign::Warning, text));
    };
    let is_open = |task: &&Task| !timeline.status(&task.id).is_some_and(Status::satisfies);
    let open = start.plan.tasks.iter().filter(is_open);
    let (sentences, checks) = match start.source {
        Source::Prompt { .. } | Source::Planning { .. } => (0, 0),
        _ => open.fold((0, 0), |(sentences, checks), task| {
            let own = u64::from(task.sentences());
            (sentences + own, checks + task.acceptance_criteria.len() as u64 - own)
        }),
    };
    if start.settings.review.mode == ReviewMode::Off && sentences > 0 {
        warn(format!("review off: {} will be unreviewed", words::count(sentences, "criterion")));
    }
    if start.gates.is_empty() && checks == 0 && start.settings.claims.trust_agent {
        warn("neither gates nor checks: every result will be unverified".into());
    }
    block
}

/// The workspace, where something about it matters.
pub(crate) fn workspace(workspace: &Workspace) -> Block {
    let mut block: Block =
        workspace.notes.iter().map(|note| Entry::signed(Sign::Neutral, note)).collect();
    if let Some(stash) = &workspace.stash {
        block.push(Entry::signed(
            Sign::Neutral,
            format!("your uncommitted changes are kept as {stash} and come back at the end"),
        ));
    }
    if workspace.untracked > 0 {
        block.push(Entry::signed(
            Sign::Neutral,
            format!(
                "{} of yours {} left alone",
                words::count(workspace.untracked, "untracked file"),
                if workspace.untracked == 1 { "is" } else { "are" }
            ),
        ));
    }
    block
}

/// How the gates stood before anything was done.
pub(crate) fn baseline(results: &GateResults, timeline: &Timeline) -> Block {
    let red: Vec<&GateReport> =
        results.gates.iter().filter(|gate| !timeline.passed(gate)).collect();
    if results.gates.is_empty() {
        return Vec::new();
    }
    if red.is_empty() {
        let names: Vec<&str> = results.gates.iter().map(|g| g.gate.as_str()).collect();
        let line =
            Line::signed(Sign::Ok).plain(format!("before the run: {} green", words::list(&names)));
        return vec![Entry::Cut(line)];
    }
    red.iter()
        .flat_map(|gate| {
            let failing = gate.tests.failing.as_deref().unwrap_or_default();
            let wanted = if timeline.is_soft(gate) {
                "it is soft, so it may stay like that".to_owned()
            } else if gate.end == CommandEnd::TimedOut {
                "raise that limit, or make the gate faster".to_owned()
            } else if failing.is_empty() {
                "it must become green".to_owned()
            } else {
                format!("{} may stay red, nothing new may fail", words::few(failing, 3))
            };
            let how = if timeline.ran_no_test(gate) {
                "ran no test".to_owned()
            } else if gate.end == CommandEnd::TimedOut {
                verdict::end(gate.end)
            } else {
                format!("red ({})", verdict::end(gate.end))
            };
            let text = format!("before the run: {} {how}; {wanted}", gate.gate);
            let line = Entry::signed(Sign::Warning, text);
            // A gate that names no test may not be able to run at all: its last words tell.
            let words = if failing.is_empty() { last_line(&gate.output) } else { None };
            [line].into_iter().chain(words)
        })
        .collect()
}

fn last_line(output: &str) -> Option<Entry> {
    let output = plain::clean(output);
    let line = output.lines().rfind(|line| !line.trim().is_empty())?;
    Some(Entry::quoted(4, line))
}

#[cfg(test)]
mod tests {
    use ralph_core::{
        gates::report::{CommandEnd, TestSummary},
        time::Millis,
    };

    use super::*;

    fn red(output: &str, failing: Option<Vec<String>>) -> GateResults {
        let gate = GateReport {
            gate: "tests".into(),
            end: CommandEnd::Exited { code: 1 },
            took: Millis(5),
            tests: TestSummary { failing, ..TestSummary::default() },
            flaky: false,
            output: output.into(),
            log: String::new(),
            changed: Vec::new(),
        };
        GateResults { gates: vec![gate], ..GateResults::default() }
    }

    #[test]
    fn a_gate_that_cannot_run_is_quoted_and_one_that_names_tests_is_not() {
        let quoted = |results| {
            format!("{:?}", baseline(&results, &Timeline::default())).contains("No module")
        };
        let output = "first\npython3: No module named pytest\n\n";
        assert!(quoted(red(output, None)));
        assert!(!quoted(red(output, Some(vec!["a::b".into()]))));
    }
}
