//! How a plan from elsewhere joins the plan that is there: started work stays, the rest follows the new plan.
//!
//! Pure: says what would change; asking a person and writing the file is for others.

mod describe;
mod fields;
mod join;
mod matching;
mod merged;

pub use join::merge;
pub use merged::{Changed, Kept, Merged, Removed};

#[cfg(test)]
mod tests;
