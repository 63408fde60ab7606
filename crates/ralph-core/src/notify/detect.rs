//! Which decisions somebody should hear of. Knows no channel, and no time but that of decisions and ticks.

use super::Notice;
use crate::{
    event::{Decision, Event},
    ids::TaskId,
    next_command::{Need, Situation, Work, next_command},
    outcome::Outcome,
    plan::{Status, amend::Ruling},
    report::{Failed, Parked, after_run},
    run::RunState,
    settings::Occasion,
    time::{Millis, Timestamp},
    timeline::Timeline,
    usage::MicroUsd,
};

/// A wait shorter than this is no news.
const LONG_WAIT: Millis = Millis::secs(600);
/// Shares of a limit that are news, in percent.
const SHARES: [u64; 2] = [75, 90];

/// Follows a run and says what is worth a notification.
pub struct Detector {
    timeline: Timeline,
    /// Share of money, tokens and time that was announced so far, in percent.
    announced: [u64; 3],
}

impl Detector {
    /// Follows a run that has this behind it; nothing of that is announced.
    pub fn new(past: Timeline) -> Self {
        let mut detector = Self { timeline: past, announced: [0; 3] };
        detector.budget(detector.timeline.last());
        detector
    }

    /// The run so far.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// What a decision means for somebody who is not looking.
    pub fn decided(&mut self, decision: &Decision) -> Vec<Notice> {
        self.timeline.apply(decision);
        // Somebody who has a plan drafted is there and answers questions.
        let Some(state) = self.timeline.state().filter(|state| !state.is_planning()) else {
            return Vec::new();
        };
        let of = |event| notice(state, event, decision.at);
        let mut notices: Vec<Notice> = decision.events.iter().filter_map(of).collect();
        if !decision.events.iter().any(|event| matches!(event, Event::RunFinished { .. })) {
            notices.extend(self.budget(decision.at));
        }
        notices
    }

    /// What the passing of time alone means.
    pub fn tick(&mut self, now: Timestamp) -> Vec<Notice> {
        let is_over = |state: &RunState| state.outcome().is_some() || state.is_planning();
        if self.timeline.state().is_none_or(is_over) { Vec::new() } else { self.budget(now) }
    }

    /// Limits of which a further share is used up.
    fn budget(&mut self, now: Timestamp) -> Vec<Notice> {
        let Some(state) = self.timeline.state() else { return Vec::new() };
        let limits = &state.start.settings.limits;
        let money = MicroUsd::from_dollars(limits.max_cost_usd);
        let (time, worked) = (limits.max_duration.0, state.worked(now));
        let (tokens, used) = (limits.max_tokens, state.usage.tokens());
        let used = [
            (state.usage.cost.0, money.0, format!("{} of {money}", state.usage.cost)),
            (used, tokens, format!("{used} of {tokens} tokens")),
            (worked.0, time.0, format!("{worked} of {time}")),
        ];
        let mut notices = Vec::new();
        for (announced, (used, most, words)) in self.announced.iter_mut().zip(used) {
            let is_used = |share: &&u64| most > 0 && used >= most.saturating_mul(**share) / 100;
            let Some(&share) = SHARES.iter().rev().find(is_used) else { continue };
            if share > *announced {
                *announced = share;
                notices.push(Notice {
                    occasion: Occasion::Budget,
                    at: now,
                    task: None,
                    title: format!("{share}% of a limit is used: {words}"),
                    text: String::new(),
                    next: String::new(),
                });
            }
        }
        notices
    }
}

fn notice(state: &RunState, event: &Event, at: Timestamp) -> Option<Notice> {
    let told = |occasion, task: Option<&TaskId>, title, text, next| Notice {
        occasion,
        at,
        task: task.cloned(),
        title,
        text,
        next,
    };
    Some(match event {
        Event::TaskMoved { task, to: Status::Parked, .. } => {
            let position = state.position(task)?;
            let parked = Parked::of(state, position, state.task(position)?);
            let title = match parked.question {
                Some(_) => format!("{task} asks a question: {}", parked.title),
                None => format!("{task} needs you: {}", parked.title),
            };
            let text = parked.question.unwrap_or(parked.why);
            told(Occasion::Parked, Some(task), title, text, first(parked.next))
        }
        Event::TaskMoved { task, to: Status::Failed, .. } => {
            let position = state.position(task)?;
            let failed = Failed::of(state, position, state.task(position)?);
            let title = format!("{task} failed: {}", failed.title);
            told(Occasion::Failed, Some(task), title, failed.why, first(failed.next))
        }
        Event::AmendmentsRuled { task, ruled } => {
            let waits = |ruling: &Ruling| matches!(ruling, Ruling::Waits { .. });
            let waiting: Vec<String> = ruled
                .iter()
                .filter(|one| waits(&one.ruling))
                .map(|one| one.proposal.amendment.headline())
                .collect();
            let title = match waiting.len() {
                0 => return None,
                1 => format!("{task} proposes a change to the plan"),
                more => format!("{task} proposes {more} changes to the plan"),
            };
            told(Occasion::Proposal, Some(task), title, waiting.join("\n"), decide())
        }
        Event::Escalated { task, stuck, .. } => {
            let title = format!("{task} is stuck: {}", title_of(state, task));
            told(Occasion::Stuck, Some(task), title, stuck.describe(), String::new())
        }
        Event::WaitBegan { until, why } if until.since(at) >= LONG_WAIT => {
            let title = format!("waiting {} for a usage limit or an outage", until.since(at));
            told(Occasion::Waiting, None, title, why.clone(), String::new())
        }
        Event::RunFinished { outcome, .. } => ended(state, outcome, at),
        _ => return None,
    })
}

fn ended(state: &RunState, outcome: &Outcome, at: Timestamp) -> Notice {
    let is_done = matches!(outcome, Outcome::Done | Outcome::Drafted);
    let code = state.start.exit_code(outcome);
    Notice {
        occasion: if is_done { Occasion::Done } else { Occasion::Ended },
        at,
        task: None,
        title: if is_done {
            "the run is done".into()
        } else {
            format!("the run ended, exit {code}")
        },
        text: state.how_it_ended().unwrap_or_else(|| outcome.describe()),
        next: first(next_command(&after_run(state, outcome)).commands()),
    }
}

/// What to type about proposals.
fn decide() -> String {
    let work = Work::Person(Need::Proposals);
    first(next_command(&Situation { obstacles: Vec::new(), work }).commands())
}

fn first(commands: Vec<String>) -> String {
    commands.into_iter().next().unwrap_or_default()
}

fn title_of<'a>(state: &'a RunState, task: &TaskId) -> &'a str {
    let task = state.position(task).and_then(|at| state.task(at));
    task.map_or("", |task| &task.title)
}
