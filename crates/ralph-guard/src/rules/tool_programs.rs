//! Options by which an ordinary tool is made to start another program.

use super::pattern::is_harmless;
use crate::{call::Call, frame::Frame};

/// Options that name a program, by tool.
const OPTIONS: [(&str, &str); 9] = [
    ("man", "-P --pager -H --html"),
    ("rg", "--pre --hostname-bin"),
    ("sort", "--compress-program"),
    (
        "tar gtar bsdtar",
        "--to-command --checkpoint-action --use-compress-program -I --rsh-command -F --info-script",
    ),
    ("split", "--filter"),
    ("rsync", "-e --rsh --rsync-path"),
    ("scp sftp", "-S -D"),
    ("zip", "-TT --unzip-command"),
    ("tcpdump", "-z"),
];

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    let mut options = OPTIONS.iter().filter(|(tools, _)| call.is(tools));
    let starts = |options: &str| call.values(options).any(|value| !is_harmless(value));
    options.any(|(_, options)| starts(options)).then_some("program-option")
}
