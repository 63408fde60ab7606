//! What git may see of the caller's environment: its own settings, identity and keys, nothing else.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

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
];

/// Looked up in the PATH.
const PROGRAM: &str = "git";

/// Which git to start, and with which variables.
#[derive(Debug, Clone)]
pub struct GitEnv {
    pub(crate) program: PathBuf,
    pub(crate) vars: Vec<(OsString, OsString)>,
}

impl GitEnv {
    /// The git on the PATH, with what it needs of this process's environment.
    pub fn inherited() -> Self {
        let vars = PASSED
            .iter()
            .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)))
            .collect();
        Self { program: PathBuf::from(PROGRAM), vars }
    }

    /// The same without programs of this folder: an agent may have put a `git`, or a filter's program, there. What
    /// the PATH names relatively would be looked for there too.
    pub(crate) fn outside(&self, folder: &Path) -> Self {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = real(folder);
        let is_outside = |place: &PathBuf| place.is_absolute() && !real(place).starts_with(&folder);
        let mut same = self.clone();
        for (_, value) in same.vars.iter_mut().filter(|(name, _)| name == "PATH") {
            let places = std::env::split_paths(value).filter(is_outside);
            *value = std::env::join_paths(places).unwrap_or_default();
        }
        if same.program == Path::new(PROGRAM) {
            let path = same.vars.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
            let places = path.into_iter().flat_map(std::env::split_paths);
            let found = places.map(|place| place.join(PROGRAM)).find(|file| file.is_file());
            same.program = found.unwrap_or(same.program);
        }
        same
    }

    /// A given git with given variables.
    pub fn new(program: impl Into<PathBuf>, vars: Vec<(OsString, OsString)>) -> Self {
        Self { program: program.into(), vars }
    }
}

#[cfg(test)]
mod tests {
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
    fn a_git_that_was_named_is_kept() {
        let env = GitEnv::new("/opt/git/bin/git", Vec::new()).outside(Path::new("/repo"));
        assert_eq!(env.program, Path::new("/opt/git/bin/git"));
    }
}
