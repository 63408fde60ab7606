//! Where a path leads: inside the worktree, or into what must not be touched.

use crate::{
    marks::{self, ANY, INSIDE, SET, STAR},
    verdict::Scene,
};

/// What a path is to an unattended agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Below the root of the worktree.
    Inside,
    /// The worktree itself or everything in it.
    Worktree,
    /// Git's own files.
    Git,
    /// State of ralph and configuration of agents.
    Guarded,
    /// Below a temporary directory.
    Temp,
    /// A sink or source such as `/dev/null`.
    Sink,
    /// Another device.
    Device,
    /// A cache in the home.
    Cache,
    /// Anything else in the home, and the home.
    Home,
    /// Another directory beside or above the worktree.
    Outside,
    /// The machine's own files.
    System,
    /// It cannot be known.
    Unknown,
}

const SYSTEM: [&str; 18] = [
    "bin", "boot", "dev", "etc", "lib", "lib64", "media", "mnt", "opt", "proc", "root", "run",
    "sbin", "srv", "sys", "usr", "var", "nix",
];

const MAC_SYSTEM: [&str; 5] = ["System", "Library", "Applications", "private", "Volumes"];

const CACHES: [&str; 7] =
    [".cache", ".npm", ".pnpm-store", "Library/Caches", ".gradle", ".m2", ".bun"];

/// Where a path leads from `cwd`; `None` where that cannot be known.
pub(crate) fn resolve(path: &str, cwd: &str) -> Option<String> {
    if path.starts_with(INSIDE) {
        return None;
    }
    let full = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    let full =
        full.strip_prefix("/proc/self/root").filter(|rest| rest.starts_with('/')).unwrap_or(&full);
    let (base, rest) = match full.strip_prefix("/proc/self/cwd") {
        Some(rest) => (cwd, rest),
        None => ("", full),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(rest.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// What a path that has been resolved is.
pub(crate) fn zone(path: &str, scene: &Scene) -> Zone {
    if path.strip_prefix('/').is_some_and(is_open) || !path.starts_with('/') {
        return Zone::Unknown;
    }
    let root = scene.worktree.trim_end_matches('/');
    let home = scene.home.trim_end_matches('/');
    if let Some(rest) = below(path, root) {
        return inside(rest);
    }
    let fixed = match path.rsplit_once('/') {
        Some((parent, last)) if is_everything(last) => parent,
        _ => path,
    };
    if root.starts_with(&format!("{}/", fixed.trim_end_matches('/'))) {
        return if path == "/" { Zone::System } else { Zone::Outside };
    }
    if let Some(rest) = below(path, home) {
        let is_cache =
            CACHES.iter().any(|cache| below(rest, cache).is_some_and(|rest| !rest.is_empty()));
        return if is_cache { Zone::Cache } else { Zone::Home };
    }
    for temp in ["/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/dev/shm"] {
        if let Some(rest) = below(path, temp) {
            return temporary(rest);
        }
    }
    if let Some(rest) = below(path, "/dev") {
        return device(rest);
    }
    let first = path.split('/').nth(1).unwrap_or_default();
    if first == "home" || first == "Users" {
        return Zone::Home;
    }
    let is_system = first.is_empty() || SYSTEM.contains(&first) || MAC_SYSTEM.contains(&first);
    let is_wild = marks::has_glob(first) || marks::is_unknown(first);
    if is_system || is_wild { Zone::System } else { Zone::Outside }
}

/// The rest of a path below a directory, empty for the directory itself.
pub(crate) fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn inside(rest: &str) -> Zone {
    let mut parts = rest.split('/');
    let first = parts.next().unwrap_or_default();
    let is_last = parts.clone().next().is_none();
    if first.is_empty() || (is_last && is_everything(first)) {
        return Zone::Worktree;
    }
    if is_open(first) {
        return Zone::Unknown;
    }
    if rest.split('/').any(|part| part == ".git" || part == ".gitmodules") {
        return Zone::Git;
    }
    if marks::has_glob(first) && marks::fits(first, ".git") && !first.starts_with(STAR) {
        return Zone::Git;
    }
    if is_guarded(rest) { Zone::Guarded } else { Zone::Inside }
}

/// State and settings that decide about the agent itself.
fn is_guarded(rest: &str) -> bool {
    let first = rest.split('/').next().unwrap_or_default();
    if first == ".ralph" || first.starts_with(".ralph-") {
        return true;
    }
    if [".codex", ".gemini", ".opencode", ".cursor"].contains(&first) {
        return true;
    }
    if let Some(rest) = below(rest, ".claude") {
        return rest.is_empty()
            || rest.starts_with("settings")
            || below(rest, "hooks").is_some()
            || below(rest, "plugins").is_some();
    }
    let plan = ["tasks.json", "prd.json", "plan.json", "state.json", "stories.json"];
    first == "ralph" && (rest == "ralph" || plan.iter().any(|name| rest.ends_with(name)))
        || rest == "prd.json"
        || rest == ".mcp.json"
}

fn temporary(rest: &str) -> Zone {
    let first = rest.split('/').next().unwrap_or_default();
    if first.is_empty() || is_everything(first) || is_open(first) || first == "ralph" {
        return Zone::System;
    }
    Zone::Temp
}

/// Whether a name begins with what nobody knows, so that it may be empty or lead anywhere.
fn is_open(name: &str) -> bool {
    !name.starts_with(INSIDE)
        && name
            .chars()
            .next()
            .is_some_and(|first| marks::is_unknown(first.encode_utf8(&mut [0; 4])))
}

/// Whether a name with wildcards fits nearly every name.
fn is_everything(name: &str) -> bool {
    marks::has_glob(name)
        && name.chars().all(|c| matches!(c, STAR | ANY | SET | '.' | '!' | ']' | '^' | '~'))
}

fn device(rest: &str) -> Zone {
    let sinks =
        ["null", "zero", "stdin", "stdout", "stderr", "tty", "random", "urandom", "full", "ptmx"];
    let is_sink =
        sinks.contains(&rest) || below(rest, "fd").is_some() || below(rest, "pts").is_some();
    if is_sink || rest.starts_with("tcp/") || rest.starts_with("udp/") {
        Zone::Sink
    } else {
        Zone::Device
    }
}
