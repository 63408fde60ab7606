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
    /// Anything else: the home, the machine's own files, other directories.
    Outside,
    /// It cannot be known.
    Unknown,
}

const CACHES: [&str; 7] =
    [".cache", ".npm", ".pnpm-store", "Library/Caches", ".gradle", ".m2", ".bun"];

const TEMPORARY: [&str; 5] = ["/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/dev/shm"];

const SINKS: [&str; 10] =
    ["null", "zero", "stdin", "stdout", "stderr", "tty", "random", "urandom", "full", "ptmx"];

/// Where a path leads from `cwd`; `None` for files that a command found inside the worktree.
pub(crate) fn resolve(path: &str, cwd: &str) -> Option<String> {
    if path.starts_with(INSIDE) {
        return None;
    }
    let full = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    let full = match full.strip_prefix("/proc/self/") {
        Some(rest) if rest.starts_with("root/") => full.replacen("/proc/self/root", "", 1),
        _ => full,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in full.split('/') {
        match part {
            "" | "." => {}
            // What is above something unknown is not known either.
            ".." if parts.last().is_some_and(|last| is_open(last)) => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// What a path that has been resolved is.
pub(crate) fn zone(path: &str, scene: &Scene) -> Zone {
    if path.strip_prefix('/').is_none_or(is_open) {
        return Zone::Unknown;
    }
    let root = scene.worktree.trim_end_matches('/');
    if let Some(rest) = below(path, root) {
        return inside(rest);
    }
    let is_all = |(_, last): &(&str, &str)| is_everything(last);
    let folder = path.rsplit_once('/').filter(is_all).map_or(path, |(folder, _)| folder);
    if root.starts_with(&format!("{folder}/")) {
        return Zone::Outside;
    }
    if let Some(rest) = below(path, scene.home.trim_end_matches('/')) {
        let is_below = |cache: &&str| below(rest, cache).is_some_and(|rest| !rest.is_empty());
        return if CACHES.iter().any(is_below) { Zone::Cache } else { Zone::Outside };
    }
    if let Some(rest) = TEMPORARY.iter().find_map(|temp| below(path, temp)) {
        let first = rest.split('/').next().unwrap_or_default();
        let is_shared =
            first.is_empty() || is_everything(first) || is_open(first) || first == "ralph";
        return if is_shared { Zone::Outside } else { Zone::Temp };
    }
    let Some(device) = below(path, "/dev") else { return Zone::Outside };
    let is_sink = ["fd/", "pts/", "tcp/", "udp/"].iter().any(|kind| device.starts_with(kind));
    if is_sink || SINKS.contains(&device) { Zone::Sink } else { Zone::Device }
}

/// Whether a path is below a temporary directory or one itself.
pub(crate) fn is_temporary(path: &str) -> bool {
    TEMPORARY.iter().any(|temp| below(path, temp).is_some())
}

/// The rest of a path below a directory, empty for the directory itself.
pub(crate) fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn inside(rest: &str) -> Zone {
    let first = rest.split('/').next().unwrap_or_default();
    let is_git = |part: &str| {
        part == ".git" || part == ".gitmodules" || part.starts_with(".g") && marks::has_glob(part)
    };
    if first.is_empty() || (first == rest && is_everything(first)) {
        Zone::Worktree
    } else if is_open(first) {
        Zone::Unknown
    } else if rest.split('/').any(is_git) {
        Zone::Git
    } else if is_guarded(rest, first) {
        Zone::Guarded
    } else {
        Zone::Inside
    }
}

/// State and settings that decide about the agent itself.
fn is_guarded(rest: &str, first: &str) -> bool {
    let plans = ["tasks.json", "prd.json", "plan.json", "state.json", "stories.json"];
    let is_state = |name: &&str| rest.ends_with(name);
    match first {
        ".ralph" | ".codex" | ".gemini" | ".opencode" | ".cursor" => true,
        ".claude" => ["", "/settings", "/hooks", "/plugins"].iter().any(|part| {
            let own = rest.strip_prefix(".claude").unwrap_or_default();
            own == *part || !part.is_empty() && own.starts_with(part)
        }),
        "ralph" => rest == "ralph" || plans.iter().any(is_state),
        _ => first.starts_with(".ralph-") || rest == "prd.json" || rest == ".mcp.json",
    }
}

/// Whether a name begins with what nobody knows, so that it may be empty or lead anywhere.
fn is_open(name: &str) -> bool {
    let first = name.chars().next().map(String::from);
    !name.starts_with(INSIDE) && first.is_some_and(|first| marks::is_unknown(&first))
}

/// Whether a name with wildcards fits nearly every name.
fn is_everything(name: &str) -> bool {
    marks::has_glob(name)
        && name.chars().all(|c| matches!(c, STAR | ANY | SET | '.' | '!' | ']' | '^' | '~'))
}
