//! Variables and options by which an ordinary tool is made to start another program.

use crate::{
    call::{Call, one_of},
    frame::Frame,
    paths::Zone,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    let by_variable = call.variables().any(|(name, value)| is_program_variable(name, value));
    (by_variable || has_option(call, frame)).then_some("program-option")
}

/// Variables whose value is a program.
const VARIABLES: &str = "BAT_PAGER BROWSER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTC_WRAPPER \
    CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER DELTA_PAGER EDITOR GH_PAGER LESSCLOSE LESSOPEN MANPAGER PAGER RUSTC \
    RUSTC_WORKSPACE_WRAPPER RUSTC_WRAPPER RUSTDOC SYSTEMD_PAGER VISUAL CC_WRAPPER";

/// Programs that are harmless in their place: pagers, editors, caches of compilers, packers.
const HARMLESS: &str = "bat cat col delta head less more most tail code ed emacs nano nvim vi vim ccache cachepot sccache \
    lesspipe lesspipe.sh rustc rustdoc clippy-driver echo none : false true gzip pigz bzip2 xz zstd lz4 ssh pdftotext";

fn is_program_variable(name: &str, value: &str) -> bool {
    match name {
        "GOFLAGS" => value.split_whitespace().any(is_go_option),
        "PYTEST_PLUGINS" => value.split(',').any(|plugin| !is_known_plugin(plugin)),
        "PYTEST_ADDOPTS" => {
            let args = value.split_whitespace().map(str::to_owned).collect();
            loads_plugin(&Call { args, ..Call::default() })
        }
        _ => {
            let is_runner = name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER");
            (is_runner || one_of(VARIABLES, name)) && !is_harmless(value)
        }
    }
}

/// Whether a value is a harmless program, found where the system keeps them, with nothing behind it but options.
fn is_harmless(value: &str) -> bool {
    let mut words = value.trim_start_matches(['|', '-']).split_whitespace();
    let program = words.next().unwrap_or_default();
    let name = program.strip_prefix("/usr/bin/").unwrap_or(program);
    let is_plain = |word: &str| !word.contains([';', '|', '&', '$', '`', '\n', '!']);
    (name.is_empty() || one_of(HARMLESS, name)) && words.all(is_plain)
}

/// Options that name a program, by tool.
const OPTIONS: &[(&str, &str)] = &[
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
    ("wget", "--use-askpass"),
];

fn has_option(call: &Call, frame: &Frame) -> bool {
    match call.name.as_str() {
        "ssh" => call.values("-o").any(|value| {
            let key = value.to_lowercase();
            ["proxycommand", "localcommand", "permitlocal"]
                .iter()
                .any(|start| key.starts_with(start))
        }),
        "cargo" => call.values("--config").any(|setting| match setting.split_once('=') {
            Some((key, _)) => {
                let mut parts =
                    ["alias", "credential", "linker", "runner", "rustc", "rustdoc", "wrapper"]
                        .iter();
                parts.any(|part| key.to_lowercase().contains(part))
            }
            None => !matches!(frame.zone(setting), Zone::Inside | Zone::Unknown),
        }),
        "go" => call.args.iter().any(|arg| is_go_option(arg)),
        "pytest" | "py.test" => loads_plugin(call),
        name if name.starts_with("python") && call.has_word("pytest") => {
            let own = call.args.iter().skip_while(|arg| *arg != "pytest").skip(1);
            loads_plugin(&Call { args: own.cloned().collect(), ..Call::default() })
        }
        _ => {
            let mut options = OPTIONS.iter().filter(|(tools, _)| call.is(tools));
            options.any(|(_, options)| {
                call.values(options).any(|value| !is_harmless(value) && value != "dot")
            })
        }
    }
}

fn is_go_option(word: &str) -> bool {
    let option = word.split('=').next().unwrap_or_default();
    one_of("-exec --exec -toolexec --toolexec -vettool --vettool", option)
}

fn loads_plugin(call: &Call) -> bool {
    call.values("-p").any(|plugin| !is_known_plugin(plugin))
}

/// Plugins of pytest that projects load by name.
fn is_known_plugin(name: &str) -> bool {
    let first = name.trim().split('.').next().unwrap_or_default();
    first.is_empty()
        || ["no:", "pytest_", "_pytest"].iter().any(|start| name.trim().starts_with(start))
        || one_of(
            "pytester anyio asyncio cov django faulthandler mock randomly timeout xdist",
            first,
        )
}
