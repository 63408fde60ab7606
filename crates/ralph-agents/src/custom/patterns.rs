//! Endings that the user's regular expressions recognise: looked for, line by line, in the last message, the error output
//! and the last lines. They decide before the exit code does, never over what ralph itself did to the process.

use std::collections::{BTreeMap, VecDeque};

use ralph_core::{ending::Ending, settings::EndingName};
use ralph_text::cut;
use regex_bites::Regex;

use crate::{
    event::AgentEvent,
    exit::{ExitFacts, detail},
    port::{LineParser, StreamReport},
    reset::ResetHint,
};

/// Lines of standard output that are remembered.
const LINES: usize = 10;
/// Most bytes of such a line.
const LINE: usize = 4 * 1024;

/// What is wrong with an expression.
pub(crate) fn problem_of(expression: &str) -> Option<String> {
    match Regex::new(expression) {
        Err(error) => Some(format!("is not a valid regular expression: {error}")),
        Ok(regex) if regex.is_match("") => Some("matches every line".into()),
        Ok(_) => None,
    }
}

/// The parser with endings recognised by expressions too, if there are any.
pub(super) fn recognised_by(
    endings: &BTreeMap<EndingName, String>,
    inner: Box<dyn LineParser>,
) -> Box<dyn LineParser> {
    let patterns: Vec<_> =
        endings.iter().filter_map(|(name, text)| Some((*name, Regex::new(text).ok()?))).collect();
    if patterns.is_empty() {
        return inner;
    }
    Box::new(Recognising { inner, patterns, last_lines: VecDeque::new() })
}

struct Recognising {
    inner: Box<dyn LineParser>,
    /// In the order in which they are tried.
    patterns: Vec<(EndingName, Regex)>,
    last_lines: VecDeque<String>,
}

impl LineParser for Recognising {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        if self.last_lines.len() == LINES {
            self.last_lines.pop_front();
        }
        let end = line.get(line.len().saturating_sub(LINE)..).unwrap_or(line);
        self.last_lines.push_back(String::from_utf8_lossy(end).into_owned());
        self.inner.line(line, out);
    }

    fn error_line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        self.inner.error_line(line, out);
    }

    fn finish(mut self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let last_lines = self.last_lines.make_contiguous().join("\n");
        let mut report = self.inner.finish(exit);
        if exit.forced_ending().is_some() {
            return report;
        }
        let texts = [report.last_message.as_str(), exit.stderr_tail.as_str(), &last_lines];
        let found = self.patterns.iter().find_map(|(name, pattern)| {
            let fits =
                |text: &&str| Some((*name, find(pattern, text)?.to_owned(), (*text).to_owned()));
            texts.iter().find_map(fits)
        });
        if let Some((name, line, around)) = found {
            if name == EndingName::UsageLimit {
                report.reset_hint = ResetHint::read(&line).or_else(|| ResetHint::read(&around));
            }
            report.ending = ending(name, &line, report.reset_hint.as_ref());
        }
        report
    }
}

/// The last line that fits.
fn find<'a>(pattern: &Regex, text: &'a str) -> Option<&'a str> {
    text.lines().rev().map(str::trim).find(|line| pattern.is_match(line))
}

fn ending(name: EndingName, line: &str, hint: Option<&ResetHint>) -> Ending {
    let detail = detail(line);
    match name {
        EndingName::NotFound => Ending::NotFound { detail },
        EndingName::AuthFailed => Ending::AuthFailed { detail },
        EndingName::UsageLimit => {
            Ending::UsageLimit { resets_at: hint.and_then(ResetHint::moment), detail }
        }
        EndingName::Overloaded => Ending::Overloaded { detail },
        EndingName::ContextOverflow => Ending::ContextOverflow,
        EndingName::MaxTurns => Ending::MaxTurns,
        EndingName::Budget => Ending::Budget,
        EndingName::Refused => Ending::Refused { detail },
        EndingName::AskedQuestion => Ending::AskedQuestion { question: cut::ellipsis(line, LINE) },
    }
}
