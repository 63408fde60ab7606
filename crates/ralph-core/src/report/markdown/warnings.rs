//! What went wrong on the way and stopped nobody: warnings, gates that may fail and did. Judges nothing.

use ralph_text::markdown::list;

use super::phrases::{LISTED, code, count, more, said};
use crate::{report::Report, run::Warning};

/// The section; empty where nothing happened.
pub(super) fn section(report: &Report) -> String {
    let gates = report.soft_failures.iter().map(|(gate, times)| {
        let times = count((*times).into(), "time");
        format!("soft gate {} failed {times}, which no task is held up by", code(gate))
    });
    let lines: Vec<String> = gates.chain(report.warnings.all.iter().map(line)).collect();
    if lines.is_empty() {
        return String::new();
    }
    let left_out = match report.warnings.left_out {
        0 => String::new(),
        left_out => format!("\n- and {left_out} more that were not kept"),
    };
    let (rest, shown) = (more(lines.len()), list(lines.into_iter().take(LISTED)));
    format!("## What happened on the way\n\n{shown}{rest}{left_out}")
}

fn line(warning: &Warning) -> String {
    let place = match warning.iteration {
        0 => "before the first iteration".to_owned(),
        iteration => format!("iteration {iteration}"),
    };
    let times =
        if warning.times > 1 { format!(", {} times", warning.times) } else { String::new() };
    format!("{} ({place}{times})", said(&warning.text))
}
