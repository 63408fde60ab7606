//! The addresses that an operator lets loops name, and where the operator's credentials are good for: whoever submits a
//! loop could name any host. Must be asked about every address as it was submitted, and once more, by beginnings as this
//! host reaches them, as it is opened: a path that is rewritten may lead to any host.

use crate::address::path_of;

/// Beginnings of addresses; none means that any may be named.
#[derive(Debug, Clone, Default)]
pub struct Allowed(Vec<String>);

impl Allowed {
    pub fn new(beginnings: &[String]) -> Self {
        Self(beginnings.iter().filter(|one| !one.is_empty()).cloned().collect())
    }

    pub fn is_any(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an address may be opened. Paths have a rule of their own.
    pub(super) fn opens(&self, repo: &str) -> bool {
        self.is_any()
            || path_of(repo).is_some()
            || !leads_upwards(repo) && self.0.iter().any(|start| is_below(repo, start))
    }

    /// The same addresses where those that begin with `from` are reached at `to`.
    pub(super) fn rewritten(&self, (from, to): &(String, String)) -> Self {
        let reached = |start: &String| match start.strip_prefix(from.as_str()) {
            Some(rest) => vec![format!("{to}{rest}")],
            // Only a part of what lies below it is elsewhere.
            None if is_below(from, start) => vec![start.clone(), to.clone()],
            None => vec![start.clone()],
        };
        Self(self.0.iter().flat_map(reached).collect())
    }

    /// Scheme and host of those on the web, as git names them where it asks for credentials.
    pub fn hosts(&self) -> Vec<String> {
        let host = |start: &String| {
            let (scheme, rest) = start.split_once("://")?;
            let authority = rest.split('/').next()?;
            (scheme.starts_with("http") && !authority.is_empty())
                .then(|| format!("{scheme}://{authority}"))
        };
        self.0.iter().filter_map(host).collect()
    }
}

/// Whether an address is this one or lies below it: a host's name does not go on behind it.
fn is_below(repo: &str, start: &str) -> bool {
    let ends_a_part = start.ends_with('/') || start.ends_with(':') && !start.contains("://");
    repo.strip_prefix(start)
        .is_some_and(|rest| ends_a_part || rest.is_empty() || rest.starts_with('/'))
}

fn leads_upwards(repo: &str) -> bool {
    let plain = repo.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/");
    let plain = plain.replace("%3b", ";");
    // Some servers read what follows a semicolon as a parameter, and the name before it as if that were all.
    plain.split(['/', ':', '\\']).any(|part| part.split(';').next() == Some(".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_a_beginning_is_opened() {
        let beginnings = ["https://git.example.com", "git@host.example:", "ssh://git@h/team/", ""];
        let allowed = Allowed::new(&beginnings.map(str::to_owned));
        for repo in [
            "https://git.example.com/team/app.git",
            "git@host.example:team/app.git",
            "ssh://git@h/team/app",
            "/srv/app.git",
        ] {
            assert!(allowed.opens(repo), "{repo}");
        }
        for repo in [
            "https://git.example.com.evil.example/app.git",
            "https://git.example.com:8443/app.git",
            "https://git.example.com@evil.example/app.git",
            "https://git.example.com:x@evil.example/app.git",
            "http://git.example.com/app.git",
            "ssh://git@h/team/../other/app",
            "ssh://git@h/team/%2E%2e/other/app",
            "https://git.example.com/team/..;/other/app",
            "https://git.example.com/team/..%3Bv=1/other/app",
            "ssh://git@h/teams/app",
            "git@host.example.evil:app.git",
        ] {
            assert!(!allowed.opens(repo), "{repo}");
        }
        assert!(Allowed::default().opens("https://anywhere.example/a.git"));
        assert!(Allowed::new(&[String::new()]).is_any());
    }

    #[test]
    fn credentials_are_for_hosts_of_the_web() {
        let beginnings =
            ["https://git.example.com:8443/team/", "git@host:", "https://", "ssh://h/"];
        let allowed = Allowed::new(&beginnings.map(str::to_owned));
        assert_eq!(allowed.hosts(), ["https://git.example.com:8443"]);
    }
}
