//! What can be wrong with agents that the user describes.

use ralph_core::{
    agent_facts::PromptBy,
    settings::{CustomAgent, Findings, PROMPT_PLACE, Settings, nearest},
};

use super::{
    built_in::{BUILT_IN, find},
    custom::expression_problem,
};
use crate::jq;

/// Notes what is wrong with `[agents.NAME]`.
pub fn check_settings(settings: &Settings, findings: &mut Findings<'_>) {
    for (name, custom) in &settings.agents {
        let key = format!("agents.{name}");
        if find(name).is_some() {
            let help = format!("choose another name, such as my-{name}");
            findings.add(&key, "has the name of a built-in agent", help);
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_plain) {
            let help = "use letters, digits, - and _: a name is written as agent:model in lists";
            findings.add(&key, "is not a valid agent name", help);
        }
        command(&key, custom, findings);
        stream(&key, custom, findings);
        for (ending, expression) in &custom.endings {
            if let Some(why) = expression_problem(expression) {
                let help =
                    "give words of the agent, such as 'quota exceeded', or (?i) for any case";
                findings.add(format!("{key}.endings.{}", ending.word()), why, help);
            }
        }
    }
}

fn command(key: &str, custom: &CustomAgent, findings: &mut Findings<'_>) {
    if custom.command.first().is_none_or(|program| program.trim().is_empty()) {
        let help = "give the program and its arguments, such as command = [\"mine\", \"--json\"]";
        let at = if custom.command.is_empty() { key.to_owned() } else { format!("{key}.command") };
        findings.add(at, "does not name a program", help);
    }
    let has_place = custom.command.iter().any(|word| word.contains(PROMPT_PLACE));
    if has_place && custom.prompt == PromptBy::Stdin {
        let why = format!("has {PROMPT_PLACE}, but the prompt comes on standard input");
        let help = "set prompt = \"argument\" or \"file\", or remove the placeholder";
        findings.add(format!("{key}.command"), why, help);
    }
}

fn stream(key: &str, custom: &CustomAgent, findings: &mut Findings<'_>) {
    let name = custom.stream.as_str();
    let known = || BUILT_IN.iter().map(|agent| agent.name());
    if find(name).is_none() {
        let help = match nearest(name, known()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known streams are {}", known().collect::<Vec<_>>().join(", ")),
        };
        findings.add(
            format!("{key}.stream"),
            format!("is {name:?}, which is not a known stream"),
            help,
        );
    }
    let filters =
        [("response_filter", &custom.response_filter), ("display_filter", &custom.display_filter)];
    for (filter, text) in filters.into_iter().filter(|(_, text)| !text.is_empty()) {
        let key = format!("{key}.{filter}");
        if name != "text" {
            let why = format!(
                "works on JSON lines of the agent's own format, but the stream is {name:?}"
            );
            findings.add(key, why, "remove the filter, or set stream = \"text\"");
        } else if let Err(problem) = jq::Filter::compile(text) {
            let help = "see docs/custom-agents.md for what filters can do";
            findings.add(key, format!("is not a valid jq filter: it {problem}"), help);
        }
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
