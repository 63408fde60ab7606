//! Reviews: what a reviewer hands over, how strictly it is read, and what it decides.
//!
//! The reviewer reports per criterion; ralph judges. Nothing here guesses a verdict from prose.

mod criteria;
mod judge;
mod print;
mod proof;
mod read;
mod verdict;

pub use criteria::criteria_of;
pub use judge::{Judgement, Ruling, judge};
pub use print::findings_print;
pub use read::{Misfit, REVIEW_SCHEMA, read};
pub use verdict::{CriterionRuling, Finding, FindingSeverity, Review};
