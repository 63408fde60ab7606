//! What a run changed from its beginning to now, file by file, and where its commits can be seen. Asks git nothing.

use serde::Serialize;

use crate::{ids::CommitId, run::RunState};

/// So many files are named.
const NAMED: usize = 20;
/// Forges whose addresses are known: a word of the host's name, and what leads to a commit.
const FORGES: [(&str, &str); 4] = [
    ("github", "commit"),
    ("gitlab", "-/commit"),
    ("codeberg", "commit"),
    ("bitbucket", "commits"),
];

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    pub path: String,
    /// Lines that are new and gone; `None` for what is no text.
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

impl FileChange {
    /// How many lines it differs by.
    pub fn lines(&self) -> u64 {
        self.added.unwrap_or_default().saturating_add(self.removed.unwrap_or_default())
    }
}

/// Everything that changed: summed up, and the largest changes by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diffstat {
    pub files: usize,
    pub added: u64,
    pub removed: u64,
    pub largest: Vec<FileChange>,
}

impl Diffstat {
    /// Of all files that differ.
    pub fn of(mut files: Vec<FileChange>) -> Self {
        let sum = |part: fn(&FileChange) -> Option<u64>| files.iter().filter_map(part).sum();
        let (added, removed, count) = (sum(|one| one.added), sum(|one| one.removed), files.len());
        files.sort_by(|a, b| (b.lines(), &a.path).cmp(&(a.lines(), &b.path)));
        files.truncate(NAMED);
        Self { files: count, added, removed, largest: files }
    }
}

/// Where the run branch was when the first task was begun, and where it is; `None` where nothing was accepted.
pub fn range(state: &RunState) -> Option<(&CommitId, &CommitId)> {
    let begun = state.tasks.iter().filter_map(|task| task.detail.as_deref());
    let first = begun.filter(|one| !one.began_at.is_empty()).min_by_key(|one| one.began)?;
    (first.began_at != state.head).then_some((&first.began_at, &state.head))
}

/// What an address of a commit begins with, if the remote is `https://host/owner/name` on a forge that is known.
pub fn commits_at(remote: &str) -> Option<String> {
    let rest = remote.strip_prefix("https://")?;
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let rest = rest.strip_suffix(".git").unwrap_or(rest);
    let (host, path) = rest.split_once('/')?;
    let is_plain = |text: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        !text.is_empty() && !text.starts_with('.') && text.bytes().all(letter)
    };
    let mut folders = path.split('/');
    // Only gitlab has groups in groups.
    let is_project = folders.clone().count() >= 2 && folders.all(is_plain);
    let known = |(forge, _): &&(&str, &str)| host.split('.').any(|word| word == *forge);
    let (_, leads) = FORGES.iter().find(known).filter(|_| is_plain(host) && is_project)?;
    Some(format!("https://{host}/{path}/{leads}/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_linked_on_known_forges_and_only_there() {
        for (remote, wanted) in [
            ("https://github.com/ann/slug.git", "https://github.com/ann/slug/commit/"),
            ("https://gitlab.example.org/a/b/c", "https://gitlab.example.org/a/b/c/-/commit/"),
            ("https://codeberg.org/ann/slug/", "https://codeberg.org/ann/slug/commit/"),
            ("https://bitbucket.org/ann/slug", "https://bitbucket.org/ann/slug/commits/"),
        ] {
            assert_eq!(commits_at(remote).as_deref(), Some(wanted));
        }
        for remote in [
            "git@github.com:ann/slug.git",
            "http://github.com/ann/slug",
            "https://ann:token@github.com/ann/slug",
            "https://github.com/ann",
            "https://github.com/ann/../slug",
            "https://github.com/ann/slug?x=\"><script>",
            "https://github.com:8443/ann/slug",
            "https://example.org/ann/slug",
            "https://notgithub.com/ann/slug",
            "javascript:https://github.com/ann/slug",
            "",
        ] {
            assert_eq!(commits_at(remote), None, "{remote}");
        }
    }

    #[test]
    fn the_largest_changes_are_named_and_all_are_counted() {
        let file = |n: u64| FileChange {
            path: format!("f{n:02}"),
            added: (n > 0).then_some(n),
            removed: (n > 0).then_some(1),
        };
        let stat = Diffstat::of((0..25).map(file).collect());
        assert_eq!((stat.files, stat.added, stat.removed), (25, 300, 24));
        let names: Vec<&str> = stat.largest.iter().map(|one| one.path.as_str()).collect();
        assert_eq!((names.len(), names[0], names[19]), (20, "f24", "f05"));
    }
}
