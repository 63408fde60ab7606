//! What can be typed after a command, and what it means. Knows no command's work.

pub(crate) mod commands;
pub(crate) mod limits;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod start;
pub(crate) mod stint;
pub(crate) mod task;
