//! Whether a repository takes what the lease needs: refs below `refs/ralph/`, and pushes that move all of their refs or
//! none. Tried with two refs of its own, which it removes again.

use std::path::Path;

use super::check::Check;
use crate::{
    commands::git,
    error::{CommandError, exit},
};

const NAME: &str = "push";

/// Tries it.
pub(super) fn check(repo: &str) -> Check {
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => {
            return Check::bad(
                NAME,
                error.to_string(),
                "check the disk and TMPDIR",
                exit::WORKSPACE,
            );
        }
    };
    match attempt(scratch.path(), repo) {
        Ok(Ok(())) => {
            Check::ok(NAME, format!("{repo} accepts pushes to refs/ralph/* and atomic pushes"))
        }
        Ok(Err(why)) => {
            let fix = "allow pushes to refs/ralph/*, and atomic pushes (receive.advertiseAtomic)";
            Check::bad(NAME, format!("{repo}: {why}"), fix, exit::WORKSPACE)
        }
        Err(error) => Check::failed(NAME, &error),
    }
}

/// The inner error says what the remote does wrong.
fn attempt(folder: &Path, repo: &str) -> Result<Result<(), String>, CommandError> {
    let probe = Probe::new(folder, repo)?;
    let verdict = probe.judge();
    // Also what was left half-done; nothing is there if nothing was pushed.
    let removed = probe.remove();
    Ok(verdict?.and(removed?))
}

struct Probe<'a> {
    folder: &'a Path,
    repo: &'a str,
    refs: [String; 2],
    commits: [String; 2],
}

/// A ref, what it is expected to be, and what it becomes.
type Move<'a> = (&'a str, &'a str, &'a str);

impl<'a> Probe<'a> {
    fn new(folder: &'a Path, repo: &'a str) -> Result<Self, CommandError> {
        let failed = |said: Vec<String>| {
            CommandError::new(
                exit::WORKSPACE,
                "git cannot create a commit",
                "check git and the disk",
            )
            .because(said)
        };
        git::must(folder, &["init", "--quiet", "--bare", "."])?.map_err(failed)?;
        let empty =
            git::must(folder, &["hash-object", "-t", "tree", "-w", "--stdin"])?.map_err(failed)?;
        let commit = |text: &str| {
            let who = ["-c", "user.name=ralph", "-c", "user.email=ralph@localhost"];
            let args = [&who[..], &["commit-tree", &empty, "-m", text]].concat();
            git::must(folder, &args)?.map_err(failed)
        };
        let moment =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let name = format!("refs/ralph/probe/{}-{}", moment.as_millis(), std::process::id());
        Ok(Self {
            folder,
            repo,
            refs: [format!("{name}/a"), format!("{name}/b")],
            commits: [commit("probe: first")?, commit("probe: second")?],
        })
    }

    fn judge(&self) -> Result<Result<(), String>, CommandError> {
        let ([a, b], [first, second]) = (&self.refs, &self.commits);
        if let Err(said) = self.push(&[(a, "", first), (b, "", first)])? {
            return Ok(Err(format!("it refuses a push of two refs ({})", said.join("; "))));
        }
        // One of them is expected to be what it is not: neither may move.
        if self.push(&[(a, first, second), (b, second, second)])?.is_ok() {
            return Ok(Err("it accepted a push over a ref that had moved".into()));
        }
        let seen = self.seen()?;
        let is_untouched = seen.len() == 2 && seen.iter().all(|(oid, _)| oid == first);
        Ok(if is_untouched { Ok(()) } else { Err("a refused push moved one of its refs".into()) })
    }

    fn push(&self, moves: &[Move<'_>]) -> Result<Result<String, Vec<String>>, CommandError> {
        let mut args = vec!["push".to_owned(), "--quiet".into(), "--atomic".into()];
        args.extend(moves.iter().map(|(name, was, _)| format!("--force-with-lease={name}:{was}")));
        args.extend(["--".into(), self.repo.to_owned()]);
        args.extend(moves.iter().map(|(name, _, now)| format!("{now}:{name}")));
        git::must(self.folder, &args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Its refs on the remote, with what they are.
    fn seen(&self) -> Result<Vec<(String, String)>, CommandError> {
        let [a, b] = &self.refs;
        let text =
            git::must(self.folder, &["ls-remote", "--", self.repo, a, b])?.unwrap_or_default();
        let pairs = text.lines().filter_map(|line| line.split_once('\t'));
        Ok(pairs.map(|(oid, name)| (oid.to_owned(), name.to_owned())).collect())
    }

    fn remove(&self) -> Result<Result<(), String>, CommandError> {
        for (was, name) in self.seen()? {
            if let Err(said) = self.push(&[(&name, &was, "")])? {
                return Ok(Err(format!("{name} cannot be removed again ({})", said.join("; "))));
            }
        }
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::check::Health;

    fn bare(folder: &Path) -> String {
        git::must(folder, &["init", "-q", "--bare", "r.git"]).unwrap().unwrap();
        folder.join("r.git").display().to_string()
    }

    #[test]
    fn a_remote_that_does_it_right_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let repo = bare(folder.path());
        let seen = check(&repo);
        assert_eq!(seen.health, Health::Ok, "{}", seen.detail);
        assert_eq!(git::ask(Path::new(&repo), &["for-each-ref"]), None);
    }

    #[test]
    fn a_remote_without_atomic_pushes_is_found_out() {
        let folder = tempfile::tempdir().unwrap();
        let repo = bare(folder.path());
        git::must(Path::new(&repo), &["config", "receive.advertiseAtomic", "false"])
            .unwrap()
            .unwrap();
        let seen = check(&repo);
        assert_eq!((seen.health, seen.exit), (Health::Bad, exit::WORKSPACE));
        assert_eq!(git::ask(Path::new(&repo), &["for-each-ref"]), None);
        assert_eq!(check("/nowhere/r.git").health, Health::Bad);
    }
}
