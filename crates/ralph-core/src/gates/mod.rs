//! Gates: commands that ralph runs itself, and how their results are read and judged.

pub mod baseline;
pub mod pin;
pub mod report;
