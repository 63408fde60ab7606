//! The checks of single kinds of secrets, each from its anchor on.

pub(super) mod assignment;
pub(super) mod azure;
pub(super) mod discord;
pub(super) mod google;
pub(super) mod header;
pub(super) mod jwt;
pub(super) mod pem;
pub(super) mod random;
pub(super) mod sendgrid;
pub(super) mod telegram;
pub(super) mod token;
pub(super) mod url;
pub(super) mod webhook;
