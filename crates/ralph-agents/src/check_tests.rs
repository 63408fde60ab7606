//! What settings say about agents: errors with their lines, and who may describe one.

use ralph_core::settings::{
    Fault, Format, Layer, LayerText, Resolved, SettingsError, SettingsFile, Trust, reference,
    resolve,
};

use super::check_settings;

const MINE: &str = "[agents.mine]\ncommand = ['mine']\n";

fn file(layer: Layer, trust: Trust, text: &str) -> LayerText {
    LayerText::File(SettingsFile {
        layer,
        name: "s.toml".into(),
        format: Format::Toml,
        trust,
        text: text.into(),
    })
}

fn user(text: &str) -> Result<Resolved, Vec<SettingsError>> {
    resolve(vec![file(Layer::User, Trust::MayLoosen, text)], &[check_settings])
}

/// Every error of the user's settings, with its help.
fn told(text: &str) -> Vec<String> {
    let errors = user(text).err().unwrap_or_default();
    errors.iter().map(|error| format!("{error} ({})", error.help)).collect()
}

#[test]
fn an_agent_is_described_in_the_users_settings() {
    let text = "[agents.mine]\ncommand = ['mine', '-m', '{model}']\nprompt = 'FILE'\n\
                response_filter = '.text'\nendings = { usage_limit = 'quota' }\n\
                [agent]\ncommand = 'mine'\nmodel = 'big'\nfallback = ['mine:small', 'claude:opus']\n\
                [agent.review]\ncommand = 'mine'\n[escalation]\nagents = ['mine:huge']\n";
    let resolved = user(text).expect("settings");
    assert_eq!(resolved.settings.agents["mine"].command, ["mine", "-m", "{model}"]);
    let origin = |key: &str| resolved.origins.get(key).map(ToString::to_string);
    assert_eq!(origin("agents.mine.prompt").as_deref(), Some("user s.toml:3"));
    assert_eq!(origin("agents.mine.endings.usage_limit").as_deref(), Some("user s.toml:5"));
}

#[test]
fn what_is_wrong_with_an_agent_is_told_with_its_line() {
    let filter = |text: &str| format!("{MINE}{text}\n");
    for (text, expected) in [
        (
            "[agents.mine]\n".to_owned(),
            "s.toml:1: `agents.mine` does not name a program (give the program and its arguments, such as command = [\"mine\", \"--json\"])",
        ),
        (
            "[agents.mine]\ncommand = ['']\n".to_owned(),
            "s.toml:2: `agents.mine.command` does not name a program (give the program and its arguments, such as command = [\"mine\", \"--json\"])",
        ),
        (
            "[agents.claude]\ncommand = ['mine']\n".to_owned(),
            "s.toml:2: `agents.claude` has the name of a built-in agent (choose another name, such as my-claude)",
        ),
        (
            "[agents.'my agent']\ncommand = ['mine']\n".to_owned(),
            "s.toml:2: `agents.my agent` is not a valid agent name (use letters, digits, - and _: a name is written as agent:model in lists)",
        ),
        (
            filter("stream = 'cluade'"),
            "s.toml:3: `agents.mine.stream` is \"cluade\", which is not a known stream (did you mean \"claude\"?)",
        ),
        (
            filter("response_filter = '.a |'"),
            "s.toml:3: `agents.mine.response_filter` is not a valid jq filter: it expects term at its end (see docs/custom-agents.md for what filters can do)",
        ),
        (
            filter("display_filter = 'choose(.a)'"),
            "s.toml:3: `agents.mine.display_filter` is not a valid jq filter: it uses the unknown filter \"choose\" (see docs/custom-agents.md for what filters can do)",
        ),
        (
            filter("stream = 'claude'\ndisplay_filter = '.a'"),
            "s.toml:4: `agents.mine.display_filter` works on JSON lines of the agent's own format, but the stream is \"claude\" (remove the filter, or set stream = \"text\")",
        ),
        (
            filter("endings.usage_limit = 'a|'"),
            "s.toml:3: `agents.mine.endings.usage_limit` matches every line (give words of the agent, such as 'quota exceeded', or (?i) for any case)",
        ),
        (
            "[agents.mine]\ncommand = ['mine', '{prompt}']\n".to_owned(),
            "s.toml:2: `agents.mine.command` has {prompt}, but the prompt comes on standard input (set prompt = \"argument\" or \"file\", or remove the placeholder)",
        ),
        (
            filter("[agent]\ncommand = 'mine'\nmodel = 'big'"),
            "s.toml:5: `agent.model` sets the model \"big\" for `mine`, whose command has no place for it (add {model} to agents.mine.command, such as \"--model={model}\")",
        ),
        (
            filter("[agent]\nfallback = ['mine:big']"),
            "s.toml:4: `agent.fallback` sets the model \"big\" for `mine`, whose command has no place for it (add {model} to agents.mine.command, such as \"--model={model}\")",
        ),
        (
            "[agent]\nfallback = ['claude', ':opus']\n".to_owned(),
            "s.toml:2: `agent.fallback` has an entry that names no agent: \":opus\" (use agent or agent:model, for example \"claude:opus\")",
        ),
        (
            "[prices.'gpt-4.1']\ninput = 1\noutput = -2.5\n".to_owned(),
            "s.toml:3: `prices.gpt-4.1.output` is -2.5, which is not a valid price (use US dollars per million tokens, 0 or more)",
        ),
    ] {
        assert_eq!(told(&text), [expected], "{text}");
    }
}

#[test]
fn what_is_wrong_with_the_form_of_an_agent_is_told_too() {
    for (text, expected) in [
        (
            "[agents.mine]\ncommand = 'mine --json'\n",
            "s.toml:2: `agents.mine.command` must be a list, but is \"mine --json\" (for example command = [\"text\"])",
        ),
        (
            "[agents.mine]\nprompt = 'pipe'\n",
            "s.toml:2: `agents.mine.prompt` must be one of stdin, argument, file, but is \"pipe\" (for example prompt = \"stdin\")",
        ),
        (
            "[agents.mine]\nendings.usage_limits = 'x'\n",
            "s.toml:2: `agents.mine.endings.usage_limits` is not a setting (did you mean `agents.mine.endings.usage_limit`?)",
        ),
        (
            "[prices.m]\ninput = inf\n",
            "s.toml:2: `prices.m.input` must be a number, but is inf (for example input = 1.5)",
        ),
        (
            "AGENT_CLI = 'amp'\n",
            "s.toml:1: `AGENT_CLI` is not a setting (shell loops use this name; here it is `agents.NAME.command` (see docs/custom-agents.md))",
        ),
    ] {
        assert_eq!(told(text), [expected], "{text}");
    }
}

#[test]
fn a_project_cannot_describe_an_agent_but_may_name_one() {
    let project = |text: &str| file(Layer::Project, Trust::OnlyTighten, text);
    let errors = resolve(vec![project(MINE)], &[check_settings]).expect_err("refused");
    assert!(matches!(&errors[0].fault, Fault::Loosens { key, .. } if key == "agents.mine"));
    assert_eq!(
        (errors.len(), errors[0].to_string(), errors[0].help.as_str()),
        (
            1,
            "s.toml:1: `agents.mine` loosens the protection of this machine, but a project file may only tighten it".to_owned(),
            "put it into .ralph/settings.local.toml (which git must not track) or into your user settings (~/.config/ralph/settings.toml)",
        )
    );
    let named = project("[agent]\ncommand = 'mine'\n");
    assert!(
        resolve(vec![file(Layer::User, Trust::MayLoosen, MINE), named], &[check_settings]).is_ok()
    );
    let tampered = project("[agents.mine.endings]\nusage_limit = 'x'\n");
    assert!(
        resolve(vec![file(Layer::User, Trust::MayLoosen, MINE), tampered], &[check_settings])
            .is_err()
    );
}

#[test]
fn variables_reach_into_an_agent() {
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let layers = vec![LayerText::Variables(vec![
        variable("RALPH_AGENTS_my_agent_COMMAND", "mine --say 'a b'"),
        variable("RALPH_AGENTS_my_agent_RESPONSE_FILTER", ".text"),
        variable("RALPH_AGENTS_my_agent_ENDINGS_USAGE_LIMIT", "quota"),
        variable("RALPH_PRICES_gpt_INPUT", "1.5"),
        variable("RALPH_AGENTS_COMMAND", "x"),
    ])];
    let resolved = resolve(layers, &[check_settings]).expect("settings");
    let agent = &resolved.settings.agents["my_agent"];
    assert_eq!(agent.command, ["mine", "--say", "a b"]);
    assert_eq!((agent.response_filter.as_str(), agent.endings.len()), (".text", 1));
    assert!((resolved.settings.prices.0["gpt"].input - 1.5).abs() < f64::EPSILON);
    assert_eq!(resolved.warnings.len(), 1, "{:?}", resolved.warnings);
}

#[test]
fn the_reference_shows_tables_by_name() {
    let text = reference();
    for line in [
        "## `[agents.NAME]`",
        "## `[prices.NAME]`",
        "| `prompt` † | `\"stdin\"` | How it receives the prompt; `{prompt}` in an argument marks the place, otherwise it comes last. One of `stdin`, `argument`, `file`. |",
        "Keys: `asked_question`, `auth_failed`, `budget`,",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
