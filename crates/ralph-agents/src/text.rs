//! Any command as an agent: prompt on standard input, plain text on standard output.
//!
//! Knows nothing of turns, tools or money; only the end of the output is kept.

use ralph_core::{agent_facts::Facts, effect::AgentCall, ending::Ending};
use ralph_text::cut;

use super::{
    event::{AgentEvent, SHOWN},
    exit::{ExitFacts, detail},
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place, StreamReport, split},
    stream_state::StreamState,
};

/// See the module.
pub(super) struct Text;

impl Agent for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn facts(&self) -> Facts {
        PLAIN
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        // The bare name stands for no program: then the flags hold the whole command.
        let command = if call.agent == self.name() { "" } else { &call.agent };
        let texts: Vec<&str> =
            std::iter::once(command).chain(call.flags.iter().map(String::as_str)).collect();
        let mut words = split(&texts)?.into_iter();
        Ok(CommandSpec {
            program: words.next().ok_or(CommandProblem::NoProgram)?,
            args: words.collect(),
            stdin: call.prompt.clone().into_bytes(),
            ..CommandSpec::default()
        })
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        Box::new(TextParser::default())
    }
}

#[derive(Default)]
struct TextParser {
    state: StreamState,
    has_words: bool,
}

impl LineParser for TextParser {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        let line = String::from_utf8_lossy(line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        self.state.understood += 1;
        self.has_words |= !line.trim().is_empty();
        self.state.keep_piece(line);
        self.state.keep_piece("\n");
        out.push(AgentEvent::Text { text: cut::ellipsis(line, SHOWN) });
    }

    fn finish(mut self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let said = &mut self.state.last_message;
        said.truncate(said.trim_end().len());
        let ending = exit.forced_ending().unwrap_or_else(|| match exit.code {
            Some(0) if self.has_words => Ending::Ok,
            _ if self.has_words => {
                let last = if exit.stderr_tail.trim().is_empty() { last_line(said) } else { "" };
                Ending::Crashed { detail: detail(&format!("{} {last}", exit.describe())) }
            }
            _ => exit.ending_without_output(),
        });
        StreamReport { is_plain: true, ..self.state.report(ending) }
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::{settings::Claims, time::Timestamp, vocabulary::Kind};

    fn command(agent: &str, flags: &[&str]) -> Result<CommandSpec, CommandProblem> {
        let call = AgentCall {
            kind: Kind::Prompt,
            agent: agent.into(),
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            prompt: "do it".into(),
            ..AgentCall::default()
        };
        Text.command(
            &call,
            &Place {
                run: "r".into(),
                started: Timestamp(0),
                folder: String::new(),
                ..Place::default()
            },
        )
    }

    fn report(stdout: &str, exit: &ExitFacts) -> StreamReport {
        let mut parser = Box::new(TextParser::default());
        let mut out = Vec::new();
        for line in stdout.lines() {
            parser.line(line.as_bytes(), &mut out);
        }
        parser.finish(exit)
    }

    fn exited(code: i32) -> ExitFacts {
        ExitFacts { code: Some(code), stdout_bytes: 1, ..ExitFacts::default() }
    }

    #[test]
    fn the_command_is_split_like_shell_words_and_flags_follow() {
        let spec = |program: &str, args: &[&str]| {
            Ok(CommandSpec {
                program: program.into(),
                args: args.iter().map(|arg| (*arg).to_owned()).collect(),
                env: Vec::new(),
                stdin: b"do it".to_vec(),
                files: Vec::new(),
                home: Vec::new(),
            })
        };
        assert_eq!(
            command("my-agent --say 'a b'", &["-x y"]),
            spec("my-agent", &["--say", "a b", "-x", "y"])
        );
        assert_eq!(command("text", &["sh -c 'cat'"]), spec("sh", &["-c", "cat"]));
        assert_eq!(command("text", &[]), Err(CommandProblem::NoProgram));
        assert!(matches!(command("a 'b", &[]), Err(CommandProblem::OpenQuote { .. })));
    }

    #[test]
    fn only_exit_zero_with_words_is_finished() {
        assert_eq!(report("hello", &exited(0)).ending, Ending::Ok);
        assert_eq!(
            report("", &ExitFacts { code: Some(0), ..ExitFacts::default() }).ending,
            Ending::Empty
        );
        let detail = "exit 3 hello".to_owned();
        assert_eq!(report("hello", &exited(3)).ending, Ending::Crashed { detail });
        let missing =
            ExitFacts { not_started: Some("no such file".into()), ..ExitFacts::default() };
        assert!(matches!(report("", &missing).ending, Ending::NotFound { .. }));
    }

    #[test]
    fn the_last_line_claims_and_a_block_hands_over() {
        let said = "log\n```ralph-handoff\n{\"question\":\"which?\"}\n```\n<promise>COMPLETE</promise>\n\n";
        let report = report(said, &exited(0));
        assert!(report.claims_completion(&Claims::default()));
        assert_eq!(report.handoff.and_then(|h| h.question).as_deref(), Some("which?"));
    }

    #[test]
    fn a_review_in_a_block_is_read_whole() {
        let entry = serde_json::json!({"number": 1, "criterion": "c", "met": false,
            "evidence": "src/a.rs:1 ".repeat(200), "comment": "k"});
        let review =
            serde_json::json!({"criteria": vec![entry; 40], "findings": [], "summary": ""});
        let report = report(&format!("log\n```ralph-handoff\n{review:#}\n```"), &exited(0));
        let read = ralph_core::review::read(report.handoff.as_ref(), "");
        assert_eq!(read.map(|review| review.criteria.len()), Ok(40));
    }

    #[test]
    fn a_flood_is_read_in_constant_memory() {
        const KEEP: usize = 256 * 1024;
        let mut parser = TextParser::default();
        let line = vec![b'x'; 100_000];
        for _ in 0..200 {
            let mut out = Vec::new();
            parser.line(&line, &mut out);
            assert!(matches!(&out[0], AgentEvent::Text { text } if text.len() < 5000));
            assert!(parser.state.last_message.capacity() <= 8 * KEEP);
        }
        let report = Box::new(parser).finish(&exited(0));
        assert!(report.last_message.len() <= KEEP);
    }
}
