//! The seam between the loop and the world: whoever performs effects, and whoever hears of it.

use std::sync::Arc;

use ralph_agents::live_event::News;
use ralph_core::{effect::Effect, input::Done};

use crate::process::Attention;

/// What performs effects: the live one here, a simulated one in tests, a durable one in a fleet.
pub trait World {
    /// After a crash: what became of an effect that may have been in flight. `None`: perform it.
    fn reconcile(&mut self, effect: &Effect) -> Option<Done>;

    /// Performs an effect; long ones keep listening to `attention`.
    fn perform(&mut self, effect: &Effect, attention: &mut dyn Attention) -> Done;

    /// The run had nothing to do for a while: people may have changed what it knows.
    fn waited(&mut self);
}

/// Takes news; must never block.
pub type Publish = Arc<dyn Fn(News) + Send + Sync>;
