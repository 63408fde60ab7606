//! Paths whose change needs a second look: what runs later on somebody's machine, what changes the rules, and
//! what the settings protect. Judged by path, mode and first bytes, which are supplied; reads nothing.

mod classes;
mod exposure;
mod facts;
mod glob;
mod touched;

pub use exposure::Exposure;
pub use facts::{Change, Content, leads_out};
pub use glob::{Glob, GlobError};
pub use touched::{Exposures, Rules, Touched, exposures};
