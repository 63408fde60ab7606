//! What can be typed and what it means.

pub(crate) mod args;
pub(crate) mod dispatch;
pub(crate) mod later;
mod manual;
