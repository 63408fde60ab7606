//! Scripted runs as news, for the tests of every face.

use std::sync::{Arc, Mutex, PoisonError};

use ralph_agents::{
    event::{AgentEvent, TodoItem},
    live_event::{Chatter, News, Reporter, Said},
};
use ralph_core::{
    effect::{DirtyPolicy, How},
    ending::Ending,
    event::{
        Decision, Event, IterationStart, Rejection, RunStart, SetAside, Source, StopHow, Uncharged,
    },
    evidence::{Evidence, Judged, Label},
    gates::report::{
        CheckReport, CommandEnd, FailAction, GateKind, GateReport, GateResults, GateSpec, Severity,
        TestSummary,
    },
    input::{AgentReport, Captured, CheckpointTaken, Workspace},
    isolation::Isolation,
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task},
    prompt::Library,
    settings::Settings,
    time::{Millis, Timestamp},
    usage::{MicroUsd, Usage},
    verdict::{Reason, Verdict},
    vocabulary::{Kind, ReviewMode},
};

/// One beat of a script.
pub(crate) enum Beat {
    News(News),
    Tick(Timestamp),
}

/// A run being written.
pub(crate) struct Script {
    now: Timestamp,
    seq: u64,
    iteration: u32,
    beats: Vec<Beat>,
}

/// Plays a script to a reporter.
pub(crate) fn play(beats: &[Beat], reporter: &mut dyn Reporter) -> std::io::Result<()> {
    for beat in beats {
        match beat {
            Beat::News(news) => {
                reporter.news(news)?;
                reporter.caught_up()?;
            }
            Beat::Tick(at) => reporter.tick(*at)?,
        }
    }
    reporter.finish()
}

/// A writer whose text can be read afterwards.
#[derive(Clone, Default)]
pub(crate) struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    pub(crate) fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl std::io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn plan() -> Plan {
    let task = |id: &str, title: &str, depends: &[&str]| Task {
        id: id.into(),
        title: title.into(),
        acceptance_criteria: vec![
            Criterion::Checked { text: "it builds".into(), check: "cargo build".into() },
            Criterion::Sentence("the code reads well".into()),
        ],
        depends_on: depends.iter().map(|id| (*id).into()).collect(),
        ..Task::default()
    };
    Plan {
        version: 1,
        project: "demo".into(),
        tasks: vec![
            task("T-001", "scaffold", &[]),
            task("T-002", "token bucket that refills over time", &["T-001"]),
            task("T-003", "command line", &["T-002"]),
        ],
        ..Plan::default()
    }
}

fn gate_spec(name: &str, command: &str, kind: GateKind) -> GateSpec {
    GateSpec {
        name: name.into(),
        slug: name.into(),
        command: command.into(),
        dir: String::new(),
        kind,
        severity: Severity::Hard,
        fail_action: FailAction::Append,
        hint: String::new(),
        allow_empty: false,
        env: Vec::new(),
        soft_timeout: Millis::secs(300),
        hard_timeout: Millis::secs(600),
        network: None,
    }
}

pub(crate) fn green(gate: &str) -> GateReport {
    GateReport {
        gate: gate.into(),
        end: CommandEnd::Exited { code: 0 },
        took: Millis::secs(14),
        tests: TestSummary { ran: (gate == "tests").then_some(42), ..TestSummary::default() },
        flaky: false,
        output: String::new(),
        log: format!("iterations/0001/gates/{gate}.log"),
        changed: Vec::new(),
    }
}

pub(crate) fn red() -> GateReport {
    GateReport {
        end: CommandEnd::Exited { code: 101 },
        tests: TestSummary {
            ran: Some(42),
            failing: Some(vec!["bucket::refill_is_monotonic".into()]),
            ..TestSummary::default()
        },
        output: "assertion failed\n  left: 9\n right: 10\n".into(),
        ..green("tests")
    }
}

impl Script {
    /// A run of three tasks that has just begun.
    pub(crate) fn new() -> Self {
        let mut script = Self::empty();
        let mut settings = Settings::default();
        settings.review.mode = ReviewMode::Off;
        settings.agent.model = "opus".into();
        settings.limits.max_cost_usd = 20.0;
        script.decide(vec![Event::RunStarted(Box::new(RunStart {
            version: "0.1.0".into(),
            source: Source::Plan,
            settings,
            plan: plan().into(),
            gates: vec![
                gate_spec("tests", "cargo nextest run", GateKind::Test),
                gate_spec("lint", "cargo clippy", GateKind::Lint),
            ],
            max_iterations: 15,
            max_iterations_why: "2 for each of 3 open tasks, at least 15".into(),
            is_limit_given: false,
            branch: "ralph/demo".into(),
            dirty: DirtyPolicy::Refuse,
            linked_worktree: false,
            plan_file: None,
            memory: ralph_core::memory::context::Context::default(),
            ok_on_limit: false,
            isolation: Isolation::off(),
            library: Library::default(),
            seal: String::new(),
            proposals: Vec::new(),
            flags: Vec::new(),
            abilities: std::collections::BTreeMap::new(),
        }))]);
        script.decide(vec![Event::WorkspaceOpened(Workspace {
            root: "/home/ann/demo".into(),
            branch: "ralph/demo".into(),
            came_from: "main".into(),
            head: "1111111aaaa".into(),
            tree: "t0".into(),
            stash: None,
            untracked: 2,
            notes: Vec::new(),
        })]);
        let results =
            GateResults { gates: vec![green("tests"), green("lint")], ..GateResults::default() };
        script.pass(20).decide(vec![Event::BaselineRecorded { tree: "t0".into(), results }]);
        script
    }

    /// Nothing has begun.
    pub(crate) fn empty() -> Self {
        Self { now: Timestamp(1_794_700_800_000), seq: 0, iteration: 0, beats: Vec::new() }
    }

    pub(crate) fn beats(self) -> Vec<Beat> {
        self.beats
    }

    pub(crate) fn pass(&mut self, seconds: u64) -> &mut Self {
        self.now = self.now.plus(Millis::secs(seconds));
        self
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn tick(&mut self) -> &mut Self {
        self.beats.push(Beat::Tick(self.now));
        self
    }

    pub(crate) fn decide(&mut self, events: Vec<Event>) -> &mut Self {
        self.beats.push(Beat::News(News::Decided(Arc::new(Decision {
            v: 1,
            run: "261114-0042-k3f".into(),
            lane: 0,
            seq: self.seq,
            at: self.now,
            events,
        }))));
        self.seq += 1;
        self
    }

    pub(crate) fn say(&mut self, said: Said) -> &mut Self {
        self.beats.push(Beat::News(News::Chatter(Chatter {
            at: self.now,
            iteration: self.iteration,
            said,
        })));
        self
    }

    pub(crate) fn agent(&mut self, event: AgentEvent) -> &mut Self {
        self.say(Said::Agent(event))
    }

    pub(crate) fn iteration(&mut self, task: &str, attempt: u32, retry: u32) -> &mut Self {
        if retry == 0 {
            self.iteration += 1;
        }
        let plan = plan();
        let title = plan.position(&task.into()).map(|at| plan.tasks[at].title.clone());
        let mut events = Vec::new();
        if attempt == 1 && retry == 0 {
            events.push(moved(task, Status::Pending, Status::InProgress, "picked"));
        }
        events.push(Event::IterationStarted(IterationStart {
            iteration: self.iteration,
            retry,
            kind: Kind::Implement,
            task: task.into(),
            title: title.unwrap_or_default(),
            attempt,
            max_attempts: 3,
            agent: "claude".into(),
            model: "opus".into(),
        }));
        self.decide(events).decide(vec![Event::CheckpointTaken(CheckpointTaken {
            notes: Vec::new(),
            head: "1111111aaaa".into(),
            tree: "t0".into(),
            kept: None,
        })])
    }

    /// The agent reads, edits and runs a test.
    pub(crate) fn work(&mut self) -> &mut Self {
        self.agent(AgentEvent::Session { id: "s-1".into(), model: "opus".into() })
            .agent(AgentEvent::Text { text: "I will look at the code first.".into() })
            .agent(AgentEvent::Todo {
                items: vec![
                    todo("Read the code", "completed"),
                    todo("Write the bucket", "in_progress"),
                    todo("Run the tests", "pending"),
                ],
            })
            .tool("1", "Edit", "src/bucket.rs", 0)
            .tool("2", "Bash", "cargo test bucket", 12)
            .pass(60)
    }

    fn tool(&mut self, id: &str, name: &str, input: &str, seconds: u64) -> &mut Self {
        self.agent(AgentEvent::ToolStart { id: id.into(), name: name.into(), input: input.into() })
            .pass(seconds)
            .agent(AgentEvent::ToolEnd {
                id: id.into(),
                output: "fine".into(),
                lines: 45,
                chars: 1234,
                is_error: false,
            })
    }

    pub(crate) fn ended(&mut self, ending: Ending) -> &mut Self {
        self.decide(vec![Event::AgentEnded(Box::new(AgentReport {
            ending,
            claimed: false,
            handoff: None,
            last_words: String::new(),
            stderr_tail: String::new(),
            usage: Usage {
                input: 1_000,
                output: 4_500,
                cache_read: 85_000,
                cache_write: 2_000,
                cost: MicroUsd(412_000),
                is_estimate: false,
            },
            took: Millis::secs(72),
            session: None,
            tools: 2,
            tool_errors: 0,
            denials: 0,
            leftovers: 0,
            traffic: Vec::new(),
        }))])
    }

    fn captured(&mut self) -> &mut Self {
        self.decide(vec![Event::TreeCaptured(Captured {
            tree: Some("t1".into()),
            head: "1111111aaaa".into(),
            changed: 2,
            sample: vec!["src/bucket.rs".into()],
            touched: Vec::new(),
            touched_left_out: 0,
            violations: Vec::new(),
            notes: Vec::new(),
            plan_edit: None,
        })])
    }

    fn gates(&mut self, gates: Vec<GateReport>, reasons: Vec<Reason>) -> &mut Self {
        let accepted = reasons.is_empty();
        let check = CheckReport {
            criterion: 0,
            command: "cargo build".into(),
            end: CommandEnd::Exited { code: 0 },
            took: Millis::secs(3),
            output: String::new(),
            log: "iterations/0001/gates/check-1.log".into(),
            changed: Vec::new(),
        };
        self.captured()
            .say(Said::GateStarted { gate: "tests".into() })
            .pass(14)
            .tick()
            .say(Said::GateFinished {
                gate: "tests".into(),
                end: gates[0].end,
                took: Millis::secs(14),
            })
            .pass(17)
            .decide(vec![
                Event::GatesRan {
                    tree: "t1".into(),
                    results: GateResults { gates, checks: vec![check], ..GateResults::default() },
                },
                Event::VerdictReached(Verdict {
                    tree: Some("t1".into()),
                    accepted,
                    reasons,
                    labels: vec![Label::Unreviewed { criteria: 1 }],
                    fingerprint: if accepted { "" } else { "f1" }.into(),
                }),
            ])
    }

    /// The work is judged good and committed.
    pub(crate) fn accepted(&mut self, task: &str) -> &mut Self {
        let evidence =
            |criterion: &str, by| Evidence { criterion: criterion.into(), by, tree: "t1".into() };
        let check =
            Judged::Check { command: "cargo build".into(), exit_code: 0, log: String::new() };
        let iteration = self.iteration;
        self.gates(vec![green("tests"), green("lint")], Vec::new()).decide(vec![
            Event::Committed {
                task: task.into(),
                iteration,
                commit: "a1b2c3d4e5f6".into(),
                tree: "t1".into(),
            },
            Event::AttemptAccepted { task: task.into(), attempt: 1 },
            Event::EvidenceRecorded {
                task: task.into(),
                evidence: vec![
                    evidence("it builds", check),
                    evidence("the code reads well", Judged::Unreviewed),
                ],
                labels: vec![Label::Unreviewed { criteria: 1 }],
            },
            moved(task, Status::InProgress, Status::Done, ""),
            Event::IterationClosed,
        ])
    }

    /// The tests fail.
    pub(crate) fn rejected(&mut self, task: &str, attempt: u32) -> &mut Self {
        let reason = Reason::GateFailed {
            gate: "tests".into(),
            exit_code: 101,
            new_failures: vec!["bucket::refill_is_monotonic".into()],
        };
        self.gates(vec![red(), green("lint")], vec![reason]).decide(vec![Event::AttemptRejected(
            Rejection {
                task: task.into(),
                attempt,
                max_attempts: 3,
                kept: Some(format!("refs/ralph/261114-0042-k3f/{task}/{attempt}")),
                work: Some("t1".into()),
                fingerprint: "f1".into(),
                shared: "f1".into(),
            },
        )])
    }

    pub(crate) fn finished(&mut self, outcome: Outcome, notes: &[&str]) -> &mut Self {
        let notes = notes.iter().map(|note| (*note).to_owned()).collect();
        self.decide(vec![Event::RunEnding { outcome: outcome.clone() }])
            .decide(vec![Event::RunFinished { outcome, notes }])
    }
}

fn todo(text: &str, status: &str) -> TodoItem {
    TodoItem { text: text.into(), status: status.into() }
}

fn moved(task: &str, from: Status, to: Status, why: &str) -> Event {
    Event::TaskMoved { task: task.into(), from, to, why: why.into() }
}

/// Two tasks done at the first try, one more by a stop at the limit.
pub(crate) fn happy() -> Vec<Beat> {
    let mut script = Script::new();
    for task in ["T-001", "T-002", "T-003"] {
        script.pass(1).iteration(task, 1, 0).work();
        script.ended(Ending::Ok).accepted(task);
    }
    script.finished(Outcome::Done, &[]);
    script.beats()
}

/// One rejection, then success, then the limit.
pub(crate) fn rejection_then_success() -> Vec<Beat> {
    let mut script = Script::new();
    script.iteration("T-001", 1, 0).work().ended(Ending::Ok);
    script.rejected("T-001", 1).iteration("T-001", 2, 0).work();
    script.agent(AgentEvent::ToolStart {
        id: "9".into(),
        name: "Bash".into(),
        input: "rm -rf \u{1b}[2J/nope".into(),
    });
    script.pass(2).agent(AgentEvent::ToolEnd {
        id: "9".into(),
        output: "\u{1b}[31mpermission denied\u{1b}[0m\n\u{1b}]0;owned\u{7}second line\n".into(),
        lines: 2,
        chars: 40,
        is_error: true,
    });
    script.ended(Ending::Ok).accepted("T-001");
    let which = "15 iterations".into();
    script.finished(Outcome::Limit { which }, &[]);
    script.beats()
}

/// A usage limit, with the countdown moving.
pub(crate) fn usage_limit() -> Vec<Beat> {
    let mut script = Script::new();
    script.iteration("T-001", 1, 0).work();
    let resets_at = script.now().plus(Millis::secs(2472));
    let ending = Ending::UsageLimit { resets_at: Some(resets_at), detail: "session limit".into() };
    script.ended(ending.clone()).decide(vec![
        Event::CallSetAside(SetAside {
            ending,
            counts_as: Uncharged::Limit,
            kept: Some("refs/ralph/261114-0042-k3f/T-001/1".into()),
            work: Some("t1".into()),
        }),
        Event::AgentRested {
            agent: "claude".into(),
            until: Some(resets_at),
            why: "usage limit reached: session limit".into(),
            is_waited_for: true,
        },
    ]);
    let why = "claude usage limit reached: session limit".to_owned();
    script.decide(vec![Event::WaitBegan { until: resets_at, why }]);
    for seconds in [1, 1, 400, 1700, 369] {
        script.pass(seconds).tick();
    }
    script.pass(2).decide(vec![Event::WaitEnded]);
    script.iteration("T-001", 1, 1).work().ended(Ending::Ok);
    script.accepted("T-001").finished(Outcome::Stopped, &[]);
    script.beats()
}

/// Three rejections, and the task is given up.
pub(crate) fn given_up() -> Vec<Beat> {
    let mut script = Script::new();
    script.iteration("T-001", 1, 0).work().ended(Ending::Ok).accepted("T-001");
    for attempt in 1..=3 {
        script.iteration("T-002", attempt, 0);
        script.ended(if attempt == 2 { Ending::TimedOut } else { Ending::Ok });
        script.rejected("T-002", attempt);
    }
    script.decide(vec![
        Event::WorkKept {
            task: "T-002".into(),
            branch: "wip/ralph-fail-T-002-20261114-2203".into(),
            head: "2222222bbbb".into(),
            tree: "t1".into(),
        },
        moved("T-002", Status::InProgress, Status::Failed, "3 attempts were rejected"),
    ]);
    let why = "1 task failed".into();
    script.finished(Outcome::NeedsPerson { why }, &[]);
    script.beats()
}

/// Ctrl-C in the middle of a call.
pub(crate) fn interrupted() -> Vec<Beat> {
    let mut script = Script::new();
    script
        .iteration("T-001", 1, 0)
        .work()
        .decide(vec![Event::StopRequested { how: StopHow::Signal { signal: 2, how: How::Ask } }]);
    script.pass(1).ended(Ending::Interrupted);
    let note = "what the agent left is kept as refs/ralph/261114-0042-k3f/interrupted-1";
    script.finished(Outcome::Interrupted { signal: 2 }, &[note]);
    script.beats()
}
