//! All rules that are decided in Rust, and how a call is shown to every rule.

use super::{
    book, containers, database, filesystem, git, git_programs, network, packages, permissions,
    process, remote_code, secrets, tampering, user,
};
use crate::{call::Call, frame::Frame, verdict::Walk};

/// Names the rule that denies a call.
pub(super) type Check = fn(&Call, &Frame) -> Option<&'static str>;

const CHECKS: &[Check] = &[
    git::check,
    git_programs::check,
    secrets::check,
    tampering::check,
    filesystem::check,
    permissions::check,
    remote_code::check,
    packages::check,
    network::check,
    process::check,
    containers::check,
    database::check,
];

/// Shows a call to every rule; the first that fits denies it.
pub(crate) fn check(call: &Call, frame: &Frame) -> Walk<()> {
    user::check(call, frame)?;
    let found = CHECKS.iter().find_map(|check| check(call, frame));
    match found.or_else(|| book::fitting(call)) {
        Some(id) if !user::is_excepted(call, frame) => book::deny(id),
        _ => Ok(()),
    }
}

/// Assignments that stay: variables through which programs start other programs.
pub(crate) fn check_assignments(env: &[(String, String)], frame: &Frame) -> Walk<()> {
    let mut call = Call::new(vec!["export".into()]);
    call.args = env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if call.args.is_empty() { Ok(()) } else { check(&call, frame) }
}
