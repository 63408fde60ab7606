//! What programs print, where that can be known or its origin matters.

use super::walker::Walker;
use crate::{
    call::Call,
    inline,
    marks::{self, CHILD, DATA, DECODED, FOUND, HOLE, INSIDE, NET, PARENT, SECRET, STAR},
    paths::Zone,
    rules::found,
    syntax::unescape,
};

const FETCHERS: &str = "curl wget nc ncat lynx aria2c http https xh w3m links elinks axel lwp-request GET fetch httpie \
    curlie telnet socat tftp ftp dig nslookup ssh websocat";
/// Programs that print their input, or parts of it.
const FILTERS: &str = "cat head tail sort uniq grep tee less bat tac nl pv";
/// Programs that change their input letter by letter.
const CHANGERS: &str = "tr rev sed awk gawk cut perl iconv";
const DECODERS: &str =
    "base64 base32 xxd openssl gunzip zcat gzip uudecode basenc hex bunzip2 xz zstd";

/// What a call prints.
pub(super) fn of(call: &Call, walker: &Walker) -> String {
    let stdin = call.stdin.as_deref().unwrap_or_default();
    let first = call.arg(0);
    let last = call.words().last().copied().unwrap_or_default().to_owned();
    match call.name.as_str() {
        "echo" => echo(&call.args),
        "printf" => printf(&call.args),
        "pwd" => walker.frame.cwd.clone(),
        "mktemp" => "/tmp/tmp.made-by-mktemp".into(),
        "dirname" => first.rsplit_once('/').map_or(".", |(head, _)| head).to_owned(),
        "basename" => first.rsplit('/').next().unwrap_or_default().to_owned(),
        "realpath" | "readlink" => walker.frame.resolve(&last).unwrap_or_else(|| HOLE.to_string()),
        "which" | "type" | "command" | "whereis" => last,
        "env" | "printenv" | "export" | "declare" | "set" | "security" | "pass" | "op"
        | "vault" => SECRET.to_string(),
        "ps" if call.line().contains("ppid") => PARENT.to_string(),
        "pgrep" | "pidof" | "ps" => format!("{FOUND}{}", call.args.join("_")),
        "hostname" | "whoami" | "id" | "uname" => DATA.to_string(),
        "jobs" => CHILD.to_string(),
        "docker" | "podman" | "kubectl" | "compgen" => FOUND.to_string(),
        "git" if call.has_word("--show-toplevel") => walker.frame.scene.worktree.clone(),
        "git" if lists_changes(call) => marks::CHANGED.to_owned(),
        "git" if call.has_word("ls-files diff grep status") => INSIDE.to_string(),
        "find" if stdin.is_empty() && found(call, 0).iter().all(|path| path.ends_with(STAR)) => {
            found(call, 0).join(" ")
        }
        "ls" if last.is_empty() && stdin.is_empty() => STAR.to_string(),
        "find" | "fd" | "ls" | "rg" if stdin.is_empty() && is_inside(call, walker) => {
            INSIDE.to_string()
        }
        _ if call.is(FETCHERS) && !call.is_loopback() => NET.to_string(),
        _ if call.is(DECODERS) => decoded(call, stdin, walker),
        _ if call.is(FILTERS) => filtered(call, stdin, walker),
        _ if call.is(CHANGERS) && !stdin.is_empty() && !marks::is_unknown(stdin) => {
            DECODED.to_string()
        }
        _ if call.is(CHANGERS) => marks::residue(&with_files(call, stdin, 1, walker)),
        _ if inline::has_code(call) => DECODED.to_string(),
        _ => marks::residue(stdin),
    }
}

/// Whether git names or shows everything that is changed or tracked, without a choice.
fn lists_changes(call: &Call) -> bool {
    let is_choice = call.has("--cached --staged -o --others -i --ignored --stat");
    matches!(call.words().as_slice(), ["ls-files" | "diff"]) && !is_choice
}

fn echo(args: &[String]) -> String {
    let is_option = |arg: &&String| ["-n", "-e", "-E", "-ne", "-en"].contains(&arg.as_str());
    let options = args.iter().take_while(is_option).count();
    let (options, words) = args.split_at(options);
    let text = words.join(" ");
    let text = if options.iter().any(|arg| arg.contains('e')) { unescape(&text) } else { text };
    format!("{text}\n")
}

/// What `printf` prints: the format once, with its arguments in place.
fn printf(args: &[String]) -> String {
    let args = args.strip_prefix(&["--".to_owned()]).unwrap_or(args);
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
    values.for_each(|value| out.extend([" ", value.as_str()]));
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

/// The input, and what the files among the operands hold.
fn with_files(call: &Call, stdin: &str, skip: usize, walker: &Walker) -> String {
    let files = call.words().into_iter().skip(skip);
    let mut text: String = files.map(|file| walker.content(file)).collect();
    text.push_str(stdin);
    text
}

fn filtered(call: &Call, stdin: &str, walker: &Walker) -> String {
    if call.is("tee") {
        return stdin.to_owned();
    }
    if call.is("grep") {
        let is_list = marks::has_glob(stdin) || stdin.starts_with(marks::CHANGED);
        if is_list || call.has("-l --files-with-matches -L") {
            return INSIDE.to_string();
        }
        if stdin.contains(SECRET) {
            return HOLE.to_string();
        }
    }
    let text = with_files(call, stdin, usize::from(call.is("grep")), walker);
    if text.is_empty() { HOLE.to_string() } else { text }
}

fn decoded(call: &Call, stdin: &str, walker: &Walker) -> String {
    let text = with_files(call, stdin, 0, walker);
    let decodes = call.has("-d -D --decode -r") || call.is("gunzip zcat uudecode bunzip2 hex");
    let taint = marks::residue(&text);
    match decodes {
        true if !taint.contains([NET, SECRET]) => DECODED.to_string(),
        true => taint,
        false if text.contains(SECRET) => SECRET.to_string(),
        false => DATA.to_string(),
    }
}
