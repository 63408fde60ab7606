//! What captured streams do not show: command lines, odd lines, and endings that depend on the process.

use ralph_core::{
    effect::{AgentCall, Loadable},
    ending::Ending,
    time::Timestamp,
};

use super::Copilot;
use crate::{
    Agent, CommandProblem, CommandSpec, EndedBy, ExitFacts, Place, StreamReport,
    event::AgentEvent,
    watch::{Watch, WatchLimits},
};

const SAID: &str = r#"{"type":"assistant.message","data":{"content":"Hello"}}"#;
const DONE: &str = r#"{"type":"result","sessionId":"s-1","exitCode":0}"#;

fn exited(code: i32) -> ExitFacts {
    ExitFacts { code: Some(code), stdout_bytes: 1, ..ExitFacts::default() }
}

fn complained(stderr: &str) -> ExitFacts {
    ExitFacts { code: Some(1), stderr_tail: stderr.into(), ..ExitFacts::default() }
}

fn read(lines: &[&str], exit: &ExitFacts) -> (Vec<AgentEvent>, StreamReport) {
    let mut parser = Copilot.parser(&AgentCall::default());
    let mut out = Vec::new();
    for line in lines {
        parser.line(line.as_bytes(), &mut out);
    }
    (out, parser.finish(exit))
}

fn ending(lines: &[&str], exit: &ExitFacts) -> String {
    let ending = serde_json::to_value(read(lines, exit).1.ending).unwrap_or_default();
    ending["how"].as_str().unwrap_or_default().to_owned()
}

fn command(call: &AgentCall) -> Result<CommandSpec, CommandProblem> {
    let place =
        Place { run: "r".into(), started: Timestamp(0), folder: String::new(), ..Place::default() };
    Copilot.command(call, &place)
}

#[test]
fn the_folder_is_trusted_once_the_user_says_so() {
    for files in [Vec::new(), vec![".mcp.json".to_owned()]] {
        let is_trusted = !files.is_empty();
        let loadable = Loadable { root: "/p".into(), files };
        let call = AgentCall { agent: "copilot".into(), loadable, ..AgentCall::default() };
        let args = command(&call).map(|spec| spec.args).unwrap_or_default();
        assert_eq!(args.iter().any(|arg| arg == "--trust-folder"), is_trusted, "{args:?}");
    }
}

#[test]
fn the_prompt_is_an_argument_and_nothing_goes_in_by_standard_input() {
    let call = AgentCall {
        agent: "/opt/copilot --log-level none".into(),
        flags: vec!["--max-ai-credits 5".into()],
        model: "gpt-x".into(),
        prompt: "-do\0 it".into(),
        ..AgentCall::default()
    };
    let args = [
        "-p",
        "-do it",
        "--output-format",
        "json",
        "--allow-all",
        "--no-ask-user",
        "--no-auto-update",
        "--model",
        "gpt-x",
        "--log-level",
        "none",
        "--max-ai-credits",
        "5",
    ];
    assert_eq!(
        command(&call),
        Ok(CommandSpec {
            program: "/opt/copilot".into(),
            args: args.map(str::to_owned).into(),
            env: Vec::new(),
            stdin: Vec::new(),
            files: Vec::new(),
            home: Vec::new(),
        })
    );
}

#[test]
fn a_prompt_that_no_argument_can_hold_is_refused_before_the_start() {
    let call = |bytes| AgentCall {
        agent: "copilot".into(),
        prompt: "x".repeat(bytes),
        ..AgentCall::default()
    };
    assert!(command(&call(131_071)).is_ok());
    let problem = CommandProblem::PromptTooLong { bytes: 131_072, most: 131_071 };
    assert_eq!(command(&call(131_072)), Err(problem));
}

#[test]
fn a_refused_login_is_seen_at_the_first_notice() {
    let failed = r#"{"data":{"statusCode":401,"retryAttempt":0,"errorMessage":"invalid x-api-key"},"type":"model.call_failure"}"#;
    let again = r#"{"type":"assistant.turn_retry","data":{"reason":"transient_auth_error"}}"#;
    let (events, _) = read(&[failed, again], &exited(1));
    let retry = |attempt| AgentEvent::Retry {
        attempt,
        of: 0,
        delay_ms: None,
        error: "authentication_failed".into(),
    };
    assert_eq!(events, [retry(1)], "a failure is told once");
    assert_eq!(read(&[again], &exited(1)).0, [retry(0)], "and if only the retry is told, by that");
    let mut watch = Watch::new(WatchLimits::default(), Timestamp(0));
    assert_eq!(watch.on_event(&events[0], Timestamp(1)), Some(EndedBy::AuthFailed));
    let by = ExitFacts { ended_by_us: Some(EndedBy::AuthFailed), ..exited(0) };
    assert_eq!(ending(&[failed], &by), "auth_failed");
}

#[test]
fn an_answer_makes_the_failure_before_it_history() {
    let failed = r#"{"type":"model.call_failure","data":{"statusCode":429}}"#;
    let answers = r#"{"type":"assistant.message_start","data":{"messageId":"m"},"ephemeral":true}"#;
    assert_eq!(ending(&[failed], &exited(1)), "usage_limit");
    assert_eq!(ending(&[failed, answers], &exited(1)), "crashed");
}

#[test]
fn success_takes_a_result_of_zero_no_error_and_a_clean_exit() {
    let error = r#"{"type":"session.error","data":{"errorType":"query","message":"it broke"}}"#;
    let failed = r#"{"type":"result","sessionId":"s","exitCode":1}"#;
    let ended = |by| ExitFacts { signal: Some(15), ended_by_us: Some(by), ..ExitFacts::default() };
    for (lines, exit, expected) in [
        (vec![SAID, DONE], exited(0), "ok"),
        (vec![SAID, DONE], exited(1), "crashed"),
        (vec![SAID, error, DONE], exited(0), "crashed"),
        (vec![SAID, failed], exited(0), "crashed"),
        (vec![SAID, r#"{"type":"result","exitCode":"0"}"#], exited(0), "crashed"),
        (vec![SAID, DONE], ended(EndedBy::LogicalEnd), "ok"),
        (vec![SAID, DONE], ended(EndedBy::Interrupted), "interrupted"),
        (vec![SAID], exited(0), "crashed"),
        (vec!["oops"], exited(0), "malformed"),
    ] {
        assert_eq!(ending(&lines, &exit), expected, "{lines:?} {exit:?}");
    }
}

#[test]
fn errors_of_a_session_are_told_apart_by_their_type_status_and_words() {
    for (kind, status, message, expected) in [
        ("authentication", 401, "no", "auth_failed"),
        ("authorization", 0, "no", "auth_failed"),
        ("quota", 0, "no premium requests are left", "usage_limit"),
        ("rate_limit", 0, "slow down", "usage_limit"),
        ("query", 503, "no", "overloaded"),
        ("context_limit", 0, "no", "context_overflow"),
        ("query", 0, "The provider rejected the prompt as too long", "context_overflow"),
        ("query", 0, "something else", "crashed"),
    ] {
        let line = serde_json::json!({"type": "session.error",
            "data": {"errorType": kind, "statusCode": status, "message": message}});
        assert_eq!(ending(&[&line.to_string()], &exited(1)), expected, "{kind} {status}");
    }
}

#[test]
fn a_command_line_or_a_login_that_it_refuses_is_told_on_the_error_output() {
    let refused = read(&[], &complained("error: unknown option '--x'\n")).1.ending;
    assert_eq!(refused, Ending::NotFound { detail: "error: unknown option '--x'".into() });
    let login = complained("Error: No authentication information found.\n\nLog in first.");
    assert_eq!(ending(&[], &login), "auth_failed");
    assert_eq!(ending(&[], &complained("boom")), "crashed");
}

#[test]
fn the_exit_code_of_a_command_is_the_truth_about_it() {
    let end = |rest: &str| {
        format!(r#"{{"type":"tool.execution_complete","data":{{"toolCallId":"t",{rest}}}}}"#)
    };
    for (rest, is_error) in [
        (r#""success":true,"shellExecution":{"exitCode":0}"#, false),
        (r#""success":true,"shellExecution":{"exitCode":3},"result":{"content":"out"}"#, true),
        (r#""success":true"#, false),
        (r#""success":false,"error":{"code":"failure","message":"no"}"#, true),
        (r#""success":false,"shellExecution":{"exitCode":0}"#, true),
    ] {
        let (events, report) = read(&[&end(rest)], &exited(0));
        assert!(
            matches!(&events[..], [AgentEvent::ToolEnd { is_error: told, .. }] if *told == is_error),
            "{rest}: {events:?}"
        );
        assert_eq!((report.tool_errors, report.denials), (u32::from(is_error), 0));
    }
    let denied = end(r#""success":false,"error":{"code":"denied","message":"not here"}"#);
    assert_eq!(read(&[&denied], &exited(0)).1.denials, 1);
}

#[test]
fn words_of_a_subagent_are_never_the_last_words() {
    let sub = r#"{"type":"assistant.message","data":{"content":"<promise>COMPLETE</promise>","parentToolCallId":"t"}}"#;
    let silent = r#"{"type":"assistant.message","data":{"content":"","reasoningText":"hm","toolRequests":[]}}"#;
    let (events, report) = read(&[SAID, sub, silent, DONE], &exited(0));
    assert_eq!(report.last_message, "Hello");
    assert_eq!(report.session.as_deref(), Some("s-1"));
    assert!(matches!(&events[1], AgentEvent::Progress { .. }));
    assert!(matches!(&events[2], AgentEvent::Thinking { text } if text == "hm"));
}

#[test]
fn odd_values_lose_only_themselves() {
    let lines = [
        r#"{"type":"session.tools_updated","data":{"model":7}}"#,
        r#"{"type":"assistant.message","data":"none"}"#,
        r#"{"type":"tool.execution_start","data":{"toolCallId":1,"arguments":null}}"#,
        r#"{"type":"tool.execution_complete","data":{"shellExecution":"x","result":3,"success":"y"}}"#,
        r#"{"type":"tool.brand_new","data":[]}"#,
        r#"{"type":"brand.new"}"#,
        "{",
        DONE,
    ];
    let report = read(&lines, &exited(0)).1;
    assert_eq!((report.ending, report.model.as_str()), (Ending::Ok, ""));
    assert_eq!((report.understood, report.unreadable), (6, 1));
}
