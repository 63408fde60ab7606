//! Modes and owners of files.

use crate::{
    call::{Call, one_of},
    frame::Frame,
    paths::Zone,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    let words = call.words();
    let mode = if call.is("install") { call.value("-m --mode") } else { words.first().copied() };
    let mode = mode.unwrap_or_default();
    if call.is("chmod install") && is_special(mode) {
        return Some("setuid");
    }
    let files = words.get(1..).unwrap_or_default();
    let is_all = call.has("-R --recursive");
    let is_bad = match call.name.as_str() {
        "chown" | "chgrp" => {
            let is_tree = |path: &&str| frame.zone(path) == Zone::Worktree;
            is_all && files.iter().any(is_tree)
        }
        "chmod" => {
            let is_kept = |path: &&str| frame.zone(path) == Zone::Temp;
            let opens = matches!(mode.trim_start_matches('0'), "777" | "666")
                || mode.contains("o+w")
                || mode.contains("o+rw")
                || is_all && one_of("a+rwx ugo+rwx a=rwx +rwx", mode);
            let closes = mode.chars().all(|c| c == '0') || one_of("a-rwx ugo-rwx a-w", mode);
            opens && (is_all || !files.iter().all(is_kept)) || is_all && closes
        }
        _ => false,
    };
    is_bad.then_some("open-permissions")
}

/// Whether a mode lets a program run with its owner's or its group's rights.
fn is_special(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    let is_octal = !mode.is_empty() && mode.chars().all(|c| c.is_digit(8));
    is_octal && digits.len() == 4 && !digits.starts_with('1')
        || mode.contains(['+', '=']) && mode.contains('s')
}
