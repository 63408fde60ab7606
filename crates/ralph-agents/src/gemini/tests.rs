//! What captured streams do not show: command lines, odd lines, and endings that depend on the process.

use ralph_core::{
    effect::{AgentCall, Loadable},
    ending::Ending,
    time::{Millis, Timestamp},
    usage::Usage,
};

use super::Gemini;
use crate::{
    Agent, CommandSpec, EndedBy, ExitFacts, Place, StreamReport, event::AgentEvent,
    reset::ResetHint,
};

const SAID: &str = r#"{"type":"message","role":"assistant","content":"Hello","delta":true}"#;
const DONE: &str = r#"{"type":"result","status":"success","stats":{}}"#;

fn exited(code: i32) -> ExitFacts {
    ExitFacts { code: Some(code), stdout_bytes: 1, ..ExitFacts::default() }
}

fn read(lines: &[&str], exit: &ExitFacts) -> (Vec<AgentEvent>, StreamReport) {
    let mut parser = Gemini.parser(&AgentCall::default());
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

fn heard(stderr: &[&str]) -> Vec<AgentEvent> {
    let mut parser = Gemini.parser(&AgentCall::default());
    let mut out = Vec::new();
    for line in stderr {
        parser.error_line(line.as_bytes(), &mut out);
    }
    out
}

fn retry(attempt: u32, delay_ms: Option<u64>, error: &str) -> AgentEvent {
    AgentEvent::Retry { attempt, of: 0, delay_ms, error: error.into() }
}

#[test]
fn the_repository_is_not_trusted_and_the_process_is_the_one_that_works() {
    let call = AgentCall {
        agent: "gemini --sandbox".into(),
        flags: vec!["--include-directories '/a b'".into()],
        model: "gemini-x".into(),
        prompt: "do it".into(),
        ..AgentCall::default()
    };
    let args = [
        "-o",
        "stream-json",
        "--approval-mode",
        "yolo",
        "--skip-trust",
        "-m",
        "gemini-x",
        "--sandbox",
        "--include-directories",
        "/a b",
    ];
    let place =
        Place { run: "r".into(), started: Timestamp(0), folder: String::new(), ..Place::default() };
    assert_eq!(
        Gemini.command(&call, &place),
        Ok(CommandSpec {
            program: "gemini".into(),
            args: args.map(str::to_owned).into(),
            env: vec![("GEMINI_CLI_NO_RELAUNCH".into(), "true".into())],
            stdin: b"do it".to_vec(),
            files: Vec::new(),
            home: Vec::new(),
        })
    );
}

#[test]
fn the_repository_is_trusted_once_the_user_says_so() {
    let loadable = Loadable { root: "/p".into(), files: vec![".gemini/settings.json".into()] };
    let call = AgentCall { agent: "gemini".into(), loadable, ..AgentCall::default() };
    let place = Place { run: "r".into(), started: Timestamp(0), ..Place::default() };
    let env = Gemini.command(&call, &place).map(|spec| spec.env).unwrap_or_default();
    assert!(env.contains(&("GEMINI_CLI_TRUST_WORKSPACE".into(), "true".into())), "{env:?}");
}

#[test]
fn retries_are_heard_on_the_error_output_over_one_line_or_more() {
    let noise = "YOLO mode is enabled. All tool calls will be automatically approved.";
    let stack = "    at async retryWithBackoff (bundle.js:1:2)";
    assert_eq!(
        heard(&[
            noise,
            "Attempt 1 failed: You exceed your rate limit.",
            "Wait 1s.. Retrying after 5303ms..."
        ]),
        [retry(1, Some(5303), "rate_limit")]
    );
    let one = "Attempt 2 failed: exhausted your capacity. Your quota will reset after 2s.. Retrying after 2500ms...";
    assert_eq!(heard(&[one]), [retry(2, Some(2500), "rate_limit")]);
    let status = r#"Attempt 3 failed with status 529. Retrying with backoff... _ApiError: {"error":{"code":529}}"#;
    assert_eq!(heard(&[status, stack, "  status: 529"]), [retry(3, None, "overloaded")]);
    assert_eq!(
        heard(&["Retrying after 100ms...", "Attempt one failed. Retrying after 1ms", stack]),
        []
    );
    assert_eq!(heard(&["Attempt 1 failed: x", "Retrying after soonms", "\u{fffd}"]), []);
}

#[test]
fn a_notice_that_never_ends_is_given_up() {
    let mut lines = vec!["Attempt 1 failed: rate limit"];
    lines.extend([""; 40]);
    lines.push("Retrying after 5ms...");
    assert_eq!(heard(&lines), []);
}

#[test]
fn pieces_are_one_message_and_the_prompt_is_nobodys_words() {
    let lines = [
        r#"{"type":"message","role":"user","content":"Say <promise>COMPLETE</promise>"}"#,
        SAID,
        r#"{"delta":true,"content":" world","role":"assistant","type":"message"}"#,
        r#"{"type":"tool_use","tool_name":"t","tool_id":"t__1","parameters":{"command":"x"}}"#,
        r#"{"type":"tool_result","tool_id":"t__1","status":"success","output":"y"}"#,
        r#"{"type":"message","role":"assistant","content":"Bye","delta":true}"#,
        DONE,
    ];
    let (events, report) = read(&lines, &exited(0));
    let texts: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["Hello world", "Bye"]);
    assert_eq!(report.last_message, "Bye");
    assert!(matches!(events.last(), Some(AgentEvent::Result { turns: 2, .. })));
}

#[test]
fn a_message_cut_off_is_kept_as_far_as_it_came() {
    let report = read(&[SAID], &exited(1)).1;
    assert_eq!(report.last_message, "Hello");
    assert!(matches!(report.ending, Ending::Crashed { .. }));
}

#[test]
fn only_a_successful_result_and_a_clean_exit_are_a_success() {
    let ended = |by| ExitFacts { signal: Some(15), ended_by_us: Some(by), ..ExitFacts::default() };
    for (lines, exit, expected) in [
        (vec![SAID, DONE], exited(0), "ok"),
        (vec![SAID, DONE], exited(1), "crashed"),
        (vec![SAID, DONE], ended(EndedBy::LogicalEnd), "ok"),
        (vec![SAID, DONE], ended(EndedBy::Stalled), "stalled"),
        (vec![SAID], exited(0), "crashed"),
        (vec![SAID, r#"{"type":"result"}"#], exited(0), "crashed"),
        (vec![], ExitFacts { code: Some(0), ..ExitFacts::default() }, "empty"),
        (vec!["oops"], exited(0), "malformed"),
    ] {
        assert_eq!(ending(&lines, &exit), expected, "{lines:?} {exit:?}");
    }
}

#[test]
fn exit_codes_tell_what_words_do_not() {
    let unclear = r#"{"type":"result","status":"error","error":{"type":"unknown","message":"no"}}"#;
    for (code, expected) in [
        (41, "auth_failed"),
        (145, "auth_failed"),
        (147, "auth_failed"),
        (173, "usage_limit"),
        (17, "overloaded"),
        (244, "overloaded"),
        (247, "overloaded"),
        (53, "max_turns"),
        (42, "not_found"),
        (52, "not_found"),
        (55, "not_found"),
        (144, "crashed"),
        (1, "crashed"),
    ] {
        assert_eq!(ending(&[unclear], &exited(code)), expected, "{code}");
        assert_eq!(ending(&[SAID], &exited(code)), expected, "{code} without a result");
    }
}

#[test]
fn words_of_an_error_go_before_its_exit_code() {
    let line = r#"{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: You have exhausted your capacity on this model. Your quota will reset after 2h0m5s.]"}}"#;
    let report = read(&[line], &exited(1)).1;
    assert!(matches!(report.ending, Ending::UsageLimit { .. }), "{:?}", report.ending);
    assert_eq!(report.reset_hint, Some(ResetHint::After { length: Millis::secs(7205) }));
    let key = r#"{"type":"result","status":"error","error":{"message":"[API Error: {\"error\":{\"code\":400,\"message\":\"API key not valid.\"}}]"}}"#;
    assert_eq!(ending(&[key], &exited(144)), "auth_failed");
}

#[test]
fn thoughts_are_paid_for_and_cached_tokens_are_not_counted_twice() {
    let line = r#"{"type":"result","status":"success","stats":{"total_tokens":1100,"input_tokens":1000,"output_tokens":40,"cached":300,"input":700}}"#;
    let usage = Usage { input: 700, cache_read: 300, output: 100, ..Usage::default() };
    assert_eq!(read(&[line], &exited(0)).1.usage, usage);
}

#[test]
fn a_call_that_policy_forbids_is_a_denial_and_an_error() {
    let line = r#"{"type":"tool_result","tool_id":"run_shell_command__7","status":"error","error":{"type":"policy_violation","message":"denied by policy"}}"#;
    let (events, report) = read(&[line], &exited(0));
    assert_eq!((report.tool_errors, report.denials), (1, 1));
    let denied =
        AgentEvent::Denied { tool: "run_shell_command".into(), why: "denied by policy".into() };
    assert_eq!(events.last(), Some(&denied));
}

#[test]
fn odd_values_lose_only_themselves() {
    let lines = [
        r#"{"type":"init","session_id":7,"model":["m"]}"#,
        r#"{"type":"message","role":"assistant","content":{"text":"?"},"delta":"yes"}"#,
        r#"{"type":"tool_use","tool_name":null,"tool_id":3,"parameters":"?"}"#,
        r#"{"type":"tool_result","tool_id":3,"status":1,"output":[1],"error":"?"}"#,
        r#"{"type":"error","severity":"warning","message":"Loop detected"}"#,
        r#"{"type":"news"}"#,
        "not json",
        r#"{"stats":"none","status":"success","type":"result"}"#,
    ];
    let report = read(&lines, &exited(0)).1;
    assert_eq!((report.ending, report.session), (Ending::Ok, None));
    assert_eq!((report.understood, report.unreadable), (6, 1));
}
