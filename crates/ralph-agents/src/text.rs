//! Any command as an agent: prompt on standard input, plain text on standard output.
//!
//! Knows nothing of turns, tools or money; only the end of the output is kept.

use ralph_core::{
    agent_facts::{Facts, HandoffBy, PromptBy, Spending},
    effect::AgentCall,
    ending::Ending,
    handoff::Handoff,
    usage::Usage,
};
use ralph_text::cut;

use super::{
    event::AgentEvent,
    exit::{ExitFacts, detail},
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, StreamReport, split},
};

/// Most bytes of the output that are kept for claims and the handoff.
const KEEP: usize = 256 * 1024;
/// Most bytes of a line that are shown.
const SHOWN: usize = 4 * 1024;

/// See the module.
pub(super) struct Text;

impl Agent for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "",
            tested: "",
            handoff: HandoffBy::Block,
            prompt: PromptBy::Stdin,
            spending: Spending::Nothing,
            limits_turns: false,
            limits_money: false,
            names_session: false,
            tells_reset: false,
            login: None,
            hosts: &[],
            relay: None,
            keys: &[],
            variables: &[],
            login_files: &[],
            config_files: &[],
            config_home: None,
            is_experimental: false,
        }
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
            env: Vec::new(),
            stdin: call.prompt.clone().into_bytes(),
            files: Vec::new(),
            home: Vec::new(),
        })
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        Box::new(TextParser::default())
    }
}

#[derive(Default)]
struct TextParser {
    kept: String,
    has_words: bool,
    lines: u64,
}

impl LineParser for TextParser {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        let line = String::from_utf8_lossy(line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        self.lines += 1;
        self.has_words |= !line.trim().is_empty();
        if self.kept.len() > 2 * KEEP {
            self.kept = cut::tail(&self.kept, KEEP).to_owned();
        }
        self.kept.push_str(cut::tail(line, KEEP));
        self.kept.push('\n');
        out.push(AgentEvent::Text { text: cut::ellipsis(line, SHOWN) });
    }

    fn finish(self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let last_message = cut::tail(&self.kept, KEEP).trim_end().to_owned();
        let ending = exit.forced_ending().unwrap_or_else(|| match exit.code {
            Some(0) if self.has_words => Ending::Ok,
            _ if self.has_words => {
                let said =
                    if exit.stderr_tail.trim().is_empty() { last_line(&last_message) } else { "" };
                Ending::Crashed { detail: detail(&format!("{} {said}", exit.describe())) }
            }
            _ => exit.ending_without_output(),
        });
        StreamReport {
            ending,
            handoff: Handoff::from_text(&last_message),
            is_structured: false,
            last_message,
            is_plain: true,
            usage: Usage::default(),
            session: None,
            model: String::new(),
            window: None,
            tools: 0,
            tool_errors: 0,
            denials: 0,
            reset_hint: None,
            understood: self.lines,
            unreadable: 0,
        }
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
        let mut parser = TextParser::default();
        let line = vec![b'x'; 100_000];
        for _ in 0..200 {
            let mut out = Vec::new();
            parser.line(&line, &mut out);
            assert!(matches!(&out[0], AgentEvent::Text { text } if text.len() < 5000));
            assert!(parser.kept.capacity() <= 8 * KEEP);
        }
        let report = Box::new(parser).finish(&exited(0));
        assert!(report.last_message.len() <= KEEP);
    }
}
