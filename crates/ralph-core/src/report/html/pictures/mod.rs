//! Pictures of a run as inline SVG, each with the same as a table.

mod attempts;
mod canvas;
mod cost;
mod diffstat;
mod scale;
mod timeline;

use maud::{Markup, html};

use super::frame::Frame;
use crate::report::Report;

pub(super) fn section(report: &Report, frame: &Frame<'_>) -> Markup {
    html! {
        @if !report.timeline.newest.is_empty() {
            section {
                h2 { "Pictures" }
                (timeline::figure(report, frame))
                (cost::figure(report, frame))
                (attempts::figure(report, frame))
                (diffstat::figure(report))
            }
        }
    }
}
