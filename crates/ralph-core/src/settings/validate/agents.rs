//! What can be wrong with how agents are named, and with what models cost.

use super::Findings;
use crate::settings::{MODEL_PLACE, Settings};

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
    model(settings, "agent.model", (&agent.command, &agent.model), findings);
    for (kind, command, own) in agent.overrides() {
        let table = command.trim_end_matches(".command");
        let who = agent.for_kind(kind);
        // A model that comes from [agent] is reported there.
        if who.model != agent.model {
            model(settings, &format!("{table}.model"), (who.command, who.model), findings);
        }
        if own.command.as_ref().is_some_and(|command| command.trim().is_empty()) {
            let help = "name an agent, or remove it to use the one in [agent]";
            findings.add(command, "is empty", help);
        }
        flags(&format!("{table}.flags"), own.flags.as_deref().unwrap_or_default(), findings);
    }
    list(settings, "agent.fallback", &agent.fallback, findings);
    list(settings, "escalation.agents", &settings.escalation.agents, findings);
    for name in &agent.env {
        if name.is_empty() || name.contains(['=', '\0']) {
            let why = format!("contains {name:?}, which is not a valid variable name");
            findings.add("agent.env", why, "list names only, for example env = [\"HTTPS_PROXY\"]");
        }
    }
}

fn flags(key: &str, flags: &[String], findings: &mut Findings<'_>) {
    for entry in flags.iter().filter(|entry| shell_words::split(entry).is_err()) {
        let why = format!("has an entry with an unclosed quote: {entry}");
        findings.add(key, why, "close the quote; entries are split like shell words");
    }
}

/// Entries of the form `agent` or `agent:model`.
fn list(settings: &Settings, key: &str, entries: &[String], findings: &mut Findings<'_>) {
    for entry in entries {
        let (agent, of_model) = entry.split_once(':').unwrap_or((entry, ""));
        if agent.trim().is_empty() {
            let why = format!("has an entry that names no agent: {entry:?}");
            findings.add(key, why, "use agent or agent:model, for example \"claude:opus\"");
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
    if !words.any(|word| word.contains(MODEL_PLACE)) {
        let why =
            format!("sets the model {model:?} for `{agent}`, whose command has no place for it");
        let help = format!(
            "add {MODEL_PLACE} to agents.{agent}.command, such as \"--model={MODEL_PLACE}\""
        );
        findings.add(key, why, help);
    }
}

/// `[prices.MODEL]`.
pub(super) fn prices(settings: &Settings, findings: &mut Findings<'_>) {
    for (name, price) in &settings.prices.0 {
        if name.is_empty() {
            findings.add(
                "prices",
                "has a model without a name",
                "name the model that the prices are for",
            );
        }
        for (key, usd) in [
            ("input", price.input),
            ("output", price.output),
            ("cache_read", price.cache_read),
            ("cache_write", price.cache_write),
        ] {
            if !usd.is_finite() || usd < 0.0 {
                let why = format!("is {usd}, which is not a valid price");
                let help = "use US dollars per million tokens, 0 or more";
                findings.add(format!("prices.{name}.{key}"), why, help);
            }
        }
    }
}
