//! A report as one HTML file: readable without script and without a network, at most 2 MB.
//!
//! What agents, gates and reviewers wrote reaches the page as [`clean::Clean`] only.

mod clean;
mod constants;
mod evidence;
mod frame;
mod head;
mod how;
mod people;
mod pictures;
mod risks;
mod tasks;
#[cfg(test)]
mod tests;

pub use frame::Live;
use frame::{Bounds, Frame};
use maud::{DOCTYPE, Markup, html};

use super::Report;
use crate::time::Timestamp;

/// No page is bigger.
const LARGEST: usize = 2_000_000;

/// How much is shown: everything that fits, then less and less.
const LEVELS: [Bounds; 4] = [
    Bounds { tasks: 500, rows: 1_000, has_output: true },
    Bounds { tasks: 500, rows: 500, has_output: false },
    Bounds { tasks: 100, rows: 200, has_output: false },
    Bounds { tasks: 20, rows: 40, has_output: false },
];

/// The whole page, with times as they are to be shown.
pub fn html(report: &Report, live: Option<Live>, show: &dyn Fn(Timestamp) -> String) -> String {
    let at = |bounds: Bounds| page(report, live, &Frame { bounds, show }).into_string();
    let [first, rest @ ..] = LEVELS;
    rest.iter().fold(at(first), |page, less| if page.len() > LARGEST { at(*less) } else { page })
}

fn page(report: &Report, live: Option<Live>, frame: &Frame<'_>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(constants::policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                @if let Some(live) = live.filter(|_| report.ended.is_none()) {
                    meta http-equiv="refresh" content=((live.every.0 / 1000).max(1));
                }
                title { (head::title(report)) }
                style { (constants::style()) }
            }
            body {
                a .skip href="#main" { "Skip to the results" }
                (head::section(report, live, frame))
                main #main {
                    (people::section(report, frame))
                    (risks::section(report, frame))
                    (pictures::section(report, frame))
                    (evidence::section(report, frame))
                    (tasks::section(report, frame))
                    (how::section(report, frame))
                }
                footer { "Written by ralph. It loads nothing and sends nothing. " code { "ralph report" } " prints the same as text." }
                script { (constants::script()) }
            }
        }
    }
}
