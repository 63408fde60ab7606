//! Lines about agent calls as a whole: how they ended, set aside, stopped, and commands after a commit.

use ralph_core::{
    effect::How,
    ending::{Ending, Reaction},
    event::{Decision, Event, SetAside, StopHow, Uncharged},
    input::{AgentReport, ScmReport},
};

use super::{finale, options::Options, verdict};
use crate::{
    reporters::{
        block::{Block, Entry, dots},
        line::{Line, Sign, Tone},
        plain,
    },
    words,
};

/// How an agent call ended and what it took.
pub(crate) fn ended(report: &AgentReport, agent: &str, options: &Options) -> Block {
    let mut block = Vec::new();
    if report.ending == Ending::Ok {
        let figures = dots(&[
            format!("{agent} finished: {}", report.took),
            finale::spent(&report.usage),
            format!(
                "{}, {}",
                words::count(report.tools.into(), "tool call"),
                words::count(report.tool_errors.into(), "error")
            ),
        ]);
        block.push(Entry::text(4, Tone::Dim, figures));
    } else if !is_waited_for(&report.ending) {
        let lead = Line::new().plain("    ").sign(Sign::Warning).plain(" ");
        block.push(Entry::led(lead, format!("{agent}: {}", report.ending.describe())));
        block.extend(quoted(&report.stderr_tail, options.display.max_output_lines));
    }
    if report.leftovers > 0 {
        let left = words::count(report.leftovers.into(), "process");
        block.push(warning(format!("{left} outlived {agent} and had to be ended")));
    }
    block
}

/// The line about the wait says it all.
fn is_waited_for(ending: &Ending) -> bool {
    matches!(ending.reaction(), Reaction::BackOff | Reaction::WaitUntil(_))
}

fn quoted(text: &str, most: usize) -> Block {
    let (lines, _) = plain::head(text, most, 2000);
    lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| Entry::Cut(Line::new().dim("      │ ").dim(line)))
        .collect()
}

/// A line that warns.
pub(crate) fn warning(text: impl AsRef<str>) -> Entry {
    Entry::led(Line::signed(Sign::Warning), text.as_ref())
}

/// A line that only tells.
pub(crate) fn neutral(text: String) -> Entry {
    Entry::led(Line::signed(Sign::Neutral), text)
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
    let mut parts = Vec::new();
    if aside.counts_as == Uncharged::Interrupt {
        parts.push("not charged; the same iteration runs again on resume".to_owned());
    } else if !waits {
        parts.push("not charged; the same iteration runs again".to_owned());
    }
    if let Some(kept) = &aside.kept {
        parts.push(format!("what it left is kept as {kept}"));
    }
    if parts.is_empty() {
        return Vec::new();
    }
    vec![Entry::text(4, Tone::Dim, dots(&parts))]
}

/// A stop was asked for.
pub(crate) fn stop(how: StopHow) -> Entry {
    warning(match how {
        StopHow::AfterIteration => "stopping after this iteration, as asked",
        StopHow::Now => "stopping now, as asked",
        StopHow::Signal { how: How::Ask, .. } => {
            "stopping: the agent has 8s to end, state is saved; once more ends it at once"
        }
        StopHow::Signal { how: How::Kill, .. } => "ending the agent at once",
    })
}
