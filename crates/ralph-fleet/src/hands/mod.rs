//! What a hand does for a loop: a stint, a word to a stint, a report that was asked for late. The work itself is
//! `crate::stint`'s; here it meets the engine.

mod floor;
mod follow;
mod month;
mod purse;
pub(crate) mod rest;
mod tidings;
mod wanted;
mod where_to;

use std::{
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use ralph_text::{cut, redact::Redactor};
use temporalio_common::error::ApplicationFailure;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};

pub use self::{
    floor::Floor,
    month::{month, now_ms},
    tidings::Say,
};
use self::{
    floor::Running,
    follow::follow,
    purse::{Closed, Purse},
    tidings::Tidings,
    where_to::say_where,
};
use crate::{
    metrics::Metrics,
    stint::{Host, Line, Lost, Rank},
    wire::{
        Attendance, Delivery, Placed, REFUSED, StintEnd, StintInput, StintReport, Times, host_queue,
    },
    words::harmless,
};

/// How often a wish is tried while its run is still being brought here.
const NEXT_TRY: Duration = Duration::from_millis(100);

/// The longest that the server keeps of why a stint gave no report.
const LONGEST_WHY: usize = 1_000;

/// The hands of one host.
#[derive(Clone)]
pub struct Hands {
    pub host: Arc<Host>,
    pub floor: Floor,
    pub metrics: Metrics,
    pub say: Say,
    /// How long the server may be out of reach before a stint hears of it.
    pub misses_within: Duration,
}

#[activities]
impl Hands {
    /// Works on a branch until there is something to report.
    #[activity(name = "ralph.stint.v1")]
    pub async fn stint(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StintInput,
    ) -> Result<StintReport, ActivityError> {
        if self.floor.is_draining() {
            return Ok(StintReport::idle(StintEnd::Boundary, &self.host.name));
        }
        self.can_keep(&input.spec.times)?;
        let purse = Purse::new(ctx.client(), &input);
        let money = match purse.open().await? {
            Ok(money) => money,
            Err(end) => return Ok(StintReport::idle(end, &self.host.name)),
        };
        let placed = Placed { stint: input.stint, queue: host_queue(&self.host.name) };
        let running = self.begin(rank(&ctx), input, purse, money);
        tokio::spawn(say_where(ctx.workflow_handle(), placed, running.clone()));
        let ended = follow(&ctx, &self.floor, &running).await?;
        answer(ended.as_deref())
    }

    /// The report of a stint of this host that its own activity could not give, or nothing. Only ever asked on the
    /// host's own queue.
    #[activity(name = "ralph.attend.v1")]
    pub async fn attend(
        self: Arc<Self>,
        ctx: ActivityContext,
        asked: Attendance,
    ) -> Result<Option<StintReport>, ActivityError> {
        let Some(running) = self.floor.find(&asked.key, asked.stint) else { return Ok(None) };
        let ended = follow(&ctx, &self.floor, &running).await?;
        answer(ended.as_deref()).map(Some)
    }

    /// Puts a wish into the inbox of a run of this host; answers whether there was one. Only ever asked on the host's
    /// own queue.
    #[activity(name = "ralph.deliver.v1")]
    pub async fn deliver(
        self: Arc<Self>,
        _ctx: ActivityContext,
        delivery: Delivery,
    ) -> Result<bool, ActivityError> {
        loop {
            let (host, word) = (Arc::clone(&self.host), delivery.clone());
            let put =
                tokio::task::spawn_blocking(move || host.deliver(&word.key, &word.wish)).await;
            if put.map_err(ApplicationFailure::new)?? {
                return Ok(true);
            }
            if self.floor.of(&delivery.key).is_empty() {
                return Ok(false);
            }
            tokio::time::sleep(NEXT_TRY).await;
        }
    }
}

impl Hands {
    /// An agent must be ended in time where server and remote are out of reach.
    fn can_keep(&self, times: &Times) -> Result<(), ActivityError> {
        let silence = Duration::from_millis(times.silence_ms);
        if self.misses_within <= silence {
            return Ok(());
        }
        let why = format!(
            "host {} may notice a lost server only after {:?}, but the loop's --silence is {silence:?}; start its worker \
             with a shorter --probe, or submit the loop with a longer --silence",
            self.host.name, self.misses_within
        );
        answer(Some(&Err(Lost::Refused(why)))).map(drop)
    }

    /// Begins the work on a thread of its own. An older stint of the same loop, which its loop gave up, makes way first:
    /// two must never be in one folder.
    fn begin(&self, rank: Rank, input: StintInput, purse: Purse, money: Option<u64>) -> Running {
        let older = self.floor.of(&input.key);
        let line = Line::new(&self.host.name);
        let (running, teller) = self.floor.begin(&input.key, input.stint, line.clone());
        let (host, floor) = (Arc::clone(&self.host), self.floor.clone());
        let (metrics, say) = (self.metrics.clone(), Arc::clone(&self.say));
        tokio::spawn(async move {
            for one in older {
                one.line.ask_to_leave();
                one.ended().await;
            }
            let begun = metrics.begin(&input);
            let tidings = Tidings::begin(&say, &input);
            let (at_work, at, key) = (line.clone(), Arc::clone(&host), input.key.clone());
            let work = move || host.work(&input, rank, &at_work, money);
            let ended = tokio::task::spawn_blocking(work).await;
            let ended = ended.unwrap_or_else(|error| Err(Lost::Failed(error.into())));
            begun.ended(&ended, &line);
            tidings.end(&ended, &at.kept(&key));
            let is_limited = line.progress().limited_until_ms.is_some();
            match purse.close(&ended, is_limited, || floor.is_draining()).await {
                // Their agents would meet the limit too, or be called again before it is lifted.
                Ok(Closed::Limited) => floor.ask_all_to_leave(),
                Ok(Closed::Settled) => {}
                Err(error) => say(&format!("a stint ended, but {error:#}")),
            }
            teller.tell(ended);
        });
        running
    }
}

/// The server's word for which of two claims is the later.
fn rank(ctx: &ActivityContext) -> Rank {
    let scheduled = ctx.info().scheduled_time.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let ms = scheduled.unwrap_or_default().as_millis();
    Rank { scheduled_ms: u64::try_from(ms).unwrap_or(u64::MAX), attempt: ctx.info().attempt }
}

/// What the loop hears of it.
fn answer(ended: Option<&Result<StintReport, Lost>>) -> Result<StintReport, ActivityError> {
    let (kind, why) = match ended {
        Some(Ok(report)) => return Ok(report.clone()),
        Some(Err(Lost::Fenced(why))) => ("Fenced", format!("the branch is taken: {why}")),
        Some(Err(Lost::CutOff)) => {
            ("CutOff", "the host lost contact with server and remote and ended its agent".into())
        }
        Some(Err(Lost::Refused(why))) => (REFUSED, why.clone()),
        Some(Err(Lost::Failed(error))) => ("Failed", format!("{error:#}")),
        None => ("Failed", "the worker ended during the stint".into()),
    };
    Err(ApplicationFailure::builder(for_history(&why)).type_name(kind.to_owned()).build().into())
}

/// What the server may keep and anybody may read: others' words may be in it.
fn for_history(why: &str) -> String {
    let line = Redactor::default().text(&harmless(why)).into_owned();
    cut::words(&line, LONGEST_WHY).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_would_miss_the_server_too_late_leaves_a_loop_to_others() {
        let hands = Hands {
            host: Arc::new(Host::new("a", "/nowhere", "ralph")),
            floor: Floor::default(),
            metrics: Metrics::none(),
            say: Arc::new(|_| {}),
            misses_within: Duration::from_secs(11),
        };
        let silent_for = |silence_ms| hands.can_keep(&Times { silence_ms, ..Times::default() });
        assert!(silent_for(11_000).is_ok());
        let why = format!("{:?}", silent_for(10_999).unwrap_err());
        assert!(why.contains("--probe") && why.contains("--silence"), "{why}");
    }

    #[test]
    fn why_a_stint_failed_is_told_in_one_short_line_without_secrets() {
        let secret = ["ghp_", "0123456789abcdefABCDEF0123456789abcd"].concat();
        let failed = Lost::Failed(anyhow::anyhow!(
            "git fetch failed: \u{1b}[2Jtoken {secret}\nno\u{202e}; {}",
            "many words ".repeat(1_000)
        ));
        let Err(ActivityError::Application(told)) = answer(Some(&Err(failed))) else {
            panic!("it failed")
        };
        let told = told.to_string();
        assert!(told.starts_with("git fetch failed: token ") && told.contains(" no; many words"));
        assert!(!told.contains(&secret) && told.len() <= LONGEST_WHY, "{told}");
    }
}
