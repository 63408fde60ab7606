//! Criteria that nobody can verify: vague words, sentences that nobody judges, tasks without any.

use super::{
    Facts,
    finding::{Finding, open},
};
use crate::plan::{Criterion, Plan};

/// Words that leave open what must hold.
const VAGUE: [&str; 20] = [
    "works correctly",
    "work correctly",
    "works properly",
    "works well",
    "works fine",
    "works as expected",
    "as expected",
    "as intended",
    "properly",
    "correctly handles",
    "appropriate",
    "robust",
    "user-friendly",
    "user friendly",
    "intuitive",
    "high quality",
    "good performance",
    "fast enough",
    "best practices",
    "and so on",
];

/// What cannot be verified.
pub(super) fn find(plan: &Plan, facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for (at, task) in open(plan) {
        let id = &task.id;
        if task.acceptance_criteria.is_empty() {
            let what = format!("{id} has no acceptance criteria");
            found.push(
                Finding::warning("no-criteria", format!("tasks.{at}"), what)
                    .because("any work that passes the gates counts as done")
                    .help("say what must be true, ideally with a check that fails today"),
            );
        }
        for (nth, criterion) in task.acceptance_criteria.iter().enumerate() {
            let Criterion::Sentence(text) = criterion else { continue };
            let path = format!("tasks.{at}.acceptance_criteria.{nth}");
            if let Some(word) = vague(text) {
                let what = format!("criterion {} of {id} is vague: \"{word}\"", nth + 1);
                found.push(
                    Finding::warning("vague-criterion", path.clone(), what)
                        .because("two readers would judge it differently")
                        .help("say what can be seen when it is met, or add a check"),
                );
            }
            if !task.is_reviewed(facts.review) {
                let what =
                    format!("no one will judge criterion {} of {id}: review is off", nth + 1);
                found.push(
                    Finding::warning("unjudged-criterion", path, what)
                        .because("reports will call it unreviewed")
                        .help("add a check, or run with --review"),
                );
            }
        }
        for (nth, skill) in task.skills.iter().enumerate() {
            if facts.missing.skills.contains(skill) {
                let path = format!("tasks.{at}.skills.{nth}");
                found.push(
                    Finding::warning(
                        "missing-skill",
                        path,
                        format!("{id} needs the skill {skill}, which does not exist"),
                    )
                    .help(format!(
                        "write .ralph/skills/{skill}.md, or remove the skill from the task"
                    )),
                );
            }
        }
        if let Some(agent) =
            task.agent.as_ref().filter(|agent| facts.missing.agents.contains(*agent))
        {
            let path = format!("tasks.{at}.agent");
            found.push(
                Finding::warning(
                    "unknown-agent",
                    path,
                    format!("{id} asks for the agent {agent}, which is not installed"),
                )
                .help("ralph agents lists the installed ones; [agents.NAME] in the settings defines another"),
            );
        }
        if task.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
            let path = format!("tasks.{at}.model");
            found.push(
                Finding::warning("unknown-model", path, format!("{id} names an empty model"))
                    .help("name a model, or remove the field to use the one in the settings"),
            );
        }
    }
    found
}

/// The vague words in a sentence, if it has any.
fn vague(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    VAGUE.into_iter().find(|word| {
        text.match_indices(word).any(|(at, _)| {
            let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let after = text.get(at + word.len()..).and_then(|rest| rest.chars().next());
            let before = text.get(..at).and_then(|head| head.chars().next_back());
            !is_word(before) && !is_word(after)
        })
    })
}
