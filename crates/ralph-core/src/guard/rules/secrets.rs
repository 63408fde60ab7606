//! Keys, tokens and passwords that would be read or printed.

use super::{
    super::{
        call::Call,
        marks::SECRET,
        paths,
        syntax::Way,
        walk::{Frame, is_secret_name},
    },
    Rule,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "secret-file",
        reason: "it reads a file that holds keys, tokens or passwords",
        instead: "do without the secret; tests use made-up values, and a person enters real ones",
        check: file,
        denies: &[
            "cat ~/.ssh/id_rsa",
            "cp ~/.aws/credentials .",
            "base64 < ~/.netrc",
            "cat .env",
            "cat /proc/1/environ",
        ],
        allows: &[
            "cat ~/.gitconfig",
            "ls -l ~/.ssh",
            "cat ~/.ssh/id_rsa.pub",
            "cp .env.example .env",
            "cat tests/fixtures/id_rsa",
        ],
    },
    Rule {
        name: "secret-environment",
        reason: "it prints the environment or a secret variable, and what is printed is kept in transcripts",
        instead: "test whether a variable is set by `[ -n \"$NAME\" ]`; print single harmless ones by name",
        check: environment,
        denies: &[
            "env",
            "printenv",
            "export -p",
            "echo $API_KEY",
            "set | grep -i token",
            "declare -px",
        ],
        allows: &["env A=1 make", "echo $HOME", "set -e", "[ -z \"$API_KEY\" ]", "printenv PATH"],
    },
    Rule {
        name: "secret-store",
        reason: "it takes a secret out of a store of secrets",
        instead: "do without the secret, or ask a person",
        check: store,
        denies: &[
            "op read op://a/b",
            "gh auth token",
            "vault kv get x",
            "aws configure export-credentials",
            "git credential fill",
            "history",
        ],
        allows: &[
            "gh auth status",
            "security --help",
            "vault status",
            "aws configure list",
            "history -c",
        ],
    },
];

/// Files below a home that hold secrets.
const IN_HOME: [&str; 42] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".docker/config.json",
    ".kube",
    ".config/gh",
    ".config/gcloud",
    ".azure",
    ".git-credentials",
    ".config/git/credentials",
    ".codex/auth.json",
    ".claude/.credentials.json",
    ".claude.json",
    ".gemini",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".password-store",
    ".vault-token",
    ".config/op",
    "Library/Keychains",
    ".mozilla",
    ".config/google-chrome",
    ".terraform.d",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".pgpass",
    ".my.cnf",
    ".boto",
    ".s3cfg",
    ".config/rclone",
    ".config/hub",
    ".local/share/keyrings",
    ".config/doctl",
    ".fly",
    ".yarnrc.yml",
    ".config/gh/hosts.yml",
    ".local/share/opencode/auth.json",
    ".gem/credentials",
];

const HARMLESS: [&str; 3] = [".ssh/known_hosts", ".ssh/config", ".kube/cache"];

/// Whether a path is a file of secrets.
pub(in super::super) fn is_secret_file(path: &str, frame: &Frame) -> bool {
    if let Some(rest) = frame.in_home(path) {
        let is_history = rest.ends_with("_history") && !rest.contains('/');
        let listed = IN_HOME.iter().any(|secret| paths::below(&rest, secret).is_some());
        let harmless = has_ending(&rest, "pub") || HARMLESS.contains(&rest.as_str());
        return (listed && !harmless) || is_history || has_ending(&rest, "pem");
    }
    let Some(full) = frame.resolve(path) else { return false };
    let in_proc = full.starts_with("/proc/")
        && ["environ", "mem", "maps", "auxv"].iter().any(|end| full.ends_with(end));
    let system = [
        "/etc/shadow",
        "/etc/gshadow",
        "/etc/sudoers",
        "/run/secrets",
        "/var/run/secrets",
        "/etc/ssl/private",
        "/etc/krb5.keytab",
    ];
    in_proc
        || system
            .iter()
            .any(|secret| paths::below(&full, secret).is_some() || full == format!("{secret}-"))
        || (full.starts_with("/etc/ssh/") && full.ends_with("_key"))
        || is_dotenv(&full)
}

fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending))
}

fn is_dotenv(full: &str) -> bool {
    let name = full.rsplit('/').next().unwrap_or_default();
    let kind = name.strip_prefix(".env");
    let harmless = [".example", ".sample", ".template", ".test", ".dist", ".defaults", ".ci", "rc"];
    kind.is_some_and(|kind| (kind.is_empty() || kind.starts_with('.')) && !harmless.contains(&kind))
}

/// Programs that look only at names, or load a file without showing it.
const BLIND: [&str; 24] = [
    "ls",
    "stat",
    "test",
    "[",
    "echo",
    "printf",
    "file",
    "du",
    "cd",
    "mkdir",
    "touch",
    "chmod",
    "rm",
    "source",
    ".",
    "git",
    "docker",
    "docker-compose",
    "dotenv",
    "tee",
    "find",
    "export",
    "ssh-keygen",
    "podman",
];

fn file(call: &Call, frame: &Frame) -> bool {
    let reads =
        call.redirects.iter().any(|(way, path)| *way == Way::Read && is_secret_file(path, frame));
    if reads {
        return true;
    }
    let is_source =
        |index: usize| !(call.is(&["cp", "mv", "ln", "install"]) && index + 1 == call.args.len());
    let named = |arg: &str| {
        let path = arg.rsplit_once(['=', '@']).map_or(arg, |(_, path)| path);
        let is_secret = |path: &str| {
            let flows_on =
                call.is_piped && frame.resolve(path).is_some_and(|full| is_dotenv(&full));
            is_secret_file(path, frame) && !flows_on
        };
        is_secret(path) || is_secret(arg)
    };
    let pattern = call.words().first().copied().unwrap_or_default().to_owned();
    let takes_pattern = call.is(&["grep", "rg", "egrep", "jq", "yq", "sed", "awk", "perl"]);
    let in_script = call.is(&["node", "python", "python3", "uv", "deno", "bun"]);
    let indexed = call.args.iter().enumerate();
    let found = indexed
        .clone()
        .any(|(index, arg)| is_source(index) && !(takes_pattern && *arg == pattern) && named(arg));
    if searches_home(call, frame) {
        return true;
    }
    found && !BLIND.contains(&call.name.as_str()) && !in_script
        || (call.is(&["tar", "zip", "7z"]) && indexed.clone().any(|(_, arg)| named(arg)))
}

/// A search through a whole home or the whole machine, or for files of secrets by their name.
fn searches_home(call: &Call, frame: &Frame) -> bool {
    let wide = |path: &&str| {
        let full = frame.resolve(path).unwrap_or_default();
        full == "/"
            || full == "/home"
            || full == "/Users"
            || full == "/etc"
            || frame.in_home(path).is_some_and(|rest| rest.is_empty())
    };
    match call.name.as_str() {
        "grep" | "egrep" => {
            call.has(&["-r", "-R", "--recursive"]) && call.words().iter().skip(1).any(wide)
        }
        "rg" | "ag" | "ack" => call.words().iter().skip(1).any(wide),
        "find" | "fd" | "locate" | "mdfind" => {
            let names = [
                "id_rsa",
                "id_ed25519",
                "credentials",
                ".env",
                "*.pem",
                "*.key",
                "id_*",
                ".netrc",
                "*.kdbx",
                "wallet.dat",
                ".npmrc",
                "auth.json",
                "*_history",
                ".git-credentials",
            ];
            let outside = call.name == "locate" || call.args.iter().any(|arg| wide(&arg.as_str()));
            outside
                && call
                    .args
                    .iter()
                    .any(|arg| names.contains(&super::super::marks::typed(arg).as_str()))
        }
        _ => false,
    }
}

fn environment(call: &Call, _: &Frame) -> bool {
    let passes_secret = call.stdin.as_deref().is_some_and(|text| text.contains(SECRET));
    let prints_secret = call.args.iter().any(|arg| arg.contains(SECRET));
    match call.name.as_str() {
        "env" => {
            !call.is_piped
                && !call.args.iter().any(|arg| !arg.starts_with('-') || arg.starts_with("-S"))
                && !call.is_rehearsal()
        }
        "printenv" => {
            call.args.is_empty() && !call.is_piped
                || call.args.iter().any(|name| is_secret_name(name))
        }
        "set" => !call.is_piped && call.args.is_empty(),
        "export" | "declare" | "typeset" => {
            let names = call.args.iter().any(|arg| !arg.starts_with('-'));
            !call.is_piped && !names && (call.args.is_empty() || call.has(&["-p", "-x"]))
        }
        "compgen" => call.has(&["-e"]),
        "echo" | "printf" | "print" | "logger" | "wall" => prints_secret,
        "grep" | "rg" | "egrep" => passes_secret && !is_narrow(call),
        "docker" | "podman" | "docker-compose" | "kubectl" => {
            call.has_word(&["exec"])
                && call.args.last().is_some_and(|arg| arg == "env" || arg == "printenv")
        }
        "wc" | "cut" | "sha256sum" | "read" => false,
        "ps" => {
            call.args
                .first()
                .is_some_and(|arg| !arg.starts_with('-') && arg.contains('e') && arg.contains('w'))
                || call.has_word(&["auxe", "eww"])
        }
        _ => passes_secret && !call.is_piped && !call.is(&["curl", "wget", "docker", "gh", "npm"]),
    }
}

/// Whether a filter lets only harmless variables through.
fn is_narrow(call: &Call) -> bool {
    let pattern = call.words().first().map(|word| word.to_lowercase()).unwrap_or_default();
    let secret = ["key", "token", "secret", "pass", "cred", "auth", "api", "aws", "."];
    let counts = call.has(&["-c", "-q"]);
    counts
        || (!pattern.is_empty()
            && !call.has(&["-v"])
            && !secret.iter().any(|word| pattern.contains(word)))
}

fn store(call: &Call, _: &Frame) -> bool {
    let words = call.words();
    if call.is_rehearsal() {
        return false;
    }
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    match call.name.as_str() {
        "op" => has(&["read", "get", "inject", "run", "signin"]) || has(&["item"]),
        "pass" | "gopass" => !call.args.is_empty() && !has(&["ls", "init", "git", "version"]),
        "vault" => {
            has(&["read", "get"]) || (has(&["token"]) && !has(&["status"])) || has(&["login"])
        }
        "security" => words.iter().any(|word| {
            word.starts_with("find-") || word.starts_with("dump-") || word.starts_with("export")
        }),
        "bw" | "lpass" | "doppler" | "infisical" | "chamber" | "keyring" | "secret-tool"
        | "1password" => {
            has(&["get", "show", "secrets", "read", "lookup", "search", "export", "list"])
        }
        "aws" => {
            has(&[
                "export-credentials",
                "get-secret-value",
                "get-session-token",
                "assume-role",
                "get-login-password",
                "get-authorization-token",
                "create-access-key",
                "batch-get-secret-value",
            ]) || (has(&["configure"]) && has(&["get"]))
                || (call.has(&["--with-decryption"]))
        }
        "gcloud" => {
            words.iter().any(|word| word.starts_with("print-"))
                || (has(&["secrets"]) && has(&["access"]))
        }
        "az" => has(&["get-access-token"]) || (has(&["keyvault"]) && has(&["show", "download"])),
        "gh" => has(&["auth"]) && (has(&["token"]) || call.has(&["--show-token", "-t"])),
        "git" => {
            has(&["credential"]) && has(&["fill"])
                || words.first().is_some_and(|word| word.starts_with("credential-"))
        }
        "kubectl" | "oc" => {
            let secret = words.iter().any(|word| {
                ["secret", "secrets"].contains(&word.split('/').next().unwrap_or_default())
            });
            (has(&["get"]) && secret && call.has(&["-o", "--output"]))
                || (has(&["config"]) && call.has(&["--raw"]))
        }
        "heroku" => words.first().is_some_and(|word| {
            *word == "config" || *word == "config:get" || *word == "auth:token"
        }),
        "npm" => has(&["token"]),
        "gpg" => call.args.iter().any(|arg| arg.starts_with("--export-secret")),
        "ssh-add" => true,
        "ssh-agent" => !words.is_empty(),
        "history" => !call.has(&["-c", "-d", "-w", "-a"]),
        "fc" => call.has(&["-l"]),
        "dscl" => has(&["read"]),
        name => name.starts_with("docker-credential-") || name.starts_with("git-credential-"),
    }
}
