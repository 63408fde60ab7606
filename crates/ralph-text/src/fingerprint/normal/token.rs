//! One token: an address, an identifier, a port, a path. Numbers that could be somebody's value stay.

use super::{path, time};

/// The first port that systems hand out by themselves; lower ones are chosen, so they mean something.
const FIRST_FREE_PORT: u32 = 32_768;

/// What is known of a token's surroundings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'a> {
    /// The token before it.
    pub(super) before: &'a str,
    /// The line compares values, so times and bare hexadecimal digits are what a test expected or got.
    pub(super) compares: bool,
}

/// The token without what changes between two runs.
pub(super) fn normalise(token: &str, around: Around<'_>) -> String {
    if token.is_empty() {
        return String::new();
    }
    if let Some(numbered) = named_number(token, around.before) {
        return numbered;
    }
    if let Some((key, value)) = token.split_once(':')
        && let Some(numbered) = named_number(value, key)
    {
        return format!("{key}:{numbered}");
    }
    if let Some((scheme, rest)) = token.split_once("://")
        && scheme != "file"
    {
        let (host, route) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let route: Vec<_> = route.split('/').map(name).collect();
        return format!("{scheme}://{}{}", without_port(host), route.join("/"));
    }
    let bare = token.trim_end_matches(['.', ':', '!']);
    if !around.compares
        && (time::is_duration(bare) || time::is_clock(bare) || time::is_moment(bare))
    {
        return "<time>".to_owned();
    }
    if is_uuid(bare) {
        return "<uuid>".to_owned();
    }
    if let Some(path) = path::normalise(token) {
        return path;
    }
    let token = without_port(token);
    if around.compares { pieces(&token, is_address) } else { name(&token) }
}

/// A name or number that holds no more structure than `-`, `.`, `:` and `@`.
pub(super) fn name(text: &str) -> String {
    if is_uuid(text) {
        return "<uuid>".to_owned();
    }
    if is_temporary(text) {
        return "<temp>".to_owned();
    }
    if let Some((class, hash)) = text.split_once('@')
        && hash.len() >= 5
        && is_hexadecimal(hash)
    {
        return format!("{class}@<hex>");
    }
    pieces(text, |piece| is_address(piece) || is_hash(piece))
}

fn pieces(text: &str, is_moving: impl Fn(&str) -> bool) -> String {
    const BREAKS: [char; 4] = ['-', '.', ':', '@'];
    text.split_inclusive(BREAKS)
        .map(|piece| {
            let core = piece.trim_end_matches(BREAKS);
            let edge = piece.get(core.len()..).unwrap_or_default();
            if is_moving(core) { format!("<hex>{edge}") } else { piece.to_owned() }
        })
        .collect()
}

/// A number whose name says that it changes: `pid 812`, `line 7`, `seed 99`, `port 49152`.
fn named_number(token: &str, before: &str) -> Option<String> {
    let number = token.trim_end_matches(['.', ':']);
    let end = token.get(number.len()..).unwrap_or_default();
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    let starts_with_digit = number.starts_with(|c: char| c.is_ascii_digit());
    let before = before.trim_end_matches(':').to_ascii_lowercase();
    let kind = match before.as_str() {
        "pid" | "tid" | "process" | "threadid" if is_number => "<pid>",
        "#pid" | "#reference" | "#port" if starts_with_digit => "<pid>",
        "line" | "lineno" | "column" | "col" if is_number => "<line>",
        "seed" | "shuffle" if is_number => "<seed>",
        "goroutine" if is_number => "<n>",
        "port" if is_number && is_free_port(number) => "<port>",
        "commit" | "sha" | "revision" if is_number && number.len() >= 7 => "<hex>",
        "at" if number.starts_with("0x") && is_hexadecimal(&number[2..]) => "<hex>",
        name if is_number && (name.ends_with("-seed") || name.ends_with(".shuffle")) => "<seed>",
        _ => return None,
    };
    Some(format!("{kind}{end}"))
}

/// `127.0.0.1:43211`, `localhost:43211`, `:43211`
fn without_port(text: &str) -> String {
    let trimmed = text.trim_end_matches(['.', ':']);
    match trimmed.rsplit_once(':') {
        Some((host, port))
            if is_free_port(port)
                && (host.contains('.')
                    || host == "localhost"
                    || host.trim_matches(':').is_empty()) =>
        {
            format!("{host}:<port>{}", text.get(trimmed.len()..).unwrap_or_default())
        }
        _ => text.to_owned(),
    }
}

fn is_free_port(text: &str) -> bool {
    text.parse::<u32>().is_ok_and(|port| (FIRST_FREE_PORT..=65_535).contains(&port))
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// `0x7f05fa29e850`, or `+0x24e` in a trace. Eight digits are rather an error's code, fewer than six a value.
fn is_address(text: &str) -> bool {
    if let Some(offset) = text.strip_prefix("+0x") {
        return is_hexadecimal(offset);
    }
    let digits = text.strip_prefix("0x").unwrap_or_default();
    digits.len() >= 6 && digits.len() != 8 && is_hexadecimal(digits)
}

/// At least seven hexadecimal digits, letters among them: `facade` is a word, `1000000` a number.
fn is_hash(text: &str) -> bool {
    text.len() >= 7
        && is_hexadecimal(text)
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(|c: char| c.is_ascii_alphabetic())
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit())
}

/// `.tmpAb12Cd`, `tmp.Ab12Cd90`, `tmpab12cd_x`; `tmp_folder` is somebody's name.
fn is_temporary(text: &str) -> bool {
    let rest = text.trim_start_matches('.').strip_prefix("tmp").unwrap_or_default();
    let rest = rest.trim_start_matches(['.', '-', '_']);
    rest.len() >= 6
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && rest.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase())
}
