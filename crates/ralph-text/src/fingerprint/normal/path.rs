//! Paths and places in files: the folder of the project and the number of the line change, the file stays.

use super::name;

/// Kinds of files that have line numbers: `app.js:12` is a place, `total.sum:12` a value.
const SOURCES: [&str; 58] = [
    "rs", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "go",
    "rb", "ex", "exs", "erl", "php", "java", "kt", "kts", "scala", "groovy", "c", "h", "cc", "cpp",
    "cxx", "hh", "hpp", "m", "cs", "fs", "swift", "sh", "bash", "bats", "t", "pl", "pm", "lua",
    "zig", "hs", "ml", "clj", "dart", "sql", "toml", "yaml", "yml", "json", "md", "html", "css",
    "xml", "s", "snap",
];

/// Folders at the root of a machine; `/users/7` is a route of somebody's web server.
const ROOTS: [&str; 20] = [
    "tmp",
    "var",
    "home",
    "Users",
    "root",
    "usr",
    "opt",
    "private",
    "workspace",
    "workspaces",
    "builds",
    "build",
    "github",
    "app",
    "srv",
    "mnt",
    "run",
    "rustc",
    "nix",
    "data",
];

/// Folders that projects have inside them.
const INSIDE: [&str; 6] = ["src", "lib", "test", "tests", "spec", "node_modules"];

/// A path or place without what changes; `None` if the text is neither.
pub(super) fn normalise(text: &str) -> Option<String> {
    let path = text.strip_prefix("file://").unwrap_or(text);
    if let Some((file, rest)) = place(path) {
        return Some(format!("{}:<line>{rest}", shortened(file, true)));
    }
    path.contains('/').then(|| shortened(path, false))
}

/// Whether this names a file with source code, or one that rules are written in.
pub(super) fn is_source(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let kind = name.rsplit_once('.').map(|(_, kind)| kind);
    kind.is_some_and(|kind| SOURCES.contains(&kind))
        || ["Makefile", "makefile", "Dockerfile", "Rakefile", "Gemfile"].contains(&name)
        || (path.starts_with("node:") && !path.ends_with(':'))
}

/// Splits `src/lib.rs:6:46: no` into the file and what follows the numbers.
fn place(text: &str) -> Option<(&str, &str)> {
    let (at, _) = text.match_indices(':').find(|(at, _)| {
        let (file, rest) = text.split_at(*at);
        is_source(file) && rest[1..].starts_with(|c: char| c.is_ascii_digit())
    })?;
    let (file, mut rest) = text.split_at(at);
    while let Some(after) = rest.strip_prefix(':')
        && after.starts_with(|c: char| c.is_ascii_digit())
    {
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    Some((file, rest.trim_start_matches(':')))
}

/// The path from a folder that projects have inside them, or just the file's name.
fn shortened(path: &str, is_file: bool) -> String {
    let Some(inner) = path.strip_prefix('/') else {
        let parts: Vec<_> = path.trim_start_matches("./").split('/').map(name::normalise).collect();
        return parts.join("/");
    };
    let parts: Vec<&str> = inner.split('/').filter(|part| !part.is_empty()).collect();
    let Some((root, rest)) = parts.split_first() else {
        return path.to_owned();
    };
    if !is_file && !ROOTS.contains(root) {
        let parts: Vec<_> = inner.split('/').map(name::normalise).collect();
        return format!("/{}", parts.join("/"));
    }
    match rest {
        [only] if *root == "tmp" => temporary(only),
        [.., last] if *root == "tmp" && has_random_name(last) => temporary(last),
        _ => {
            let inside = parts.iter().rposition(|part| INSIDE.contains(part));
            let last = parts.len() - 1;
            let start = inside.filter(|at| *at < last).unwrap_or(last);
            let kept: Vec<_> = parts.iter().skip(start).map(|part| name::normalise(part)).collect();
            kept.join("/")
        }
    }
}

/// What lies right in the folder for temporary files has a name that means nothing.
fn temporary(name: &str) -> String {
    match name.rsplit_once('.').map(|(_, kind)| kind) {
        Some(kind) if kind.len() <= 5 && kind.chars().all(|c| c.is_ascii_lowercase()) => {
            format!("<temp>.{kind}")
        }
        _ => "<temp>".to_owned(),
    }
}

/// Digits alone may be hexadecimal ones where everything has a made-up name.
fn has_random_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    stem.len() >= 6 && stem.chars().all(|c| c.is_ascii_hexdigit())
}
