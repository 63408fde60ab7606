//! Amp: its command line. Its stream is read by `stream_json`.
//!
//! Written from its documentation alone: it works only with an account, and no run with one was ever seen.

use ralph_core::{
    agent_facts::{Facts, ServiceKey, Spending},
    effect::AgentCall,
};

use super::{
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place},
    stream_json::{self, Dialect},
};

/// See the module.
pub(super) struct Amp;

impl Agent for Amp {
    fn name(&self) -> &'static str {
        "amp"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "@sourcegraph/amp",
            spending: Spending::Tokens,
            names_session: true,
            hosts: &["ampcode.com"],
            keys: &[ServiceKey { variable: "AMP_API_KEY", host: "ampcode.com" }],
            variables: &["AMP_URL"],
            config_files: &[".local/share/amp/secrets.json", ".config/amp/settings.json"],
            is_experimental: true,
            ..PLAIN
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let fixed = ["-x", "--stream-json", "--dangerously-allow-all"];
        let (mut spec, own) = CommandSpec::begin(call, &fixed)?;
        // It names no models, only modes, each of which stands for one.
        spec.option("--mode", &call.model);
        spec.args.extend(own);
        Ok(spec)
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        stream_json::parser(Dialect { input_has_cached: true, ..Dialect::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExitFacts, event::AgentEvent};
    use ralph_core::{ending::Ending, time::Timestamp};

    #[test]
    fn the_command_line_takes_a_mode_for_a_model() {
        let call = AgentCall {
            agent: "amp".into(),
            model: "high".into(),
            flags: vec!["--x".into()],
            prompt: "do it".into(),
            ..AgentCall::default()
        };
        let place = Place {
            run: "r".into(),
            started: Timestamp(0),
            folder: "/f".into(),
            ..Place::default()
        };
        let spec = Amp.command(&call, &place).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(
            spec.args,
            ["-x", "--stream-json", "--dangerously-allow-all", "--mode", "high", "--x"]
        );
        assert_eq!(spec.stdin, b"do it");
    }

    #[test]
    fn messages_without_an_id_are_all_counted_and_a_result_without_usage_has_their_sum() {
        let message = r#"{"type":"assistant","session_id":"T-1","message":{"type":"message","content":[{"type":"text","text":"four"}],"usage":{"input_tokens":100,"cache_creation_input_tokens":10,"cache_read_input_tokens":60,"output_tokens":5}}}"#;
        let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"four","session_id":"T-1"}"#;
        let mut parser = Amp.parser(&AgentCall::default());
        let mut out = Vec::new();
        for line in [message, message, result] {
            parser.line(line.as_bytes(), &mut out);
        }
        let spent = out.iter().filter(|event| matches!(event, AgentEvent::Spent { .. })).count();
        let report = parser.finish(&ExitFacts { code: Some(0), ..ExitFacts::default() });
        assert_eq!((report.ending, spent), (Ending::Ok, 2));
        assert_eq!(report.session.as_deref(), Some("T-1"));
        let usage = report.usage;
        assert_eq!((usage.input, usage.cache_read, usage.cache_write), (60, 120, 20));
    }
}
