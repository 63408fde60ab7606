//! What a repository's address must not hold: it stays in the server's history for as long as the loop is known there.
//! Must never print what it refuses.

use ralph_text::redact::Redactor;

use crate::{address::path_of, error::CommandError};

/// No user name is that long, but tokens are.
const LONGEST_USER: usize = 19;

/// Refuses an address with a password or a token in it, and one that means another place on another machine.
pub(super) fn check(repo: &str) -> Result<(), CommandError> {
    if path_of(repo).is_some_and(|path| !path.starts_with('/')) {
        let what = format!("{repo:?} is a relative path, which other machines cannot resolve");
        let help = "use the repository's full address (--repo, or git remote set-url)";
        return Err(CommandError::usage(what, help));
    }
    let (is_web, user) = user(repo);
    let what = if user.contains(':') || user.to_ascii_lowercase().contains("%3a") {
        "the repository's address contains a password"
    } else if holds_secret(user) || is_web && user.len() > LONGEST_USER {
        "the repository's address contains a token before the host"
    } else if holds_secret(repo) {
        "the repository's address contains a secret"
    } else {
        return Ok(());
    };
    let help = "remove it (--repo, or git remote set-url); give git access with a credential helper on this machine \
                (git help credentials) and with ralph fleet worker --credentials on workers";
    let why = "the address would be stored on the server, where others can read it".to_owned();
    Err(CommandError::usage(what, help).because(vec![why]))
}

/// What stands before the host, and whether the address is one of the web.
fn user(repo: &str) -> (bool, &str) {
    let (scheme, rest) = repo.split_once("://").unwrap_or(("", repo));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    (["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)), user)
}

fn holds_secret(text: &str) -> bool {
    Redactor::default().text(text) != text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn github() -> String {
        ["ghp_", "0123456789abcdefABCDEF0123456789abcd"].concat()
    }

    #[test]
    fn addresses_without_secrets_are_fine() {
        for repo in [
            "https://git.example.com/team/app.git",
            "https://me@git.example.com/team/app.git",
            "https://x-access-token@git.example.com/app.git",
            "ssh://git@git.example.com:2222/team/app.git",
            "git@git.example.com:team/app.git",
            "/srv/git/app.git",
            "file:///srv/git/a@b/app.git",
        ] {
            assert!(check(repo).is_ok(), "{repo}");
        }
    }

    #[test]
    fn an_address_means_the_same_everywhere() {
        for repo in ["../app.git", "app.git", "./a:b", "~/app.git"] {
            assert!(check(repo).is_err(), "{repo}");
        }
    }

    #[test]
    fn secrets_are_refused_wherever_they_stand_and_never_repeated() {
        let (token, plain) = (github(), "0123abcd4567efab8901");
        for (repo, secret) in [
            (format!("https://{token}@git.example.com/app.git"), token.as_str()),
            (format!("ssh://{token}@git.example.com/app.git"), &token),
            (format!("{token}@git.example.com:app.git"), &token),
            (format!("https://{plain}@git.example.com/app.git"), plain),
            (format!("HTTP://{plain}@git.example.com"), plain),
            ("https://me:hunter2@git.example.com/app.git".to_owned(), "hunter2"),
            ("https://me%3Ahunter2@git.example.com/app.git".to_owned(), "hunter2"),
            ("me:hunter2@git.example.com:app.git".to_owned(), "hunter2"),
            (format!("https://git.example.com/{token}/app.git"), &token),
            (format!("https://git.example.com/app.git?private_token={token}"), &token),
        ] {
            let error = check(&repo).expect_err(&repo);
            let said = format!("{error} {:?} {}", error.why(), error.help());
            assert!(!said.contains(secret) && error.help().contains("credential"), "{said}");
        }
    }
}
