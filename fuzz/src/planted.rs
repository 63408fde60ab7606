//! Bugs that a parser could have, planted in front of the real one by `FUZZ_PLANT`: proof that the checks find them.

use std::sync::LazyLock;

use ralph_agents::{ExitFacts, LineParser, StreamReport, event::AgentEvent};
use ralph_core::{ending::Ending, time::Timestamp, usage::MicroUsd};

use crate::told::{self, Json, Told};

static PLANT: LazyLock<String> = LazyLock::new(|| std::env::var("FUZZ_PLANT").unwrap_or_default());

/// The parser, with the bug in front of it if one is asked for.
pub fn instead(parser: Box<dyn LineParser>) -> Box<dyn LineParser> {
    if PLANT.is_empty() {
        return parser;
    }
    Box::new(Planted { parser, said_success: false, cost: None, message: String::new() })
}

/// A piece of output as it reaches the parser.
pub fn piece(bytes: &[u8]) -> &[u8] {
    match bytes {
        // An escape at the end of a chunk is forgotten.
        [kept @ .., b'\\'] if *PLANT == "chunk_end_loses_an_escape" => kept,
        _ => bytes,
    }
}

struct Planted {
    parser: Box<dyn LineParser>,
    said_success: bool,
    cost: Option<MicroUsd>,
    message: String,
}

impl LineParser for Planted {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        let before = out.len();
        match PLANT.as_str() {
            "cut_line_is_completed" => {
                let mended = [line, b"}"].concat();
                let is_cut = matches!(told::read(line), Told::Noise);
                self.parser.line(if is_cut { &mended } else { line }, out);
                return;
            }
            "message_grows" => self.message.push_str(&String::from_utf8_lossy(line)),
            _ => {}
        }
        self.parser.line(line, out);
        if let Told::Clear(line) = told::read(line) {
            self.remember(&line);
        }
        if *PLANT == "tool_end_told_twice" {
            let again = out[before..]
                .iter()
                .find(|event| matches!(event, AgentEvent::ToolEnd { is_error: true, .. }));
            out.extend(again.cloned());
        }
        for event in &out[before..] {
            look(event);
        }
    }

    fn error_line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        self.parser.error_line(line, out);
    }

    fn finish(self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let clean = ExitFacts { code: Some(0), ..ExitFacts::default() };
        let exit = match PLANT.as_str() {
            "exit_code_is_ignored" if exit.ended_by_us.is_none() => &clean,
            "our_own_end_is_ignored" => &clean,
            _ => exit,
        };
        let mut report = self.parser.finish(exit);
        match PLANT.as_str() {
            "success_despite_is_error" if self.said_success && exit.code == Some(0) => {
                report.ending = Ending::Ok
            }
            "negative_cost_wraps" => report.usage.cost = self.cost.unwrap_or(report.usage.cost),
            "message_grows" => report.last_message = self.message,
            "reset_in_wrong_unit" => {
                if let Ending::UsageLimit { resets_at: Some(Timestamp(at)), .. } =
                    &mut report.ending
                {
                    *at /= 1000;
                }
            }
            _ => {}
        }
        report
    }
}

impl Planted {
    fn remember(&mut self, line: &Json) {
        self.said_success |= line.get("subtype").is("success");
        if let Json::Number(dollars) = line.get("total_cost_usd")
            && *dollars < 0.0
        {
            self.cost = Some(MicroUsd((dollars * 1e6) as i64 as u64));
        }
    }
}

/// Bugs in how an event is shown.
fn look(event: &AgentEvent) {
    match (PLANT.as_str(), event) {
        ("short_id_is_indexed", AgentEvent::ToolStart { id, .. }) => {
            assert!(!id[..4].is_empty());
        }
        ("text_is_cut_in_a_letter", AgentEvent::Text { text }) => {
            assert!(!text[..text.len().min(80)].is_empty() || text.is_empty());
        }
        _ => {}
    }
}
