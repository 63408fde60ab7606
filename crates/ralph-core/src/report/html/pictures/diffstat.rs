//! What the run changed: the largest files with their new and removed lines, and which of them need a second look.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::{
    canvas::{
        self,
        Column::{Number, Words},
        LABEL, LEFT, ROW, WIDTH, svg,
    },
    scale::share,
};
use crate::report::{
    Diffstat, FileChange, Report,
    html::{
        clean::Clean,
        frame::{count, key},
    },
};

/// Room for the numbers at the right end of a bar.
const RIGHT: u64 = 110;

pub(super) fn figure(report: &Report) -> Markup {
    let Some(stat) = report.diffstat.as_ref().filter(|stat| stat.files > 0) else {
        return html! {};
    };
    let exposed: BTreeSet<&str> =
        report.exposed.iter().flat_map(|one| &one.files).map(|file| file.path.as_str()).collect();
    let most = stat.largest.iter().map(FileChange::lines).max().unwrap_or(0);
    let height = stat.largest.len() as u64 * ROW + 4;
    let marks = html! {
        @for (nth, file) in (0u64..).zip(&stat.largest) {
            (row(file, nth * ROW, most, exposed.contains(file.path.as_str())))
        }
    };
    let picture = html! {
        (svg("Changed files with new and removed lines", height, &marks))
        p .dim { (summed(stat)) }
    };
    let legend = html! {
        ul .key {
            (key("accepted", "", "new lines")) (key("rejected", "", "removed lines"))
            @if !exposed.is_empty() { li { b .warn { "!" } " needs a second look" } }
        }
    };
    canvas::figure("Changed files", &legend, &picture, &table(stat, &exposed))
}

fn summed(stat: &Diffstat) -> String {
    let hidden = stat.files - stat.largest.len();
    let rest =
        if hidden > 0 { format!("; the largest {}", stat.largest.len()) } else { String::new() };
    format!("{} changed, +{} −{}{rest}", count(stat.files, "file"), stat.added, stat.removed)
}

/// `+12 −3`, or that it is no text.
fn numbers(file: &FileChange) -> String {
    match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("+{added} −{removed}"),
        _ => "not text".into(),
    }
}

fn row(file: &FileChange, y: u64, most: u64, is_exposed: bool) -> Markup {
    let room = WIDTH - LEFT - RIGHT;
    let (added, removed) = (file.added.unwrap_or(0), file.removed.unwrap_or(0));
    let middle = LEFT + share(added, most, room);
    let end = LEFT + share(added.saturating_add(removed), most, room);
    let mark = if is_exposed { "! " } else { "" };
    html! {
        g {
            title { (mark) (Clean::name(&file.path)) ": " (numbers(file)) }
            text .look[is_exposed] x="0" y=(y + 15) { (mark) (Clean::short_path(&file.path, LABEL - mark.len())) }
            @if added > 0 { rect .accepted x=(LEFT) y=(y + 3) width=((middle - LEFT).max(1)) height="15" {} }
            @if removed > 0 { rect .rejected x=(middle) y=(y + 3) width=((end - middle).max(1)) height="15" {} }
            text .soft x=(end + 6) y=(y + 15) { (numbers(file)) }
        }
    }
}

fn table(stat: &Diffstat, exposed: &BTreeSet<&str>) -> Markup {
    let lines = html! {
        @for file in &stat.largest {
            tr {
                th scope="row" { code { (Clean::name(&file.path)) } }
                td .num { (file.added.map_or("–".into(), |lines| lines.to_string())) }
                td .num { (file.removed.map_or("–".into(), |lines| lines.to_string())) }
                td { @if exposed.contains(file.path.as_str()) { span .warn { "! needs a second look" } } }
            }
        }
    };
    let columns = [Words("file"), Number("new lines"), Number("removed lines"), Words("")];
    canvas::table(&columns, &lines, (stat.files - stat.largest.len(), "smaller change"))
}
