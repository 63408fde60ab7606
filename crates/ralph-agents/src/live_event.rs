//! What reporters are told: durable decisions, and the chatter in between that is never journaled.

use std::sync::Arc;

use ralph_core::{
    event::Decision,
    gates::report::CommandEnd,
    time::{Millis, Timestamp},
};
use serde::{Deserialize, Serialize};

use crate::event::AgentEvent;

/// One piece of news. Chatter may be dropped when a reporter is slow, decisions never.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A decision, already on disk.
    Decided(Arc<Decision>),
    Chatter(Chatter),
}

/// Something that happened while an effect was in flight; also what `events.jsonl` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chatter {
    pub at: Timestamp,
    pub iteration: u32,
    #[serde(flatten)]
    pub said: Said,
}

/// What it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Said {
    Agent(AgentEvent),
    /// An agent was started with this command line, without the prompt and without secrets.
    AgentStarted {
        command: String,
    },
    GateStarted {
        gate: String,
    },
    /// A hard failure that runs again to see whether it is flaky.
    GateRunsAgain {
        gate: String,
        end: CommandEnd,
    },
    GateFinished {
        gate: String,
        end: CommandEnd,
        took: Millis,
    },
    /// Something ran past its soft time limit.
    Slow {
        what: String,
        after: Millis,
    },
    /// Something of ralph's own about a call that people should know.
    Noted {
        text: String,
    },
    /// Chatter that was dropped because a reporter was slow.
    Dropped {
        count: u64,
    },
}

/// Anything that shows a run. An error detaches the reporter; it never stops the run.
pub trait Reporter: Send {
    /// Takes one piece of news.
    fn news(&mut self, news: &News) -> std::io::Result<()>;
    /// No more news waits: what was held back to be written together is due.
    fn caught_up(&mut self) -> std::io::Result<()> {
        Ok(())
    }
    /// Called a few times a second so that clocks and countdowns move.
    fn tick(&mut self, now: Timestamp) -> std::io::Result<()>;
    /// The last call.
    fn finish(&mut self) -> std::io::Result<()>;
}
