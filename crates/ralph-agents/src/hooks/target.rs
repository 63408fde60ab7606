//! Where a file tool aims: what an agent has no business to change. Judges names; where links lead is told to it.

use std::path::{Component, Path, PathBuf};

/// Places that belong to nobody's work.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/private/tmp", "/dev"];

/// Where the agent works.
pub(super) struct Ground<'a> {
    pub worktree: &'a str,
    pub cwd: &'a str,
    pub home: &'a str,
    pub scratch: &'a str,
    /// Where a path leads once links are followed.
    pub real: &'a dyn Fn(&str) -> String,
}

/// Why this file must not be changed; `None` if it may.
pub(super) fn objection(file: &str, ground: &Ground<'_>) -> Option<String> {
    let named = absolute(file, ground);
    let real = (ground.real)(&named.to_string_lossy());
    let root = (ground.real)(ground.worktree);
    let forms = [(named.as_path(), ground.worktree), (Path::new(&real), root.as_str())];
    forms.into_iter().find_map(|(path, root)| object_to(file, path, Path::new(root), ground))
}

fn object_to(file: &str, path: &Path, root: &Path, ground: &Ground<'_>) -> Option<String> {
    let Ok(inner) = path.strip_prefix(root) else {
        let free = TEMPORARY.into_iter().chain(Some(ground.scratch).filter(|s| !s.is_empty()));
        let is_free = free.into_iter().any(|place| path.starts_with(place));
        return (!is_free).then(|| {
            format!(
                "{file} is outside the worktree. Change only files below {}; if something else must change, say so in \
                 your handoff.",
                root.display()
            )
        });
    };
    let mut parts = inner.components().map(|part| part.as_os_str().to_string_lossy());
    let is = |part: &str, name: &str| part.eq_ignore_ascii_case(name);
    if parts.clone().next().is_some_and(|part| is(&part, ".ralph")) {
        return Some(format!(
            "{file} is one of ralph's own records. Propose changes to the plan in `plan_amendments` of your handoff."
        ));
    }
    parts.any(|part| is(&part, ".git")).then(|| {
        format!(
            "{file} belongs to the repository itself, not to its files. Leave it alone: ralph commits your work when \
             the gates pass."
        )
    })
}

/// The path without `.`, `..` and `~`, beginning at the root.
fn absolute(file: &str, ground: &Ground<'_>) -> PathBuf {
    let whole = match file.strip_prefix("~/") {
        Some(below) => Path::new(ground.home).join(below),
        None => Path::new(ground.cwd).join(file),
    };
    let mut clean = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(file: &str) -> Option<String> {
        let real = |path: &str| path.replace("/w/link", "/w/.git");
        let ground = Ground {
            worktree: "/w",
            cwd: "/w/src",
            home: "/home/u",
            scratch: "/state/calls/1",
            real: &real,
        };
        objection(file, &ground)
    }

    #[test]
    fn files_of_the_work_and_of_nobody_may_be_changed() {
        for file in [
            "/w/a",
            "a.rs",
            "../.gitignore",
            "../.github/x.yml",
            "/w/sub/.ralph/x",
            "/tmp/x",
            "/dev/null",
            "/state/calls/1/note",
        ] {
            assert_eq!(judged(file), None, "{file}");
        }
    }

    #[test]
    fn what_is_ralphs_or_gits_or_outside_may_not() {
        for (file, word) in [
            ("/w/.git/hooks/pre-commit", "repository"),
            ("../.GIT/config", "repository"),
            ("/w/sub/.git", "repository"),
            ("/w/link/config", "repository"),
            ("/w/.ralph/plan.json", "plan_amendments"),
            ("../.ralph/settings.toml", "plan_amendments"),
            ("/w/../etc/passwd", "outside"),
            ("/wide/a", "outside"),
            ("../../a", "outside"),
            ("~/.bashrc", "outside"),
            ("/tmp/../etc/passwd", "outside"),
        ] {
            let reason = judged(file).unwrap_or_default();
            assert!(reason.contains(word), "{file}: {reason}");
        }
    }
}
