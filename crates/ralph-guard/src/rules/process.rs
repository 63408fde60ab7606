//! Processes that are not the command's own, and waiting for hours.

use crate::{
    call::{Call, one_of},
    frame::Frame,
    marks::{CHILD, FOUND, PARENT},
};

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    match call.name.as_str() {
        "kill" | "skill" | "tkill" => kills_foreign(call).then_some("kill-foreign"),
        "pkill" | "killall" | "slay" => {
            let is_own = call.value("-P --parent").is_some_and(|parent| parent.contains(CHILD));
            let asks = call.has_word("-l --list -0 -V") || call.is_rehearsal();
            (!is_own && !asks && !call.args.is_empty()).then_some("kill-by-name")
        }
        "sleep" => call.args.iter().any(|arg| is_hours(arg)).then_some("stall"),
        _ => None,
    }
}

fn kills_foreign(call: &Call) -> bool {
    if call.has_word("-l -L -0") {
        return false;
    }
    let mut targets = call.operands("-s -n --signal");
    // A process group is written like an option, after the signal or `--`.
    targets.extend(call.args.iter().skip(1).map(String::as_str).filter(|arg| *arg == "-1"));
    targets.iter().any(|target| is_foreign(target))
}

fn is_foreign(target: &str) -> bool {
    let mut agents = "ralph claude codex gemini opencode agent sshd systemd node python".split(' ');
    if let Some((_, search)) = target.split_once(FOUND) {
        return search.is_empty() || agents.any(|name| search.contains(name));
    }
    target.contains(PARENT) || one_of("1 0 -1", target)
}

/// Whether a time to sleep is more than two hours, or five digits of seconds.
fn is_hours(time: &str) -> bool {
    let digits = time.trim_end_matches(|c: char| c.is_alphabetic()).len();
    time.starts_with("inf")
        || time.ends_with('d')
        || time.ends_with('h') && !one_of("1h 2h", time)
        || digits > 4 && !time.contains('.')
}
