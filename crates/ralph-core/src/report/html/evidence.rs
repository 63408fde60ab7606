//! Which criterion was proved by whom, as a table: criterion by check, reviewer, person, nobody.

use maud::{Markup, html};

use super::{
    clean::Clean,
    frame::{Frame, left_out, scroll},
};
use crate::{
    evidence::{Evidence, Judged},
    report::{Report, TaskReport},
};

pub(super) fn section(report: &Report, frame: &Frame<'_>) -> Markup {
    let all = report.tasks.iter().flat_map(|task| task.evidence.iter().map(move |one| (task, one)));
    let (rows, total) = (frame.bounds.rows, all.clone().count());
    let table = html! {
        table {
            thead { tr { th scope="col" { "task" } th scope="col" { "criterion" } th scope="col" { "check" } th scope="col" { "reviewer" } th scope="col" { "person" } th scope="col" { "nobody" } } }
            tbody { @for (task, one) in all.take(rows) { (row(task, one)) } }
        }
    };
    html! {
        @if total > 0 {
            section {
                h2 { "Evidence" }
                p .dim { "Every cell names the tree that was judged, which is the one that was committed." }
                (scroll("Evidence for each criterion", &table))
                (left_out(total.saturating_sub(rows), "criterion"))
            }
        }
    }
}

fn row(task: &TaskReport, evidence: &Evidence) -> Markup {
    let column = match evidence.by {
        Judged::Check { .. } => 0,
        Judged::Reviewer { .. } => 1,
        Judged::Person => 2,
        Judged::Unreviewed => 3,
    };
    html! {
        tr {
            th scope="row" { span .id { (Clean::name(task.id.as_str())) } }
            td { (Clean::sentence(&evidence.criterion)) }
            @for nth in 0..4 { td { @if nth == column { (cell(evidence)) } } }
        }
    }
}

fn cell(evidence: &Evidence) -> Markup {
    let tree = evidence.tree.as_str();
    let verdict = |met: bool| html! { @if met { span .good { "✓ met" } } @else { span .bad { "✗ not met" } } };
    html! {
        @match &evidence.by {
            Judged::Check { command, exit_code, .. } => { (verdict(*exit_code == 0)) " " code { (Clean::name(command)) } }
            Judged::Reviewer { agent, iteration, met, .. } => { (verdict(*met)) " " (Clean::name(agent)) ", iteration " (iteration) }
            Judged::Person => { (verdict(true)) }
            Judged::Unreviewed => span .warn { "! not judged" }
        }
        " " span .id.dim { (Clean::short(tree, 11)) }
    }
}
