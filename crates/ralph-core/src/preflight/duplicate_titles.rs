//! Tasks that are, or look like, the same one twice.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Finding, open};
use crate::plan::Plan;

/// Plans of more open tasks are looked at for equal titles only: comparing all pairs would take too long.
const MOST_COMPARED: usize = 1_000;
/// Fewest words of a title that is compared by its words.
const LEAST_WORDS: usize = 4;

/// Tasks whose titles are equal, or nearly.
pub(super) fn find(plan: &Plan) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut known: BTreeMap<BTreeSet<String>, usize> = BTreeMap::new();
    let mut earlier: Vec<(usize, BTreeSet<String>)> = Vec::new();
    for (at, task) in open(plan) {
        let words = words(&task.title);
        if words.is_empty() {
            continue;
        }
        let same = known.get(&words).copied();
        let near = || earlier.iter().find(|(_, other)| is_near(&words, other)).map(|(at, _)| *at);
        if let Some(twin) = same.or_else(near) {
            let other = plan.tasks.get(twin).map(|task| task.id.clone()).unwrap_or_default();
            let how = if same.is_some() { "the same title as" } else { "almost the same title as" };
            found.push(
                Finding::warning(
                    "same-title",
                    format!("tasks.{at}.title"),
                    format!("{} has {how} {other}", task.id),
                )
                .because("the second task finds its work already done, or does it again")
                .help("say how they differ, or remove one"),
            );
        }
        known.entry(words.clone()).or_insert(at);
        if earlier.len() < MOST_COMPARED {
            earlier.push((at, words));
        }
    }
    found
}

fn words(title: &str) -> BTreeSet<String> {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// At most one word of five is another.
fn is_near(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let (shared, all) = (one.intersection(other).count(), one.union(other).count());
    // A different number makes a different task: "step 1", "step 2".
    let numbers = |words: &BTreeSet<String>| -> Vec<String> {
        words.iter().filter(|word| word.chars().any(char::is_numeric)).cloned().collect()
    };
    one.len() >= LEAST_WORDS && shared * 5 >= all * 4 && numbers(one) == numbers(other)
}
