//! One token: a path, a port, a time, a name, a number with its name before it. Numbers that could be somebody's value stay.

use super::{
    name::{self, is_hexadecimal, is_uuid},
    path, time,
};

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
        let route: Vec<_> = route.split('/').map(name::normalise).collect();
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
    if around.compares { name::without_addresses(&token) } else { name::normalise(&token) }
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
