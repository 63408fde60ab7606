//! Variables and options by which an ordinary tool is made to start another program.

use super::{
    super::{call::Call, paths::Zone, walk::Frame},
    Rule,
    git_verb::Git,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "tool-program-variable",
        reason: "the variable makes an ordinary tool start a program of its own choice",
        instead: "run the tool without it; cat, less or an installed compiler cache are fine",
        check: variable,
        denies: &[
            "PAGER=./x man ls",
            "MANPAGER='sh -c id' man ls",
            "LESSOPEN='|./x %s' less a",
            "export RUSTC_WRAPPER=./w",
            "RUSTC_WRAPPER=./w cargo build",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=./r cargo test",
            "GOFLAGS=-toolexec=./x go build ./...",
            "PYTEST_PLUGINS=evil pytest",
            "PYTEST_ADDOPTS='-p evil' pytest",
            "EDITOR=./x crontab -l",
        ],
        allows: &[
            "PAGER=cat man ls",
            "MANPAGER='less -R' man ls",
            "PAGER= git log",
            "RUSTC_WRAPPER=sccache cargo build",
            "RUSTC_WRAPPER= cargo build",
            "GOFLAGS=-mod=mod go build ./...",
            "PYTEST_ADDOPTS='-x -p no:cacheprovider' pytest",
            "EDITOR=vim ls",
        ],
    },
    Rule {
        name: "tool-program-option",
        reason: "the option makes a build tool start a program of its own choice",
        instead: "run the tool without it, or put the setting into a file of the project",
        check: option,
        denies: &[
            "cargo --config 'target.x86_64-unknown-linux-gnu.runner=\"./r\"' test",
            "cargo test --config build.rustc-wrapper=./w",
            "cargo --config ~/x.toml build",
            "go run -exec ./x .",
            "go test -exec=./x ./...",
            "go build -toolexec ./x",
            "pytest -p evil tests",
            "python3 -m pytest -p evil",
        ],
        allows: &[
            "cargo --config net.offline=true build",
            "cargo --config ci/cargo.toml build",
            "go run .",
            "go test ./...",
            "pytest -p no:cacheprovider",
            "pytest -p xdist -n 4",
            "python3 -m pytest -q",
        ],
    },
    Rule {
        name: "git-folder-elsewhere",
        reason: "it puts a worktree or git's own files into the home or the system",
        instead: "keep it in the worktree or in a temporary folder",
        check: elsewhere,
        denies: &[
            "git worktree add ~/x",
            "git worktree add -b y /etc/x main",
            "git init --separate-git-dir ~/g",
            "git init --separate-git-dir=../g .",
            "git init ~",
            "git clone --separate-git-dir ~/g https://github.com/a/b",
            "git clone https://github.com/a/b ~/b",
        ],
        allows: &[
            "git worktree add ../feature",
            "git worktree add sub/x",
            "git worktree list",
            "git init",
            "git init sub",
            "git clone https://github.com/a/b",
            "git init --separate-git-dir /tmp/g .",
        ],
    },
];

const PAGERS: &[&str] = &["bat", "cat", "col", "delta", "head", "less", "more", "most", "tail"];
const EDITORS: &[&str] = &["cat", "code", "ed", "emacs", "nano", "nvim", "vi", "vim"];
const CACHES: &[&str] = &["ccache", "cachepot", "sccache"];
const PIPES: &[&str] = &["lesspipe", "lesspipe.sh"];

/// Variables whose value is a program, and the programs that are harmless there.
const VARIABLES: &[(&str, &[&str])] = &[
    ("BAT_PAGER", PAGERS),
    ("BROWSER", &["echo", "none"]),
    ("CARGO_BUILD_RUSTC", &["rustc"]),
    ("CARGO_BUILD_RUSTC_WRAPPER", CACHES),
    ("CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER", &["clippy-driver"]),
    ("DELTA_PAGER", PAGERS),
    ("EDITOR", EDITORS),
    ("GH_PAGER", PAGERS),
    ("LESSCLOSE", PIPES),
    ("LESSOPEN", PIPES),
    ("MANPAGER", PAGERS),
    ("PAGER", PAGERS),
    ("RUSTC", &["rustc"]),
    ("RUSTC_WORKSPACE_WRAPPER", &["clippy-driver"]),
    ("RUSTC_WRAPPER", CACHES),
    ("RUSTDOC", &["rustdoc"]),
    ("SYSTEMD_PAGER", PAGERS),
    ("VISUAL", EDITORS),
];

/// Options of go that name a program.
const OF_GO: &[&str] = &["-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool"];

/// Parts of cargo's settings that name a program.
const OF_CARGO: &[&str] =
    &["alias", "credential", "linker", "runner", "rustc", "rustdoc", "wrapper"];

/// Plugins of pytest that projects load by name.
const PLUGINS: &[&str] =
    &["anyio", "asyncio", "cov", "django", "faulthandler", "mock", "randomly", "timeout", "xdist"];

fn variable(call: &Call, _: &Frame) -> bool {
    let exports = call.is(&["export", "declare", "env"]);
    let given = call.args.iter().filter(|_| exports).filter_map(|arg| arg.split_once('='));
    let set = call.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    set.chain(given).any(|(name, value)| match name {
        "GOFLAGS" => value.split_whitespace().any(|word| is_one_of(word, OF_GO)),
        "PYTEST_PLUGINS" => value.split(',').any(|plugin| !is_known_plugin(plugin)),
        "PYTEST_ADDOPTS" => {
            let words = value.split_whitespace().map(str::to_owned);
            loads_plugin(&Call { args: words.collect(), ..Call::default() })
        }
        _ if name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER") => !value.is_empty(),
        _ => VARIABLES
            .iter()
            .any(|(known, harmless)| *known == name && !is_harmless(value, harmless)),
    })
}

/// Whether a value is one of these programs, found where the system keeps them, with nothing behind it but options.
fn is_harmless(value: &str, programs: &[&str]) -> bool {
    let mut words = value.trim_start_matches(['|', '-']).split_whitespace();
    let program = words.next().unwrap_or_default();
    let name = program.strip_prefix("/usr/bin/").unwrap_or(program);
    let does_nothing = ["", ":", "false", "true"].contains(&name);
    let is_plain = |word: &str| !word.contains([';', '|', '&', '$', '`', '\n', '!']);
    (does_nothing || programs.contains(&name)) && words.all(is_plain)
}

fn option(call: &Call, frame: &Frame) -> bool {
    match call.name.as_str() {
        "cargo" => call.values(&["--config"]).any(|setting| match setting.split_once('=') {
            Some((key, _)) => OF_CARGO.iter().any(|part| key.to_lowercase().contains(part)),
            None => !matches!(frame.zone(setting), Zone::Inside | Zone::Unknown),
        }),
        "go" => call.args.iter().any(|arg| is_one_of(arg, OF_GO)),
        "pytest" | "py.test" => loads_plugin(call),
        name if name.starts_with("python") && call.has_word(&["pytest"]) => {
            let own = call.args.iter().skip_while(|arg| *arg != "pytest").skip(1);
            loads_plugin(&Call { args: own.cloned().collect(), ..call.clone() })
        }
        _ => false,
    }
}

fn is_one_of(word: &str, options: &[&str]) -> bool {
    options.contains(&word.split('=').next().unwrap_or_default())
}

fn loads_plugin(call: &Call) -> bool {
    call.values(&["-p"]).any(|plugin| !is_known_plugin(plugin))
}

fn is_known_plugin(name: &str) -> bool {
    let first = name.trim().split('.').next().unwrap_or_default();
    name.trim().is_empty()
        || name.starts_with("no:")
        || ["pytest_", "_pytest"].iter().any(|start| first.starts_with(start))
        || first == "pytester"
        || PLUGINS.contains(&first)
}

fn elsewhere(call: &Call, frame: &Frame) -> bool {
    let Some(git) = Git::of(call) else { return false };
    let rest = &git.rest;
    if git.is(&["init", "clone"]) {
        let is_kept = |path| {
            matches!(frame.zone(path), Zone::Inside | Zone::Worktree | Zone::Temp | Zone::Unknown)
        };
        if !rest.values(&["--separate-git-dir"]).all(is_kept) {
            return true;
        }
    }
    let valued =
        ["-b", "-B", "--reason", "--branch", "--initial-branch", "--depth", "-o", "--origin"];
    let words = rest.operands(&valued);
    let (("worktree", ["add", target, ..] | ["move", _, target])
    | ("init", [target])
    | ("clone", [_, target])) = (git.verb.as_str(), words.as_slice())
    else {
        return false;
    };
    // Beside the worktree is where parallel work is put; only a path from the root can mean the home itself.
    let is_named = target.starts_with('/');
    match frame.zone(target) {
        Zone::Home | Zone::System => is_named,
        Zone::Outside => is_named && frame.in_home(target).is_some_and(|rest| rest.is_empty()),
        Zone::Git | Zone::Guarded => true,
        _ => false,
    }
}
