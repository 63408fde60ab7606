//! Keys, tokens and passwords that would be read or printed.

use super::{
    super::{
        call::Call,
        marks::SECRET,
        syntax::Way,
        walk::{Frame, is_secret_name},
    },
    Rule,
    secret_paths::{is_dotenv, is_secret_file},
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
    let is_script = call.is(&["node", "python", "python3", "uv", "deno", "bun"]);
    let named = |arg: &str| {
        let path = arg.rsplit_once(['=', '@']).map_or(arg, |(_, path)| path);
        let is_secret = |path: &str| {
            let flows_on =
                call.is_piped && frame.resolve(path).is_some_and(|full| is_dotenv(&full));
            let is_given = is_script && frame.resolve(path).is_some_and(|full| is_dotenv(&full));
            is_secret_file(path, frame) && !flows_on && !is_given
        };
        is_secret(path) || is_secret(arg.strip_prefix("file://").unwrap_or(arg))
    };
    let pattern = call.words().first().copied().unwrap_or_default().to_owned();
    let takes_pattern = call.is(&["grep", "rg", "egrep", "jq", "yq", "sed", "awk", "perl"]);
    let indexed = call.args.iter().enumerate();
    let found = indexed
        .clone()
        .any(|(index, arg)| is_source(index) && !(takes_pattern && *arg == pattern) && named(arg));
    if searches_home(call, frame) {
        return true;
    }
    found && !BLIND.contains(&call.name.as_str())
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
        "systemctl" => call.has_word(&["show-environment"]),
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

/// The address at which a cloud gives its machines their credentials.
fn is_metadata(arg: &str) -> bool {
    [
        "169.254.169.254",
        "169.254.170.2",
        "metadata.google.internal",
        "100.100.100.200",
        "fd00:ec2::254",
    ]
    .iter()
    .any(|host| arg.contains(host))
}

fn store(call: &Call, frame: &Frame) -> bool {
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
                || (has(&["create"]) && has(&["token"]))
                || (has(&["whoami"]) && call.has(&["-t", "--show-token"]))
                || (has(&["config"]) && call.has(&["--raw"]))
        }
        "heroku" => words.first().is_some_and(|word| {
            *word == "config" || *word == "config:get" || *word == "auth:token"
        }),
        "gpg" | "gpg2" => call.args.iter().any(|arg| arg.starts_with("--export-secret")),
        "ssh-add" => true,
        "ssh-agent" => !words.is_empty(),
        "history" => !call.has(&["-c", "-d", "-w", "-a"]),
        "fc" => call.has(&["-l"]),
        "dscl" => has(&["read"]),
        _ => small_store(call, frame),
    }
}

/// Stores that few use, the clipboard, and what clients of services know.
fn small_store(call: &Call, frame: &Frame) -> bool {
    let words = call.words();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    match call.name.as_str() {
        "npm" | "yarn" | "pnpm" => {
            has(&["token"]) || call.args.iter().any(|arg| arg.to_lowercase().contains("_auth"))
        }
        "curl" | "wget" | "http" | "https" | "xh" | "nc" => {
            call.args.iter().any(|arg| is_metadata(arg))
        }
        "sops" => call.has(&["-d", "--decrypt"]) || has(&["decrypt", "exec-env"]),
        "age" | "rage" => call.has(&["-d", "--decrypt"]),
        "ansible-vault" => has(&["view", "decrypt", "edit"]),
        "git-crypt" => has(&["unlock", "export-key"]),
        "blackbox_cat" | "tpm2_unseal" | "systemd-creds" | "kwallet-query" | "cmdkey"
        | "mimikatz" => true,
        "keepassxc-cli" => has(&["show", "export", "clip"]),
        "rbw" | "dcli" => has(&["get", "read", "password"]),
        "fly" | "flyctl" | "doctl" | "glab" | "vercel" | "railway" | "netlify" | "render" => {
            (has(&["auth"]) && has(&["token", "print"]))
                || (has(&["env"]) && has(&["pull", "get"]))
                || has(&["env:get", "env:list", "variables", "secrets:get"])
        }
        "launchctl" => has(&["getenv", "export"]),
        "tmux" => has(&["show-environment", "showenv", "show-buffer"]),
        "ssh-keygen" => {
            call.has(&["-y"]) && call.value(&["-f"]).is_none_or(|key| is_secret_file(key, frame))
        }
        "php" => call.has_word(&["-i"]),
        "xclip" | "xsel" | "wl-paste" | "pbpaste" => {
            call.is(&["pbpaste", "wl-paste"]) || call.has_word(&["-o", "--output", "-out"])
        }
        name => name.starts_with("docker-credential-") || name.starts_with("git-credential-"),
    }
}
