//! Words around numbers.

use std::fmt::Display;

/// `1 stint`, `2 stints`.
pub(crate) fn count<N: Copy + Display + PartialEq + From<u8>>(n: N, one: &str) -> String {
    let ending = if n == N::from(1) { "" } else { "s" };
    format!("{n} {one}{ending}")
}
