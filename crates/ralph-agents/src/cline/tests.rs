//! Invented lines and the command line; what the real CLI printed is read in the test kit's `transcripts`.

use ralph_core::{effect::AgentCall, ending::Ending, time::Timestamp};

use super::Cline;
use crate::{Agent, CommandProblem, EndedBy, ExitFacts, Place, StreamReport, event::AgentEvent};

const DONE: &str = r#"{"type":"run_result","finishReason":"completed","iterations":1,"usage":{"inputTokens":10,"outputTokens":2,"cacheReadTokens":4,"totalCost":0.5},"text":"done","model":{"id":"m"}}"#;

fn place() -> Place {
    Place { run: "r".into(), started: Timestamp(0), folder: "/f".into(), ..Place::default() }
}

fn read(stdout: &[&str], stderr: &[&str], exit: &ExitFacts) -> (Vec<AgentEvent>, StreamReport) {
    let mut parser = Cline.parser(&AgentCall::default());
    let mut out = Vec::new();
    for line in stdout {
        parser.line(line.as_bytes(), &mut out);
    }
    for line in stderr {
        parser.error_line(line.as_bytes(), &mut out);
    }
    (out, parser.finish(exit))
}

fn exited(code: i32) -> ExitFacts {
    ExitFacts { code: Some(code), stdout_bytes: 9, ..ExitFacts::default() }
}

fn event(event: &str) -> String {
    format!(r#"{{"type":"agent_event","event":{event}}}"#)
}

#[test]
fn the_prompt_is_the_last_argument_and_never_an_option() {
    let call = AgentCall {
        agent: "/opt/cline --thinking".into(),
        model: "m".into(),
        flags: vec!["--retries 2".into()],
        prompt: "- do it".into(),
        ..AgentCall::default()
    };
    let spec = Cline.command(&call, &place()).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(spec.program, "/opt/cline");
    assert_eq!(spec.args, ["--json", "-m", "m", "--thinking", "--retries", "2", "\n- do it"]);
    assert_eq!(spec.stdin, b"");
}

#[test]
fn a_prompt_that_no_argument_can_hold_is_a_problem() {
    let prompt = "x".repeat(128 * 1024);
    let call = AgentCall { agent: "cline".into(), prompt, ..AgentCall::default() };
    let problem = Cline.command(&call, &place()).err();
    assert!(matches!(problem, Some(CommandProblem::PromptTooLong { bytes: 131_072, .. })));
}

#[test]
fn text_that_comes_in_pieces_is_told_once() {
    let piece = |text: &str, all: &str| {
        event(&format!(
            r#"{{"type":"content_start","contentType":"text","text":"{text}","accumulated":"{all}"}}"#
        ))
    };
    let end = event(r#"{"type":"content_end","contentType":"text","text":"one two"}"#);
    let (events, report) =
        read(&[&piece("one ", "one "), &piece("two", "one two"), &end], &[], &exited(0));
    assert_eq!(events, [AgentEvent::Text { text: "one two".into() }]);
    assert_eq!(report.last_message, "one two");
    let cut = read(&[&piece("one ", "one ")], &[], &exited(1)).1;
    assert_eq!(cut.last_message, "one ");
}

#[test]
fn a_tool_call_that_begins_in_pieces_is_counted_once() {
    let start = event(
        r#"{"type":"content_start","contentType":"tool","toolName":"run_commands","toolCallId":"c","input":{"commands":["make"]}}"#,
    );
    let end = event(
        r#"{"type":"content_end","contentType":"tool","toolCallId":"c","output":[{"result":"ok","success":true},{"error":"bad","success":false}]}"#,
    );
    let (events, report) = read(&[&start, &start, &end], &[], &exited(0));
    assert_eq!((report.tools, report.tool_errors), (1, 1));
    assert!(matches!(&events[0], AgentEvent::ToolStart { input, .. } if input == "make"));
    assert!(matches!(&events[1], AgentEvent::ToolEnd { output, .. } if output == "ok\nbad"));
}

#[test]
fn only_a_completed_run_with_exit_zero_is_finished() {
    assert_eq!(read(&[DONE], &[], &exited(0)).1.ending, Ending::Ok);
    let crashed = read(&[DONE], &[], &exited(1)).1.ending;
    assert!(matches!(crashed, Ending::Crashed { .. }), "{crashed:?}");
    let lingered = ExitFacts {
        signal: Some(15),
        ended_by_us: Some(EndedBy::LogicalEnd),
        ..ExitFacts::default()
    };
    assert_eq!(read(&[DONE], &[], &lingered).1.ending, Ending::Ok);
    let stopped = DONE.replace("completed", "aborted");
    let ending = read(&[&stopped], &[], &exited(0)).1.ending;
    assert!(matches!(ending, Ending::Crashed { .. }), "{ending:?}");
    let turns = DONE.replace("completed", "max_iterations");
    assert_eq!(read(&[&turns], &[], &exited(1)).1.ending, Ending::MaxTurns);
}

#[test]
fn the_class_of_an_error_names_the_ending() {
    for (class, expected) in [
        ("auth", "auth_failed"),
        ("context_window_exceeded", "context_overflow"),
        ("rate_limit", "usage_limit"),
        ("overloaded", "overloaded"),
        ("other", "crashed"),
    ] {
        let error = event(&format!(
            r#"{{"type":"error","error":{{"message":"no"}},"errorClass":"{class}","recoverable":false}}"#
        ));
        let result = DONE.replace("completed", "error");
        let ending = read(&[&error, &result], &[], &exited(1)).1.ending;
        let value = serde_json::to_value(&ending).unwrap_or_default();
        assert_eq!(value["how"], expected, "{class}");
    }
}

#[test]
fn an_error_it_can_recover_from_is_a_retry() {
    let error = event(
        r#"{"type":"error","error":{"message":"slow"},"errorClass":"rate_limit","recoverable":true}"#,
    );
    let (events, report) = read(&[&error, DONE], &[], &exited(0));
    assert!(
        matches!(&events[0], AgentEvent::Retry { delay_ms: None, error, .. } if error == "rate_limit")
    );
    assert_eq!(report.ending, Ending::Ok);
}

#[test]
fn a_complaint_before_anything_began_is_told_with_its_words() {
    let said = r#"{"type":"error","message":"a prompt is required"}"#;
    let ending = read(&[], &["Warning: plain words", said], &exited(1)).1.ending;
    assert_eq!(ending, Ending::NotFound { detail: "a prompt is required".into() });
    let key = r#"{"type":"error","message":"Invalid API key"}"#;
    let ending = read(&[], &[key], &exited(1)).1.ending;
    assert!(matches!(ending, Ending::AuthFailed { .. }), "{ending:?}");
}

#[test]
fn tokens_are_told_while_it_runs_and_cached_ones_are_not_input() {
    let usage = event(
        r#"{"type":"usage","inputTokens":5,"totalInputTokens":50,"totalOutputTokens":7,"totalCacheReadTokens":20,"totalCost":0.25}"#,
    );
    let (events, report) = read(&[&usage], &[], &exited(1));
    let AgentEvent::Spent { usage } = events[0] else { panic!("no usage") };
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.cost.0), (30, 7, 20, 250_000));
    assert_eq!(report.usage, usage);
}
