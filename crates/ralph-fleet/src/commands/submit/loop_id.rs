//! The name of a loop: one for each branch of each repository, however the repository's address is written.

use crate::{address::path_of, error::CommandError};

/// `loop/<host>/<path>@<branch>`.
pub(super) fn of(repo: &str, branch: &str) -> Result<String, CommandError> {
    let (host, path) = place(repo)?;
    Ok(format!("loop/{host}/{path}@{branch}"))
}

/// Host and path of an address; a path on a disk is on `localhost`.
fn place(repo: &str) -> Result<(String, String), CommandError> {
    let (host, path) = match (path_of(repo), repo.split_once("://")) {
        (Some(path), _) => ("localhost", path),
        (None, Some((_, rest))) => rest.split_once('/').unwrap_or((rest, "")),
        (None, None) => repo.split_once(':').unwrap_or((repo, "")),
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    if host.is_empty() || path.is_empty() {
        let help = "use an address that git accepts, such as https://git.example.com/team/app.git";
        return Err(CommandError::usage(format!("{repo:?} is not a repository address"), help));
    }
    Ok((host.to_lowercase(), path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_an_address_give_one_loop() {
        let one = "loop/git.example.com/team/app@ralph/x";
        for repo in [
            "https://git.example.com/team/app.git",
            "https://git.example.com/team/app",
            "https://me@Git.Example.com/team/app/",
            "ssh://git@git.example.com/team/app.git",
            "git@git.example.com:team/app.git",
            "git.example.com:team/app",
        ] {
            assert_eq!(of(repo, "ralph/x").unwrap(), one, "{repo}");
        }
    }

    #[test]
    fn disks_and_ports_are_places_too() {
        assert_eq!(of("/srv/git/app.git", "b").unwrap(), "loop/localhost/srv/git/app@b");
        assert_eq!(of("file:///srv/git/app.git", "b").unwrap(), "loop/localhost/srv/git/app@b");
        assert_eq!(of("git://127.0.0.1:9418/app.git", "b").unwrap(), "loop/127.0.0.1:9418/app@b");
    }

    #[test]
    fn nonsense_is_refused() {
        for repo in ["", "https://", "https://host/", "host:"] {
            assert!(of(repo, "b").is_err(), "{repo}");
        }
    }
}
