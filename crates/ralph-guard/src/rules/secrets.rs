//! Keys, tokens and passwords that would be read or printed.

use super::secret_files::{is_dotenv, is_secret_file};
use crate::{
    call::{Call, one_of},
    frame::{Frame, is_secret_name},
    marks::{self, SECRET},
    syntax::Way,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    if reads_secret(call, frame) || searches_home(call, frame) {
        return Some("secret-file");
    }
    let takes_key = || call.value("-f").is_none_or(|key| is_secret_file(key, frame));
    if call.is("ssh-keygen") && call.has("-y") && takes_key() {
        return Some("secret-store");
    }
    prints_secret(call).then_some("secret-environment")
}

/// Programs that look only at names, or load a file without showing it.
const BLIND: &str = "ls stat test [ echo printf file du cd mkdir touch chmod chown rm source . git docker \
    docker-compose dotenv tee find export ssh-keygen podman basename dirname realpath";

fn reads_secret(call: &Call, frame: &Frame) -> bool {
    let mut opened = call.redirects.iter().filter(|(way, _)| *way == Way::Read);
    if opened.any(|(_, path)| is_secret_file(path, frame)) {
        return true;
    }
    if call.is(BLIND) {
        return false;
    }
    let is_script = call.is("node python python3 uv deno bun");
    let is_secret = |path: &str| {
        let is_for_program = call.is_piped || is_script;
        let is_loaded = is_for_program && frame.resolve(path).is_some_and(|full| is_dotenv(&full));
        is_secret_file(path, frame) && !is_loaded
    };
    let names_secret = |arg: &str| {
        let path = arg.rsplit_once(['=', '@']).map_or(arg, |(_, path)| path);
        is_secret(path) || is_secret(arg.strip_prefix("file://").unwrap_or(arg))
    };
    let takes_pattern = call.is("grep rg egrep jq yq sed awk perl");
    let pattern = call.words().first().copied().filter(|_| takes_pattern);
    let writes_last = call.is("cp mv ln install") && call.args.len() > 1;
    let sources = call.args.iter().take(call.args.len() - usize::from(writes_last));
    sources.map(String::as_str).any(|arg| Some(arg) != pattern && names_secret(arg))
}

/// Names under which secrets are looked for.
const WANTED: &str = "id_rsa id_ed25519 credentials .env *.pem *.key id_* .netrc *.kdbx wallet.dat .npmrc auth.json \
    *_history .git-credentials *.p12 *.pfx";

/// A search through a whole home or the whole machine, or for files of secrets by their name.
fn searches_home(call: &Call, frame: &Frame) -> bool {
    let is_wide = |path: &&str| {
        one_of("/ /home /Users /etc", &frame.resolve(path).unwrap_or_default())
            || frame
                .in_home(path)
                .is_some_and(|rest| rest.is_empty() || one_of(".config .local/share", &rest))
    };
    match call.name.as_str() {
        "grep" | "egrep" => {
            call.has("-r -R --recursive") && call.words().iter().skip(1).any(is_wide)
        }
        "rg" | "ag" | "ack" => call.words().iter().skip(1).any(is_wide),
        "find" | "fd" | "locate" | "mdfind" => {
            (call.is("locate mdfind") || call.words().iter().any(is_wide))
                && call.args.iter().any(|arg| one_of(WANTED, &marks::typed(arg)))
        }
        _ => false,
    }
}

fn prints_secret(call: &Call) -> bool {
    let passes = call.stdin.as_deref().is_some_and(|text| text.contains(SECRET));
    let words = call.words();
    match call.name.as_str() {
        "env" => !call.is_piped && words.is_empty() && !call.is_rehearsal() && !call.has("-S"),
        "printenv" => {
            call.args.is_empty() && !call.is_piped || words.iter().any(|name| is_secret_name(name))
        }
        "set" => !call.is_piped && call.args.is_empty(),
        "export" | "declare" | "typeset" => {
            !call.is_piped && words.is_empty() && (call.args.is_empty() || call.has("-p -x"))
        }
        "echo" | "printf" | "print" | "logger" | "wall" => {
            call.args.iter().any(|arg| arg.contains(SECRET))
        }
        "grep" | "rg" | "egrep" => passes && !is_narrow(call),
        "wc" | "cut" | "sha256sum" | "read" | "curl" | "wget" | "docker" | "gh" | "npm" => false,
        _ => passes && !call.is_piped,
    }
}

/// Whether a filter lets only harmless variables through.
fn is_narrow(call: &Call) -> bool {
    let pattern = call.words().first().map(|word| word.to_lowercase()).unwrap_or_default();
    let mut risky = ["key", "token", "secret", "pass", "cred", "auth", "api", "aws", "."].iter();
    call.has("-c -q")
        || !pattern.is_empty() && !call.has("-v") && !risky.any(|word| pattern.contains(word))
}
