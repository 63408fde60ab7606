//! Settings files of ssh and GnuPG, which git starts outside: no agent may write one, and none may name what agents write.
//!
//! Must never start a program to learn what a file says.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use nix::unistd::{User, geteuid};

use super::error::GitError;
use crate::{outside::Outside, project_file};

/// Where ssh's settings for everyone are.
const SYSTEM_SSH: &str = "/etc/ssh";

/// Refuses ssh's settings, those that these commands name with `-F` among them.
pub(super) fn refuse_ssh(outside: &Outside, commands: &[String]) -> Result<(), GitError> {
    // ssh asks the system where the home is; a program in its place may believe HOME.
    let system = User::from_uid(geteuid()).ok().flatten().map(|user| user.dir);
    for home in system.into_iter().chain([outside.home()]).collect::<BTreeSet<_>>() {
        let words = commands.iter().flat_map(|command| command.split_whitespace());
        let named = words.map(|word| with_home(word.strip_prefix("-F").unwrap_or(word), &home));
        let named = named.map(PathBuf::from).filter(|file| file.is_absolute());
        let usual = [home.join(".ssh/config"), Path::new(SYSTEM_SSH).join("ssh_config")];
        refuse(outside, &home, named.chain(usual).collect())?;
    }
    Ok(())
}

/// Refuses GnuPG's settings.
pub(super) fn refuse_gnupg(outside: &Outside) -> Result<(), GitError> {
    let named = outside.get("GNUPGHOME").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| outside.home().join(".gnupg"));
    let files = ["common.conf", "gpg.conf", "gpg-agent.conf", "gpgsm.conf", "scdaemon.conf"];
    refuse(outside, &outside.home(), files.map(|name| folder.join(name)).to_vec())
}

/// Refuses the first of these files, or of those that they include, that leads to what agents write.
fn refuse(outside: &Outside, home: &Path, mut files: Vec<PathBuf>) -> Result<(), GitError> {
    let mut seen = BTreeSet::new();
    while let Some(file) = files.pop() {
        let refused = |value: &str| {
            Err(GitError::LeadsToAgents { what: file.display().to_string(), value: value.into() })
        };
        if outside.is_agents(&file) {
            return refused("the file itself lies there");
        }
        let Ok(text) = project_file::read(&file, project_file::LARGEST_TEXT) else { continue };
        // A program that stands for ssh is not a settings file.
        if !seen.insert(file.clone()) || text.contains(&0) {
            continue;
        }
        for line in String::from_utf8_lossy(&text).lines().map(str::trim) {
            let whole = with_home(line, home);
            if !line.starts_with('#') && outside.leads_in(whole.as_ref()) {
                return refused(line);
            }
            let mut words = whole.split([' ', '\t', '=', '"']).filter(|word| !word.is_empty());
            if words.next().is_some_and(|first| first.eq_ignore_ascii_case("include")) {
                let is_systems = file.starts_with(SYSTEM_SSH);
                let base = if is_systems { SYSTEM_SSH.into() } else { home.join(".ssh") };
                files.extend(words.flat_map(|word| matching(&base.join(word))));
            }
        }
    }
    Ok(())
}

fn with_home(text: &str, home: &Path) -> String {
    let home = home.to_string_lossy();
    text.replace("%d", &home).replace("~/", &format!("{home}/"))
}

/// Every file that a pattern may mean; where a part is a pattern, every entry of its folder.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    pattern.components().fold(vec![PathBuf::new()], |found, part| {
        let part = part.as_os_str();
        if !part.to_string_lossy().contains(['*', '?', '[']) {
            return found.into_iter().map(|folder| folder.join(part)).collect();
        }
        let entries = found.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        entries.flatten().map(|entry| entry.path()).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::{io, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn settings_of_ssh_that_lead_to_what_agents_write_are_refused() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let base = fs::canonicalize(folder.path())?;
        let (home, repo) = (base.join("home"), base.join("home/repo"));
        fs::create_dir_all(home.join(".ssh/more"))?;
        fs::create_dir_all(repo.join(".git"))?;
        let environment = vec![("HOME".into(), home.clone().into())];
        let outside = Outside::new(environment, vec![repo.clone()]).except(&[&repo.join(".git")]);
        let refused = |text: &str| -> io::Result<bool> {
            fs::write(home.join(".ssh/config"), text)?;
            Ok(refuse_ssh(&outside, &[]).is_err())
        };
        for text in [
            "Host *\n  ProxyCommand sh ~/repo/proxy %h\n",
            "Host *\n\tProxyCommand \"%d/repo/proxy\"\n",
            "Match exec \"$HOME/repo/ask\"\n",
            "KnownHostsCommand=../tools/hosts %H\n",
            "IdentityFile ~/repo/key\n",
            "Include ~/repo/ssh_config\n",
        ] {
            assert!(refused(text)?, "{text}");
        }
        for text in [
            "Host github.example\n  IdentityFile ~/.ssh/id\n  ProxyCommand nc %h %p\n",
            "# ProxyCommand ~/repo/proxy\n",
            "ProxyCommand ~/repository/proxy\n",
            "Include config\n",
        ] {
            assert!(!refused(text)?, "{text}");
        }
        fs::write(home.join(".ssh/more/one"), "LocalCommand ~/repo/tool\n")?;
        assert!(refused("include more/*\n")?);
        fs::write(home.join("other"), "ProxyCommand ~/repo/proxy\n")?;
        assert!(!refused("")?);
        for command in ["ssh -F ~/other", "ssh -F~/other"] {
            assert!(refuse_ssh(&outside, &[command.into()]).is_err(), "{command}");
        }
        fs::remove_file(home.join(".ssh/config"))?;
        symlink("../repo/ssh_config", home.join(".ssh/config"))?;
        assert!(refuse_ssh(&outside, &[]).is_err(), "a link to a file that an agent can make");
        Ok(())
    }

    #[test]
    fn settings_of_gnupg_that_lead_to_what_agents_write_are_refused() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let base = fs::canonicalize(folder.path())?;
        let at = |folder: &str| {
            let environment = vec![("GNUPGHOME".into(), base.join(folder).into())];
            refuse_gnupg(&Outside::new(environment, vec![base.join("repo")]))
        };
        fs::create_dir_all(base.join("gnupg"))?;
        let line = |place: &str| format!("pinentry-program {}/{place}/pinentry\n", base.display());
        fs::write(base.join("gnupg/gpg-agent.conf"), line("tools"))?;
        assert!(at("gnupg").is_ok());
        fs::write(base.join("gnupg/gpg-agent.conf"), line("repo"))?;
        assert!(at("gnupg").is_err());
        assert!(at("repo/gnupg").is_err());
        Ok(())
    }
}
