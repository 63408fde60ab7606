//! Modes, owners and attributes of files.

use crate::{
    call::{Call, one_of},
    frame::Frame,
    marks,
    paths::Zone,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    let mode = match call.name.as_str() {
        "install" => call.value("-m --mode").unwrap_or_default(),
        "chmod" | "chown" | "chgrp" | "setfacl" | "xattr" => mode(call),
        _ => return None,
    };
    if call.is("chmod install") && is_special(mode) {
        return Some("setuid");
    }
    let is_outside = |path: &&str| {
        matches!(frame.zone(path), Zone::Home | Zone::Outside | Zone::System | Zone::Device)
    };
    let skip = usize::from(!call.line().contains("--reference") && !call.is("setfacl xattr"));
    let words = call.words();
    let files = words.get(skip..).unwrap_or_default();
    let reads = call.is("xattr") && call.has("-l -p");
    if !call.is("install") && !reads && files.iter().any(is_outside) {
        return Some("open-permissions");
    }
    let recursive = call.has("-R --recursive");
    let is_whole = |path: &&str| frame.zone(path) == Zone::Worktree;
    let is_bad = match call.name.as_str() {
        "chown" | "chgrp" => {
            mode.starts_with("root")
                || mode.starts_with("0:")
                || recursive && files.iter().any(is_whole)
        }
        "chmod" => {
            let is_kept = |path: &&str| frame.zone(path) == Zone::Temp && !marks::has_glob(path);
            let opens = matches!(mode.trim_start_matches('0'), "777" | "666")
                || mode.contains("o+w")
                || mode.contains("o+rw")
                || recursive && one_of("a+rwx ugo+rwx a=rwx +rwx", mode);
            let closes = recursive
                && (mode.chars().all(|c| c == '0') || one_of("a-rwx -r ugo-rwx a-w -w", mode));
            opens && (recursive || !files.iter().all(is_kept)) || closes
        }
        _ => false,
    };
    is_bad.then_some("open-permissions")
}

fn mode(call: &Call) -> &str {
    let is_mode = |arg: &&str| !arg.starts_with("--") && !one_of("-R -v -f -c -h -Rf -fR -Rv", arg);
    call.args.iter().map(String::as_str).find(is_mode).unwrap_or_default()
}

/// Whether a mode lets a program run with its owner's or its group's rights.
fn is_special(mode: &str) -> bool {
    let is_octal = !mode.is_empty() && mode.chars().all(|c| c.is_digit(8));
    let digits = mode.trim_start_matches('0');
    is_octal && digits.len() == 4 && !digits.starts_with('1')
        || mode.contains(['+', '=']) && mode.contains('s')
}
