//! Every rule denies its examples and lets pass what only looks alike; `tests/data/guard-rules.tsv` has them.

use super::book::blocks;
use crate::{
    judge,
    verdict::{Scene, Verdict},
};

#[test]
fn every_rule_denies_its_examples_and_lets_pass_what_looks_alike() {
    let scene = Scene::at_root("/home/user/proj", "/home/user");
    let mut wrong = Vec::new();
    for line in include_str!("../../tests/data/guard-rules.tsv").lines() {
        let fields: Vec<&str> = line.splitn(3, '\t').collect();
        let [rule, verdict, command] = fields.as_slice() else { panic!("{line}") };
        let found = match judge(&command.replace('⏎', "\n"), &scene) {
            Verdict::Deny { rule, .. } => rule,
            Verdict::Allow => String::new(),
        };
        if (*verdict == "block") != (found == *rule) || (*verdict == "allow") != found.is_empty() {
            wrong.push(format!("{line}: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_of_rules_are_unique_and_say_what_to_do_in_place() {
    let mut names: Vec<&str> = blocks().iter().map(|block| block.id).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    for block in blocks() {
        assert!(!block.reason.ends_with('.') && !block.instead.ends_with('.'), "{}", block.id);
        assert!(!block.instead.is_empty(), "{}", block.id);
    }
}
