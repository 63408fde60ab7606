//! What git may see of the caller's environment: its own settings, identity and keys, nothing else.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{outside::Outside, search_path};

/// Variables of the caller's environment that git may see.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "EMAIL",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "SSH_AUTH_SOCK",
    "GNUPGHOME",
    "GPG_TTY",
];

/// Looked up in the PATH.
const PROGRAM: &str = "git";

/// How many settings come as variables.
pub(super) const COUNT: &str = "GIT_CONFIG_COUNT";

/// Which git to start, and with which variables.
#[derive(Debug, Clone)]
pub struct GitEnv {
    pub(crate) program: PathBuf,
    pub(crate) vars: Vec<(OsString, OsString)>,
    /// The folder whose programs were left out.
    outside_of: Option<PathBuf>,
}

impl GitEnv {
    /// The git on the PATH, with what it needs of this process's environment.
    pub fn inherited() -> Self {
        let vars = PASSED
            .iter()
            .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)))
            .collect();
        Self { program: PathBuf::from(PROGRAM), vars, outside_of: None }
    }

    /// The same without programs of this folder: an agent may have put a `git`, or a filter's program, there. What
    /// the PATH names relatively would be looked for there too.
    pub(crate) fn outside(&self, folder: &Path) -> Self {
        let folder = search_path::real(folder);
        if self.outside_of.as_ref() == Some(&folder) {
            return self.clone();
        }
        let mut same = Self { outside_of: Some(folder.clone()), ..self.clone() };
        let outside = Outside::new(same.vars.clone(), vec![folder.clone()]);
        if same.program == Path::new(PROGRAM) {
            let git = outside.find(PROGRAM);
            same.program = git.unwrap_or_else(|| PathBuf::from("/dev/null/git"));
        }
        for (_, value) in same.vars.iter_mut().filter(|(name, _)| name == "PATH") {
            outside.path().clone_into(value);
        }
        same.pin_global(&folder);
        same
    }

    /// Names the user's configuration file where git would look for one in this folder: an agent could make it.
    fn pin_global(&mut self, folder: &Path) {
        let places = self.global_places();
        let are_inside = places.iter().any(|file| search_path::real(file).starts_with(folder));
        if self.get("GIT_CONFIG_GLOBAL").is_none() && are_inside {
            let there = places.into_iter().find(|file| file.is_file());
            let named = there.unwrap_or_else(|| PathBuf::from("/dev/null"));
            self.vars.push(("GIT_CONFIG_GLOBAL".into(), named.into()));
        }
    }

    /// Where git looks for the user's configuration, whether it is there or not.
    pub(crate) fn global_places(&self) -> Vec<PathBuf> {
        if let Some(named) = self.get("GIT_CONFIG_GLOBAL") {
            return vec![PathBuf::from(named)];
        }
        let home = self.home().map(|home| home.join(".gitconfig"));
        let other = self.configuration_home().map(|home| home.join("git/config"));
        home.into_iter().chain(other).collect()
    }

    /// Gives a variable another value.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.vars.retain(|(known, _)| known != name);
        self.vars.push((name.into(), value.into()));
    }

    pub(super) fn get(&self, name: &str) -> Option<&OsString> {
        self.vars.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn home(&self) -> Option<PathBuf> {
        self.get("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
    }

    /// Where the user's configuration is, apart from the file in the home itself.
    pub(crate) fn configuration_home(&self) -> Option<PathBuf> {
        let named = self.get("XDG_CONFIG_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        named.or_else(|| Some(self.home()?.join(".config")))
    }

    /// A path as git's configuration writes it.
    pub(crate) fn expanded(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(path),
        }
    }

    /// A given git with given variables.
    pub fn new(program: impl Into<PathBuf>, vars: Vec<(OsString, OsString)>) -> Self {
        Self { program: program.into(), vars, outside_of: None }
    }
}

/// Settings as variables, where a key may hold anything, behind the `first` that are there.
pub(super) fn as_variables(first: usize, settings: &[(String, String)]) -> Vec<(String, String)> {
    let one = |(number, (key, value)): (usize, &(String, String))| {
        [("KEY", key), ("VALUE", value)]
            .map(|(what, text)| (format!("GIT_CONFIG_{what}_{number}"), text.clone()))
    };
    let count = (COUNT.to_owned(), (first + settings.len()).to_string());
    (first..).zip(settings).flat_map(one).chain([count]).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn programs_of_the_worktree_and_of_wherever_one_stands_are_left_out() {
        let path = ".:/repo/bin::node_modules/.bin:/usr/bin:/repository/bin:/bin";
        let env =
            GitEnv::new("git", vec![("PATH".into(), path.into())]).outside(Path::new("/repo"));
        assert_eq!(env.vars, [("PATH".into(), "/usr/bin:/repository/bin:/bin".into())]);
        assert!(env.program.is_absolute(), "{}", env.program.display());
    }

    #[test]
    fn a_configuration_that_an_agent_could_make_is_not_looked_for() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let home = fs::canonicalize(folder.path())?;
        let env = GitEnv::new("git", vec![("HOME".into(), home.clone().into())]);
        let named = |root: &Path| env.outside(root).get("GIT_CONFIG_GLOBAL").cloned();
        assert_eq!(named(&home.join("project")), None);
        assert_eq!(named(&home), Some("/dev/null".into()));
        fs::write(home.join(".gitconfig"), "")?;
        assert_eq!(named(&home), Some(home.join(".gitconfig").into()));
        Ok(())
    }

    #[test]
    fn every_place_of_the_users_configuration_is_known_whether_it_is_there_or_not() {
        let home: (OsString, OsString) = ("HOME".into(), "/home/ann".into());
        let places = GitEnv::new("git", vec![home.clone()]).global_places();
        assert_eq!(
            places,
            [Path::new("/home/ann/.gitconfig"), Path::new("/home/ann/.config/git/config"),]
        );
        let named = ("GIT_CONFIG_GLOBAL".into(), "/etc/own".into());
        assert_eq!(GitEnv::new("git", vec![home, named]).global_places(), [Path::new("/etc/own")]);
    }

    #[test]
    fn a_link_to_a_git_in_the_worktree_is_not_started() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (bin, repo) = (folder.path().join("bin"), folder.path().join("repo"));
        fs::create_dir_all(&bin)?;
        fs::create_dir_all(&repo)?;
        fs::write(repo.join("git"), "")?;
        std::os::unix::fs::symlink(repo.join("git"), bin.join("git"))?;
        let found = |path: String| {
            let vars = vec![("PATH".into(), OsString::from(path))];
            GitEnv::new("git", vars).outside(&repo).program
        };
        assert_eq!(found(bin.display().to_string()), Path::new("/dev/null/git"));
        let usual = found(format!("{}:/usr/bin:/bin", bin.display()));
        assert!(usual.starts_with("/usr/bin") || usual.starts_with("/bin"), "{}", usual.display());
        Ok(())
    }

    #[test]
    fn a_git_that_was_named_is_kept() {
        let env = GitEnv::new("/opt/git/bin/git", Vec::new()).outside(Path::new("/repo"));
        assert_eq!(env.program, Path::new("/opt/git/bin/git"));
    }
}
