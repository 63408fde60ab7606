//! Calls of known names in code, as the commands of a shell that would do the same.

use super::{
    tokens::Token,
    values::{Code, last, names, texts},
};
use crate::{
    call::{Inner, host_of, is_local, one_of},
    frame::is_secret_name,
    marks::{DECODED, HOLE, NET, PARENT},
};

/// What calls of these names do.
const CALLS: &str = include_str!("calls.txt");

const SENDS: &str = "post put urlopen fetch request send sendall upload";
const FETCHES: &str = "urlopen fetch get file_get_contents open request urlretrieve";
const EVALUATES: &str = "eval exec iex Function instance_eval execfile system";
const DECODES: &str = "b64decode decode_base64 atob fromhex unhexlify decompress base64_decode decode64 urlsafe_b64decode";
const SOURCES: &str =
    "open readFileSync read read_text environ env file_get_contents ENV read_bytes";

/// The commands that code comes to.
pub(super) fn commands(tokens: &[Token], home: &str, is_awk: bool) -> Vec<Inner> {
    let code = Code::new(tokens, home);
    let mut inner: Vec<Inner> = hidden(tokens).into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Command(text) => inner.push(Inner::script(text.clone())),
            Token::Text(text) => {
                let before = at.checked_sub(1).and_then(|at| code.sign(at));
                let is_command = code.sign(at + 1) == Some('.') && code.sign(at + 2) == Some('!');
                let is_piped = is_awk && (before == Some('|') || code.sign(at + 1) == Some('|'));
                if is_command || is_piped {
                    inner.push(Inner::script(text.clone()));
                } else if is_awk && before == Some('>') {
                    inner.push(words(&["tee", text]));
                }
            }
            Token::Name(name) => {
                inner.extend(environment(&code, at, name));
                inner.extend(called(&code, at, name));
            }
            _ => {}
        }
    }
    inner
}

fn words(words: &[&str]) -> Inner {
    Inner::Words(words.iter().map(|word| (*word).to_owned()).collect(), Vec::new())
}

/// Code that runs what it fetched or decoded.
fn hidden(tokens: &[Token]) -> Option<Inner> {
    let has = |list: &str| names(tokens).any(|name| one_of(list, name));
    let is_far = |text: &str| text.contains("://") && !is_local(&host_of(text));
    if !has(EVALUATES) {
        None
    } else if has(DECODES) || has("from") && texts(tokens).any(|text| text == "base64") {
        Some(words(&["sh", "-c", &DECODED.to_string()]))
    } else {
        let fetches = has(FETCHES) && texts(tokens).any(is_far) || has("iwr");
        fetches.then(|| words(&["sh", "-c", &NET.to_string()]))
    }
}

fn called(code: &Code<'_>, at: usize, name: &str) -> Vec<Inner> {
    let is = |list: &str| one_of(list, last(name)) || one_of(list, name);
    let arguments = code.arguments(at);
    let has = |list: &str| names(arguments).any(|name| one_of(list, name));
    if is("kill") && has("ppid getppid") {
        return vec![words(&["kill", &PARENT.to_string()])];
    }
    if is("connect") && code.opens {
        let hosts = texts(arguments).filter(|host| !is_local(host));
        return hosts.map(|host| words(&["nc", host, "1"])).collect();
    }
    if is(SENDS) && has(SOURCES) {
        let urls = texts(arguments).filter(|text| text.contains("://"));
        return urls.map(|url| words(&["curl", "-d", "@data", url])).collect();
    }
    let mut known = CALLS.lines().filter_map(|line| line.split_once(" : "));
    let Some((kind, _)) = known.find(|(_, names)| is(names)) else { return Vec::new() };
    let values = code.values(at);
    let value = |index: usize| values.get(index).map_or("", String::as_str);
    match kind {
        "rm" => deleted(code, value(0)),
        "run" => started(code, arguments, value(0)),
        "cp" | "mv" => vec![words(&[kind, value(0), value(1)])],
        "open" => {
            let mode = value(1);
            let is_written = mode.len() < 4 && mode.contains(['w', 'a', 'x', '+', '>']);
            let path = if mode.contains('>') { value(2) } else { value(0) };
            vec![words(&[if is_written { "tee" } else { "cat" }, path])]
        }
        _ => vec![words(&[kind, value(0)])],
    }
}

/// A deletion; where its path is not known, every path of the code that leads outside is meant.
fn deleted(code: &Code<'_>, path: &str) -> Vec<Inner> {
    if path.len() > 1 && !path.starts_with(HOLE) {
        return vec![words(&["rm", "-r", path])];
    }
    code.outside.iter().map(|path| words(&["rm", "-r", &code.path(path)])).collect()
}

/// A program that code starts: one text for a shell, or its words.
fn started(code: &Code<'_>, arguments: &[Token], first: &str) -> Vec<Inner> {
    if first.trim().contains(' ') {
        return vec![Inner::script(first.to_owned())];
    }
    let mut open = 0_i32;
    let words = arguments.iter().filter_map(|token| match token {
        Token::Text(text) => Some(code.path(text)),
        Token::Name(_) if open > 0 => Some(HOLE.to_string()),
        Token::Sign(sign) => {
            open += i32::from(*sign == '[') - i32::from(*sign == ']');
            None
        }
        _ => None,
    });
    let words: Vec<String> = words.collect();
    let is_known = words.first().is_some_and(|program| !program.starts_with(HOLE));
    if is_known { vec![Inner::Words(words, Vec::new())] } else { Vec::new() }
}

/// The whole environment, or a secret variable where the code prints something without a condition.
fn environment(code: &Code<'_>, at: usize, name: &str) -> Option<Inner> {
    let is_all = |(_, method): &(&str, &str)| one_of("items to_h inspect each entries", method);
    let base = name.rsplit_once('.').filter(is_all).map_or(name, |(base, _)| base);
    let is_environment = |name: &str| {
        one_of("environ ENV _ENV ENVIRON getenv", last(name))
            || one_of("process.env Deno.env os.environ", name)
    };
    let parent = base.rsplit_once('.').filter(|(parent, _)| is_environment(parent));
    if !is_environment(base) && parent.is_none() {
        return None;
    }
    let key = texts(code.arguments(at)).next().or(parent.map(|(_, key)| key));
    if let Some(key) = key.filter(|key| code.prints && is_secret_name(key)) {
        return Some(words(&["printenv", key]));
    }
    let before = |steps: usize| at.checked_sub(steps).and_then(|at| code.tokens.get(at));
    let is_counted = matches!(before(2), Some(Token::Name(name)) if last(name) == "keys");
    let is_passed = matches!(before(1), Some(Token::Sign(':' | '=' | '*' | '.')))
        && before(2) != Some(&Token::Sign(')'));
    let is_indexed = matches!(code.sign(at + 1), Some('[' | '{' | '?'));
    let asks_one = last(base) == "getenv" && code.sign(at + 2) != Some(')');
    let is_whole = parent.is_none() && !is_counted && !is_passed && !is_indexed && !asks_one;
    is_whole.then(|| words(&["printenv"]))
}
