//! What git takes the address of a repository for: a path on this machine's disk, or a place elsewhere.

/// The path, if it is one.
pub(crate) fn path_of(repo: &str) -> Option<&str> {
    match repo.split_once("://") {
        Some(("file", rest)) => Some(rest),
        Some(_) => None,
        // `host:path`, unless a slash comes first.
        None => {
            let host = repo.split(':').next().unwrap_or_default();
            (host.len() == repo.len() || host.contains('/')).then_some(repo)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn paths_are_told_from_places_elsewhere() {
        for path in ["/srv/a.git", "a.git", "../a", "./a:b", "/a:b"] {
            assert_eq!(path_of(path), Some(path));
        }
        assert_eq!(path_of("file:///srv/a"), Some("/srv/a"));
        for other in ["https://host/a", "ssh://host/a", "git@host:a", "host:/srv/a", "git://h/a"] {
            assert_eq!(path_of(other), None, "{other}");
        }
    }
}
