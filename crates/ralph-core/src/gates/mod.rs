//! Gates: commands that ralph runs itself, and how their results are read and judged.

pub mod baseline;
pub mod excerpt;
mod failing_lines;
pub mod kind;
pub mod message;
pub mod protect;
pub mod report;
pub mod runners;
pub mod setup;
