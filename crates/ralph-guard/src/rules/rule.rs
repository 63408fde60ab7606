//! What a rule is, and how all of them look at a call.

use super::{
    super::{
        call::Call,
        walk::{Denial, Frame, Walk},
    },
    cloud, containers, database, exfiltration, filesystem, git_discard, git_escape, git_history,
    interpreters, launchers, permissions, persistence, privilege, process, publish, remote_code,
    secrets, system, tampering, user,
};

/// One rule.
pub(in super::super) struct Rule {
    pub(in super::super) name: &'static str,
    pub(in super::super) reason: &'static str,
    pub(in super::super) instead: &'static str,
    pub(in super::super) check: fn(&Call, &Frame) -> bool,
    /// Commands that it denies; a test judges them.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test of all rules"))]
    pub(in super::super) denies: &'static [&'static str],
    /// Commands that look alike and pass; a test judges them.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test of all rules"))]
    pub(in super::super) allows: &'static [&'static str],
}

/// All built-in rules.
pub(super) const GROUPS: [&[Rule]; 19] = [
    git_history::RULES,
    git_discard::RULES,
    git_escape::RULES,
    secrets::RULES,
    tampering::RULES,
    filesystem::RULES,
    permissions::RULES,
    launchers::RULES,
    remote_code::RULES,
    exfiltration::RULES,
    interpreters::RULES,
    privilege::RULES,
    process::RULES,
    containers::RULES,
    database::RULES,
    cloud::RULES,
    publish::RULES,
    persistence::RULES,
    system::RULES,
];

/// Shows a call to every rule; the first that fits denies it.
pub(in super::super) fn check(call: &Call, frame: &Frame) -> Walk<()> {
    user::check(call, frame)?;
    for rule in GROUPS.iter().flat_map(|group| group.iter()) {
        if (rule.check)(call, frame) && !user::is_excepted(call, frame) {
            return Err(Box::new(Denial::new(rule.name, rule.reason, rule.instead)));
        }
    }
    Ok(())
}

/// Assignments that stay: variables through which programs start other programs.
pub(in super::super) fn check_assignments(env: &[(String, String)], frame: &Frame) -> Walk<()> {
    let mut call = Call::new(vec!["export".into()]);
    call.args = env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if call.args.is_empty() { Ok(()) } else { check(&call, frame) }
}

/// Programs that a wildcard in a program's name may stand for.
pub(in super::super) fn risky_names() -> impl Iterator<Item = &'static str> {
    [
        "rm", "dd", "shred", "mkfs", "sudo", "bash", "sh", "curl", "wget", "cat", "kill", "chmod",
        "chown", "git", "mv", "cp", "python3", "python", "perl", "ssh", "nc", "find", "unlink",
        "env", "tee",
    ]
    .into_iter()
}
