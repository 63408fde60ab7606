//! Paths whose change needs a second look: what runs later on somebody's machine, what changes the rules, and
//! what the settings protect. Judged by path alone, never by content.

mod classes;
mod glob;
mod touched;

pub use glob::{Glob, GlobError};
pub use touched::{Exposure, Exposures, Touched, exposures};
