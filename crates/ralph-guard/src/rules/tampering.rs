//! Ways around ralph, its guard, its proxy and the project's own checks.

use super::{
    super::{call::Call, paths::Zone, walk::Frame},
    Rule,
    git_verb::Git,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "skip-hooks",
        reason: "it goes around the project's own checks",
        instead: "let the hooks run and mend what they find",
        check: skip_hooks,
        denies: &[
            "git commit --no-verify -m x",
            "git commit -nm x",
            "HUSKY=0 git commit -m x",
            "SKIP=all git commit -m x",
            "git push --no-verify",
        ],
        allows: &["git commit -m x", "git log -n 3", "git commit -m 'use --no-verify'"],
    },
    Rule {
        name: "nested-agent",
        reason: "it starts an agent or a run inside this one, without its fences",
        instead: "do the work yourself",
        check: nested,
        denies: &[
            "codex exec --dangerously-bypass-approvals-and-sandbox x",
            "claude --dangerously-skip-permissions -p x",
            "gemini --yolo -p x",
            "ralph run --no-sandbox",
            "CLAUDE_CONFIG_DIR=/tmp/c claude -p x",
        ],
        allows: &["claude --version", "ralph status", "claude mcp list", "ralph --help"],
    },
    Rule {
        name: "around-proxy",
        reason: "it goes around the proxy through which this run reaches the network",
        instead: "use the network as it is; name a host that is missing to a person",
        check: proxy,
        denies: &[
            "unset HTTPS_PROXY; curl https://x.example",
            "curl --noproxy '*' https://x.example",
            "env -u HTTPS_PROXY curl https://x.example",
            "HTTPS_PROXY= curl https://x.example",
        ],
        allows: &["echo $HTTPS_PROXY", "curl --noproxy localhost http://localhost:1"],
    },
    Rule {
        name: "shadow-program",
        reason: "it puts another program in the place of a known one, or one that is loaded into every program",
        instead: "call your own program by its path",
        check: shadow,
        denies: &[
            "alias git='git --no-verify'",
            "cp x /tmp/bin/git",
            "LD_PRELOAD=./x.so ls",
            "ln -s x ./git",
            "export PATH=/tmp/evil:$PATH",
            "BASH_ENV=./x bash -c ls",
        ],
        allows: &[
            "alias ll='ls -l'",
            "export PATH=\"$PWD/node_modules/.bin:$PATH\"",
            "cp git.md docs/git.md",
            "alias",
        ],
    },
];

fn skip_hooks(call: &Call, _: &Frame) -> bool {
    let Some(git) = Git::of(call) else {
        return call.is(&["husky"]) && call.has_word(&["uninstall"])
            || call.is(&["pre-commit", "lefthook"]) && call.has_word(&["uninstall"]);
    };
    if !git.is(&["commit", "push", "merge", "rebase", "am", "cherry-pick", "pull"]) {
        return false;
    }
    let skips = call.env.iter().any(|(name, value)| match name.as_str() {
        "HUSKY" | "LEFTHOOK" | "OVERCOMMIT_DISABLE" | "PRE_COMMIT_ALLOW_NO_CONFIG" => {
            value == "0" || (name != "HUSKY" && name != "LEFTHOOK" && value == "1")
        }
        "HUSKY_SKIP_HOOKS"
        | "SKIP"
        | "SKIP_HOOKS"
        | "LEFTHOOK_EXCLUDE"
        | "SKIP_SIMPLE_GIT_HOOKS" => !value.is_empty() && value != "0",
        _ => false,
    });
    let message = ["-m", "--message", "-F", "-C", "-c", "--author", "--date", "-S"];
    let args: Vec<&String> = git
        .rest
        .args
        .iter()
        .scan(false, |is_value, arg| {
            let keep = !*is_value;
            *is_value = message.contains(&arg.as_str())
                || (arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('m'));
            Some(keep.then_some(arg))
        })
        .flatten()
        .collect();
    let long = args.iter().any(|arg| arg.len() >= 7 && "--no-verify".starts_with(arg.as_str()));
    let short = git.is(&["commit"])
        && args.iter().any(|arg| {
            arg.starts_with('-')
                && !arg.starts_with("--")
                && arg.split('m').next().unwrap_or_default().contains('n')
        });
    skips || long || short
}

/// Programs that are agents.
const AGENTS: [&str; 12] = [
    "claude",
    "codex",
    "gemini",
    "opencode",
    "aider",
    "goose",
    "amp",
    "cursor-agent",
    "copilot",
    "crush",
    "qwen",
    "droid",
];

/// Options that take an agent's fences away.
const FENCES: [&str; 11] = [
    "--dangerously",
    "--yolo",
    "--full-auto",
    "--no-sandbox",
    "--allow-all-tools",
    "--yes-always",
    "--skip-permissions",
    "--trust-all",
    "--auto-approve",
    "--sandbox=off",
    "--sandbox=danger",
];

/// Variables that move an agent's or ralph's own configuration.
const MOVED: [&str; 7] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CONFIG_DIR",
    "RALPH_CALL",
    "OPENCODE_CONFIG",
    "RALPH_SANDBOX_MODE",
    "CLAUDE_CODE_SIMPLE",
];

fn nested(call: &Call, _: &Frame) -> bool {
    let loose = call.args.iter().any(|arg| {
        FENCES.iter().any(|fence| arg.starts_with(fence))
            || arg == "bypassPermissions"
            || arg == "danger-full-access"
            || arg.starts_with("--permission-mode=bypass")
    });
    let elsewhere = call.env.iter().any(|(name, _)| MOVED.contains(&name.as_str()));
    if AGENTS.contains(&call.name.as_str()) {
        let settings = call.has_word(&["--settings", "--mcp-config"]);
        let words = call.words();
        let configures = match words.as_slice() {
            ["login" | "logout" | "setup-token", ..] | ["config", _, ..] => true,
            ["mcp", verb, ..] => ["add", "remove", "add-json"].contains(verb),
            _ => false,
        };
        return loose || elsewhere || settings || configures;
    }
    if call.is(&["export"]) {
        return call.args.iter().any(|arg| {
            MOVED.contains(&arg.split('=').next().unwrap_or_default()) && arg.contains('=')
        });
    }
    if call.is(&["ralph"]) {
        let verb = call.words().first().copied().unwrap_or_default();
        let reads = [
            "status",
            "report",
            "logs",
            "guard",
            "doctor",
            "help",
            "completions",
            "man",
            "watch",
            "replay",
            "hook",
            "agents",
        ];
        let shows = call
            .words()
            .get(1)
            .is_some_and(|word| ["show", "list", "schema", "proposals"].contains(word));
        return loose
            || elsewhere
            || !(verb.is_empty() || reads.contains(&verb) || shows || call.is_rehearsal());
    }
    false
}

const PROXIES: [&str; 4] = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"];

fn is_proxy(name: &str) -> bool {
    PROXIES.contains(&name.to_uppercase().as_str())
}

fn proxy(call: &Call, _: &Frame) -> bool {
    let is_wide = |hosts: &str| {
        !hosts.split(',').all(|host| ["localhost", "127.0.0.1", "::1"].contains(&host.trim()))
    };
    if call.is(&["unset"]) {
        return call.args.iter().any(|name| is_proxy(name));
    }
    if call.is(&["env"]) {
        return call.values(&["-u", "--unset"]).any(is_proxy)
            || call.args.iter().any(|arg| {
                arg.split_once('=').is_some_and(|(name, value)| is_proxy(name) && is_wide(value))
            });
    }
    if call.is(&["export", "declare"]) {
        return call.args.iter().any(|arg| {
            arg.split_once('=').is_some_and(|(name, value)| is_proxy(name) && is_wide(value))
        }) || call.has(&["-n"]) && call.args.iter().any(|arg| is_proxy(arg));
    }
    let by_env = call.env.iter().any(|(name, value)| is_proxy(name) && is_wide(value));
    let by_option = call.is(&["curl"])
        && (call.values(&["--noproxy"]).any(is_wide)
            || call.has_exact(&["-x", "--proxy", "--socks5", "--socks5-hostname", "--preproxy"]))
        || call.is(&["wget"])
            && (call.has_word(&["--no-proxy"])
                || call.args.iter().any(|arg| arg.contains("use_proxy=")));
    by_env || by_option
}

const KNOWN: [&str; 26] = [
    "git", "ls", "cat", "rm", "cp", "mv", "sh", "bash", "node", "npm", "npx", "python", "python3",
    "pip", "cargo", "rustc", "go", "make", "sudo", "ssh", "curl", "ralph", "claude", "codex",
    "env", "grep",
];

const LOADERS: [&str; 10] = [
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PYTHONSTARTUP",
    "PERL5OPT",
];

fn shadow(call: &Call, frame: &Frame) -> bool {
    let assigned = call.args.iter().filter_map(|arg| arg.split_once('='));
    let loads = |name: &str, value: &str| {
        let is_loader = LOADERS.contains(&name)
            && (!name.ends_with("LIBRARY_PATH") || value.starts_with("/tmp"))
            && !value.is_empty();
        let first = value.split(':').next().unwrap_or_default();
        let is_path = name == "PATH"
            && (first.starts_with("/tmp")
                || first.is_empty() && value.contains(':')
                || first == ".");
        let wraps =
            ["RUSTC_WRAPPER", "CC_WRAPPER"].contains(&name) && frame.zone(value) == Zone::Temp;
        let options = name == "NODE_OPTIONS"
            && (value.contains("--require") || value.contains("-r ") || value.contains("--import"));
        is_loader || is_path || wraps || options
    };
    if call.env.iter().any(|(name, value)| loads(name, value)) {
        return true;
    }
    if call.program.starts_with("/proc/") {
        return true;
    }
    match call.name.as_str() {
        "export" | "declare" | "env" => assigned.clone().any(|(name, value)| loads(name, value)),
        "alias" => assigned.clone().any(|(name, _)| KNOWN.contains(&name)),
        "enable" | "hash" => call.has(&["-n", "-f", "-p"]),
        "cp" | "mv" | "ln" | "install" => {
            let operands = call.words();
            let target = operands.last().copied().unwrap_or_default();
            operands.len() > 1
                && KNOWN.contains(&target.rsplit('/').next().unwrap_or_default())
                && target.contains('/')
                && !target.ends_with('/')
                && is_bin(target)
        }
        _ => false,
    }
}

/// Whether a path is one where programs are looked for, or a single name.
fn is_bin(path: &str) -> bool {
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    parent.is_empty() || parent.ends_with("bin") || parent == "." || parent.starts_with("/tmp")
}
