//! Custom agents: command lines, filtered streams, endings by expression.

use ralph_core::{
    ending::Ending,
    settings::{Claims, EndingName},
    time::Timestamp,
};

use super::*;
use crate::{
    event::AgentEvent,
    exit::{EndedBy, ExitFacts},
    port::StreamReport,
    reset::ResetHint,
};

fn command_of(settings: CustomAgent, call: &AgentCall) -> Result<CommandSpec, CommandProblem> {
    let place = Place {
        run: "r".into(),
        started: Timestamp(0),
        folder: "/call".into(),
        ..Place::default()
    };
    Custom { name: "mine".into(), settings }.command(call, &place)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn call(model: &str, flags: &[&str]) -> AgentCall {
    AgentCall {
        agent: "mine".into(),
        model: model.into(),
        flags: words(flags),
        prompt: "do {model}".into(),
        ..AgentCall::default()
    }
}

fn read(settings: CustomAgent, stdout: &str, exit: &ExitFacts) -> (StreamReport, Vec<String>) {
    let mut parser = Custom { name: "mine".into(), settings }.parser(&call("", &[]));
    let mut events = Vec::new();
    for line in stdout.lines() {
        parser.line(line.as_bytes(), &mut events);
    }
    let texts = events.into_iter().filter_map(|event| match event {
        AgentEvent::Text { text } => Some(text),
        _ => None,
    });
    let texts = texts.collect();
    (parser.finish(exit), texts)
}

fn filtered(response: &str, display: &str) -> CustomAgent {
    CustomAgent {
        command: words(&["mine"]),
        response_filter: response.into(),
        display_filter: display.into(),
        ..CustomAgent::default()
    }
}

fn telling(name: EndingName, expression: &str) -> CustomAgent {
    CustomAgent { endings: [(name, expression.to_owned())].into(), ..CustomAgent::default() }
}

fn exited(code: i32, stderr: &str) -> ExitFacts {
    ExitFacts {
        code: Some(code),
        stderr_tail: stderr.into(),
        stdout_bytes: 1,
        ..ExitFacts::default()
    }
}

#[test]
fn the_prompt_goes_where_it_is_wanted() {
    let settings = |prompt, command: &[&str]| CustomAgent {
        command: words(command),
        prompt,
        ..CustomAgent::default()
    };
    let spec = |settings| command_of(settings, &call("", &[])).expect("a command");
    let stdin = spec(settings(PromptBy::Stdin, &["mine", "--json"]));
    assert_eq!((stdin.args, stdin.stdin), (words(&["--json"]), b"do {model}".to_vec()));
    let last = spec(settings(PromptBy::Argument, &["mine", "--json"]));
    assert_eq!(last.args, words(&["--json", "do {model}"]));
    assert!(last.stdin.is_empty() && last.files.is_empty());
    let placed = spec(settings(PromptBy::Argument, &["mine", "-p={prompt}", "--json"]));
    assert_eq!(placed.args, words(&["-p=do {model}", "--json"]));
    let file = spec(settings(PromptBy::File, &["mine", "@{prompt}"]));
    assert_eq!(file.args, words(&["@/call/prompt.md"]));
    assert_eq!(file.files, [("prompt.md".to_owned(), "do {model}".to_owned())]);
    assert_eq!(command_of(CustomAgent::default(), &call("", &[])), Err(CommandProblem::NoProgram));
}

#[test]
fn the_model_fills_its_place_or_takes_the_place_away() {
    let args = |command: &[&str], model: &str, flags: &[&str]| {
        let settings = CustomAgent { command: words(command), ..CustomAgent::default() };
        command_of(settings, &call(model, flags)).expect("a command").args.join(" ")
    };
    assert_eq!(args(&["mine", "--model={model}", "go"], "big", &[]), "--model=big go");
    assert_eq!(args(&["mine", "--model={model}", "go"], "", &[]), "go");
    assert_eq!(args(&["mine", "-m", "{model}", "go"], "big", &[]), "-m big go");
    assert_eq!(args(&["mine", "-m", "{model}", "go"], "", &[]), "go");
    assert_eq!(args(&["mine", "use", "{model}"], "", &[]), "use");
    assert_eq!(args(&["mine", "go"], "", &["--x 'a b'", "-m {model}"]), "go --x a b");
}

#[test]
fn one_filter_picks_the_answer_and_the_other_what_people_see() {
    let settings =
        filtered("select(.kind == \"answer\").text", "\"\\(.kind): \\(.text // .tool)\"");
    let stdout = "{\"kind\":\"prompt\",\"text\":\"<promise>COMPLETE</promise>\"}\n\
                  starting up\n\
                  {\"kind\":\"tool\",\"tool\":\"ls\"}\n\n\
                  {\"kind\":\"answer\",\"text\":\"all done\\n<promise>COMPLETE</promise>\"}\n";
    let (report, shown) = read(settings, stdout, &exited(0, ""));
    assert_eq!(report.ending, Ending::Ok);
    assert_eq!(report.last_message, "all done\n<promise>COMPLETE</promise>");
    assert!(report.claims_completion(&Claims::default()));
    assert_eq!(report.unreadable, 1);
    assert_eq!(
        shown,
        [
            "prompt: <promise>COMPLETE</promise>",
            "starting up",
            "tool: ls",
            "answer: all done\n<promise>COMPLETE</promise>",
        ]
    );
}

#[test]
fn a_filter_alone_serves_for_both() {
    for settings in [filtered(".say", ""), filtered("", ".say")] {
        let (report, shown) = read(settings, "{\"say\":\"hello\"}\n{\"other\":1}", &exited(0, ""));
        assert_eq!((report.last_message.as_str(), shown), ("hello", vec!["hello".to_owned()]));
    }
}

#[test]
fn a_handoff_comes_out_of_the_answer() {
    let said = serde_json::json!({"say": "```ralph-handoff\n{\"question\":\"which?\"}\n```"});
    let (report, _) = read(filtered(".say", ""), &said.to_string(), &exited(0, ""));
    assert_eq!(report.handoff.and_then(|handoff| handoff.question).as_deref(), Some("which?"));
}

#[test]
fn an_answer_that_the_filter_does_not_find_is_not_finished() {
    let ending = |stdout: &str, exit: &ExitFacts| read(filtered(".say", ""), stdout, exit).0.ending;
    assert!(matches!(ending("{\"x\":1}", &exited(0, "")), Ending::Malformed { .. }));
    assert!(matches!(ending("only words", &exited(0, "")), Ending::Malformed { .. }));
    assert!(matches!(ending("{\"say\":\"x\"}", &exited(3, "")), Ending::Crashed { .. }));
    let silent = ExitFacts { code: Some(0), ..ExitFacts::default() };
    assert_eq!(ending("", &silent), Ending::Empty);
}

#[test]
fn a_built_in_stream_is_read_as_it_is() {
    let settings = CustomAgent { stream: "claude".into(), ..CustomAgent::default() };
    let line = r#"{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1,"total_cost_usd":0.5,"usage":{}}"#;
    let (report, _) = read(settings, line, &exited(0, ""));
    assert_eq!((report.ending, report.last_message.as_str()), (Ending::Ok, "done"));
    assert!(!report.is_plain);
}

#[test]
fn expressions_decide_before_the_exit_code() {
    let limit = telling(EndingName::UsageLimit, "(?i)quota (exhausted|used up)");
    let text = "some work\nQuota exhausted|1794699386\nbye";
    for exit in [exited(0, ""), exited(1, "")] {
        let (report, _) = read(limit.clone(), text, &exit);
        let Ending::UsageLimit { resets_at, detail } = report.ending else {
            panic!("{:?}", report.ending);
        };
        assert_eq!(detail, "Quota exhausted|1794699386");
        assert_eq!(resets_at, Some(Timestamp(1_794_699_386_000)));
    }
    let (report, _) = read(limit.clone(), "fine", &exited(1, "quota used up, resets 3pm (UTC)\n"));
    assert!(matches!(report.ending, Ending::UsageLimit { resets_at: None, .. }));
    assert!(matches!(report.reset_hint, Some(ResetHint::Clock { hour: 15, .. })));
    assert_eq!(read(limit.clone(), "fine", &exited(0, "")).0.ending, Ending::Ok);
    let stopped = ExitFacts { ended_by_us: Some(EndedBy::TimedOut), ..exited(0, "") };
    assert_eq!(read(limit, text, &stopped).0.ending, Ending::TimedOut);
}

#[test]
fn every_ending_can_be_told() {
    let ending = |name| {
        let report = read(telling(name, "^E!"), "x\n  E! words\ny", &exited(1, "")).0;
        report.ending
    };
    let detail = || "E! words".to_owned();
    for (name, expected) in [
        (EndingName::NotFound, Ending::NotFound { detail: detail() }),
        (EndingName::AuthFailed, Ending::AuthFailed { detail: detail() }),
        (EndingName::UsageLimit, Ending::UsageLimit { resets_at: None, detail: detail() }),
        (EndingName::Overloaded, Ending::Overloaded { detail: detail() }),
        (EndingName::ContextOverflow, Ending::ContextOverflow),
        (EndingName::MaxTurns, Ending::MaxTurns),
        (EndingName::Budget, Ending::Budget),
        (EndingName::Refused, Ending::Refused { detail: detail() }),
        (EndingName::AskedQuestion, Ending::AskedQuestion { question: detail() }),
    ] {
        assert_eq!(ending(name), expected);
    }
}

#[test]
fn the_last_lines_count_even_where_no_filter_picks_them() {
    let mut settings = telling(EndingName::Overloaded, "\"code\":503");
    settings.response_filter = ".say".into();
    let tail = "{\"x\":1}\n".repeat(9);
    let early = format!("{{\"say\":\"hi\"}}\n{{\"code\":503}}\n{tail}");
    let (report, _) = read(settings.clone(), &early, &exited(1, ""));
    assert!(matches!(report.ending, Ending::Overloaded { .. }));
    let (report, _) = read(settings, &format!("{early}{{\"x\":1}}"), &exited(1, ""));
    assert!(matches!(report.ending, Ending::Crashed { .. }));
}

#[test]
fn an_expression_that_cannot_work_is_known() {
    assert_eq!(expression_problem("limit"), None);
    assert!(
        expression_problem("(limit")
            .is_some_and(|why| why.contains("not a valid regular expression"))
    );
    assert_eq!(expression_problem("limit|").as_deref(), Some("matches every line"));
}
