//! What can be wrong with agents: those that are named, those that the user describes, and what models cost.

use super::Findings;
use crate::{
    agent_facts::PromptBy,
    agents::{self, MODEL, PROMPT},
    jq,
    settings::{CustomAgent, Settings, names},
    vocabulary::Kind,
};

/// `[agent]`, and every other list that names agents.
pub(super) fn named(settings: &Settings, findings: &mut Findings<'_>) {
    let agent = &settings.agent;
    if agent.command.trim().is_empty() {
        findings.add(
            "agent.command",
            "is empty",
            "name an agent, for example command = \"claude\"",
        );
    }
    flags("agent.flags", &agent.flags, findings);
    let own_model = [
        (Kind::Implement, "agent"),
        (Kind::Review, "agent.review"),
        (Kind::Fix, "agent.fix"),
        (Kind::Plan, "agent.plan"),
        (Kind::Compact, "agent.compact"),
    ];
    for (kind, table) in own_model {
        let who = agent.for_kind(kind);
        // What is taken over from [agent] is told there.
        let is_own = kind == Kind::Implement || who.model != agent.model;
        if is_own {
            model(settings, &format!("{table}.model"), (who.command, who.model), findings);
        }
    }
    let own_tables = [
        ("agent.review", &agent.review),
        ("agent.fix", &agent.fix),
        ("agent.plan", &agent.plan),
        ("agent.compact", &agent.compact),
    ];
    for (table, own) in own_tables {
        if own.command.as_ref().is_some_and(|command| command.trim().is_empty()) {
            let help = "name an agent, or leave it out to work with the one of [agent]";
            findings.add(format!("{table}.command"), "is empty", help);
        }
        flags(&format!("{table}.flags"), own.flags.as_deref().unwrap_or_default(), findings);
    }
    list(settings, "agent.fallback", &agent.fallback, findings);
    list(settings, "escalation.agents", &settings.escalation.agents, findings);
    for name in &agent.env {
        if name.is_empty() || name.contains(['=', '\0']) {
            let why = format!("holds {name:?}, which is not the name of a variable");
            findings.add("agent.env", why, "give names only, for example env = [\"HTTPS_PROXY\"]");
        }
    }
}

fn flags(key: &str, flags: &[String], findings: &mut Findings<'_>) {
    for entry in flags.iter().filter(|entry| shell_words::split(entry).is_err()) {
        let why = format!("has an entry with an open quote: {entry}");
        findings.add(key, why, "close the quote; entries are split like shell words");
    }
}

/// Entries of the form `agent` or `agent:model`.
fn list(settings: &Settings, key: &str, entries: &[String], findings: &mut Findings<'_>) {
    for entry in entries {
        let (agent, of_model) = entry.split_once(':').unwrap_or((entry, ""));
        if agent.trim().is_empty() {
            let why = format!("has an entry that names no agent: {entry:?}");
            findings.add(key, why, "give agent or agent:model, for example \"claude:opus\"");
        }
        model(settings, key, (agent, of_model), findings);
    }
}

/// A model for an agent that could not be told.
fn model(
    settings: &Settings,
    key: &str,
    (agent, model): (&str, &str),
    findings: &mut Findings<'_>,
) {
    let Some(custom) = settings.agents.get(agent).filter(|_| !model.is_empty()) else { return };
    let mut words = custom.command.iter().chain(&settings.agent.flags);
    if !words.any(|word| word.contains(MODEL)) {
        let why = format!("gives the model {model:?} to `{agent}`, which has no place for it");
        let help = format!("put {MODEL} into agents.{agent}.command, such as \"--model={MODEL}\"");
        findings.add(key, why, help);
    }
}

/// `[agents.NAME]`.
pub(super) fn described(settings: &Settings, findings: &mut Findings<'_>) {
    for (name, custom) in &settings.agents {
        let key = format!("agents.{name}");
        if agents::find(name).is_some() {
            let help = format!("choose another name, such as my-{name}");
            findings.add(&key, "has the name of a built-in agent", help);
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_plain) {
            let help = "use letters, digits, - and _: a name is written as agent:model in lists";
            findings.add(&key, "is no name of an agent", help);
        }
        command(&key, custom, findings);
        stream(&key, custom, findings);
        for (ending, expression) in &custom.endings {
            if let Some(why) = agents::expression_problem(expression) {
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
        findings.add(at, "names no program", help);
    }
    let has_place = custom.command.iter().any(|word| word.contains(PROMPT));
    if has_place && custom.prompt == PromptBy::Stdin {
        let why = format!("has {PROMPT}, but the prompt comes on standard input");
        let help = "set prompt = \"argument\" or \"file\", or take the place out";
        findings.add(format!("{key}.command"), why, help);
    }
}

fn stream(key: &str, custom: &CustomAgent, findings: &mut Findings<'_>) {
    let name = custom.stream.as_str();
    let known = || agents::BUILT_IN.iter().map(|agent| agent.name());
    if agents::find(name).is_none() {
        let help = match names::nearest(name, known()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known streams are {}", known().collect::<Vec<_>>().join(", ")),
        };
        findings.add(format!("{key}.stream"), format!("is {name:?}, which no agent speaks"), help);
    }
    let filters =
        [("response_filter", &custom.response_filter), ("display_filter", &custom.display_filter)];
    for (filter, text) in filters.into_iter().filter(|(_, text)| !text.is_empty()) {
        let key = format!("{key}.{filter}");
        if name != "text" {
            let why =
                format!("is for lines of JSON in a form of its own, and the stream is {name:?}");
            findings.add(key, why, "choose one: take the filter out, or set stream = \"text\"");
        } else if let Err(problem) = jq::Filter::compile(text) {
            let help = "see docs/custom-agents.md for what filters can do";
            findings.add(key, format!("is no jq filter: it {problem}"), help);
        }
    }
}

/// `[prices.MODEL]`.
pub(super) fn prices(settings: &Settings, findings: &mut Findings<'_>) {
    for (name, price) in &settings.prices.0 {
        if name.is_empty() {
            findings.add(
                "prices",
                "has a model without a name",
                "name the model the prices are for",
            );
        }
        for (key, usd) in [
            ("input", price.input),
            ("output", price.output),
            ("cache_read", price.cache_read),
            ("cache_write", price.cache_write),
        ] {
            if !usd.is_finite() || usd < 0.0 {
                let why = format!("is {usd}, which is no price");
                let help = "give US dollars per million tokens, 0 or more";
                findings.add(format!("prices.{name}.{key}"), why, help);
            }
        }
    }
}

#[cfg(test)]
mod tests;
