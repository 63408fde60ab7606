//! What all pictures share: their measures, the frame around each, the name of a row, and the table beside it.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::{
    ids::TaskId,
    report::{
        Report,
        html::{
            clean::Clean,
            frame::{left_out, scroll},
        },
    },
    timeline::Iteration,
};

/// Width of every picture; the page makes it smaller where there is less room.
pub(super) const WIDTH: u64 = 960;
/// Where bars begin: names stand to the left.
pub(super) const LEFT: u64 = 220;
/// Characters of a name that fit there.
pub(super) const LABEL: usize = 28;
/// Most rows of a picture; what is left is summed up.
pub(super) const ROWS: usize = 60;
/// Height of a row.
pub(super) const ROW: u64 = 22;

/// A picture, what its marks mean, and the same as a table.
pub(super) fn figure(title: &str, key: &Markup, picture: &Markup, table: &Markup) -> Markup {
    html! {
        figure {
            figcaption { (title) }
            (key)
            (scroll(title, picture))
            details { summary { "As a table" } (scroll(&format!("{title}, as a table"), table)) }
        }
    }
}

/// The picture itself: so high, with a name for those who do not see it.
pub(super) fn svg(label: &str, height: u64, marks: &Markup) -> Markup {
    html! { svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(label) { (marks) } }
}

/// What a column of a table holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column {
    Words(&'static str),
    Number(&'static str),
}

/// The same as a table; `hidden` is how many it leaves out, and of what.
pub(super) fn table(columns: &[Column], rows: &Markup, hidden: (usize, &str)) -> Markup {
    html! {
        table {
            thead {
                tr {
                    @for column in columns {
                        @match column {
                            Column::Words(name) => th scope="col" { (name) }
                            Column::Number(name) => th scope="col" .num { (name) }
                        }
                    }
                }
            }
            tbody { (rows) }
        }
        (left_out(hidden.0, hidden.1))
    }
}

/// A task at the beginning of a table's row.
pub(super) fn task_cell(task: &TaskId) -> Markup {
    html! { th scope="row" { span .id { (Clean::name(task.as_str())) } } }
}

/// The newest iterations, by task.
pub(super) fn by_task(report: &Report, most: usize) -> BTreeMap<&TaskId, Vec<&Iteration>> {
    let mut by_task: BTreeMap<&TaskId, Vec<&Iteration>> = BTreeMap::new();
    let all = &report.timeline.newest;
    for one in all.iter().skip(all.len().saturating_sub(most)) {
        by_task.entry(&one.task).or_default().push(one);
    }
    by_task
}

/// The name of a row: the task, and as much of its title as fits.
pub(super) fn label(report: &Report, task: &TaskId, y: u64) -> Markup {
    let title = report.tasks.iter().find(|one| one.id == *task).map_or("", |one| &one.title);
    let whole = format!("{task} {title}");
    html! {
        text x="0" y=(y + 15) { (Clean::short(&whole, LABEL)) title { (Clean::name(&whole)) } }
    }
}
