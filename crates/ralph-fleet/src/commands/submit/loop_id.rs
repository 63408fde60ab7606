//! The name of a loop: one for each branch of each repository, however the repository's address is written.

use crate::error::CommandError;

/// `loop/<host>/<path>@<branch>`.
pub(super) fn of(repo: &str, branch: &str) -> Result<String, CommandError> {
    let (host, path) = place(repo)?;
    Ok(format!("loop/{host}/{path}@{branch}"))
}

/// Host and path of an address; a path on a disk is on `localhost`.
fn place(repo: &str) -> Result<(String, String), CommandError> {
    let (host, path) = match repo.split_once("://") {
        Some(("file", rest)) => ("localhost", rest.strip_prefix("localhost").unwrap_or(rest)),
        Some((_, rest)) => {
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
            if user.contains(':') {
                let help = "leave it out; workers get access by a credential helper (ralph fleet worker --credentials)";
                return Err(CommandError::usage("the repository's address holds a password", help));
            }
            (host, path)
        }
        // `git@host:path`, unless a slash comes first.
        None => match repo.split_once(':') {
            Some((host, path)) if !host.contains('/') => {
                (host.rsplit_once('@').map_or(host, |(_, host)| host), path)
            }
            _ => ("localhost", repo),
        },
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    if host.is_empty() || path.is_empty() {
        let help = "write it as git does, such as https://git.example.com/team/app.git";
        return Err(CommandError::usage(format!("{repo:?} is no address of a repository"), help));
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
    fn passwords_and_nonsense_are_refused() {
        for repo in
            ["https://me:secret@git.example.com/app.git", "", "https://", "https://host/", "host:"]
        {
            assert!(of(repo, "b").is_err(), "{repo}");
        }
    }
}
