//! Criteria that nobody can verify: vague words, sentences that nobody judges, tasks without any.

use super::{
    Facts,
    finding::{Found, open},
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
pub(super) fn find(plan: &Plan, facts: &Facts) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, task) in open(plan) {
        let id = &task.id;
        if task.acceptance_criteria.is_empty() {
            let what = format!("{id} has no acceptance criteria");
            found.push(
                Found::warning("no-criteria", format!("tasks.{at}"), what)
                    .because("done is whatever passes the gates")
                    .help("say what must hold, best with a check that fails today"),
            );
        }
        for (nth, criterion) in task.acceptance_criteria.iter().enumerate() {
            let Criterion::Sentence(text) = criterion else { continue };
            let path = format!("tasks.{at}.acceptance_criteria.{nth}");
            if let Some(word) = vague(text) {
                let what = format!("criterion {} of {id} says \"{word}\"", nth + 1);
                found.push(
                    Found::warning("vague-criterion", path.clone(), what)
                        .because("two readers would judge it differently")
                        .help("say what is seen when it holds, or give it a check"),
                );
            }
            if !task.is_reviewed(facts.review) {
                let what = format!("nobody judges criterion {} of {id}: review is off", nth + 1);
                found.push(
                    Found::warning("unjudged-criterion", path, what)
                        .because("it will be shown as unreviewed")
                        .help("give it a check, or run with --review"),
                );
            }
        }
        for (nth, skill) in task.skills.iter().enumerate() {
            if facts.missing.skills.contains(skill) {
                let path = format!("tasks.{at}.skills.{nth}");
                found.push(
                    Found::warning(
                        "missing-skill",
                        path,
                        format!("{id} wants the skill {skill}, which is not there"),
                    )
                    .help(format!("write .ralph/skills/{skill}.md, or take it out")),
                );
            }
        }
        if let Some(agent) =
            task.agent.as_ref().filter(|agent| facts.missing.agents.contains(*agent))
        {
            let path = format!("tasks.{at}.agent");
            found.push(
                Found::warning(
                    "unknown-agent",
                    path,
                    format!("{id} wants the agent {agent}, which is not here"),
                )
                .help("ralph agents lists those that are; [agents.NAME] describes another"),
            );
        }
        if task.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
            let path = format!("tasks.{at}.model");
            found.push(
                Found::warning("unknown-model", path, format!("{id} names an empty model"))
                    .help("name one, or take it out to use the settings'"),
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
