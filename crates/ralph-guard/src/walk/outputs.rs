//! What programs print, where that can be known or its origin matters.

use super::{
    super::{
        call::Call,
        code,
        marks::{self, CHILD, DATA, DECODED, FOUND, HOLE, INSIDE, NET, PARENT, SECRET, STAR},
        paths::Zone,
        syntax::escapes::unescape,
    },
    Walker,
    builtins::is_loopback,
    unwrap::found,
};

/// Programs that print their input, or parts of it.
const FILTERS: [&str; 12] =
    ["cat", "head", "tail", "sort", "uniq", "grep", "tee", "less", "bat", "tac", "nl", "pv"];
/// Programs that change their input letter by letter.
const CHANGERS: [&str; 8] = ["tr", "rev", "sed", "awk", "gawk", "cut", "perl", "iconv"];
const DECODERS: [&str; 12] = [
    "base64", "base32", "xxd", "openssl", "gunzip", "zcat", "gzip", "uudecode", "basenc", "hex",
    "bunzip2", "xz",
];

/// What a call prints.
pub(super) fn of(call: &Call, walker: &Walker) -> String {
    let stdin = call.stdin.as_deref().unwrap_or_default();
    let name = call.name.as_str();
    match name {
        "echo" => echo(&call.args),
        "printf" => printf(&call.args),
        "pwd" => walker.frame.cwd.clone(),
        "mktemp" => "/tmp/tmp.made-by-mktemp".into(),
        "dirname" => call.arg(0).rsplit_once('/').map_or(".", |(head, _)| head).to_owned(),
        "basename" => call.arg(0).rsplit('/').next().unwrap_or_default().to_owned(),
        "realpath" | "readlink" => {
            let last = call.words().last().copied().unwrap_or_default();
            walker.frame.resolve(last).unwrap_or_else(|| HOLE.to_string())
        }
        "which" | "type" | "command" | "whereis" => {
            call.words().last().copied().unwrap_or_default().to_owned()
        }
        "jq" | "gojq" | "jaq" if stdin.is_empty() => literal(call),
        "seq" => call.words().join(" "),
        "env" | "printenv" | "export" | "declare" | "set" | "security" | "pass" | "op"
        | "vault" => SECRET.to_string(),
        "ps" if call.args.iter().any(|arg| arg.contains("ppid")) => PARENT.to_string(),
        "pgrep" | "pidof" | "ps" => format!("{FOUND}{}", call.args.join("_")),
        "hostname" | "whoami" | "id" | "uname" => DATA.to_string(),
        "jobs" => CHILD.to_string(),
        "docker" | "podman" | "kubectl" | "compgen" => FOUND.to_string(),
        "git" if call.has_word(&["--show-toplevel"]) => walker.frame.scene().worktree.clone(),
        "git" if lists_changes(call) => marks::CHANGED.to_owned(),
        "git" if call.has_word(&["ls-files", "diff", "grep", "status"]) => INSIDE.to_string(),
        "find" if stdin.is_empty() && found(call, 0).iter().all(|path| path.ends_with(STAR)) => {
            found(call, 0).join(" ")
        }
        "ls" if call.words().is_empty() && stdin.is_empty() => STAR.to_string(),
        "find" | "fd" | "ls" | "rg" if is_inside(call, walker) && stdin.is_empty() => {
            INSIDE.to_string()
        }
        "curl" | "wget" | "nc" | "ncat" | "lynx" | "aria2c" | "http" | "https" | "xh" | "w3m"
        | "links" | "elinks" | "axel" | "lwp-request" | "GET" | "fetch" | "httpie" | "curlie"
        | "telnet" | "socat" | "tftp" | "ftp" | "dig" | "nslookup" | "ssh" | "websocat" => {
            if is_loopback(call) {
                HOLE.to_string()
            } else {
                NET.to_string()
            }
        }
        _ if DECODERS.contains(&name) => decoded(call, stdin, walker),
        _ if FILTERS.contains(&name) => filtered(call, stdin, walker),
        _ if CHANGERS.contains(&name) => {
            let is_known = !stdin.is_empty() && !marks::is_unknown(stdin);
            let printed: String = if stdin.is_empty() && code::is_interpreter(name) {
                code::of(call).iter().map(|code| code::printed(code, name, walker)).collect()
            } else {
                String::new()
            };
            match is_known {
                _ if !printed.trim().is_empty() => printed,
                true => DECODED.to_string(),
                false => filtered_residue(call, stdin, walker),
            }
        }
        _ if code::is_interpreter(name) => {
            let printed: Vec<String> =
                code::of(call).iter().map(|code| code::printed(code, name, walker)).collect();
            let text = printed.join("\n");
            if text.trim().is_empty() { marks::residue(stdin) } else { text }
        }
        _ => marks::residue(stdin),
    }
}

/// Whether git names or shows everything that is changed or tracked, without a choice.
fn lists_changes(call: &Call) -> bool {
    let is_choice =
        call.has(&["--cached", "--staged", "-o", "--others", "-i", "--ignored", "--stat"]);
    matches!(call.words().as_slice(), ["ls-files" | "diff"]) && !is_choice
}

/// The text that a filter of `jq -n` consists of.
fn literal(call: &Call) -> String {
    let is_raw = call.has(&["-r", "-j", "--raw-output"]) && call.has(&["-n", "--null-input"]);
    let filter = call.words().first().copied().unwrap_or_default();
    match filter.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) if is_raw && !text.contains("\\(") => unescape(text),
        _ => HOLE.to_string(),
    }
}

fn echo(args: &[String]) -> String {
    let mut escapes = false;
    let mut words = args;
    while let Some((first, rest)) = words.split_first() {
        match first.as_str() {
            "-e" | "-ne" | "-en" => escapes = true,
            "-n" | "-E" => {}
            _ => break,
        }
        words = rest;
    }
    let text = words.join(" ");
    let text = if escapes { unescape(&text) } else { text };
    format!("{text}\n")
}

/// What `printf` prints: the format once, with its arguments in place.
pub(super) fn printf(args: &[String]) -> String {
    let args = if args.first().is_some_and(|arg| arg == "--") { &args[1..] } else { args };
    let Some((format, values)) = args.split_first() else { return String::new() };
    let mut values = values.iter();
    let mut out = String::new();
    let mut chars = unescape(format).chars().collect::<Vec<_>>().into_iter().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        while chars.next_if(|c| c.is_ascii_digit() || "-+ #.*".contains(*c)).is_some() {}
        match chars.next() {
            Some('%') | None => out.push('%'),
            Some('b') => out.push_str(&unescape(values.next().map_or("", String::as_str))),
            Some(_) => out.push_str(values.next().map_or("", String::as_str)),
        }
    }
    for value in values {
        out.push(' ');
        out.push_str(value);
    }
    out
}

fn is_inside(call: &Call, walker: &Walker) -> bool {
    let paths: Vec<&str> = match call.name.as_str() {
        "find" => {
            call.args.iter().map(String::as_str).take_while(|arg| !arg.starts_with('-')).collect()
        }
        "ls" => call.words(),
        _ => call.words().into_iter().skip(1).collect(),
    };
    paths.iter().all(|path| matches!(walker.frame.zone(path), Zone::Inside | Zone::Worktree))
}

fn filtered(call: &Call, stdin: &str, walker: &Walker) -> String {
    let mut text = String::new();
    let mut files = call.words();
    if call.is(&["grep"]) && (marks::has_glob(stdin) || stdin.starts_with(marks::CHANGED)) {
        return INSIDE.to_string();
    }
    if call.is(&["grep"]) && stdin.contains(SECRET) {
        return HOLE.to_string();
    }
    if call.name == "grep" {
        files = files.into_iter().skip(1).collect();
        if call.has(&["-l", "--files-with-matches", "-L"]) {
            return INSIDE.to_string();
        }
    }
    if call.name != "tee" {
        for file in files {
            text.push_str(&walker.content(file));
        }
    }
    text.push_str(stdin);
    if text.is_empty() { HOLE.to_string() } else { text }
}

fn filtered_residue(call: &Call, stdin: &str, walker: &Walker) -> String {
    let mut text = stdin.to_owned();
    for file in call.words().into_iter().skip(1) {
        text.push_str(&walker.content(file));
    }
    marks::residue(&text)
}

fn decoded(call: &Call, stdin: &str, walker: &Walker) -> String {
    let decodes = call.has(&["-d", "-D", "--decode", "-r"])
        || call.is(&["gunzip", "zcat", "uudecode", "bunzip2", "hex"]);
    let mut text = stdin.to_owned();
    for file in call.words() {
        text.push_str(&walker.content(file));
    }
    if !decodes {
        return if text.contains(SECRET) { SECRET.to_string() } else { DATA.to_string() };
    }
    let taint = marks::residue(&text);
    if taint.contains([NET, SECRET]) { taint } else { DECODED.to_string() }
}
