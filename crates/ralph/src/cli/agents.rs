//! `ralph agents`: every agent ralph can call, what is found of it here, and what it can do.

use ralph_core::{
    agent_facts::{Facts, HandoffBy, Spending},
    settings::Settings,
};
use serde_json::{Value as Json, json};

use crate::{
    context::{Block, Context, Entry, Line, Sign, Tone, answer_json, variable},
    diagnostics::CommandError,
    exit,
    reporters::block::dots,
    session::{
        access::Access,
        agents::{self, Found},
        project::Project,
    },
    words,
};

/// Runs `ralph agents`.
pub(crate) fn exec(context: &Context) -> Result<u8, CommandError> {
    let settings = settings(context)?;
    let path = variable("PATH");
    let found = agents::all(&context.project_dir, path.as_deref(), &settings);
    if context.json {
        answer_json(&as_json(&found))?;
    } else {
        context.answer(&render(&found))?;
    }
    Ok(exit::DONE)
}

/// Those of the project; outside a repository there are only built-in agents.
fn settings(context: &Context) -> Result<Settings, CommandError> {
    match Project::open(context, &[]) {
        Ok(project) => Ok(project.resolved.settings),
        Err(error) if error.exit_code() == exit::WORKSPACE => Ok(Settings::default()),
        Err(error) => Err(error),
    }
}

fn as_json(found: &[Found]) -> Json {
    json!({ "v": 1, "agents": found.iter().map(agent_json).collect::<Vec<_>>() })
}

fn agent_json(found: &Found) -> Json {
    let facts = &found.facts;
    json!({
        "name": found.name,
        "custom": found.is_custom,
        "experimental": facts.is_experimental,
        "program": found.program,
        "path": found.path.as_ref().map(|path| path.to_string_lossy()),
        "version": found.version,
        "tested_version": Some(facts.tested).filter(|tested| !tested.is_empty()),
        "drift": found.drift(),
        "logged_in": found.access.as_ref().map(Access::works),
        "access": found.access,
        "supports": {
            "handoff": facts.handoff,
            "prompt": facts.prompt,
            "spending": facts.spending,
            "limits": limits(facts),
            "names_session": facts.names_session,
            "tells_reset": facts.tells_reset,
        },
    })
}

fn limits(facts: &Facts) -> Vec<&'static str> {
    let all = [(facts.limits_turns, "turns"), (facts.limits_money, "money")];
    all.into_iter().filter(|(can, _)| *can).map(|(_, what)| what).collect()
}

fn render(found: &[Found]) -> Block {
    let widest = found.iter().map(|one| one.name.len()).max().unwrap_or_default();
    found.iter().flat_map(|one| entries(one, widest)).collect()
}

fn entries(found: &Found, widest: usize) -> Block {
    let (sign, tone) = match (&found.path, &found.program) {
        (Some(_), _) if found.access.as_ref().is_some_and(|one| !one.works()) => {
            (Sign::Warning, Tone::Plain)
        }
        (Some(_), _) => (Sign::Ok, Tone::Plain),
        (None, _) => (Sign::Neutral, Tone::Dim),
    };
    let lead = Line::signed(sign).add(Tone::Bold, format!("{:<widest$}  ", found.name));
    let mut block = vec![Entry::Wrapped { lead, indent: 4, tone, text: dots(&state(found)) }];
    block.push(Entry::text(4, Tone::Dim, dots(&abilities(&found.facts))));
    if found.access == Some(Access::ExpiredLogin) {
        block.push(Entry::text(4, Tone::Warn, Access::help(&found.name, &found.facts)));
    }
    if let Some(drift) = found.drift_words() {
        block.push(Entry::text(4, Tone::Warn, drift));
    }
    block
}

fn state(found: &Found) -> Vec<String> {
    let mut parts = Vec::new();
    match (&found.path, &found.program) {
        (Some(path), _) => {
            let unknown = if found.is_custom { "found" } else { "unknown version" };
            parts.push(found.version.clone().unwrap_or_else(|| unknown.into()));
            parts.extend(found.access.as_ref().map(Access::words));
            parts.push(path.to_string_lossy().into_owned());
        }
        (None, Some(program)) => parts.push(format!("not found: {program}")),
        (None, None) => parts.push("any command".into()),
    }
    if !found.facts.tested.is_empty() {
        parts.push(format!("tested with {}", found.facts.tested));
    }
    if found.facts.is_experimental {
        parts.push("experimental".into());
    }
    if found.is_custom {
        parts.push("from the settings".into());
    }
    parts
}

fn abilities(facts: &Facts) -> Vec<String> {
    let mut parts = vec![
        match facts.handoff {
            HandoffBy::Schema => "hands over with a schema",
            HandoffBy::Block => "hands over in a block of text",
        },
        match facts.spending {
            Spending::Money => "reports its cost",
            Spending::Tokens => "reports its tokens",
            Spending::Nothing => "reports no usage",
        },
    ];
    let limited = limits(facts);
    let can_limit = format!("can limit {}", words::list(&limited));
    parts.extend(Some(can_limit.as_str()).filter(|_| !limited.is_empty()));
    parts.extend(facts.names_session.then_some("names its session"));
    parts.extend(facts.tells_reset.then_some("reports when a limit resets"));
    parts.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use ralph_agents::BUILT_IN;
    use ralph_core::agent_facts::PromptBy;

    use super::*;
    use crate::reporters::line::Look;

    fn found() -> Found {
        Found {
            name: "one".into(),
            facts: Facts {
                package: "@anthropic-ai/claude-code",
                tested: "2.1.325",
                handoff: HandoffBy::Schema,
                prompt: PromptBy::Stdin,
                spending: Spending::Money,
                limits_turns: true,
                limits_money: true,
                names_session: true,
                tells_reset: true,
                login: None,
                hosts: &[],
                relay: None,
                keys: &[],
                variables: &[],
                login_files: &[],
                config_files: &[],
                config_home: None,
                lasting_login: Some(("one setup-token", "ONE_TOKEN")),
                is_experimental: false,
            },
            is_custom: false,
            program: Some("one".into()),
            path: Some("/usr/bin/one".into()),
            version: Some("2.3.0".into()),
            access: Some(Access::Login),
        }
    }

    #[test]
    fn each_agent_says_where_it_is_what_it_can_do_and_what_is_odd() {
        let absent = Found {
            name: "another".into(),
            path: None,
            version: None,
            access: None,
            is_custom: true,
            facts: Facts {
                spending: Spending::Tokens,
                handoff: HandoffBy::Block,
                limits_turns: false,
                is_experimental: true,
                ..found().facts
            },
            ..found()
        };
        let out = Found { access: Some(Access::Nothing), version: None, ..found() };
        let key = Found { access: Some(Access::Key { variable: "ONE_KEY" }), ..out.clone() };
        let expired = Found { access: Some(Access::ExpiredLogin), ..out.clone() };
        let any = Found { program: None, path: None, ..absent.clone() };
        let shown: Vec<String> = render(&[found(), absent, out, any, key, expired])
            .iter()
            .flat_map(|entry| entry.render(Look::default(), Some(100)))
            .collect();
        insta::assert_snapshot!("agents", shown.join("\n"));
    }

    #[test]
    fn the_json_view_has_a_version_and_every_built_in_agent() {
        let all = agents::all(std::path::Path::new("."), None, &Settings::default());
        let json = as_json(&all);
        assert_eq!(json["v"], 1);
        let names: Vec<&str> = json["agents"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|a| a["name"].as_str())
            .collect();
        let known: Vec<&str> = BUILT_IN.iter().map(|agent| agent.name()).collect();
        assert_eq!(names, known);
        assert!(json["agents"][0]["supports"]["handoff"].is_string());
        assert_eq!(json["agents"][0]["path"], serde_json::Value::Null);
    }
}
