//! What the tests of every face share.

pub(crate) mod people;
pub(crate) mod scripts;
