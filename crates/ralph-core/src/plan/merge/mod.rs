//! How an incoming plan joins the existing one: started work stays, the rest follows the new plan.
//!
//! Pure: says what would change; asking a person and writing the file is for others.

mod fields;
mod join;
mod matching;
mod merged;

pub use join::merge;
pub use merged::{Change, Difference, Merged};

#[cfg(test)]
mod tests;
