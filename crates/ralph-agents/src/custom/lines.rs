//! An agent's own lines of JSON, read by the user's filters: one picks the answer, one what people see.

use ralph_core::{ending::Ending, settings::CustomAgent};
use ralph_text::cut;

use crate::{
    event::{AgentEvent, SHOWN},
    exit::ExitFacts,
    jq::{Filter, Line},
    port::{LineParser, StreamReport},
    stream_state::StreamState,
};

/// Reads one call's lines. A filter that is given alone serves for both.
pub(super) struct Lines {
    response: Option<Filter>,
    display: Option<Filter>,
    state: StreamState,
}

impl Lines {
    pub(super) fn new(settings: &CustomAgent) -> Self {
        // Settings with a filter that cannot be compiled are refused when they are loaded.
        let compile = |text: &str| (!text.is_empty()).then(|| Filter::compile(text).ok()).flatten();
        Self {
            response: compile(&settings.response_filter),
            display: compile(&settings.display_filter),
            state: StreamState::default(),
        }
    }
}

impl LineParser for Lines {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        let Some(json) = Line::read(line) else {
            let text = String::from_utf8_lossy(line);
            if !text.trim().is_empty() {
                self.state.unreadable += 1;
                out.push(AgentEvent::Text { text: cut::ellipsis(text.trim_end(), SHOWN) });
            }
            return;
        };
        self.state.understood += 1;
        let [response, display] =
            [&self.response, &self.display].map(|filter| Some(filter.as_ref()?.outputs(&json)));
        for text in response.as_ref().or(display.as_ref()).into_iter().flatten() {
            self.state.keep_piece(text);
            self.state.keep_piece("\n");
        }
        for text in display.or(response).into_iter().flatten() {
            out.push(AgentEvent::Text { text: cut::ellipsis(&text, SHOWN) });
        }
    }

    fn finish(mut self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let end = self.state.last_message.trim_end().len();
        self.state.last_message.truncate(end);
        let ending = exit.forced_ending().unwrap_or_else(|| self.ending(exit));
        StreamReport { is_plain: true, ..self.state.report(ending) }
    }
}

impl Lines {
    fn ending(&self, exit: &ExitFacts) -> Ending {
        let StreamState { understood, unreadable, .. } = self.state;
        let malformed = |detail: String| Ending::Malformed { detail };
        match exit.code {
            _ if understood + unreadable == 0 => exit.ending_without_output(),
            Some(0) if !self.state.last_message.is_empty() => Ending::Ok,
            Some(0) if understood == 0 => {
                malformed(format!("none of its {unreadable} lines of output is JSON"))
            }
            Some(0) => malformed(format!("the filter finds no answer in {understood} lines")),
            Some(126 | 127) => Ending::NotFound { detail: exit.describe() },
            _ => Ending::Crashed { detail: exit.describe() },
        }
    }
}
