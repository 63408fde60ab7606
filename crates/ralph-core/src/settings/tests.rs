//! Settings as a whole: layers in, values, origins and errors out.

use std::fmt::Write as _;

use super::*;

use crate::vocabulary::ReviewMode;

fn file(layer: Layer, name: &str, text: &str) -> LayerText {
    let format = if name.ends_with("json") { Format::Json } else { Format::Toml };
    let trust = if layer == Layer::Project { Trust::OnlyTighten } else { Trust::MayLoosen };
    LayerText::File(SettingsFile { layer, name: name.into(), format, trust, text: text.into() })
}

fn project(text: &str) -> LayerText {
    file(Layer::Project, ".ralph/settings.toml", text)
}

fn mine(text: &str) -> LayerText {
    file(Layer::User, "~/.config/ralph/settings.toml", text)
}

fn project_json(text: &str) -> LayerText {
    file(Layer::Project, ".ralph/settings.json", text)
}

fn variables(pairs: &[(&str, &str)]) -> LayerText {
    LayerText::Variables(pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect())
}

fn flags(flags: &[(&str, &str, &str)]) -> LayerText {
    let flag = |(name, key, value): &(&str, &str, &str)| Flag {
        name: (*name).into(),
        key: (*key).into(),
        value: (*value).into(),
    };
    LayerText::Flags(flags.iter().map(flag).collect())
}

fn told(layers: Vec<LayerText>) -> String {
    let mut text = String::new();
    for error in resolve(layers, &[]).err().unwrap_or_default() {
        let _ = write!(text, "error: {error}\nhelp:  {}\n", error.help);
    }
    text
}

#[test]
fn without_any_file_the_defaults_hold() {
    let resolved = resolve(Vec::new(), &[]).unwrap();
    assert_eq!(resolved.settings, Settings::default());
    assert!(resolved.origins.values().all(|origin| origin.layer == Layer::BuiltIn));
    assert_eq!(resolved.origins.len(), 87, "every setting with a value has an origin");
}

#[test]
fn a_later_layer_wins_tables_merge_and_lists_are_replaced() {
    let resolved = resolve(
        vec![
            flags(&[("-n", "limits.max_iterations", "6")]),
            variables(&[("RALPH_LIMITS_MAX_ITERATIONS", "5"), ("RALPH_LIMITS_MAX_TOKENS", "9")]),
            file(
                Layer::Local,
                ".ralph/settings.local.json",
                "{\n\"agent\": { \"flags\": [\"c\"] },\n\"limits\": { \"max_attempts\": 4 } }",
            ),
            project("[limits]\nmax_attempts = 3\nmax_retries = 7\n[agent]\nflags = ['a', 'b']\n"),
            file(
                Layer::User,
                "u.toml",
                "[limits]\nmax_attempts = 2\n[timeouts]\nimplement.hard = '90m'\n",
            ),
        ],
        &[],
    )
    .unwrap();
    let Settings { limits, agent, timeouts, .. } = &resolved.settings;
    assert_eq!((limits.max_iterations, limits.max_tokens), (6, 9));
    assert_eq!((limits.max_attempts, limits.max_retries), (4, 7));
    assert_eq!((agent.flags.join(" "), agent.command.as_str()), ("c".to_owned(), "claude"));
    assert_eq!(
        timeouts.implement.soft.to_string() + " " + &timeouts.implement.hard.to_string(),
        "20m 1h30m"
    );
    let shown: Vec<_> = [
        "limits.max_iterations",
        "limits.max_tokens",
        "limits.max_attempts",
        "limits.max_retries",
        "agent.flags",
        "timeouts.implement.hard",
        "timeouts.implement.soft",
    ]
    .iter()
    .map(|key| resolved.origins.get(*key).unwrap().to_string())
    .collect();
    assert_eq!(
        shown,
        [
            "flag -n",
            "env RALPH_LIMITS_MAX_TOKENS",
            "local .ralph/settings.local.json:3",
            "project .ralph/settings.toml:3",
            "local .ralph/settings.local.json:2",
            "user u.toml:4",
            "built-in"
        ]
    );
}

#[test]
fn the_older_json_names_mean_ours() {
    let text = r#"{
  "$schema": "x",
  "maximumIterations": 12, "completionResponse": "READY", "outputTruncateChars": 99,
  "streamAgentOutput": false, "includeIterationCountInPrompt": true,
  "agent": { "command": "claude", "flags": ["--model opus"] },
  "guardrails": [
    { "command": "make lint", "failAction": "PREPEND", "hint": "only lint" },
    { "command": "make test", "failAction": "Replace" }
  ],
  "scm": { "command": "git", "tasks": ["commit", "push"] }
}"#;
    let Resolved { settings, origins, .. } = resolve(vec![project_json(text)], &[]).unwrap();
    assert_eq!(settings.limits.max_iterations, 12);
    assert_eq!(settings.claims.completion_response, "READY");
    assert_eq!(settings.gates.output_truncate_chars, 99);
    assert!(!settings.display.stream && settings.prompt.iteration_count);
    assert_eq!(settings.scm.tasks, ["commit", "push"]);
    let gates: Vec<_> = settings
        .gate
        .iter()
        .map(|g| format!("{} {:?} {}", g.command, g.fail_action, g.hint))
        .collect();
    assert_eq!(gates, ["make lint Prepend only lint", "make test Replace "]);
    assert_eq!(origins.get("limits.max_iterations").unwrap().line, Some(3));
    assert_eq!(origins.get("gate[1].fail_action").unwrap().line, Some(8));
}

#[test]
fn variables_are_read_by_the_type_of_their_setting() {
    let resolved = resolve(
        vec![variables(&[
            ("RALPH_AGENT_COMMAND", "my-agent"),
            ("RALPH_AGENT_FLAGS", "--model 'opus 4'"),
            ("RALPH_CLAIMS_TRUST_AGENT", "yes"),
            ("RALPH_DISPLAY_STREAM", "0"),
            ("RALPH_LIMITS_MAX_COST_USD", "2.5"),
            ("RALPH_TIMEOUTS_GATE_HARD", "1h"),
            ("RALPH_GATES_STRATEGY", "tests_only"),
            ("RALPH_PROMPT_VARS_Team_Name", "blue"),
            ("RALPH_SANDBOX", "off"),
            ("RALPH_AGENT_MODEL", ""),
            ("RALPH_RUN_ID", "r-1"),
            ("RALPH_LIMITS_MAX_ITERATION", "5"),
            ("RALPH_GATE", "x"),
            ("HOME", "/home/x"),
        ])],
        &[],
    )
    .unwrap();
    let settings = &resolved.settings;
    assert_eq!(settings.agent.command, "my-agent");
    assert_eq!(settings.agent.flags, ["--model", "opus 4"]);
    assert!(settings.claims.trust_agent && !settings.display.stream);
    assert_eq!(settings.limits.max_cost_usd.to_string(), "2.5");
    assert_eq!(settings.timeouts.gate.hard.to_string(), "1h");
    assert_eq!(settings.gates.strategy, Strategy::TestsOnly);
    assert_eq!(settings.prompt.vars.get("Team_Name").map(String::as_str), Some("blue"));
    assert_eq!(resolved.origins.get("sandbox.mode").unwrap().to_string(), "env RALPH_SANDBOX");
    let warned: Vec<_> = resolved.warnings.iter().map(|w| format!("{w} ({})", w.help)).collect();
    assert_eq!(
        warned,
        [
            "RALPH_LIMITS_MAX_ITERATION: this variable is not a setting and is ignored (did you mean RALPH_LIMITS_MAX_ITERATIONS?)",
            "RALPH_GATE: this variable is not a setting and is ignored (variables are named RALPH_<TABLE>_<KEY>, such as RALPH_AGENT_COMMAND)",
        ]
    );
}

#[test]
fn agents_of_a_kind_and_lists_of_words_come_from_files_and_variables() {
    let Resolved { settings, origins, .. } = resolve(vec![
        project(
            "[agent.review]\ncommand = 'codex'\nmax_turns = 9\n[plan]\nagents_may = ['ADD']\n\
             [review]\nat_cap = 'approve'\nquality = 'hard'\n[gates]\nprotect = ['tests/**']\nprotect_mode = 'deny'\n",
        ),
        variables(&[
            ("RALPH_AGENT_REVIEW_MODEL", "gpt"),
            ("RALPH_AGENT_FIX_FLAGS", "--a 'b c'"),
            ("RALPH_REVIEW_MODE", "auto"),
            ("RALPH_REVIEW_CAP", "2"),
            ("RALPH_ESCALATION_AGENTS", "claude:opus codex"),
            ("RALPH_PLAN_AGENTS_MAY", "modify remove"),
        ]),
    ], &[])
    .unwrap();
    let review = settings.agent.for_kind(crate::vocabulary::Kind::Review);
    assert_eq!((review.command, review.model, review.max_turns), ("codex", "gpt", 9));
    assert_eq!(settings.agent.fix.flags, Some(vec!["--a".into(), "b c".into()]));
    assert_eq!((settings.review.mode, settings.review.cap), (ReviewMode::Auto, 2));
    assert_eq!((settings.review.at_cap, settings.review.quality), (AtCap::Approve, Quality::Hard));
    assert_eq!(settings.escalation.agents, ["claude:opus", "codex"]);
    assert_eq!(settings.plan.agents_may, [MayAmend::Modify, MayAmend::Remove]);
    assert_eq!(settings.gates.protect_mode, ProtectMode::Deny);
    let origin = |key: &str| origins.get(key).unwrap().to_string();
    assert_eq!(origin("agent.review.command"), "project .ralph/settings.toml:2");
    assert_eq!(origin("agent.review.model"), "env RALPH_AGENT_REVIEW_MODEL");
}

fn unreadable() -> Vec<(&'static str, LayerText)> {
    vec![
        ("unknown key", project("[limits]\nmax_iteration = 5\n")),
        ("unknown table", project("\n[limit]\nmax_iterations = 5\n")),
        ("key in the wrong table", project("max_iterations = 5\n")),
        ("nothing near", project("[display]\nzzzzzzzz = 1\n")),
        ("unknown key in a gate", project("[[gate]]\ncommand = 'a'\nsevrity = 'soft'\n")),
        ("later keys", project("[[gate]]\ncommand = 'a'\nnetwork = 'none'\n[git]\npush = true\n")),
        ("dots inside of a key", project("[agent]\n'x.command' = 'a'\n")),
        ("older name in TOML", project("maximumIterations = 3\n")),
        ("syntax", project("[limits\nmax_iterations = 5\n")),
        (
            "dropped keys",
            mine(
                "[notify]\nquiet = '22:00-07:00'\non = ['digest']\n[[notify.channel]]\ndetail = 'text'\n",
            ),
        ),
        ("double key", project("[limits]\nmax_tokens = 1\nmax_tokens = 2\n")),
        ("JSON syntax", project_json("{\n  \"limits\": {},\n}\n")),
        ("JSON double key", project_json("{ \"limits\": {},\n \"limits\": {} }\n")),
        (
            "JSON alias twice",
            project_json("{ \"maximumIterations\": 1,\n \"limits\": { \"max_iterations\": 2 } }"),
        ),
        ("JSON list", project_json("[]")),
    ]
}

fn of_the_wrong_type() -> Vec<(&'static str, LayerText)> {
    vec![
        ("text for number", project("[limits]\nmax_iterations = 'five'\n")),
        ("negative number", project("[limits]\nmax_iterations = -1\n")),
        ("too big", project("[limits]\nmax_iterations = 4294967296\n")),
        ("no length of time", project("[limits]\nmax_wait = '6 hours'\n")),
        ("number for a length", project("[limits]\nmax_wait = 6\n")),
        ("not a choice", project("[gates]\nstrategy = 'loose'\n")),
        ("dropped choice", project("[sandbox]\nmode = 'landlock'\n")),
        ("not a truth", project("[display]\nstream = 'yes'\n")),
        ("text for a list", project("[agent]\nflags = '--model opus'\n")),
        ("wrong entry of a list", project("[agent]\nflags = [\n 'a',\n 3,\n]\n")),
        ("value for a table", project("agent = 'claude'\n")),
        ("gate as a table", project("[gate]\ncommand = 'a'\n")),
        ("date", project("[limits]\nmax_wait = 2026-01-01\n")),
        ("null", project_json("{ \"agent\": { \"model\": null } }")),
        ("nan", project("[limits]\nmax_cost_usd = nan\n")),
        ("later quality", project("[review]\nquality = 'separate'\n")),
        ("wrong word in a list", project("[plan]\nagents_may = ['add', 'delete']\n")),
        ("turns of a kind", project("[agent.review]\nmax_turns = 'many'\nenv = []\n")),
        ("half a timeout", project("[[gate]]\ncommand = 'a'\ntimeout = { hard = '5m' }\n")),
    ]
}

fn senseless() -> Vec<(&'static str, LayerText)> {
    vec![
        ("variable", variables(&[("RALPH_LIMITS_MAX_ITERATIONS", "many")])),
        ("variable list", variables(&[("RALPH_AGENT_FLAGS", "'open")])),
        ("flag", flags(&[("--timeout-multiplier", "timeouts.multiplier", "fast")])),
        ("unknown flag key", flags(&[("--agnet", "agent.comand", "x")])),
        ("multiplier", project("[timeouts]\nmultiplier = 0\n")),
        ("soft over hard", project("[timeouts]\nreview = { soft = '30m', hard = '20m' }\n")),
        ("hard below the default soft", project("[timeouts]\nimplement.hard = '10m'\n")),
        ("no time at all", project("[timeouts]\ngate = { soft = '0s', hard = '0s' }\n")),
        ("gate without command", project("[[gate]]\ncommand = 'a'\n\n[[gate]]\nname = 'tests'\n")),
        (
            "two gates, one name",
            project("[[gate]]\ncommand = 'a'\n\n[[gate]]\nname = 'a'\ncommand = 'b'\n"),
        ),
        (
            "gate timeout",
            project("[[gate]]\ncommand = 'a'\ntimeout = { soft = '9m', hard = '5m' }\n"),
        ),
        ("no attempts", project("[limits]\nmax_attempts = 0\n")),
        ("negative money", project("[limits]\nmax_cost_usd = -1.5\nmax_task_cost_usd = -2\n")),
        ("no agent", project("[agent]\ncommand = ' '\n")),
        ("open quote", project("[agent]\nflags = [\"--x 'y\"]\n")),
        ("empty claim", project("[claims]\ncompletion_response = ''\naccept = ['']\n")),
        ("no review at all", project("[review]\ncap = 0\n")),
        (
            "agents of a kind",
            project("[agent.review]\ncommand = ''\n[agent.fix]\nflags = [\"'x\"]\n"),
        ),
        ("ladder", project("[escalation]\nagents = ['claude:opus', ':opus']\n")),
        (
            "hosts",
            variables(&[("RALPH_SANDBOX_ALLOW_HOSTS", "a.example,b.example https://c.example")]),
        ),
        (
            "notify",
            mine("[notify]\ntimeout = '0s'\non = ['died']\nwebhook = 'https://x.example'\n"),
        ),
        (
            "channels",
            mine(
                "[[notify.channel]]\nkind = 'command'\n[[notify.channel]]\nkind = 'ntfy'\n[[notify.channel]]\ncommand = 'x'\nsecret_env = 'a b'\n",
            ),
        ),
        ("globs", project("[gates]\nprotect = ['tests/**', '', 'src/[a']\n")),
    ]
}

#[test]
fn every_error_names_file_key_line_and_help() {
    let mut shown = String::new();
    for (name, layer) in unreadable().into_iter().chain(of_the_wrong_type()).chain(senseless()) {
        let told = told(vec![layer]);
        assert!(!told.is_empty(), "{name} is accepted");
        let _ = write!(shown, "-- {name}\n{told}\n");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn only_the_user_can_loosen() {
    let loose = [
        ("[sandbox]\nmode = 'off'\n", true),
        ("[sandbox]\nmode = 'OFF'\n", true),
        ("[sandbox]\nmode = 'bubblewrap'\n", false),
        ("[sandbox]\nnetwork = 'open'\n", true),
        ("[sandbox]\ngate_network = 'open'\n", true),
        ("[sandbox]\nnetwork = 'model'\ngate_network = 'none'\n", false),
        ("[sandbox]\nallow_hosts = ['a.example']\n", true),
        ("[sandbox]\nunix_sockets = true\n", true),
        ("[[gate]]\ncommand = 'x'\nnetwork = 'open'\n", true),
        ("[[gate]]\ncommand = 'x'\nnetwork = 'none'\n", false),
        ("[sandbox]\nreadable = ['/']\n", true),
        ("[sandbox]\nwritable = ['/']\n", true),
        ("[agent]\nenv = ['AWS_SECRET']\n", true),
        ("[claims]\ntrust_agent = true\n", true),
        ("[sandbox]\nnetwork = 'open'\n", true),
        ("[sandbox]\nnetwork = 'Open'\n", true),
        ("[sandbox]\ngate_network = 'open'\n", true),
        ("[[gate]]\ncommand = 'a'\n[[gate]]\ncommand = 'b'\nnetwork = 'open'\n", true),
        ("[sandbox]\nallow_hosts = ['example.org']\n", true),
        ("[sandbox]\nunix_sockets = true\n", true),
        ("[agents.mine]\ncommand = ['mine']\n", true),
        ("[notify]\ncommand = 'x'\n", true),
        ("[[notify.channel]]\nkind = 'terminal'\n", true),
        ("[scm]\ncommand = 'make'\n", true),
        ("[scm]\ntasks = ['push; make']\n", true),
        ("[scm]\ncommand = 'git'\ntasks = ['commit', 'push']\n", false),
        ("[sandbox]\nnetwork = 'none'\ngate_network = 'model'\nallow_hosts = []\n", false),
        ("[sandbox]\nnetwork = 'registries'\nunix_sockets = false\n", false),
        ("[[gate]]\ncommand = 'a'\nnetwork = 'none'\n", false),
        ("[sandbox]\nreadable = []\nwritable = []\n", false),
        ("[claims]\ntrust_agent = false\n[agent]\nenv = []\n", false),
    ];
    let loosens = |layers| match resolve(layers, &[]) {
        Ok(_) => false,
        Err(errors) => errors.iter().any(|error| matches!(error.fault, Fault::Loosens { .. })),
    };
    for (text, is_loose) in loose {
        assert_eq!(loosens(vec![project(text)]), is_loose, "project: {text}");
        for layer in [Layer::User, Layer::Local] {
            assert!(!loosens(vec![file(layer, "mine.toml", text)]), "{layer:?}: {text}");
        }
    }
    let json = project_json("{ \"sandbox\": { \"mode\": \"off\" } }");
    assert!(loosens(vec![json]));
    let older = "{ \"guardrails\": [{ \"command\": \"a\", \"network\": \"open\" }] }";
    assert!(loosens(vec![project_json(older)]), "older names are no way around it");
    assert!(!loosens(vec![variables(&[("RALPH_CLAIMS_TRUST_AGENT", "1")])]));
    assert!(!loosens(vec![flags(&[("--sandbox", "sandbox.mode", "off")])]));
}

#[test]
fn a_loosening_project_file_is_told_where_to_put_it() {
    let tracked = LayerText::File(SettingsFile {
        layer: Layer::Local,
        name: ".ralph/settings.local.toml".into(),
        format: Format::Toml,
        trust: Trust::OnlyTighten,
        text: "[claims]\ntrust_agent = true\n".into(),
    });
    insta::assert_snapshot!(told(vec![
        project("[sandbox]\nmode = 'off'\n\n[agent]\nenv = ['TOKEN']\n"),
        tracked,
    ]));
}

#[test]
fn settings_survive_the_journal() {
    let text = "[[gate]]\nname = 'tests'\ncommand = 'cargo test'\nkind = 'test'\ntimeout = { soft = '1500ms', hard = '1h1m1s1ms' }\nenv = { A = 'b' }\n[[gate]]\ncommand = 'lint'\n[limits]\nmax_cost_usd = 0.1\nmax_tokens = 9223372036854775807\n[prompt.vars]\nNAME = 'väl\"ue\\n'\n[timeouts]\nmultiplier = 3\n";
    for layers in [Vec::new(), vec![project(text)]] {
        let Resolved { settings, origins, .. } = resolve(layers, &[]).unwrap();
        let line = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&line).unwrap(), settings);
        let line = serde_json::to_string(&origins).unwrap();
        let back: std::collections::BTreeMap<String, Origin> = serde_json::from_str(&line).unwrap();
        assert_eq!(back, origins);
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let whole = "[agent]\nflags = ['a', \"b\"]\n[[gate]]\ncommand = 'ü'\ntimeout = { soft = '1m', hard = '2m' }\n";
    let json = "{\"agent\": {\"flags\": [\"a\"]}, \"guardrails\": [{\"command\": \"ü\", \"failAction\": \"APPEND\"}]}";
    for text in [whole, json] {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            for flipped in ["", "[", "\"", "0", "\u{0}"] {
                let text = format!("{}{flipped}{}", &text[..end], &text[end..]);
                let cut = &text[..end + flipped.len()];
                for text in [text.as_str(), cut] {
                    let _ = resolve(vec![project(text)], &[]);
                    let _ = resolve(vec![project_json(text)], &[]);
                }
            }
        }
    }
}
