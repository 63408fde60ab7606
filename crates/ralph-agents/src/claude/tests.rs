//! Invented lines and the command line; what the real CLI printed is read in the test kit's `transcripts`.

use ralph_core::{
    effect::{AgentCall, Loadable},
    ending::Ending,
    handoff::HANDOFF_SCHEMA,
    memory::COMPACT_SCHEMA,
    review::REVIEW_SCHEMA,
    settings::Claims,
    time::{Millis, Timestamp},
    usage::MicroUsd,
    vocabulary::Kind,
};

use super::{Claude, session_id};
use crate::{
    Agent, CommandProblem, EndedBy, ExitFacts, LineParser, Place, StreamReport, event::AgentEvent,
    find, reset::ResetHint,
};

fn exited(code: i32, stdout: &[u8]) -> ExitFacts {
    ExitFacts { code: Some(code), stdout_bytes: stdout.len() as u64, ..ExitFacts::default() }
}

fn complained(stderr: &[u8]) -> ExitFacts {
    let stderr_tail = String::from_utf8_lossy(stderr).into_owned();
    ExitFacts { code: Some(1), stderr_tail, ..ExitFacts::default() }
}

fn events(stdout: &[u8]) -> (Vec<AgentEvent>, Box<dyn LineParser>) {
    let mut parser = Claude.parser(&AgentCall::default());
    let mut out = Vec::new();
    for line in stdout.split(|byte| *byte == b'\n') {
        parser.line(line, &mut out);
    }
    (out, parser)
}

fn report(stdout: &[u8], exit: &ExitFacts) -> StreamReport {
    events(stdout).1.finish(exit)
}

fn ending(stdout: &[u8], code: i32) -> Ending {
    report(stdout, &exited(code, stdout)).ending
}

/// The name of an ending, without its details.
fn name(ending: &Ending) -> String {
    let value = serde_json::to_value(ending).unwrap_or_default();
    value["how"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_refusal_to_work_as_root_says_what_to_do() {
    let refused = report(
        b"",
        &complained(b"--dangerously-skip-permissions cannot be used with root/sudo privileges"),
    )
    .ending;
    assert!(
        matches!(&refused, Ending::NotFound { detail } if detail.contains("ordinary user")),
        "{refused:?}"
    );
}

#[test]
fn a_command_line_the_cli_refuses_is_told_with_its_words() {
    for detail in ["error: unknown option '--nope'", "Error: Session ID x is already in use."] {
        let ending = report(b"", &complained(detail.as_bytes())).ending;
        assert_eq!(ending, Ending::NotFound { detail: detail.into() });
    }
}

#[test]
fn a_process_that_ralph_ended_is_never_a_success() {
    let stdout = br#"{"type":"result","subtype":"success","is_error":false,"result":"done"}"#;
    for (by, expected) in [
        (EndedBy::TimedOut, "timed_out"),
        (EndedBy::Stalled, "stalled"),
        (EndedBy::AuthFailed, "auth_failed"),
        (EndedBy::Budget, "budget"),
        (EndedBy::Interrupted, "interrupted"),
        (EndedBy::LogicalEnd, "ok"),
    ] {
        let exit = ExitFacts { ended_by_us: Some(by), ..exited(0, stdout) };
        assert_eq!(name(&report(stdout, &exit).ending), expected);
    }
}

#[test]
fn a_stream_without_a_result_is_a_crash_silence_is_empty_and_noise_is_malformed() {
    let killed = ExitFacts { signal: Some(9), stdout_bytes: 4476, ..ExitFacts::default() };
    let crashed = report(br#"{"type":"system","subtype":"init"}"#, &killed);
    let detail = "no result; killed by signal 9".to_owned();
    assert_eq!(crashed.ending, Ending::Crashed { detail });
    assert_eq!(ending(b"", 0), Ending::Empty);
    assert_eq!(ending(b"\n\n", 0), Ending::Crashed { detail: "exit 0".into() });
    assert_eq!(name(&ending(b"{\"type\":\nnull\n42\n[1,2]\n\"x\"\n", 0)), "malformed");
    let missing = ExitFacts { not_started: Some("no such file".into()), ..ExitFacts::default() };
    let detail = "no such file".to_owned();
    assert_eq!(report(b"", &missing).ending, Ending::NotFound { detail });
}

#[test]
fn a_limit_told_only_in_words_is_resolved_against_the_time_given() {
    let stdout = br#"{"type":"result","is_error":true,"result":"You've hit your limit \u00b7 resets 11:59pm (UTC)"}"#;
    let mut limited = report(stdout, &exited(1, stdout));
    let hint = ResetHint::Clock { date: None, hour: 23, minute: 59, zone: Some("UTC".into()) };
    assert_eq!(limited.reset_hint, Some(hint));
    limited.resolve_reset(Timestamp::parse("2026-11-14T22:00:00Z").unwrap_or_default());
    let Ending::UsageLimit { resets_at, .. } = limited.ending else { panic!("not a usage limit") };
    assert_eq!(resets_at, Timestamp::parse("2026-11-14T23:59:00Z"));
}

#[test]
fn errors_without_a_status_are_read_from_their_words() {
    for (text, expected) in [
        ("API Error: 529 Overloaded", "overloaded"),
        ("API Error: Connection error.", "overloaded"),
        ("API Error: fetch failed: getaddrinfo ENOTFOUND api.example.com", "overloaded"),
        ("API Error (429): slow down", "usage_limit"),
        ("API Error: 401 {}", "auth_failed"),
        ("5-hour limit reached · resets 3pm (Europe/Berlin)", "usage_limit"),
        ("Claude AI usage limit reached|1794699386", "usage_limit"),
        ("Prompt is too long", "context_overflow"),
        ("the tests reached their time limit", "crashed"),
        ("crashed", "crashed"),
    ] {
        let line =
            serde_json::json!({"type": "result", "is_error": true, "result": text}).to_string();
        assert_eq!(name(&ending(line.as_bytes(), 1)), expected, "{text}");
    }
}

#[test]
fn odd_shapes_survive_and_lose_nothing_around_them() {
    let stdout = b"\xff\xfe\xc3\x28 bad \x00 nul\n{\"type\": \n[1,2\nnull\n42\n\"x\"\n{\"type\":null}\n\
        {\"type\":\"assistant\",\"message\":null}\n\
        {\"type\":\"assistant\",\"message\":{\"content\":\"string\"}}\n\
        {\"type\":\"assistant\",\"message\":{\"content\":[null,7,\"x\",{\"type\":\"text\",\"text\":null}]}}\n\
        {\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9\"}]}}\n\
        {\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":[{\"text\":\"a\"},{\"text\":\"b\"}]}]}}\n\
        {\"type\":\"result\",\"result\":null}\n\
        {\"result\":\"bye\\n<promise>COMPLETE</promise>\",\"usage\":7,\"is_error\":false,\"type\":\"result\"}";
    let (events, parser) = events(stdout);
    let texts: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["string", "", "caf\u{fffd}"]);
    assert_eq!(events.iter().filter(|e| matches!(e, AgentEvent::Result { .. })).count(), 1);
    assert!(events.iter().any(
        |e| matches!(e, AgentEvent::ToolEnd { output, lines: 2, chars: 3, .. } if output == "a\nb")
    ));
    let report = parser.finish(&exited(0, stdout));
    assert_eq!((report.ending.clone(), report.unreadable), (Ending::Ok, 6));
    assert!(report.claims_completion(&Claims::default()));
}

#[test]
fn the_words_of_subagents_and_of_the_cli_are_not_the_agents_last_words() {
    let stdout = br#"{"type":"assistant","message":{"content":[{"type":"text","text":"mine"}]}}
{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"<promise>COMPLETE</promise>"}]}}
{"type":"assistant","error":"server_error","message":{"model":"<synthetic>","content":[{"type":"text","text":"<promise>COMPLETE</promise>"}]}}
{"type":"user","isSynthetic":true,"message":{"content":[{"type":"text","text":"<promise>COMPLETE</promise>"}]}}"#;
    let report = report(stdout, &exited(1, stdout));
    assert_eq!(report.last_message, "mine");
    assert_eq!(name(&report.ending), "overloaded");
}

#[test]
fn a_denied_tool_call_is_told_once_and_at_the_latest_by_the_result() {
    let stdout = br#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Write","input":{}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]},"tool_use_result":"Error: no","tool_result_meta":[{"id":"t1","permission_decision":{"decision":"reject"}}]}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"fine"}]},"tool_result_meta":[{"id":"t2","permission_decision":{"decision":"accept"}}]}
{"type":"result","is_error":false,"result":"x","permission_denials":[{"tool_name":"Write","tool_use_id":"t1"},{"tool_name":"Bash","tool_use_id":"t3"}]}"#;
    let (events, parser) = events(stdout);
    let denied: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Denied { tool, why } => Some((tool.as_str(), why.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(denied, [("Write", "Error: no"), ("Bash", "")]);
    assert_eq!(parser.finish(&exited(0, stdout)).denials, 2);
}

#[test]
fn long_texts_are_kept_within_bounds_with_their_true_counts() {
    let long = "xé\n".repeat(1 << 17);
    let line = serde_json::json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t", "content": long}
    ]}});
    let message = serde_json::json!({"type": "assistant", "message": {"content": [
        {"type": "text", "text": format!("{long}<promise>COMPLETE</promise>")}
    ]}});
    let (events, parser) = events(format!("{line}\n{message}").as_bytes());
    let AgentEvent::ToolEnd { output, lines, chars, .. } = &events[0] else {
        panic!("no tool end")
    };
    assert!(output.len() < 5000);
    assert_eq!((*lines, *chars), (1 << 17, 3 << 17));
    let report = parser.finish(&exited(0, b"x"));
    assert!(report.last_message.len() <= 256 * 1024);
    assert!(report.claims_completion(&Claims::default()));
}

fn call() -> AgentCall {
    AgentCall {
        iteration: 3,
        retry: 1,
        task: "T-1".into(),
        agent: "claude".into(),
        prompt: "do it".into(),
        soft_timeout: Millis::secs(1200),
        hard_timeout: Millis::secs(3600),
        idle_timeout: Millis::secs(600),
        ..AgentCall::default()
    }
}

fn place() -> Place {
    Place {
        run: "r-1".into(),
        started: Timestamp(1_794_699_386_000),
        folder: "/f".into(),
        ..Place::default()
    }
}

#[test]
fn project_configuration_is_loaded_once_it_is_trusted_and_servers_only_where_ralph_names_none() {
    let line = |files: &[&str], mcp: &str| {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let loadable = Loadable { root: "/p".into(), files };
        let call = AgentCall { loadable, mcp: mcp.into(), kind: Kind::Compact, ..call() };
        Claude.command(&call, &place()).map(|spec| spec.args.join(" ")).unwrap_or_default()
    };
    let shut = line(&[], "");
    assert!(shut.contains("--setting-sources user --strict-mcp-config"), "{shut}");
    assert!(!shut.contains("--mcp-config ."), "{shut}");
    let settings = line(&[".claude/settings.json"], "");
    assert!(settings.contains("--setting-sources user,project --strict-mcp-config"), "{settings}");
    assert!(!settings.contains("--mcp-config ."), "{settings}");
    assert!(line(&[".mcp.json"], "").contains("--mcp-config .mcp.json"));
    let own = line(&[".mcp.json"], ralph_core::memory::mcp::MEMORY_SET);
    assert!(own.contains("--mcp-config /f/mcp.json") && !own.contains(".mcp.json"), "{own}");
}

#[test]
fn the_command_line_is_complete_and_keeps_project_configuration_out() {
    let call = AgentCall {
        agent: "'/opt/my tools/claude' --effort low".into(),
        flags: vec!["--add-dir '/a b'".into()],
        model: "opus".into(),
        fallback_model: "sonnet".into(),
        max_turns: 30,
        budget: Some(MicroUsd(1_500_000)),
        ..call()
    };
    let spec = Claude.command(&call, &place());
    let spec = spec.unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(spec.program, "/opt/my tools/claude");
    assert_eq!(spec.stdin, b"do it");
    let line = spec.args.join(" ");
    for part in [
        "-p --output-format stream-json --verbose --dangerously-skip-permissions",
        "--setting-sources user --strict-mcp-config --add-dir . --session-id",
        "--model opus --fallback-model sonnet --max-turns 30 --max-budget-usd 1.500000",
        "--json-schema {\"type\":\"object\"",
        "--effort low --add-dir /a b",
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let names: Vec<_> = spec.env.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "CLAUDE_CODE_MAX_RETRIES"
        ]
    );
}

#[test]
fn a_prompt_call_asks_for_no_schema_and_defaults_add_no_options() {
    let call = AgentCall { kind: Kind::Prompt, ..call() };
    let spec = Claude.command(&call, &place()).unwrap_or_else(|problem| panic!("{problem}"));
    for option in
        ["--json-schema", "--model", "--fallback-model", "--max-turns", "--max-budget-usd"]
    {
        assert!(!spec.args.iter().any(|arg| arg == option), "{option}");
    }
}

#[test]
fn each_kind_of_work_is_asked_for_its_own_form() {
    for (kind, schema) in [
        (Kind::Implement, HANDOFF_SCHEMA),
        (Kind::Fix, HANDOFF_SCHEMA),
        (Kind::Review, REVIEW_SCHEMA),
        (Kind::Compact, COMPACT_SCHEMA),
    ] {
        let call = AgentCall { kind, ..call() };
        let spec = Claude.command(&call, &place()).unwrap_or_else(|problem| panic!("{problem}"));
        let given = spec.args.iter().skip_while(|arg| *arg != "--json-schema").nth(1);
        assert_eq!(given.map(String::as_str), Some(schema), "{kind:?}");
    }
}

#[test]
fn the_servers_of_a_call_are_named_in_a_file_of_its_own_and_no_others_are_let_in() {
    let call = AgentCall {
        kind: Kind::Compact,
        mcp: ralph_core::memory::mcp::MEMORY_SET.into(),
        ..call()
    };
    let spec = Claude.command(&call, &place()).unwrap_or_else(|problem| panic!("{problem}"));
    let line = spec.args.join(" ");
    assert!(
        line.contains("--strict-mcp-config") && line.contains("--mcp-config /f/mcp.json"),
        "{line}"
    );
    let [(name, text)] = spec.files.as_slice() else { panic!("{:?}", spec.files) };
    assert!(name == "mcp.json" && text.contains("graph.jsonl"), "{text}");
    let none = AgentCall { mcp: ralph_core::memory::mcp::CODING_SET.into(), ..call };
    let spec = Claude.command(&none, &place()).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(spec.files.is_empty() && !spec.args.contains(&"--mcp-config".to_owned()));
    assert!(spec.args.contains(&"--strict-mcp-config".to_owned()));
}

#[test]
fn an_open_quote_is_a_problem_with_help() {
    let call = AgentCall { flags: vec!["--x 'open".into()], ..call() };
    let problem = Claude.command(&call, &place()).err();
    assert_eq!(problem, Some(CommandProblem::OpenQuote { text: "--x 'open".into() }));
}

#[test]
fn every_start_of_a_call_has_a_session_id_of_its_own() {
    let id = session_id(&call(), &place());
    assert_eq!(id, session_id(&call(), &place()));
    let parts: Vec<_> = id.split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);
    assert!(id.as_bytes()[14] == b'4' && b"89ab".contains(&id.as_bytes()[19]), "{id}");
    let later = Place { started: Timestamp(1_794_699_386_001), ..place() };
    let others = [
        session_id(&AgentCall { iteration: 4, ..call() }, &place()),
        session_id(&AgentCall { retry: 2, ..call() }, &place()),
        session_id(&call(), &later),
    ];
    assert!(!others.contains(&id));
}

#[test]
fn the_cli_retries_less_in_a_short_call() {
    let retries = [0, 60, 600, 3600].map(|seconds| super::retries(Millis::secs(seconds)));
    assert_eq!(retries, [10, 2, 5, 10]);
}

#[test]
fn the_registry_starts_this_agent() {
    let agent = find("claude").map(|agent| agent.command(&call(), &place()));
    assert!(matches!(agent, Some(Ok(spec)) if spec.program == "claude"));
}

#[test]
fn a_result_that_says_success_counts_only_if_the_process_agrees() {
    let stdout = br#"{"type":"result","subtype":"success","is_error":false,"result":"done"}"#;
    assert_eq!(ending(stdout, 0), Ending::Ok);
    assert_eq!(ending(stdout, 1), Ending::Crashed { detail: "after its turn: exit 1".into() });
    let killed = ExitFacts { signal: Some(9), ..ExitFacts::default() };
    assert_eq!(name(&report(stdout, &killed).ending), "crashed");
}

#[test]
fn an_allowance_that_comes_back_at_an_absurd_time_has_no_time() {
    for seconds in ["1", "-1794699386", "1e300", "99999999999"] {
        let stdout = format!(
            "{{\"type\":\"rate_limit_event\",\"rate_limit_info\":{{\"status\":\"rejected\",\"resetsAt\":{seconds}}}}}\n\
             {{\"type\":\"result\",\"is_error\":true,\"result\":\"You've hit your limit\"}}"
        );
        let (out, _) = events(stdout.as_bytes());
        assert!(matches!(out[0], AgentEvent::RateLimit { resets_at: None, .. }), "{seconds}");
        let ending = ending(stdout.as_bytes(), 1);
        assert!(matches!(ending, Ending::UsageLimit { resets_at: None, .. }), "{ending:?}");
    }
}

#[test]
fn names_of_absurd_length_are_cut_wherever_they_are_kept() {
    let long = "€".repeat(100_000);
    let stdout = [
        serde_json::json!({"type": "system", "subtype": "init", "session_id": long, "model": long}),
        serde_json::json!({"type": "assistant", "message": {"id": long, "content": [
            {"type": "tool_use", "id": long, "name": long, "input": {}}]}}),
        serde_json::json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": long, "content": "x"}]}}),
        serde_json::json!({"type": "system", "subtype": "api_retry", "error": long}),
        serde_json::json!({"type": "rate_limit_event", "rate_limit_info": {"status": long}}),
        serde_json::json!({"type": "result", "is_error": true, "permission_denials": [
            {"tool_name": long, "tool_use_id": "other"}]}),
    ]
    .map(|line| line.to_string())
    .join("\n");
    let (out, parser) = events(stdout.as_bytes());
    assert_eq!(out.len(), 7);
    for event in &out {
        let size = serde_json::to_string(event).unwrap_or_default().len();
        assert!(size < 4500, "{size} bytes: {event:?}");
    }
    let report = parser.finish(&exited(1, stdout.as_bytes()));
    assert!(report.session.unwrap_or_default().len() + report.model.len() < 1000);
}

#[test]
fn hooks_are_wired_by_a_settings_file_of_the_call() {
    let place = Place { ralph: "/run/ralph/ralph".into(), ..place() };
    for (kind, is_wired) in [(Kind::Implement, true), (Kind::Prompt, true), (Kind::Plan, false)] {
        let call = AgentCall { kind, agent: "claude".into(), ..AgentCall::default() };
        let spec = Claude.command(&call, &place).unwrap_or_default();
        let named = spec.args.windows(2).any(|pair| pair == ["--settings", "/f/settings.json"]);
        assert_eq!(named, is_wired, "{kind:?}");
        let file = spec.files.iter().find(|(name, _)| name == "settings.json");
        let text = file.map_or("", |(_, text)| text);
        assert_eq!(text.contains("/run/ralph/ralph hook pre-tool-use"), is_wired, "{kind:?}");
    }
}

#[test]
fn the_window_of_the_model_that_worked_is_told() {
    let init = r#"{"type":"system","subtype":"init","model":"big"}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"x",
        "modelUsage":{"small":{"contextWindow":200000},"big":{"contextWindow":1000000}}}"#
        .replace('\n', "");
    let stdout = format!("{init}\n{result}\n");
    assert_eq!(report(stdout.as_bytes(), &exited(0, stdout.as_bytes())).window, Some(1_000_000));
}
