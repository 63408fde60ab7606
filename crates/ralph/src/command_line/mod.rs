//! What can be typed and what it means.

pub(crate) mod args;
pub(crate) mod dispatch;
pub(crate) mod later;
pub(crate) mod run_args;
pub(crate) mod sandbox_args;
pub(crate) mod task_args;
