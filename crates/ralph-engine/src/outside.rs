//! The one way to start a program outside every sandbox: it is found where no agent writes, gets no variable that leads
//! there, and starts in the user's home folder.
//!
//! Must never start what an agent could have written. The tidy rule `programs` lists every caller and what its program
//! reads.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::search_path;

/// What ends a word in a variable or a setting, as lists, shells and git's own lists write them.
const BETWEEN_WORDS: &[char] = &[
    ' ', '\t', '\n', '\r', ':', ';', ',', '=', '!', '|', '&', '<', '>', '(', ')', '{', '[', ']',
    '"', '\'', '`', '@', '*',
];

/// The user's environment, and the folders that agents write to.
#[derive(Debug, Clone, Default)]
pub struct Outside {
    environment: Vec<(OsString, OsString)>,
    agents: Vec<PathBuf>,
    /// Git's own folders: they may lie in a checkout, and agents cannot write them.
    own: Vec<PathBuf>,
    /// `PATH` without what leads to agents' folders: each of its folders is looked through once.
    path: OnceLock<OsString>,
}

impl Outside {
    pub fn new(environment: Vec<(OsString, OsString)>, agents: Vec<PathBuf>) -> Self {
        let real: Vec<_> = agents.iter().filter_map(|one| fs::canonicalize(one).ok()).collect();
        Self { environment, agents: [agents, real].concat(), ..Self::default() }
    }

    /// The same, where these folders are git's own.
    #[must_use]
    pub fn except(self, own: &[&Path]) -> Self {
        Self { own: own.iter().map(|folder| folder.to_path_buf()).collect(), ..self }
    }

    /// Starts a program, which is looked for in `PATH` unless it is named by its whole path.
    pub fn command_for(&self, program: impl AsRef<OsStr>) -> Command {
        let named = Path::new(program.as_ref());
        let whole = Some(named.to_owned()).filter(|place| place.is_absolute());
        let found = whole.or_else(|| self.find(&named.to_string_lossy()));
        // A name that is found nowhere is started nowhere: the system would look for it in its own folder.
        let nowhere = || Path::new("/dev/null").join(named.file_name().unwrap_or_default());
        let mut command = Command::new(found.unwrap_or_else(nowhere));
        command.env_clear().envs(self.variables()).current_dir(self.home());
        command
    }

    /// Where a program of this name is in `PATH`, if no agent can have written it.
    pub fn find(&self, program: &str) -> Option<PathBuf> {
        let mut places = std::env::split_paths(self.path()).map(|folder| folder.join(program));
        places.find(|place| is_program(place) && !self.is_agents(place))
    }

    /// The user's variables without those that lead to what agents write.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let harmless = |(name, value): &&(OsString, OsString)| {
            !["PATH", "PWD", "OLDPWD"].iter().any(|other| name == other) && !self.leads_in(value)
        };
        let path = [(OsString::from("PATH"), self.path().to_owned())];
        self.environment.iter().filter(harmless).cloned().chain(path).collect()
    }

    /// `PATH` without folders that lead to what agents write.
    pub fn path(&self) -> &OsStr {
        self.path.get_or_init(|| {
            search_path::outside(self.get("PATH").unwrap_or_default(), &self.agents)
        })
    }

    /// The user's whole environment.
    pub(crate) fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// The user's home folder; the root where there is none, or agents write there.
    pub fn home(&self) -> PathBuf {
        let home = self.get("HOME").map(PathBuf::from);
        let fit = |home: &PathBuf| home.is_absolute() && home.is_dir() && !self.is_agents(home);
        home.filter(fit).unwrap_or_else(|| PathBuf::from("/"))
    }

    /// Whether a value names, alone or among other words, something that agents write.
    pub fn leads_in(&self, value: &OsStr) -> bool {
        let text = value.to_string_lossy().replace("${", "$").replace('}', "");
        text.split(BETWEEN_WORDS).any(|word| self.word_leads_in(word))
            || text.split(':').any(|part| self.word_leads_in(part))
    }

    /// Whether the way to a place, links included, leads through what agents write.
    pub fn is_agents(&self, place: &Path) -> bool {
        search_path::leads_through(place, &self.agents, &self.own)
    }

    fn word_leads_in(&self, word: &str) -> bool {
        // An option may have its value right behind it: `-F/place`, `-L../place`.
        let behind = word.find(['/', '~', '$', '.']).filter(|_| word.starts_with('-'));
        let word = behind.map_or(word, |at| &word[at..]);
        let home = self.get("HOME").unwrap_or_default().to_string_lossy();
        let place = match word.strip_prefix("~/").or_else(|| word.strip_prefix("$HOME/")) {
            Some(rest) => format!("{home}/{rest}"),
            None => {
                word.strip_prefix('$').map_or_else(|| word.to_owned(), |word| self.expanded(word))
            }
        };
        if place.starts_with('/') {
            return self.is_agents(Path::new(&place));
        }
        // Git is started in a folder of its own, which may lie in the checkout; everything else at home.
        let home = [self.home()];
        let starts = if self.own.is_empty() { &home } else { self.own.as_slice() };
        place.contains('/') && starts.iter().any(|start| self.is_agents(&start.join(&place)))
    }

    /// A word that begins with a variable.
    fn expanded(&self, word: &str) -> String {
        let end = word.find(|one: char| !one.is_alphanumeric() && one != '_').unwrap_or(word.len());
        let value = self.get(&word[..end]).unwrap_or_default().to_string_lossy();
        format!("{value}{}", &word[end..])
    }

    /// A variable of the user's environment.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.environment.iter().rev().find(|(known, _)| known == name)?;
        Some(&found.1)
    }
}

/// This program once more, where it is and with what it was given.
pub fn ralph_itself() -> io::Result<Command> {
    Ok(Command::new(std::env::current_exe()?))
}

/// Bubblewrap, only from where the system keeps programs: a home may hold something else of that name.
pub(crate) fn bubblewrap() -> Option<PathBuf> {
    let places = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/run/current-system/sw/bin"];
    places.iter().map(|place| Path::new(place).join("bwrap")).find(|path| path.is_file())
}

/// A bubblewrap of those arguments that the caller adds, with an empty environment.
pub(crate) fn bubblewrap_command() -> Option<Command> {
    let mut command = Command::new(bubblewrap()?);
    command.env_clear().current_dir("/");
    Some(command)
}

/// Whether a file can be started.
pub fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_lead_into_a_checkout_are_found() {
        let set = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let environment = vec![set("HOME", "/no/home"), set("REPO", "/no/home/repo")];
        let outside = Outside::new(environment, vec!["/no/home/repo".into()])
            .except(&[Path::new("/no/home/repo/.git")]);
        for value in [
            "/no/home/repo/tool",
            "ssh -F /no/home/repo/ssh_config",
            "ssh -F/no/home/repo/ssh_config",
            "ssh -F ~/repo/ssh_config",
            "!~/repo/helper --get",
            "!f() { \"$HOME/repo/helper\"; }; f",
            "ssh -o ProxyCommand=$REPO/proxy",
            "${REPO}/askpass",
            "--require=/no/home/repo/hook.js",
            "ssh -F ../deploy/ssh_config",
            "/a:/no/home/repo/lib",
            "/no/home/repo/.git/../evil",
            "/no/home/other/../repo/x",
        ] {
            assert!(outside.leads_in(value.as_ref()), "{value}");
        }
        for value in [
            "ssh -F /no/home/.ssh/config",
            "store --file /no/home/repo/.git/credentials",
            "/no/home/repository/tool",
            "https://github.example/no/home/repo",
            "cache --timeout=3600",
            "",
        ] {
            assert!(!outside.leads_in(value.as_ref()), "{value}");
        }
    }

    #[test]
    fn gits_own_folder_is_not_an_agents_unless_a_link_leads_out_of_it() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let base = folder.path().canonicalize()?;
        let own = base.join("repo/.git");
        fs::create_dir_all(&own)?;
        fs::create_dir(base.join("repo/tools"))?;
        std::os::unix::fs::symlink("../tools/ssh", own.join("ssh"))?;
        let outside = Outside::new(Vec::new(), vec![base.join("repo")]).except(&[&own]);
        for (place, is_agents) in [
            (".git/hook", false),
            (".git", false),
            ("../other", false),
            (".git/ssh", true),
            (".git/../tools/ssh", true),
            (".gitconfig", true),
            ("", true),
        ] {
            let place =
                if place.is_empty() { base.join("repo") } else { base.join("repo").join(place) };
            assert_eq!(outside.is_agents(&place), is_agents, "{}", place.display());
        }
        Ok(())
    }

    #[test]
    fn a_program_starts_at_home_and_only_from_where_no_agent_writes() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let base = folder.path().canonicalize()?;
        let (home, repo) = (base.join("home"), base.join("repo"));
        for place in [&home, &repo] {
            fs::create_dir(place)?;
            fs::write(place.join("tool"), "#!/bin/sh\npwd; echo \"$A $B\"\n")?;
            fs::set_permissions(place.join("tool"), fs::Permissions::from_mode(0o755))?;
        }
        let set = |name: &str, value: &Path| (OsString::from(name), OsString::from(value));
        let path = std::env::join_paths([&repo, &home, Path::new("/bin")]).unwrap_or_default();
        let environment = vec![
            (OsString::from("PATH"), path),
            set("HOME", &home),
            set("A", &repo.join("a")),
            set("B", Path::new("b")),
        ];
        let outside = Outside::new(environment, vec![repo]);
        let said = outside.command_for("tool").output()?;
        assert_eq!(String::from_utf8_lossy(&said.stdout), format!("{}\n b\n", home.display()));
        assert!(outside.command_for("no-such-tool").output().is_err());
        Ok(())
    }
}
