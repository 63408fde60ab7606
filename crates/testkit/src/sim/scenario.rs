//! One simulated run's givens, all from its seed: plan, settings, base tree, how bad agents and machine are.

use ralph_core::{
    event::{RunStart, Source},
    gates::report::{GateKind, Severity},
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task},
    run::{StartOptions, begin},
    settings::{
        AtCap, BaselineMode, CompactBy, Gate, Length, Limits, MayAmend, MemorySettings, OnReject,
        Policy, ProtectMode, Quality, Settings,
    },
    time::Millis,
    vocabulary::ReviewMode,
};

use super::{
    agent::{Act, Mood},
    planner,
    reviewer::Temper,
    rng::{Rng, mix},
    tree::{Tree, Which, feature, part},
};

/// What a simulated run is made of.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub seed: u64,
    pub start: RunStart,
    pub base: Tree,
    /// Branches that an earlier run left.
    pub branches: Vec<(String, Tree)>,
    pub mood: Mood,
    /// How reviewers are.
    pub temper: Temper,
    /// Gates go another way each time they run.
    pub flapping: bool,
    /// What agents do, call by call; random once it is used up.
    pub script: Vec<Act>,
    pub odds: Odds,
}

/// How often things happen beside the run, in a thousand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Odds {
    pub crash: u64,
    /// Signals and requests.
    pub person: u64,
    /// Effects that ralph itself cannot do.
    pub failure: u64,
    /// A finished run is taken up again.
    pub resume: u64,
    /// Wishes of people about tasks.
    pub wish: u64,
    /// Words to agents, and pauses.
    pub steer: u64,
}

impl Scenario {
    /// A random scenario.
    pub fn random(seed: u64) -> Self {
        if planner::plans(seed) { Self::planning(seed) } else { Self::working(seed) }
    }

    /// A random run that drafts a plan.
    fn planning(seed: u64) -> Self {
        let mut rng = Rng::new(mix(&[seed, 11]));
        loop {
            let settings = settings(&mut rng);
            let Some(start) = planner::start(&mut rng, settings) else {
                continue;
            };
            return Self {
                seed,
                start,
                base: base(&mut rng),
                branches: Vec::new(),
                mood: rng.pick(&Mood::ALL).unwrap_or(Mood::Decent),
                temper: Temper::Honest,
                flapping: false,
                script: Vec::new(),
                odds: Odds { steer: super::steering::odds(seed), ..odds(&mut rng) },
            };
        }
    }

    /// A random run that works on something.
    pub fn working(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        loop {
            let plan = plan(&mut rng);
            let mut settings = settings(&mut rng);
            settings.memory = memory(seed);
            let source = source(&mut rng, &plan);
            let options = StartOptions {
                version: "sim".into(),
                max_iterations: rng.pick(&[None, None, Some(1), Some(3), Some(8)]).flatten(),
                abilities: ralph_agents::abilities(),
                ..StartOptions::default()
            };
            let Ok(start) = begin(source, plan, settings, options) else {
                continue;
            };
            let base = base(&mut rng);
            return Self {
                seed,
                branches: branches(&mut rng, &start.plan, base),
                start,
                base,
                mood: rng.pick(&Mood::ALL).unwrap_or(Mood::Decent),
                temper: rng.pick(&Temper::ALL).unwrap_or(Temper::Honest),
                flapping: rng.chance(100),
                script: Vec::new(),
                odds: Odds { steer: super::steering::odds(seed), ..odds(&mut rng) },
            };
        }
    }

    /// A plan of so many tasks with tests as gate and a check each, worked on as scripted.
    pub fn scripted(seed: u64, tasks: usize, review: ReviewMode, script: &[Act]) -> Option<Self> {
        let plan = Plan { tasks: (0..tasks).map(plain_task).collect(), ..Plan::default() };
        let mut settings = Settings::default();
        settings.review.mode = review;
        settings.gate = vec![gate(Which::Tests, Severity::Hard)];
        settings.limits.max_attempts = 2;
        let options =
            StartOptions { abilities: ralph_agents::abilities(), ..StartOptions::default() };
        let start = begin(Source::Plan, plan, settings, options).ok()?;
        Some(Self {
            seed,
            start,
            base: Tree::BASE,
            branches: Vec::new(),
            mood: Mood::Decent,
            temper: Temper::Honest,
            flapping: false,
            script: script.to_vec(),
            odds: Odds::default(),
        })
    }
}

/// Memory that is compacted often, by either compactor, with much or little room.
fn memory(seed: u64) -> MemorySettings {
    let mut rng = Rng::new(mix(&[seed, 9]));
    MemorySettings {
        interval: rng.of(&[1, 2, 5]),
        context_budget_tokens: rng.pick(&[8_000, 8_000, 400]).unwrap_or(8_000),
        compactor: if rng.chance(500) { CompactBy::Agent } else { CompactBy::BuiltIn },
        ..MemorySettings::default()
    }
}

fn plain_task(at: usize) -> Task {
    Task {
        id: TaskId(format!("T{at}")),
        title: format!("task {at}"),
        acceptance_criteria: vec![
            Criterion::Checked { text: "part 0".into(), check: format!("check {at} 0") },
            Criterion::Sentence("part 1".into()),
        ],
        ..Task::default()
    }
}

fn plan(rng: &mut Rng) -> Plan {
    let count = usize::try_from(1 + rng.below(4)).unwrap_or(1);
    let tasks = (0..count).map(|at| task(rng, at, count)).collect();
    Plan { project: "sim".into(), tasks, ..Plan::default() }
}

fn task(rng: &mut Rng, at: usize, count: usize) -> Task {
    use Status::{
        ChangesRequested, Done, Failed, InProgress, NeedsReview, Parked, Pending, Skipped,
    };
    let others = [Done, Skipped, Failed, Parked, Parked, InProgress, NeedsReview, ChangesRequested];
    let status = if rng.chance(850) { Pending } else { rng.pick(&others).unwrap_or(Pending) };
    let depends_on = (0..count)
        .filter(|&on| on != at && rng.chance(if on < at { 250 } else { 15 }))
        .map(|on| TaskId(format!("T{on}")))
        .collect();
    let was_begun = !matches!(status, Pending | Skipped);
    let is_kept = matches!(status, Parked | Failed) && rng.chance(600);
    Task {
        id: TaskId(format!("T{at}")),
        title: format!("task {at}"),
        status,
        acceptance_criteria: criteria(rng, at),
        priority: rng.pick(&[None, None, Some(1), Some(2)]).flatten(),
        order: rng.pick(&[None, None, Some(3), Some(-1)]).flatten(),
        depends_on,
        max_attempts: rng.pick(&[None, None, None, Some(1), Some(2)]).flatten(),
        max_retries: rng.pick(&[None, None, None, Some(0), Some(1)]).flatten(),
        timeout_multiplier: rng.pick(&[None, None, Some(1.1), Some(0.3)]).flatten(),
        review_count: (was_begun && rng.chance(500)).then_some(2),
        branch: is_kept.then(|| format!("ralph/parked/T{at}")),
        question: (status == Parked && rng.chance(300)).then(|| "which one?".to_owned()),
        ..Task::default()
    }
}

/// None, checks only, sentences only, or some of both.
fn criteria(rng: &mut Rng, task: usize) -> Vec<Criterion> {
    let count = usize::try_from(rng.below(4)).unwrap_or(0);
    let checked = rng.of(&[0, 1000, 600, 600]);
    (0..count)
        .map(|at| {
            let text = format!("part {at}");
            if rng.chance(checked) {
                Criterion::Checked { text, check: format!("check {task} {at}") }
            } else if rng.chance(20) {
                Criterion::Sentence(" ".into())
            } else {
                Criterion::Sentence(text)
            }
        })
        .collect()
}

/// What earlier runs left on the branches that the plan names; some are gone.
fn branches(rng: &mut Rng, plan: &Plan, base: Tree) -> Vec<(String, Tree)> {
    let mut branches = Vec::new();
    for (at, task) in plan.tasks.iter().enumerate() {
        if let Some(name) = task.branch.clone().filter(|_| rng.chance(900)) {
            let work = if rng.chance(500) { feature(at) } else { part(at, 0) };
            branches.push((name, base.with(work)));
        }
    }
    branches
}

fn settings(rng: &mut Rng) -> Settings {
    let mut settings = Settings { limits: limits(rng), ..Settings::default() };
    judgement(rng, &mut settings);
    agents(rng, &mut settings);
    if rng.chance(800) {
        settings.gate.push(gate(Which::Tests, Severity::Hard));
    }
    if rng.chance(300) {
        settings.gate.push(gate(Which::Build, Severity::Hard));
    }
    if rng.chance(200) {
        settings.gate.push(gate(Which::Lint, Severity::Soft));
    }
    if rng.chance(100) {
        for gate in &mut settings.gate {
            gate.allow_empty = true;
        }
    }
    settings.gates.flaky_retries = u32::try_from(rng.below(3)).unwrap_or(1);
    if rng.chance(100) {
        settings.gates.baseline = BaselineMode::Require;
    }
    if rng.chance(300) {
        settings.attempts.on_reject = OnReject::Restart;
    }
    if rng.chance(300) {
        settings.scm.tasks = vec!["push".into()];
    }
    settings.claims.trust_agent = rng.chance(150);
    settings
}

/// Who reviews what how, and what agents may do.
fn judgement(rng: &mut Rng, settings: &mut Settings) {
    let review = &mut settings.review;
    review.mode = rng.of(&[ReviewMode::On, ReviewMode::On, ReviewMode::Auto, ReviewMode::Off]);
    review.cap = rng.of(&[1, 2, 3, 5]);
    review.at_cap = rng.of(&[AtCap::Park, AtCap::Park, AtCap::Approve]);
    review.quality = rng.of(&[Quality::Soft, Quality::Hard, Quality::Off]);
    let ladder = ["claude:opus".to_owned(), "codex".to_owned()];
    let rungs = usize::try_from(rng.below(3)).unwrap_or(0);
    settings.escalation.agents = ladder.into_iter().take(rungs).collect();
    if rng.chance(300) {
        settings.agent.review.command = Some("judge".into());
    }
    let may = [MayAmend::Add, MayAmend::Modify, MayAmend::Remove];
    settings.plan.agents_may = may.into_iter().filter(|_| rng.chance(700)).collect();
    if rng.chance(400) {
        settings.gates.protect = vec!["locked/**".into()];
    }
    settings.gates.protect_mode = rng.of(&[ProtectMode::Review, ProtectMode::Deny]);
}

/// Who else may be called, and what people want done about endings.
fn agents(rng: &mut Rng, settings: &mut Settings) {
    let others = ["codex".to_owned(), "gemini:pro".to_owned(), "claude".to_owned()];
    if rng.chance(400) {
        settings.agent.fallback = others.into_iter().filter(|_| rng.chance(600)).collect();
    }
    if rng.chance(700) {
        return;
    }
    let all = [Policy::Retry, Policy::Wait, Policy::Fallback, Policy::Park, Policy::Stop];
    let endings = &mut settings.endings;
    for policy in [
        &mut endings.usage_limit,
        &mut endings.overloaded,
        &mut endings.auth_failed,
        &mut endings.not_found,
        &mut endings.crashed,
        &mut endings.empty,
        &mut endings.malformed,
        &mut endings.context_overflow,
        &mut endings.refused,
        &mut endings.timed_out,
        &mut endings.stalled,
        &mut endings.max_turns,
    ] {
        *policy = if rng.chance(300) { rng.pick(&all) } else { None };
    }
}

fn gate(which: Which, severity: Severity) -> Gate {
    Gate {
        name: which.name().into(),
        command: which.name().into(),
        kind: match which {
            Which::Tests => GateKind::Test,
            Which::Build => GateKind::Build,
            Which::Lint => GateKind::Lint,
        },
        severity,
        ..Gate::default()
    }
}

fn limits(rng: &mut Rng) -> Limits {
    let length = |ms: u64| Length(Millis(ms));
    let rare = |rng: &mut Rng, value: u64| if rng.chance(150) { value } else { 0 };
    let usd = |micros: u64| f64::from(u32::try_from(micros).unwrap_or(0)) / 1e6;
    let (cost, tokens, task_cost, task_tokens) = (
        300_000 + rng.below(3_000_000),
        200 + rng.below(20_000),
        100_000 + rng.below(1_500_000),
        200 + rng.below(9_000),
    );
    let (time, task_time) = (rng.below(9_000_000), rng.below(4_000_000));
    Limits {
        max_iterations: rng.of(&[0, 0, 0, 2, 5, 9]),
        max_attempts: rng.of(&[1, 2, 3, 5, 8]),
        max_retries: rng.of(&[0, 1, 3, 3]),
        max_uncharged: rng.of(&[2, 5, 50, 50]),
        max_failed_in_a_row: rng.of(&[0, 1, 2, 3]),
        max_cost_usd: usd(rare(rng, cost)),
        max_tokens: rare(rng, tokens),
        max_task_cost_usd: usd(rare(rng, task_cost)),
        max_task_tokens: rare(rng, task_tokens),
        max_task_duration: length(rare(rng, task_time)),
        max_duration: length(rare(rng, time)),
        max_wait: length(rng.of(&[20_000, 400_000, 21_600_000])),
        min_delay: length(rng.of(&[0, 0, 0, 7_001])),
    }
}

fn source(rng: &mut Rng, plan: &Plan) -> Source {
    match rng.below(10) {
        0 | 1 => Source::Prompt {
            file: rng.chance(500).then(|| "PROMPT.md".to_owned()),
            text: "make it work".into(),
        },
        2 => {
            let named = plan.tasks.iter().filter(|_| rng.chance(600));
            Source::Tasks { ids: named.map(|task| task.id.clone()).collect() }
        }
        _ => Source::Plan,
    }
}

fn base(rng: &mut Rng) -> Tree {
    let mut base = Tree::BASE;
    for (file, odds) in
        [(Tree::OLD_A, 200), (Tree::OLD_B, 150), (Tree::NO_BUILD, 60), (Tree::UGLY, 100)]
    {
        if rng.chance(odds) {
            base = base.with(file);
        }
    }
    base
}

fn odds(rng: &mut Rng) -> Odds {
    Odds {
        crash: rng.of(&[0, 20, 60, 150]),
        person: rng.of(&[0, 0, 10, 60]),
        failure: rng.of(&[0, 0, 5, 25]),
        resume: rng.of(&[0, 300, 800]),
        wish: rng.of(&[0, 0, 60, 200]),
        steer: 0,
    }
}
