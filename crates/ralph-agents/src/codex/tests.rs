//! What captured streams do not show: command lines, odd lines, and endings that depend on the process.

use ralph_core::{
    effect::{AgentCall, Loadable},
    ending::Ending,
    time::{Millis, Timestamp},
    usage::Usage,
    vocabulary::Kind,
};

use super::Codex;
use crate::{
    Agent, CommandSpec, EndedBy, ExitFacts, Place, StreamReport,
    event::{AgentEvent, TodoItem},
    reset::ResetHint,
    schema,
    watch::{Alarm, Watch, WatchLimits},
};

const DONE: &str = r#"{"type":"turn.completed","usage":{"input_tokens":5}}"#;

fn exited(code: i32) -> ExitFacts {
    ExitFacts { code: Some(code), stdout_bytes: 1, ..ExitFacts::default() }
}

fn read(kind: Kind, lines: &[&str], exit: &ExitFacts) -> (Vec<AgentEvent>, StreamReport) {
    let mut parser = Codex.parser(&AgentCall { kind, ..AgentCall::default() });
    let mut out = Vec::new();
    for line in lines {
        parser.line(line.as_bytes(), &mut out);
    }
    (out, parser.finish(exit))
}

fn events(lines: &[&str]) -> Vec<AgentEvent> {
    read(Kind::Prompt, lines, &exited(0)).0
}

fn report(lines: &[&str], exit: &ExitFacts) -> StreamReport {
    read(Kind::Prompt, lines, exit).1
}

fn message(text: &str) -> String {
    serde_json::json!({"type": "item.completed", "item": {"id": "m", "type": "agent_message", "text": text}})
        .to_string()
}

fn command(call: &AgentCall) -> Option<CommandSpec> {
    let place = Place {
        run: "r".into(),
        started: Timestamp(0),
        folder: "/calls/7".into(),
        scratch: "/scratch/7".into(),
        ..Place::default()
    };
    Codex.command(call, &place).ok()
}

#[test]
fn configuration_of_the_repository_is_shut_out_by_name_until_it_is_trusted() {
    for (files, level) in
        [(Vec::new(), "untrusted"), (vec![".codex/config.toml".into()], "trusted")]
    {
        let loadable = Loadable { root: "/a \"b\"/c".into(), files };
        let call = AgentCall { agent: "codex".into(), loadable, ..AgentCall::default() };
        let args = command(&call).map(|spec| spec.args.join(" ")).unwrap_or_default();
        let expected = format!(r#"-c projects={{"/a \"b\"/c"={{trust_level="{level}"}}}} "#);
        assert!(args.contains(&expected), "{args}");
    }
}

#[test]
fn the_prompt_goes_in_by_standard_input_and_the_dash_comes_last() {
    let call = AgentCall {
        kind: Kind::Prompt,
        agent: "'/opt/my agents/codex' -p night".into(),
        flags: vec!["-c model_reasoning_effort=high".into()],
        model: "gpt-x".into(),
        prompt: "do it".into(),
        ..AgentCall::default()
    };
    let args = [
        "exec",
        "--json",
        "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check",
        "-m",
        "gpt-x",
        "-p",
        "night",
        "-c",
        "model_reasoning_effort=high",
        "-",
    ];
    assert_eq!(
        command(&call),
        Some(CommandSpec {
            program: "/opt/my agents/codex".into(),
            args: args.map(str::to_owned).into(),
            env: Vec::new(),
            stdin: b"do it".to_vec(),
            files: Vec::new(),
            home: Vec::new(),
        })
    );
}

#[test]
fn a_call_that_hands_over_gets_its_schema_as_a_file_in_the_strict_form() {
    for kind in [Kind::Implement, Kind::Fix, Kind::Review] {
        let call = AgentCall { kind, agent: "codex".into(), ..AgentCall::default() };
        let spec = command(&call);
        let args = spec.as_ref().map(|spec| spec.args.join(" ")).unwrap_or_default();
        assert!(args.ends_with("--output-schema /calls/7/schema.json -"), "{args}");
        let file = ("schema.json".to_owned(), schema::strict(schema::of(kind)));
        assert_eq!(spec.map(|spec| spec.files), Some(vec![file]));
    }
}

#[test]
fn the_servers_of_a_call_are_named_on_its_command_line_in_the_words_of_its_configuration() {
    let given = |kind: Kind, mcp: &str| {
        let call =
            AgentCall { kind, agent: "codex".into(), mcp: mcp.into(), ..AgentCall::default() };
        let args = command(&call).map(|spec| spec.args).unwrap_or_default();
        let option = args.into_iter().find(|arg| arg.starts_with("mcp_servers="));
        option.and_then(|option| option.parse::<toml::Table>().ok()).unwrap_or_default()
    };
    let set = given(Kind::Compact, ralph_core::memory::mcp::MEMORY_SET);
    let memory = &set["mcp_servers"]["memory"];
    assert_eq!(memory["env"]["MEMORY_FILE_PATH"].as_str(), Some("/scratch/7/graph.jsonl"));
    assert_eq!(memory["required"].as_bool(), Some(false), "it is fetched first");
    let here = given(Kind::Compact, r#"{"mcpServers": {"memory": {"command": "memory-server"}}}"#);
    let here = &here["mcp_servers"]["memory"];
    assert_eq!(here["required"].as_bool(), Some(true), "a compaction waits for it");
    assert_eq!(memory["env_vars"][0].as_str(), Some("HTTPS_PROXY"));
    assert_eq!(set["mcp_servers"]["context7"]["command"].as_str(), Some("npx"));
    let far =
        r#"{"mcpServers": {"far \"1\"": {"url": "https://x.example", "headers": {"A": "b"}}}}"#;
    let set = given(Kind::Fix, far);
    let far = &set["mcp_servers"]["far \"1\""];
    assert_eq!(far["http_headers"]["A"].as_str(), Some("b"));
    assert!(far["required"].as_bool() == Some(false) && far.get("env_vars").is_none());
    for nothing in ["", "{}", r#"{"mcpServers": []}"#] {
        assert!(given(Kind::Fix, nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn hooks_are_a_file_of_its_own_home_and_need_no_dialogue() {
    let place = Place { ralph: "/run/ralph/ralph".into(), ..Place::default() };
    for (kind, is_wired) in [(Kind::Fix, true), (Kind::Compact, false)] {
        let call = AgentCall { kind, agent: "codex".into(), ..AgentCall::default() };
        let spec = Codex.command(&call, &place).unwrap_or_default();
        let is_trusted = spec.args.iter().any(|arg| arg == "--dangerously-bypass-hook-trust");
        let names: Vec<_> = spec.home.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((is_trusted, names == ["hooks.json"]), (is_wired, is_wired), "{kind:?}");
    }
}

#[test]
fn a_refused_login_is_seen_at_the_first_notice() {
    let line = r#"{"message":"Reconnecting... 1/2 (unexpected status 401 Unauthorized: invalid x-api-key)","type":"error"}"#;
    let notices = events(&[line]);
    let retry = AgentEvent::Retry {
        attempt: 1,
        of: 2,
        delay_ms: None,
        error: "authentication_failed".into(),
    };
    assert_eq!(notices, [retry]);
    let mut watch = Watch::new(WatchLimits::default(), Timestamp(0));
    assert_eq!(watch.on_event(&notices[0], Timestamp(1)), Some(EndedBy::AuthFailed));
    let exit = ExitFacts { signal: Some(15), ended_by_us: Some(EndedBy::AuthFailed), ..exited(0) };
    let ending = report(&[line], &exit).ending;
    assert!(
        matches!(&ending, Ending::AuthFailed { detail } if detail.contains("401")),
        "{ending:?}"
    );
}

#[test]
fn silence_after_one_notice_of_a_used_up_allowance_is_a_usage_limit() {
    let line = r#"{"type":"error","message":"Reconnecting... 1/2 (exceeded retry limit, last status: 429 Too Many Requests)"}"#;
    let limits = WatchLimits { idle: Millis::secs(60), ..WatchLimits::default() };
    let mut watch = Watch::new(limits, Timestamp(0));
    for event in events(&[line]) {
        assert_eq!(watch.on_event(&event, Timestamp(1000)), None);
    }
    let Some(Alarm::End(by)) = watch.on_time(Timestamp(61_000)) else {
        panic!("nobody ends it");
    };
    assert_eq!(by, EndedBy::Waits { until: None });
    let exit = ExitFacts { signal: Some(15), ended_by_us: Some(by), ..ExitFacts::default() };
    let ending = report(&[line], &exit).ending;
    assert!(matches!(ending, Ending::UsageLimit { resets_at: None, .. }), "{ending:?}");
}

#[test]
fn a_plan_that_is_used_up_says_when_it_comes_back() {
    let line = r#"{"type":"turn.failed","error":{"message":"You've hit your usage limit. Visit the settings or try again at 3:28 PM."}}"#;
    let report = report(&[line], &exited(1));
    assert!(matches!(report.ending, Ending::UsageLimit { .. }), "{:?}", report.ending);
    let hint = ResetHint::Clock { date: None, hour: 15, minute: 28, zone: None };
    assert_eq!(report.reset_hint, Some(hint));
}

#[test]
fn error_items_are_remarks_and_never_fail_a_turn() {
    let warning = r#"{"type":"item.completed","item":{"id":"item_0","type":"error","message":"401 usage limit overloaded"}}"#;
    let (events, report) = read(Kind::Prompt, &[warning, &message("hi"), DONE], &exited(0));
    assert_eq!(report.ending, Ending::Ok);
    assert!(matches!(&events[0], AgentEvent::Progress { text } if text.contains("401")));
    let cut = self::report(&[warning], &exited(1)).ending;
    assert!(matches!(cut, Ending::Crashed { .. }), "{cut:?}");
}

#[test]
fn only_a_completed_turn_and_a_clean_exit_are_a_success() {
    let said = message("hi");
    for (lines, exit, expected) in [
        (vec![said.as_str(), DONE], exited(0), "ok"),
        (vec![&said, DONE], exited(1), "crashed"),
        (vec![&said, DONE], ExitFacts { signal: Some(9), ..ExitFacts::default() }, "crashed"),
        (
            vec![&said, DONE],
            ExitFacts {
                signal: Some(15),
                ended_by_us: Some(EndedBy::LogicalEnd),
                ..ExitFacts::default()
            },
            "ok",
        ),
        (
            vec![&said, DONE],
            ExitFacts { ended_by_us: Some(EndedBy::TimedOut), ..exited(0) },
            "timed_out",
        ),
        (vec![&said], exited(0), "crashed"),
        (vec![], ExitFacts { code: Some(0), ..ExitFacts::default() }, "empty"),
        (vec!["what is this"], exited(0), "malformed"),
    ] {
        let ending = serde_json::to_value(report(&lines, &exit).ending).unwrap_or_default();
        assert_eq!(ending["how"], expected, "{lines:?} {exit:?}");
    }
}

#[test]
fn the_last_message_is_the_handoff_where_one_was_asked_for() {
    let json = r#"{"task_completed":{"task_id":"T-1","summary":"did it","fully_complete":true},"question":null,"patterns":null}"#;
    let of = |kind, text: &str| read(kind, &[&message(text), DONE], &exited(0)).1;
    let handoff = of(Kind::Implement, json).handoff.unwrap_or_default();
    assert_eq!(handoff.task_completed.summary, "did it");
    assert_eq!((handoff.question, handoff.rest.len()), (None, 0));
    assert_eq!(of(Kind::Prompt, json).handoff, None, "nothing was asked for");

    let block = format!("All done.\n```ralph-handoff\n{json}\n```");
    let handoff = of(Kind::Implement, &block).handoff.unwrap_or_default();
    assert_eq!(handoff.task_completed.task_id, "T-1");
    let prose = of(Kind::Implement, "All done.");
    assert_eq!((prose.ending, prose.handoff), (Ending::Ok, None));
}

#[test]
fn tool_calls_are_told_once_each_whatever_order_their_ends_come_in() {
    let started = |id: &str| {
        format!(
            r#"{{"type":"item.started","item":{{"id":"{id}","type":"command_execution","command":"make {id}","status":"in_progress"}}}}"#
        )
    };
    let ended = |id: &str, code: i32, status: &str| {
        format!(
            r#"{{"item":{{"status":"{status}","exit_code":{code},"aggregated_output":"x\ny\n","command":"make {id}","type":"command_execution","id":"{id}"}},"type":"item.completed"}}"#
        )
    };
    let search =
        r#"{"type":"item.completed","item":{"id":"w","type":"web_search","query":"rust"}}"#;
    let mcp = r#"{"type":"item.completed","item":{"id":"t","type":"mcp_tool_call","server":"docs","tool":"find","arguments":{"query":"q"},"error":{"message":"gone"},"status":"failed"}}"#;
    let lines = [
        started("a"),
        started("b"),
        ended("a", 0, "completed"),
        ended("b", -1, "declined"),
        search.to_owned(),
        mcp.to_owned(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (events, report) = read(Kind::Prompt, &lines, &exited(0));
    assert_eq!((report.tools, report.tool_errors, report.denials), (4, 2, 1));
    let starts: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolStart { name, input, .. } => Some((name.as_str(), input.as_str())),
            _ => None,
        })
        .collect();
    let expected =
        [("shell", "make a"), ("shell", "make b"), ("web_search", "rust"), ("docs.find", "q")];
    assert_eq!(starts, expected);
}

#[test]
fn the_own_list_is_told_whenever_it_changes() {
    let line = |kind: &str, done: bool| {
        format!(
            r#"{{"type":"item.{kind}","item":{{"id":"p","type":"todo_list","items":[{{"text":"one","completed":{done}}}]}}}}"#
        )
    };
    let lines = [line("started", false), line("updated", true), line("completed", true)];
    let told = events(&lines.each_ref().map(String::as_str));
    let item = |status: &str| TodoItem { text: "one".into(), status: status.into() };
    let todo = |status: &str| AgentEvent::Todo { items: vec![item(status)] };
    assert_eq!(told, [todo("pending"), todo("completed"), todo("completed")]);
}

#[test]
fn cached_tokens_are_not_counted_twice() {
    let line = r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":60,"cache_write_input_tokens":10,"output_tokens":7,"reasoning_output_tokens":3}}"#;
    let usage = Usage { input: 30, cache_read: 60, cache_write: 10, output: 7, ..Usage::default() };
    assert_eq!(report(&[line], &exited(0)).usage, usage);
}

#[test]
fn odd_values_lose_only_themselves() {
    let lines = [
        r#"{"type":"item.completed","item":{"id":7,"type":"agent_message","text":["no"]}}"#,
        r#"{"type":"item.completed","item":"none"}"#,
        r#"{"type":"item.completed","item":{"id":"x","type":"new_kind","text":"?"}}"#,
        r#"{"type":"something.new","message":"?"}"#,
        r#"{"type":"error","message":{"text":"?"}}"#,
        r#"{"type":"error","message":"Reconnecting... soon"}"#,
        "not json",
        "",
        r#"{"type":"turn.completed","usage":"plenty"}"#,
    ];
    let report = report(&lines, &exited(0));
    assert_eq!((report.ending, report.usage), (Ending::Ok, Usage::default()));
    assert_eq!((report.understood, report.unreadable), (5, 1));
}

#[test]
fn a_list_is_no_end_of_a_turn() {
    let mut parser = Codex.parser(&AgentCall::default());
    let mut out = Vec::new();
    parser.line(br#"["turn.completed"]"#, &mut out);
    let exit = ExitFacts { code: Some(0), stdout_bytes: 18, ..ExitFacts::default() };
    let report = parser.finish(&exit);
    assert!(out.is_empty() && report.unreadable == 1);
    assert_ne!(report.ending, Ending::Ok);
}
