//! What can be typed and what it means.

pub(crate) mod args;
pub(crate) mod dispatch;
mod manual;
