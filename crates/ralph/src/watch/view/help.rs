//! Every key, and what it does.

use crate::reporters::line::{Line, Tone};

const KEYS: &[(&str, &str)] = &[
    ("j k, arrows", "move, or scroll the pane"),
    ("PgUp PgDn Home End", "by a page, to the beginning or the end"),
    ("Enter", "open the task, unfold a call, answer or decide what waits"),
    ("Esc", "back to the list"),
    ("Tab", "list or pane"),
    ("1 l", "stream: what the agent does"),
    ("2 g", "gates: what they said, which one runs"),
    ("3 d", "diff: what the try changed"),
    ("4 e", "proof: what proves each criterion"),
    ("5 t", "time: where it went"),
    ("6 c", "cost: where money and tokens went"),
    ("7 a", "asks: what waits for you"),
    ("[ ]", "the try before, the try after"),
    ("{ }", "the task before, the task after"),
    ("f", "follow the task under way, or stop following"),
    ("F", "filter: all, needs you, failed, open, done"),
    ("S", "order: plan, newest first, cost"),
    ("/ n N", "search the pane or the stream's whole log, next, previous"),
    ("z", "give the pane the whole width"),
    ("w", "break long lines, or cut them"),
    ("s", "steer: send a message to the agents"),
    ("p", "pause after this iteration, or continue"),
    ("x", "stop the run"),
    ("r", "other runs of this repository"),
    ("1..9 with Alt", "another folder, where several are watched"),
    ("o", "the chosen call's whole output, or the whole file, in your pager"),
    ("y", "copy the task's id (OSC 52)"),
    ("m", "mouse on or off"),
    ("Ctrl-L", "draw everything anew"),
    ("Ctrl-Z", "to the shell; fg comes back"),
    ("q, Ctrl-C", "leave; the run continues"),
];

/// Lines of the help.
pub(crate) const COUNT: usize = KEYS.len() + 1;

/// All keys.
pub(super) fn lines() -> Vec<Line> {
    let head = Line::new().add(Tone::Bold, "keys").dim("   j k Home End scroll, Esc returns");
    let keys = KEYS
        .iter()
        .map(|(key, what)| Line::new().add(Tone::Bold, format!("  {key:<20}")).plain(*what));
    std::iter::once(head).chain(keys).collect()
}
