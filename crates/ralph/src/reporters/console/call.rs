//! Lines about agent calls as a whole: how they ended, set aside, stopped, and commands after a commit.

use ralph_agents::cause;
use ralph_core::{
    agent_facts::short_name,
    effect::How,
    ending::{Ending, Reaction},
    event::{Decision, Event, SetAside, StopHow, Uncharged},
    input::{AgentReport, ScmReport},
    timeline::Current,
    usage::Usage,
};

use super::{options::Options, verdict};
use crate::{
    reporters::{
        block::{Block, Entry, dots},
        budget::{self, Caps},
        line::{Line, Sign, Tone},
        plain,
    },
    words,
};

/// How an agent call ended and what it took.
pub(crate) fn ended(report: &AgentReport, agent: &str, options: &Options) -> Block {
    let mut block = Vec::new();
    let agent = short_name(agent);
    if report.ending != Ending::Ok && !is_waited_for(&report.ending) {
        let text = format!("{agent}: {}", report.ending.describe());
        let told = plain::clean(&text);
        block.push(Entry::marked(Sign::Warning, text));
        let untold = plain::clean(&cause(&report.stderr_tail));
        let untold: Vec<&str> = untold.lines().filter(|line| !told.contains(line.trim())).collect();
        block.extend(quoted(&untold.join("\n"), options.display.max_output_lines));
    }
    let has_worked = report.usage != Usage::default() || report.tools > 0;
    if report.ending == Ending::Ok || has_worked {
        let word = if report.ending == Ending::Ok { "finished" } else { "ended" };
        let mut figures = vec![format!("{agent} {word}: {}", report.took)];
        if report.usage != Usage::default() {
            figures.push(budget::spent(&report.usage, &Caps::default()));
        }
        figures.extend(tools(report.tools.into(), report.tool_errors.into()));
        block.push(Entry::text(4, Tone::Dim, dots(&figures)));
    }
    if report.leftovers > 0 {
        let left = words::count(report.leftovers.into(), "process");
        let text = format!("{left} outlived {agent} and had to be ended");
        block.push(Entry::signed(Sign::Warning, text));
    }
    block
}

/// How many tools were called and how many of them failed, where there is anything to count.
pub(crate) fn tools(calls: u64, errors: u64) -> Option<String> {
    let calls = (calls > 0).then(|| words::count(calls, "tool call"))?;
    match errors {
        0 => Some(calls),
        errors => Some(format!("{calls}, {}", words::count(errors, "error"))),
    }
}

/// The line about the wait says it all.
fn is_waited_for(ending: &Ending) -> bool {
    matches!(ending.reaction(), Reaction::BackOff | Reaction::WaitUntil(_))
}

fn quoted(text: &str, most: usize) -> Block {
    let (lines, _) = plain::head(text, most, 2000);
    lines.iter().filter(|line| !line.is_empty()).map(|line| Entry::quoted(6, line)).collect()
}

/// One scm task's result.
pub(crate) fn scm(report: &ScmReport) -> Block {
    let passed = report.end.succeeded();
    let sign = if passed { Sign::Ok } else { Sign::Bad };
    let mut line = Line::new().plain("    ").sign(sign).plain(format!(" scm {}", report.task));
    if !passed {
        line = line.add(Tone::Bad, format!("  {}", verdict::end(report.end)));
    }
    let mut block = vec![Entry::Cut(line)];
    if !passed {
        block.extend(quoted(&report.output, 5));
    }
    block
}

/// A call that does not count.
pub(crate) fn set_aside(aside: &SetAside, decision: &Decision) -> Block {
    let waits = decision.events.iter().any(|event| matches!(event, Event::WaitBegan { .. }));
    let ends = decision.events.iter().any(|event| matches!(event, Event::RunEnding { .. }));
    let mut parts = Vec::new();
    if ends || aside.counts_as == Uncharged::Interrupt {
        parts.push("not charged; the same iteration runs again on resume".to_owned());
    } else if !waits {
        parts.push("not charged; the same iteration runs again".to_owned());
    }
    if let Some(kept) = &aside.kept {
        parts.push(format!("its changes are saved as {kept}"));
    }
    if parts.is_empty() {
        return Vec::new();
    }
    vec![Entry::text(4, Tone::Dim, dots(&parts))]
}

/// An agent whose place another one takes.
pub(crate) fn rested(agent: &str, until: Option<String>, why: &str) -> Entry {
    let until = until.map_or_else(|| "for this run".to_owned(), |until| format!("until {until}"));
    let text = format!("{agent} rests {until} ({why}); the next agent takes its place");
    Entry::signed(Sign::Neutral, text)
}

/// A stop was asked for.
pub(crate) fn stop(how: StopHow, current: Option<&Current>) -> Entry {
    let works = current.is_some_and(|current| current.ending.is_none());
    let text = match how {
        StopHow::AfterIteration => "stopping after this iteration, as asked",
        StopHow::Now => "stopping now, as asked",
        StopHow::Signal { how: How::Ask, .. } if !works => "stopping: state is saved",
        StopHow::Signal { how: How::Ask, .. } => {
            "stopping: the agent has 8s to end, state is saved; once more ends it at once"
        }
        StopHow::Signal { how: How::Kill, .. } => "ending the agent at once",
    };
    Entry::signed(Sign::Warning, text)
}
