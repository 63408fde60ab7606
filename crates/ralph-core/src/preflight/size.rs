//! Tasks that are too big for one context, by what they say of themselves.

use ralph_text::tokens::tokens;

use super::finding::{Finding, open};
use crate::plan::{Plan, Task};

/// Tokens of a task's text: what a prompt plans for it.
const MOST_TOKENS: usize = 1_000;
/// Criteria of one task.
const MOST_CRITERIA: usize = 8;
/// Files that a task names.
const MOST_FILES: usize = 10;
/// How often a title may say "and".
const MOST_JOINED: usize = 1;

/// Tasks that should be split.
pub(super) fn find(plan: &Plan) -> Vec<Finding> {
    open(plan).filter_map(|(at, task)| too_big(at, task)).collect()
}

fn too_big(at: usize, task: &Task) -> Option<Finding> {
    let criteria = task.acceptance_criteria.len();
    let text: usize = task.acceptance_criteria.iter().map(|one| tokens(one.text())).sum();
    let text = text + tokens(&task.description);
    let files = files(&task.description);
    let joined = task.title.to_lowercase().split_whitespace().filter(|word| *word == "and").count();
    let signs = [
        (text > MOST_TOKENS, format!("its text has about {text} tokens (more than {MOST_TOKENS})")),
        (
            criteria > MOST_CRITERIA,
            format!("it has {criteria} criteria (more than {MOST_CRITERIA})"),
        ),
        (files > MOST_FILES, format!("it names {files} files (more than {MOST_FILES})")),
        (joined > MOST_JOINED, format!("its title says \"and\" {joined} times")),
    ];
    let said: Vec<String> = signs.into_iter().filter(|(is, _)| *is).map(|(_, said)| said).collect();
    (!said.is_empty()).then(|| {
        let what = format!("{} is probably too big for one call: {}", task.id, said.join(", "));
        Finding::warning("too-big", format!("tasks.{at}"), what)
            .because("an agent that runs out of context leaves it half done")
            .help("split it into self-contained tasks, linked by depends_on")
    })
}

/// Words of a text that look like paths.
fn files(text: &str) -> usize {
    let words = text.split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c));
    let is_file = |word: &&str| {
        let name = word.trim_end_matches('.').rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty()
                && (1..=4).contains(&end.len())
                && end.chars().all(char::is_alphanumeric)
                && end.chars().any(char::is_alphabetic)
        })
    };
    words.filter(is_file).collect::<std::collections::BTreeSet<_>>().len()
}
