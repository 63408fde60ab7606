//! Values that have the right type and still make no sense, alone or together.

mod agents;
mod findings;
mod guard;
mod notify;

use std::collections::BTreeMap;

pub use findings::Findings;

use super::{Gate, Length, Settings, Timeout, error::SettingsError, node::Node};
use crate::{gates::protect::Glob, network::HostRule};

/// Everything in the effective settings that no run can work with.
pub(super) fn check(settings: &Settings, tree: &Node, checks: &[Check]) -> Vec<SettingsError> {
    let mut findings = Findings { tree, errors: Vec::new() };
    agents::named(settings, &mut findings);
    agents::prices(settings, &mut findings);
    limits(settings, &mut findings);
    timeouts(settings, &mut findings);
    gates(&settings.gate, &mut findings);
    globs("gates.protect", &settings.gates.protect, &mut findings);
    globs("secrets.allow", &settings.secrets.allow, &mut findings);
    hosts(&settings.sandbox.allow_hosts, &mut findings);
    review(settings, &mut findings);
    claims(settings, &mut findings);
    guard::check(&settings.guard, &mut findings);
    notify::check(&settings.notify, &mut findings);
    for check in checks {
        check(settings, &mut findings);
    }
    findings.errors
}

/// Looks for more that makes no sense.
pub type Check = fn(&Settings, &mut Findings<'_>);

fn limits(settings: &Settings, findings: &mut Findings<'_>) {
    let limits = &settings.limits;
    if limits.max_attempts == 0 {
        let why = "is 0, so no task could ever be attempted";
        findings.add("limits.max_attempts", why, "set it to at least 1");
    }
    let money = [
        ("limits.max_cost_usd", limits.max_cost_usd),
        ("limits.max_task_cost_usd", limits.max_task_cost_usd),
    ];
    for (key, usd) in money {
        if usd < 0.0 {
            findings.add(
                key,
                format!("is {usd}, but must not be negative"),
                "set it to 0 for no limit",
            );
        }
    }
}

fn timeouts(settings: &Settings, findings: &mut Findings<'_>) {
    let timeouts = &settings.timeouts;
    for (key, timeout) in [
        ("timeouts.implement", timeouts.implement),
        ("timeouts.review", timeouts.review),
        ("timeouts.gate", timeouts.gate),
    ] {
        check_timeout(key, timeout, findings);
    }
    if timeouts.multiplier <= 0.0 {
        let why = format!("is {}, which leaves no time for anything", timeouts.multiplier);
        findings.add("timeouts.multiplier", why, "set it above 0; 1.0 keeps the times as they are");
    }
}

fn check_timeout(key: &str, timeout: Timeout, findings: &mut Findings<'_>) {
    let Timeout { soft, hard } = timeout;
    if hard == Length::default() {
        let why = "is 0s, so it would time out immediately";
        findings.add(format!("{key}.hard"), why, "set the longest time it may take, such as 60m");
    } else if soft > hard {
        let (soft_key, hard_key) = (format!("{key}.soft"), format!("{key}.hard"));
        let help = format!("set both: {key} = {{ soft = \"{hard}\", hard = \"{hard}\" }}");
        // The one that was written later is the one that its author can see.
        if findings.layer_of(&hard_key) > findings.layer_of(&soft_key) {
            findings.add(
                hard_key,
                format!("is {hard}, shorter than the soft limit of {soft}"),
                help,
            );
        } else {
            findings.add(
                soft_key,
                format!("is {soft}, longer than the hard limit of {hard}"),
                help,
            );
        }
    }
}

fn gates(gates: &[Gate], findings: &mut Findings<'_>) {
    let mut first_by_name = BTreeMap::new();
    for (index, gate) in gates.iter().enumerate() {
        let key = format!("gate[{index}]");
        if gate.command.trim().is_empty() {
            let help = "set the command to run, for example command = \"cargo test\"";
            findings.add(&key, "has no command", help);
            continue;
        }
        let name = if gate.name.is_empty() { &gate.command } else { &gate.name };
        if let Some(first) = first_by_name.insert(name, index) {
            let why = format!("has the same name as gate[{first}]: {name}");
            findings.add(&key, why, "give each gate a unique name");
        }
        if let Some(timeout) = gate.timeout {
            check_timeout(&format!("{key}.timeout"), timeout, findings);
        }
        for variable in gate.env.keys() {
            if variable.is_empty() || variable.contains(['=', '\0']) {
                let why = format!("contains {variable:?}, which is not a valid variable name");
                findings.add(format!("{key}.env"), why, "use letters, digits and _");
            }
        }
    }
}

fn hosts(hosts: &[String], findings: &mut Findings<'_>) {
    for host in hosts {
        if let Err(problem) = host.parse::<HostRule>() {
            let why = format!("has the entry {host:?}, which is not a host: {problem}");
            let help = "use names such as example.org or *.example.org, without https:// and port, one for each entry";
            findings.add("sandbox.allow_hosts", why, help);
        }
    }
}

fn globs(key: &str, globs: &[String], findings: &mut Findings<'_>) {
    for glob in globs {
        if let Err(error) = Glob::parse(glob) {
            let why = format!("has the entry {glob:?}, which {error}");
            let help = "use path patterns, for example \"tests/**\" or \"*.lock\"";
            findings.add(key, why, help);
        }
    }
}

fn review(settings: &Settings, findings: &mut Findings<'_>) {
    if settings.review.cap == 0 {
        let why = "is 0, so no task could ever be reviewed";
        findings.add(
            "review.cap",
            why,
            "set it to at least 1, or use mode = \"off\" for no reviews",
        );
    }
}

fn claims(settings: &Settings, findings: &mut Findings<'_>) {
    let claims = &settings.claims;
    if claims.completion_response.trim().is_empty() {
        let why = "is empty, so an empty answer would claim completion";
        findings.add("claims.completion_response", why, "set a word, for example \"DONE\"");
    }
    if claims.accept.iter().any(|tag| tag.trim().is_empty()) {
        let why = "has an empty entry, so an empty line would claim completion";
        findings.add("claims.accept", why, "use whole tags, for example \"<done/>\"");
    }
}
