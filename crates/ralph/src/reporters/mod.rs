//! Everything that shows a run. Reporters are fed with core news only and never know the engine.

pub(crate) mod block;
pub(crate) mod budget;
pub(crate) mod cells;
pub(crate) mod chronicle;
pub(crate) mod clock;
pub(crate) mod console;
pub(crate) mod fan_out;
pub(crate) mod json;
pub(crate) mod line;
pub(crate) mod markdown;
pub(crate) mod plain;
pub(crate) mod record;
pub(crate) mod screen;
pub(crate) mod session_log;
pub(crate) mod task_entry;
pub(crate) mod width;

#[cfg(test)]
pub(crate) mod tests;
