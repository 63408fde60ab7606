//! The shell around every agent's reader of JSON lines: which lines count, what happens at the end. Knows no format.

use ralph_core::ending::Ending;

use super::{
    event::AgentEvent,
    exit::ExitFacts,
    json::Json,
    port::{LineParser, StreamReport},
    stream_state::StreamState,
};

/// What is particular to one agent's stream.
pub(super) trait StreamReader: Send {
    /// Takes one line and says what it means; whether its type is known.
    fn line(&mut self, line: Json<'_>, state: &mut StreamState) -> bool;

    /// Takes one line of error output.
    fn error_line(&mut self, _line: &[u8], _state: &mut StreamState) {}

    /// How the call ended, unless ralph ended it. Leaves the decisive failure in the state.
    fn ending(&mut self, state: &mut StreamState, exit: &ExitFacts) -> Ending;
}

/// One call's stream.
pub(super) struct JsonLines<R> {
    reader: R,
    state: StreamState,
}

impl<R: StreamReader + 'static> JsonLines<R> {
    /// A parser with this reader.
    pub(super) fn parser(reader: R) -> Box<dyn LineParser> {
        Box::new(Self { reader, state: StreamState::default() })
    }
}

impl<R: StreamReader> LineParser for JsonLines<R> {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match Json::line(line, &mut String::new()) {
            Some(line) => {
                let is_known = self.reader.line(line, &mut self.state);
                self.state.understood += u64::from(is_known);
            }
            None => self.state.unreadable += 1,
        }
        out.append(&mut self.state.events);
    }

    fn error_line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        self.reader.error_line(line, &mut self.state);
        out.append(&mut self.state.events);
    }

    fn finish(mut self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let forced = self.state.forced_ending(exit);
        let ending = self.reader.ending(&mut self.state, exit);
        self.state.report(forced.unwrap_or(ending))
    }
}
