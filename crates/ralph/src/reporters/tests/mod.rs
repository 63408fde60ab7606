//! What the tests of every face share.

pub(crate) mod scripts;
