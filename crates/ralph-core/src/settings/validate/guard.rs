//! Rules of the command guard: each must do what its examples say.

use ralph_guard::{Exception, Rules, Scene, UserRule, Verdict, judge};

use super::Findings;
use crate::settings::GuardSettings;

/// Checks every rule and exception against its own examples.
pub(super) fn check(guard: &GuardSettings, findings: &mut Findings<'_>) {
    for (index, rule) in guard.rule.iter().enumerate() {
        let key = format!("guard.rule[{index}]");
        if rule.deny.is_empty() {
            let help =
                "list the program and its words, such as deny = [\"terraform\", \"destroy\"]";
            findings.add(&key, "names no command to deny", help);
            continue;
        }
        if rule.reason.trim().is_empty() {
            findings.add(&key, "has no reason", "say in a few words why, for the agent to read");
        }
        let only = Rules {
            deny: vec![UserRule { words: rule.deny.clone(), reason: rule.reason.clone() }],
            allow: Vec::new(),
        };
        for (nth, example) in rule.examples.iter().enumerate() {
            let verdict = judge(example, &scene(only.clone()));
            if !matches!(verdict, Verdict::Deny { rule, .. } if rule == "user") {
                let why = format!("is not denied by this rule: {example}");
                let help =
                    "the first word is the program, the others are whole arguments in their order";
                findings.add(format!("{key}.examples[{nth}]"), why, help);
            }
        }
    }
    for (index, exception) in guard.allow.iter().enumerate() {
        let key = format!("guard.allow[{index}]");
        if exception.command.is_empty() {
            let help = "list the program and its words, such as command = [\"docker\", \"push\"]";
            findings.add(&key, "names no command to allow", help);
            continue;
        }
        let only =
            Rules { deny: Vec::new(), allow: vec![Exception { words: exception.command.clone() }] };
        for (nth, example) in exception.examples.iter().enumerate() {
            if let Verdict::Deny { reason, .. } = judge(example, &scene(only.clone())) {
                let why = format!("is still denied, because {reason}: {example}");
                let help =
                    "the first word is the program, the others are whole arguments in their order";
                findings.add(format!("{key}.examples[{nth}]"), why, help);
            }
        }
    }
}

fn scene(rules: Rules) -> Scene {
    Scene { rules, ..Scene::at_root("/home/user/project", "/home/user") }
}
