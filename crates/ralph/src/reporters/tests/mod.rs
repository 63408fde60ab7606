//! What the tests of every face share.

pub(crate) mod people;
pub(crate) mod planned;
pub(crate) mod scripts;
pub(crate) mod steered;
