//! Feeds an input to a parser as the engine does: chunks to lines, lines to events, the end to a report.

use ralph_agents::{LineParser, StreamReport, event::AgentEvent};

use crate::{
    input::{Input, PARSER},
    lines::{Line, LineSplitter},
    planted,
};

/// All that a parser told.
#[derive(Debug, PartialEq)]
pub struct Heard {
    pub events: Vec<AgentEvent>,
    pub report: StreamReport,
    /// Lines of output that it was given.
    pub lines: u64,
}

/// Hears the whole input in chunks of this size.
pub fn hear(input: &Input, chunk: usize) -> Heard {
    let agent = ralph_agents::of_call(&input.call);
    assert_eq!(agent.name(), *PARSER, "there is such a parser");
    let mut parser = planted::instead(agent.parser(&input.call));
    let mut events = Vec::new();
    let mut lines = 0;
    if input.errors_first {
        hear_errors(input, chunk, parser.as_mut(), &mut events);
    }
    let mut splitter = LineSplitter::default();
    let mut give = |line: Line<'_>| {
        if let Line::Whole(line) = line {
            lines += 1;
            parser.line(line, &mut events);
        }
    };
    for piece in input.stdout.chunks(chunk) {
        splitter.feed(planted::piece(piece), &mut give);
    }
    splitter.finish(&mut give);
    if !input.errors_first {
        hear_errors(input, chunk, parser.as_mut(), &mut events);
    }
    let report = parser.finish(&input.exit);
    Heard { events, report, lines }
}

fn hear_errors(
    input: &Input,
    chunk: usize,
    parser: &mut dyn LineParser,
    events: &mut Vec<AgentEvent>,
) {
    let mut splitter = LineSplitter::default();
    let mut give = |line: Line<'_>| {
        if let Line::Whole(line) = line {
            parser.error_line(line, events);
        }
    };
    for piece in input.stderr.chunks(chunk) {
        splitter.feed(piece, &mut give);
    }
    splitter.finish(&mut give);
}
