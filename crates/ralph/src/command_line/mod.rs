//! What can be typed, what it means, and how a command speaks.

pub(crate) mod args;
pub(crate) mod context;
pub(crate) mod dispatch;
pub(crate) mod later;
pub(crate) mod run_args;
pub(crate) mod sandbox_args;
pub(crate) mod task_args;
