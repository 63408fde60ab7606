//! Docker's `sbx`: a small virtual machine with a clone of the repository. Only its command lines; nothing is run here.
//!
//! The agent works on the clone, and its commits come back by `git fetch`; nothing inside can write to the machine.

use std::{ffi::OsString, path::Path};

use super::{
    backend::{Sandbox, Unfit},
    profile::Profile,
};
use crate::fence::{Fence, Wrapping};

const PROGRAM: &str = "sbx";

/// Only by name: it needs a login at Docker and a machine that can host virtual machines.
#[derive(Debug)]
pub(super) struct Sbx;

impl Sandbox for Sbx {
    fn name(&self) -> &'static str {
        "sbx"
    }

    fn probe(&self) -> Result<(), Unfit> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file()) {
            return Err(Unfit::Missing { program: PROGRAM });
        }
        // Inside the machine there is no ralph that could hold the agent's processes together.
        let detail = "this version knows its command lines, but does not run agents in it yet";
        Err(Unfit::Refused { program: PROGRAM, detail: detail.into() })
    }

    fn wrap(&self, profile: &Profile) -> Wrapping {
        let name = MicroVm::of(&profile.workspace);
        Wrapping { before: name.exec(&profile.workspace), shim: None, fence: Fence::default() }
    }

    fn describe(&self) -> &'static str {
        "sbx: the agent works on a clone in a virtual machine of its own; what it commits is fetched, and runs on your \
         machine only when you run it"
    }
}

/// One virtual machine, by the name it has at `sbx`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MicroVm {
    name: String,
}

impl MicroVm {
    /// The one of a worktree: letters, digits and hyphens of its path, the end of it where that is long.
    pub fn of(workspace: &Path) -> Self {
        let text = workspace.to_string_lossy().to_ascii_lowercase();
        let words =
            text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let joined = words.collect::<Vec<_>>().join("-");
        let cut = joined.len().saturating_sub(40);
        let tail = joined.get(cut..).unwrap_or_default().trim_matches('-');
        Self { name: format!("ralph-{tail}") }
    }

    /// Nothing on the network is allowed unless a rule names it. Once per machine.
    pub fn deny_all() -> Vec<OsString> {
        words(&[PROGRAM, "policy", "init", "deny-all"])
    }

    /// Makes it, with a clone of the repository for this agent.
    pub fn create(&self, agent: &str, workspace: &Path) -> Vec<OsString> {
        let mut line = words(&[PROGRAM, "create", "--name", &self.name, "--clone", agent]);
        line.push(workspace.into());
        line
    }

    /// Lets it reach one host. A refusal elsewhere still wins.
    pub fn allow(&self, host: &str) -> Vec<OsString> {
        words(&[PROGRAM, "policy", "allow", "network", host, "--sandbox", &self.name])
    }

    /// What stands before a command that is to run inside.
    pub fn exec(&self, workspace: &Path) -> Vec<OsString> {
        let mut line = words(&[PROGRAM, "exec", "--workdir"]);
        line.push(workspace.into());
        line.extend(words(&[&self.name, "--"]));
        line
    }

    /// Brings its commits into the repository.
    pub fn fetch(&self) -> Vec<OsString> {
        words(&["git", "fetch", &format!("sandbox-{}", self.name)])
    }

    /// Removes it with all that is in it.
    pub fn remove(&self) -> Vec<OsString> {
        words(&[PROGRAM, "rm", "--force", &self.name])
    }
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_its_command_line() {
        let workspace = Path::new("/home/ann/my app");
        let vm = MicroVm::of(workspace);
        let lines = [
            MicroVm::deny_all(),
            vm.create("claude", workspace),
            vm.allow("api.model.example"),
            vm.exec(workspace),
            vm.fetch(),
            vm.remove(),
        ];
        let lines = lines.map(|line| format!("{line:?}")).join("\n");
        insta::assert_snapshot!(lines, @r#"
        ["sbx", "policy", "init", "deny-all"]
        ["sbx", "create", "--name", "ralph-home-ann-my-app", "--clone", "claude", "/home/ann/my app"]
        ["sbx", "policy", "allow", "network", "api.model.example", "--sandbox", "ralph-home-ann-my-app"]
        ["sbx", "exec", "--workdir", "/home/ann/my app", "ralph-home-ann-my-app", "--"]
        ["git", "fetch", "sandbox-ralph-home-ann-my-app"]
        ["sbx", "rm", "--force", "ralph-home-ann-my-app"]
        "#);
    }

    #[test]
    fn a_name_is_short_and_plain() {
        let long = format!("/home/{}/Ünder_score.d", "deep/".repeat(30));
        let vm = MicroVm::of(Path::new(&long));
        assert!(vm.name.len() <= 46, "{}", vm.name);
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(vm.name.chars().all(is_plain), "{}", vm.name);
    }
}
