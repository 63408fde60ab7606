//! Variables and options by which an ordinary tool is made to start another program.

use crate::{
    call::{Call, one_of},
    frame::Frame,
};

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    let is_runner = |name: &str| name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER");
    let by_variable = call
        .variables()
        .any(|(name, value)| (is_runner(name) || one_of(VARIABLES, name)) && !is_harmless(value));
    let mut options = OPTIONS.iter().filter(|(tools, _)| call.is(tools));
    let by_option =
        options.any(|(_, options)| call.values(options).any(|value| !is_harmless(value)));
    (by_variable || by_option).then_some("program-option")
}

/// Variables whose value is a program.
const VARIABLES: &str = "BAT_PAGER BROWSER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTC_WRAPPER \
    CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER DELTA_PAGER EDITOR GH_PAGER LESSCLOSE LESSOPEN MANPAGER PAGER RUSTC \
    RUSTC_WORKSPACE_WRAPPER RUSTC_WRAPPER RUSTDOC SYSTEMD_PAGER VISUAL CC_WRAPPER";

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

/// Programs that are harmless in their place: pagers, editors, caches of compilers, packers.
const HARMLESS: &str = "bat cat col delta head less more most tail code ed emacs nano nvim vi vim ccache cachepot \
    sccache lesspipe lesspipe.sh rustc rustdoc clippy-driver echo none : false true gzip pigz bzip2 xz zstd lz4 ssh \
    pdftotext dot";

/// Whether a value is a harmless program, found where the system keeps them, with nothing behind it but options.
fn is_harmless(value: &str) -> bool {
    let mut words = value.trim_start_matches(['|', '-']).split_whitespace();
    let program = words.next().unwrap_or_default();
    let name = program.strip_prefix("/usr/bin/").unwrap_or(program);
    let is_plain = |word: &str| !word.contains([';', '|', '&', '$', '`', '\n', '!']);
    (name.is_empty() || one_of(HARMLESS, name)) && words.all(is_plain)
}
