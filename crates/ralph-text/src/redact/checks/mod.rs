//! The checks of single kinds of secrets, each from its anchor on.

pub(super) mod assignment;
pub(super) mod header;
pub(super) mod pem;
pub(super) mod random;
pub(super) mod shapes;
pub(super) mod token;
pub(super) mod url;
