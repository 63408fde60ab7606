//! Invented lines and the command line; what the real CLI printed is read in the test kit's `transcripts`.

use ralph_core::{
    effect::{AgentCall, Loadable},
    ending::Ending,
    time::Timestamp,
    usage::MicroUsd,
};

use super::OpenCode;
use crate::{Agent, ExitFacts, Place, StreamReport, event::AgentEvent};

const STOP: &str = r#"{"type":"step_finish","sessionID":"s","part":{"reason":"stop","tokens":{"input":10,"output":5,"reasoning":2,"cache":{"read":3,"write":1}},"cost":0.25}}"#;
const TOOLS: &str = r#"{"type":"step_finish","sessionID":"s","part":{"reason":"tool-calls","tokens":{"input":10,"output":5,"cache":{"read":3,"write":1}},"cost":0.5}}"#;
const BEGIN: &str = r#"{"type":"step_start","sessionID":"s","part":{}}"#;

fn read(lines: &[&str], code: i32) -> (Vec<AgentEvent>, StreamReport) {
    let call = AgentCall { model: "fake/model".into(), ..AgentCall::default() };
    let mut parser = OpenCode.parser(&call);
    let mut out = Vec::new();
    for line in lines {
        parser.line(line.as_bytes(), &mut out);
    }
    let exit = ExitFacts { code: Some(code), stdout_bytes: 9, ..ExitFacts::default() };
    (out, parser.finish(&exit))
}

fn ending(lines: &[&str], code: i32) -> Ending {
    read(lines, code).1.ending
}

#[test]
fn the_command_line_names_the_provider_and_the_model() {
    let call = AgentCall {
        agent: "'/opt/my tools/opencode' --pure".into(),
        model: "fake/model".into(),
        flags: vec!["--agent build".into()],
        prompt: "do it".into(),
        ..AgentCall::default()
    };
    let place =
        Place { run: "r".into(), started: Timestamp(0), folder: "/f".into(), ..Place::default() };
    let spec = OpenCode.command(&call, &place).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(spec.program, "/opt/my tools/opencode");
    assert_eq!(
        spec.args.join(" "),
        "run --format json --auto --print-logs --log-level ERROR -m fake/model --pure --agent build"
    );
    assert_eq!(spec.stdin, b"do it");
}

#[test]
fn servers_and_tools_of_the_repository_stay_out_until_it_is_trusted() {
    let place =
        Place { run: "r".into(), started: Timestamp(0), folder: "/f".into(), ..Place::default() };
    let is_shut = |files: &[&str]| {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let loadable = Loadable { root: "/p".into(), files };
        let call = AgentCall { agent: "opencode".into(), loadable, ..AgentCall::default() };
        let env = OpenCode.command(&call, &place).map(|spec| spec.env).unwrap_or_default();
        env.iter().any(|(name, _)| name == "OPENCODE_DISABLE_PROJECT_CONFIG")
    };
    assert!(is_shut(&[]));
    assert!(!is_shut(&["opencode.json"]));
}

#[test]
fn only_a_last_step_that_stops_with_exit_zero_is_finished() {
    assert_eq!(ending(&[BEGIN, TOOLS, BEGIN, STOP], 0), Ending::Ok);
    for (lines, code) in
        [(&[BEGIN, STOP, BEGIN][..], 0), (&[BEGIN, STOP], 1), (&[BEGIN, TOOLS], 0), (&[BEGIN], 0)]
    {
        let ending = ending(lines, code);
        assert!(matches!(ending, Ending::Crashed { .. }), "{lines:?} {code}: {ending:?}");
    }
    let cut = r#"{"type":"step_finish","part":{"reason":"length"}}"#;
    assert!(matches!(ending(&[cut], 0), Ending::Crashed { detail } if detail.contains("length")));
    assert_eq!(
        ending(&["plain words"], 0),
        Ending::Malformed { detail: "none of its 1 lines of output has the expected form".into() }
    );
}

#[test]
fn tokens_and_money_are_summed_over_all_steps_and_told_while_it_runs() {
    let (events, report) = read(&[BEGIN, TOOLS, BEGIN, STOP], 0);
    let usage = report.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.cache_write), (20, 12, 6, 2));
    assert_eq!(usage.cost, MicroUsd(750_000));
    let spent: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Spent { usage } => Some(usage.cost.0),
            _ => None,
        })
        .collect();
    assert_eq!(spent, [500_000, 750_000]);
    assert_eq!((report.session.as_deref(), report.model.as_str()), (Some("s"), "fake/model"));
}

#[test]
fn an_error_line_is_told_by_its_status_its_name_or_its_body_even_after_a_stop() {
    for (error, expected) in [
        (r#"{"name":"APIError","data":{"message":"no","statusCode":401}}"#, "auth_failed"),
        (r#"{"name":"APIError","data":{"message":"no","statusCode":429}}"#, "usage_limit"),
        (r#"{"name":"APIError","data":{"message":"no","statusCode":529}}"#, "overloaded"),
        (r#"{"name":"ProviderAuthError","data":{"message":"no key"}}"#, "auth_failed"),
        (r#"{"name":"ContextOverflowError","data":{"message":"big"}}"#, "context_overflow"),
        (r#"{"name":"ContentFilterError","data":{"message":"no"}}"#, "refused"),
        (
            r#"{"name":"APIError","data":{"message":"Bad Request","statusCode":400,"responseBody":"{\"code\":\"context_length_exceeded\"}"}}"#,
            "context_overflow",
        ),
        (r#"{"name":"UnknownError","data":{"message":"odd"}}"#, "crashed"),
        ("null", "crashed"),
    ] {
        let line = format!(r#"{{"type":"error","sessionID":"s","error":{error}}}"#);
        for code in [0, 1] {
            let ending = ending(&[BEGIN, STOP, &line], code);
            let value = serde_json::to_value(&ending).unwrap_or_default();
            assert_eq!(value["how"], expected, "{error}");
        }
    }
}

#[test]
fn a_command_that_failed_is_told_by_its_real_exit_code() {
    let tool = |status: &str, exit: u32| {
        format!(
            r#"{{"type":"tool_use","part":{{"tool":"bash","callID":"c","state":{{"status":"{status}","input":{{"command":"x"}},"output":"o","metadata":{{"exit":{exit}}}}}}}}}"#
        )
    };
    for (line, errors) in
        [(tool("completed", 0), 0), (tool("completed", 3), 1), (tool("error", 0), 1)]
    {
        let report = read(&[&line], 0).1;
        assert_eq!((report.tools, report.tool_errors), (1, errors), "{line}");
    }
}

#[test]
fn a_failed_request_is_told_by_its_log_alone() {
    let log = |small: bool| {
        format!(
            "timestamp=2026-11-15T07:44:22.038Z level=ERROR run=76b0223a message=\"stream error\" providerID=p \
             modelID=m session.id=s small={small} agent=build mode=primary \
             error.error=\"AI_APICallError: This request would exceed the account's rate limit.\""
        )
    };
    let mut parser = OpenCode.parser(&AgentCall::default());
    let mut out = Vec::new();
    parser.error_line(log(true).as_bytes(), &mut out);
    parser.error_line(b"level=ERROR message=process error=x", &mut out);
    assert_eq!(out, []);
    parser.error_line(log(false).as_bytes(), &mut out);
    let retry = AgentEvent::Retry { attempt: 1, of: 0, delay_ms: None, error: "rate_limit".into() };
    assert_eq!(out, [retry]);
    let waits = Some(crate::EndedBy::Waits { until: None });
    let ending = parser.finish(&ExitFacts { ended_by_us: waits, ..ExitFacts::default() }).ending;
    assert!(matches!(ending, Ending::UsageLimit { .. }), "{ending:?}");
}

#[test]
fn a_full_context_in_which_room_was_made_is_not_the_end() {
    let full = r#"{"type":"error","sessionID":"s","error":{"name":"ContextOverflowError","data":{"message":"prompt is too long"}}}"#;
    let said = r#"{"type":"text","sessionID":"s","part":{"text":"Done."}}"#;
    let room = r#"{"type":"text","sessionID":"s","part":{"text":"The conversation was compacted.","synthetic":true}}"#;
    assert_eq!(ending(&[full, BEGIN, STOP], 0), Ending::ContextOverflow);
    let (_, report) = read(&[full, BEGIN, STOP, room, BEGIN, said, STOP], 0);
    assert_eq!((report.ending, report.last_message.as_str()), (Ending::Ok, "Done."));
}
