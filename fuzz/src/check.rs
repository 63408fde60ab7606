//! What must hold for every stream and every end of a process.

use ralph_agents::{
    EndedBy, ExitFacts,
    event::AgentEvent,
    reset::ResetHint,
    watch::{Watch, WatchLimits},
};
use ralph_core::{
    ending::Ending,
    time::{Millis, Timestamp},
    usage::Usage,
};

use crate::{
    hear::{Heard, hear},
    input::{CUSTOM, Input, NOW, PARSER},
    oracle::{Bounds, Success, bounds},
};

/// Most bytes of a text that is shown: 4 KiB and an ellipsis.
const SHOWN: usize = 4 * 1024 + 3;
/// Most bytes of an id or a name.
const NAME: usize = 256;
/// Most bytes of the words of an ending.
const DETAIL: usize = 800;
/// Most bytes of the last message.
const MESSAGE: usize = 256 * 1024;
/// No limit ends before the year 2000 or after 2100.
const TIMES: std::ops::Range<i64> = 946_684_800_000..4_102_444_800_000;

/// Panics if something does not hold.
pub fn all(data: &[u8]) {
    let Some(input) = Input::read(data) else {
        return;
    };
    let heard = hear(&input, usize::MAX);
    assert_eq!(heard, hear(&input, input.chunk), "the same whatever the chunks");
    let bounds = bounds(&PARSER, &input.stdout);
    for event in &heard.events {
        event_is_sane(event, &bounds, &input);
    }
    counts_agree(&heard);
    report_is_sane(&heard, &bounds);
    success_is_earned(&heard.report.ending, &bounds, &input.exit);
    watch_stands_it(&heard);
}

fn event_is_sane(event: &AgentEvent, bounds: &Bounds, input: &Input) {
    let is_name = |text: &str| assert!(text.len() <= NAME, "a name of {} bytes", text.len());
    let is_shown = |text: &str| assert!(text.len() <= SHOWN, "a text of {} bytes", text.len());
    match event {
        AgentEvent::Session { id, model } => {
            is_name(id);
            is_name(model);
        }
        AgentEvent::ToolStart { id, name, input } => {
            is_name(id);
            is_name(name);
            is_shown(input);
        }
        AgentEvent::ToolEnd { id, output, lines, chars, .. } => {
            is_name(id);
            is_shown(output);
            assert!(lines <= chars, "{lines} lines in {chars} characters");
            assert!(*chars <= input.stdout.len() as u64, "more characters than came");
            let shown = output.chars().count() as u64;
            assert!(shown <= chars + 1, "more is shown than there is");
        }
        AgentEvent::Text { text }
        | AgentEvent::Thinking { text }
        | AgentEvent::Progress { text } => {
            is_shown(text);
        }
        AgentEvent::Todo { items } => {
            assert!(items.len() <= 100, "a list of {}", items.len());
            for item in items {
                is_shown(&item.text);
                is_shown(&item.status);
            }
        }
        AgentEvent::Retry { error, .. } => is_shown(error),
        AgentEvent::Denied { tool, why } => {
            is_name(tool);
            is_shown(why);
        }
        AgentEvent::RateLimit { status, resets_at, .. } => {
            is_name(status);
            is_sane_time(*resets_at);
        }
        AgentEvent::Spent { usage } => is_covered(usage, bounds),
        AgentEvent::Result { text, usage, .. } => {
            is_shown(text);
            is_covered(usage, bounds);
        }
    }
}

/// No more was spent than the numbers of the stream say together.
fn is_covered(usage: &Usage, bounds: &Bounds) {
    let most = bounds.sum * (1.0 + 1e-9) + 1.0;
    assert!(usage.tokens() as f64 <= most, "{} tokens of at most {most}", usage.tokens());
    let dollars = usage.cost.0 as f64 / 1e6;
    assert!(dollars <= most, "{dollars} dollars of at most {most}");
}

fn is_sane_time(at: Option<Timestamp>) {
    assert!(at.is_none_or(|at| TIMES.contains(&at.0)), "a limit ends at {at:?}");
}

/// The report counts what the events told.
fn counts_agree(heard: &Heard) {
    let count = |is: fn(&AgentEvent) -> bool| heard.events.iter().filter(|one| is(one)).count();
    let report = &heard.report;
    let tools = count(|event| matches!(event, AgentEvent::ToolStart { .. }));
    let errors = count(|event| matches!(event, AgentEvent::ToolEnd { is_error: true, .. }));
    let denials = count(|event| matches!(event, AgentEvent::Denied { .. }));
    assert_eq!(report.tools as usize, tools, "tool calls");
    assert_eq!(report.tool_errors as usize, errors, "failed tool calls");
    assert_eq!(report.denials as usize, denials, "denied tool calls");
    let read = report.understood + report.unreadable;
    assert!(read <= heard.lines, "{read} of {} lines", heard.lines);
}

fn report_is_sane(heard: &Heard, bounds: &Bounds) {
    let report = &heard.report;
    is_covered(&report.usage, bounds);
    assert!(report.last_message.len() <= MESSAGE, "a message of {}", report.last_message.len());
    assert!(report.session.as_ref().is_none_or(|id| id.len() <= NAME), "a long session id");
    assert!(report.model.len() <= NAME, "a long model name");
    assert!(report.ending.describe().len() <= DETAIL + SHOWN, "a long ending");
    if let Ending::Crashed { detail } | Ending::Overloaded { detail } = &report.ending {
        assert!(detail.len() <= DETAIL, "words of {} bytes", detail.len());
    }
    match &report.reset_hint {
        Some(ResetHint::At { at }) => is_sane_time(Some(*at)),
        Some(ResetHint::After { length }) => assert!(length.0 <= 366 * 24 * 3600 * 1000),
        _ => {}
    }
    let mut resolved = report.clone();
    resolved.resolve_reset(NOW);
    if let Ending::UsageLimit { resets_at, .. } = resolved.ending {
        is_sane_time(resets_at);
    }
}

/// Only a process that ended well and an agent that said so make a success.
fn success_is_earned(ending: &Ending, bounds: &Bounds, exit: &ExitFacts) {
    // What a user's own expression takes for a question was never called a success.
    let asked = matches!(ending, Ending::AskedQuestion { .. }) && *PARSER != CUSTOM;
    if *ending != Ending::Ok && !asked {
        return;
    }
    let ended_well = match exit.ended_by_us {
        None => exit.code == Some(0) && exit.signal.is_none(),
        Some(by) => by == EndedBy::LogicalEnd,
    };
    assert!(ended_well && exit.not_started.is_none(), "finished, but {exit:?}");
    assert!(bounds.success != Success::No, "finished, but the stream does not say so");
}

/// The watch takes every event, and no wait that it ends an agent for is absurd.
fn watch_stands_it(heard: &Heard) {
    let limits = WatchLimits { idle: Millis::secs(60), ..WatchLimits::default() };
    let mut watch = Watch::new(limits, NOW);
    for event in &heard.events {
        if let Some(EndedBy::Waits { until }) = watch.on_event(event, NOW) {
            is_sane_time(until);
        }
    }
    let _ = (watch.deadline(), watch.on_time(NOW));
}
