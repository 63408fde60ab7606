//! Qwen Code: its command line and what is special in its stream, which `stream_json` reads.
//!
//! It may stay after its result: the watch's grace ends it then.

use ralph_core::{
    agent_facts::{
        ConfigHome, Facts, HandoffBy, Key, KeyHeader, Relay, Request, ServiceKey, Spending,
    },
    effect::AgentCall,
};

use super::{
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place, positive},
    schema,
    stream_json::{self, Dialect},
};

const DIALECT: Dialect = Dialect {
    input_has_cached: true,
    error_text: "[API Error",
    formless: "instead of calling the structured_output tool",
    // Its limit of turns, and its limits of time and of tool calls.
    turn_limit: &[53, 55],
    refusals: &[],
};

const RELAY: Relay = Relay {
    name: "openai",
    base_url: "OPENAI_BASE_URL",
    base_url_option: None,
    keys: &[Key {
        variable: "OPENAI_API_KEY",
        header: KeyHeader::Bearer,
        stand_in: "sk-kept-outside",
    }],
    upstream: Some("https://api.openai.com/v1"),
    replaces_login: false,
    requests: &[
        Request::post("/chat/completions"),
        Request::post("/responses"),
        Request::post("/embeddings"),
        Request::get("/models"),
        Request::get("/models/*"),
    ],
    headers: None,
};

/// See the module.
pub(super) struct Qwen;

impl Agent for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "@qwen-code/qwen-code",
            tested: "0.24.4",
            handoff: HandoffBy::Schema,
            spending: Spending::Tokens,
            limits_turns: true,
            names_session: true,
            hosts: &[
                "chat.qwen.ai",
                "portal.qwen.ai",
                "dashscope.aliyuncs.com",
                "dashscope-intl.aliyuncs.com",
            ],
            relay: Some(RELAY),
            keys: &[ServiceKey { variable: "DASHSCOPE_API_KEY", host: "dashscope.aliyuncs.com" }],
            variables: &["OPENAI_MODEL", "QWEN_MODEL", "QWEN_CODE_MAX_OUTPUT_TOKENS"],
            login_files: &[".qwen/oauth_creds.json"],
            config_files: &[
                ".qwen/settings.json",
                ".qwen/.env",
                ".qwen/installation_id",
                ".qwen/QWEN.md",
            ],
            config_home: Some(ConfigHome { variable: "QWEN_HOME", below: "" }),
            ..PLAIN
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let fixed = ["-o", "stream-json", "--approval-mode", "yolo"];
        let (mut spec, own) = CommandSpec::begin(call, &fixed)?;
        spec.option("-m", &call.model);
        spec.option("--fallback-model", &call.fallback_model);
        spec.option("--max-session-turns", &positive(call.max_turns));
        spec.option("--json-schema", schema::of(call.kind));
        spec.args.extend(own);
        spec.env.push(("QWEN_CODE_SUPPRESS_YOLO_WARNING".into(), "1".into()));
        Ok(spec)
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        stream_json::parser(DIALECT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndedBy, ExitFacts, StreamReport};
    use ralph_core::{ending::Ending, time::Timestamp, vocabulary::Kind};

    fn report(stdout: &str, exit: &ExitFacts) -> StreamReport {
        let mut parser = Qwen.parser(&AgentCall::default());
        for line in stdout.lines() {
            parser.line(line.as_bytes(), &mut Vec::new());
        }
        parser.finish(exit)
    }

    #[test]
    fn the_command_line_asks_for_the_form_and_silences_the_warning() {
        let call = AgentCall {
            kind: Kind::Review,
            agent: "/opt/qwen --debug".into(),
            flags: vec!["--x 'a b'".into()],
            model: "m".into(),
            max_turns: 9,
            prompt: "do it".into(),
            ..AgentCall::default()
        };
        let place = Place {
            run: "r".into(),
            started: Timestamp(0),
            folder: "/f".into(),
            ..Place::default()
        };
        let spec = Qwen.command(&call, &place).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!((spec.program.as_str(), spec.stdin.as_slice()), ("/opt/qwen", &b"do it"[..]));
        let review = schema::of(Kind::Review);
        let expected = [
            "-o",
            "stream-json",
            "--approval-mode",
            "yolo",
            "-m",
            "m",
            "--max-session-turns",
            "9",
            "--json-schema",
            review,
            "--debug",
            "--x",
            "a b",
        ];
        assert_eq!(spec.args, expected);
        assert_eq!(spec.env, [("QWEN_CODE_SUPPRESS_YOLO_WARNING".to_owned(), "1".to_owned())]);
        let bare = AgentCall { kind: Kind::Prompt, agent: "qwen".into(), ..AgentCall::default() };
        let spec = Qwen.command(&bare, &place).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(spec.args, expected[..4]);
    }

    #[test]
    fn work_without_the_asked_form_is_work_that_gates_judge() {
        let result = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"Model produced plain text instead of calling the structured_output tool as required by --json-schema after 2 turn(s)."}}"#;
        let exit = ExitFacts { code: Some(1), stdout_bytes: 9, ..ExitFacts::default() };
        assert_eq!(report(result, &exit).ending, Ending::StructuredOutputMissing);
    }

    #[test]
    fn a_process_that_hangs_after_its_result_has_finished() {
        let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"done"}"#;
        let hung = ExitFacts {
            signal: Some(15),
            ended_by_us: Some(EndedBy::LogicalEnd),
            ..ExitFacts::default()
        };
        assert_eq!(report(result, &hung).ending, Ending::Ok);
    }

    #[test]
    fn the_hidden_tokens_are_in_the_result_and_cached_ones_are_not_input() {
        let result = r#"{"type":"result","is_error":false,"result":"x","usage":{"input_tokens":4000,"output_tokens":160,"cache_read_input_tokens":1600}}"#;
        let usage = report(result, &ExitFacts { code: Some(0), ..ExitFacts::default() }).usage;
        assert_eq!((usage.input, usage.cache_read, usage.output), (2400, 1600, 160));
    }

    #[test]
    fn absurd_counts_of_tokens_do_not_overflow() {
        let result = r#"{"type":"result","is_error":false,"usage":{"input_tokens":5,"cache_read_input_tokens":1e19,"cache_creation_input_tokens":1e19}}"#;
        let usage = report(result, &ExitFacts { code: Some(0), ..ExitFacts::default() }).usage;
        assert_eq!((usage.input, usage.tokens()), (0, u64::MAX));
    }

    #[test]
    fn an_error_it_says_as_if_the_model_had_is_not_its_last_message() {
        let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"[API Error: 429 slow down]"}]}}"#;
        let exit = ExitFacts { code: Some(1), stdout_bytes: 9, ..ExitFacts::default() };
        let report = report(said, &exit);
        assert_eq!(report.last_message, "");
        assert!(matches!(report.ending, Ending::UsageLimit { .. }), "{:?}", report.ending);
    }

    #[test]
    fn its_exit_codes_tell_a_limit_of_turns() {
        for code in [53, 55] {
            let exit = ExitFacts { code: Some(code), ..ExitFacts::default() };
            assert_eq!(report(r#"{"type":"system"}"#, &exit).ending, Ending::MaxTurns);
        }
    }
}
