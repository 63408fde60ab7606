//! What is known to get through and not mended yet. A sequence that is not listed here must hold; nothing is ever added.

/// Empty when every finding is closed.
pub(crate) const OPEN: &[&str] = &[];
