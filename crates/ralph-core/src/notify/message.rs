//! What is sent: one message, made from what is due and how the run is doing, and its JSON.
//!
//! Text of others is cleaned and cut here, so no channel has to.

use ralph_text::{cut, sanitise::clean};
use serde::Serialize;

use super::{Due, Notice};
use crate::{
    ids::{RunId, TaskId},
    plan::StatusCounts,
    settings::{NotifyDetail, Occasion},
    time::Timestamp,
    timeline::Timeline,
};

/// Version of the payload.
const VERSION: u32 = 1;
/// Most characters of a title, and of a text.
const TITLE: usize = 200;
const TEXT: usize = 2_000;
/// Most notices that a joined message lists.
const LISTED: usize = 20;

/// One notification. `docs/notifications.md` describes its JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message {
    pub v: u32,
    #[serde(rename = "type")]
    pub occasion: Occasion,
    pub run: RunId,
    pub at: Timestamp,
    pub project: String,
    pub task: Option<TaskId>,
    pub title: String,
    pub text: String,
    pub urgent: bool,
    pub counts: Counts,
    /// `None` if no agent reported what it cost.
    pub cost_usd: Option<f64>,
    /// What to type; empty if nothing.
    pub next: String,
    /// Makes its name unique in the run.
    #[serde(skip)]
    pub seq: i64,
}

/// How many tasks have which status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    total: usize,
    done: usize,
    skipped: usize,
    failed: usize,
    parked: usize,
}

/// How a run is doing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Standing {
    pub run: RunId,
    pub project: String,
    pub counts: StatusCounts,
    pub cost_usd: Option<f64>,
}

impl Standing {
    /// That of a run so far.
    #[expect(clippy::cast_precision_loss, reason = "what a run costs is far below 2^52 millionths")]
    pub fn of(timeline: &Timeline) -> Self {
        Self {
            run: timeline.run(),
            project: timeline.plan().map(|plan| plan.project.clone()).unwrap_or_default(),
            counts: timeline.counts,
            cost_usd: timeline.usage().known_cost().map(|cost| cost.0 as f64 / 1e6),
        }
    }
}

impl Message {
    /// The message for what is due.
    pub fn new(due: Due, standing: &Standing, detail: NotifyDetail, now: Timestamp) -> Self {
        let Due { occasion, notices, left_out } = due;
        let said = match (&*notices, occasion) {
            ([one], occasion) if occasion == one.occasion => alone(one, detail),
            _ => (format!("{} events", notices.len() + left_out), list(&notices, left_out)),
        };
        let (title, text) = said;
        let gravest = notices.iter().rfind(|one| one.occasion == occasion);
        let with_project = format!("{}: {title}", standing.project);
        let StatusCounts { total, done, skipped, failed, parked } = standing.counts;
        Self {
            v: VERSION,
            occasion,
            run: standing.run.clone(),
            at: now,
            project: line(&standing.project),
            task: gravest.and_then(|one| one.task.clone()),
            title: line(if standing.project.is_empty() { &title } else { &with_project }),
            text: clean(cut::words(text.trim(), TEXT)),
            urgent: notices.iter().any(|one| one.occasion.is_urgent()),
            counts: Counts { total, done, skipped, failed, parked },
            cost_usd: standing.cost_usd,
            next: gravest.map(|one| line(&one.next)).unwrap_or_default(),
            seq: now.0,
        }
    }

    /// The message that shows whether a channel works.
    pub fn test(now: Timestamp) -> Self {
        let due = Due { occasion: Occasion::Done, notices: Vec::new(), left_out: 0 };
        let test = Self::new(due, &Standing::default(), NotifyDetail::Title, now);
        Self { title: "ralph notify test: this channel works".into(), run: "test".into(), ..test }
    }

    /// Its name: the same whenever it is sent again, and no other message's.
    pub fn id(&self) -> String {
        format!("{}-{}", self.run, self.seq)
    }

    /// Title, command and text in lines, for whatever shows text only. What others wrote is quoted, so that no line of
    /// it passes for one of ralph's.
    pub fn words(&self) -> String {
        let next = (!self.next.is_empty()).then(|| format!("next: {}", self.next));
        let quoted = self.text.lines().map(|line| format!("> {line}"));
        let lines = std::iter::once(self.title.clone()).chain(next).chain(quoted);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The same with every text passed through `redacted`.
    #[must_use]
    pub fn map_texts(mut self, redacted: impl Fn(&str) -> String) -> Self {
        for text in [&mut self.project, &mut self.title, &mut self.text, &mut self.next] {
            *text = redacted(text);
        }
        self.task = self.task.map(|task| redacted(task.as_str()).as_str().into());
        self
    }
}

/// A message about one thing.
fn alone(notice: &Notice, detail: NotifyDetail) -> (String, String) {
    let text = match detail {
        NotifyDetail::Title => String::new(),
        NotifyDetail::Text => notice.text.clone(),
    };
    (notice.title.clone(), text)
}

/// What was joined, a line each.
fn list(notices: &[Notice], left_out: usize) -> String {
    let mut lines: Vec<String> =
        notices.iter().rev().take(LISTED).rev().map(|one| line(&one.title)).collect();
    let more = notices.len().saturating_sub(LISTED) + left_out;
    if more > 0 {
        lines.insert(0, format!("{more} earlier ones, and:"));
    }
    lines.join("\n")
}

/// A text on one line.
fn line(text: &str) -> String {
    let cleaned = clean(cut::words(text, TITLE));
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}
