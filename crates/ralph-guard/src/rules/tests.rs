//! Every rule denies its own examples and lets pass what only looks alike.

use super::{
    super::{Scene, Verdict, judge},
    rule::GROUPS,
};

fn verdict(command: &str) -> Verdict {
    judge(command, &Scene::at_root("/home/user/proj", "/home/user"))
}

#[test]
fn every_rule_denies_its_examples_and_lets_pass_what_looks_alike() {
    let mut wrong = Vec::new();
    for rule in GROUPS.iter().flat_map(|group| group.iter()) {
        assert!(!rule.denies.is_empty() && !rule.allows.is_empty(), "{}", rule.name);
        for example in rule.denies {
            match verdict(example) {
                Verdict::Deny { rule: name, .. } if name == rule.name => {}
                other => wrong.push(format!("{} should deny {example}: {other:?}", rule.name)),
            }
        }
        for example in rule.allows {
            if let Verdict::Deny { rule: name, .. } = verdict(example) {
                wrong.push(format!("{} should allow {example}, {name} denies it", rule.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_of_rules_are_unique_and_say_what_to_do_in_place() {
    let mut names: Vec<&str> =
        GROUPS.iter().flat_map(|group| group.iter()).map(|rule| rule.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    for rule in GROUPS.iter().flat_map(|group| group.iter()) {
        assert!(!rule.reason.ends_with('.') && !rule.instead.ends_with('.'), "{}", rule.name);
    }
}
