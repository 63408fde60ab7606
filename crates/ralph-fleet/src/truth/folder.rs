//! Makes the folder that a run works in: a repository of its own, with nothing of other loops, and the run's files in
//! their places. No object is shared with other folders by a link: whoever can write one here could change theirs.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result};

use super::{ground::Ground, read::Truth, record, repository::Repository};

impl Repository {
    /// Fills a folder that is not there yet.
    pub fn make_folder(&self, work: &Path, truth: &Truth, ground: &Ground) -> Result<()> {
        fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
        let git = self.git.in_place(&work.join(".git"));
        let default = ground.default_branch.as_deref();
        let first = format!("--initial-branch={}", default.unwrap_or("main"));
        git.ask(&["init", "--quiet", "--template=", &first])?;
        git.ask(&["remote", "add", "--", "origin", &self.url])?;
        let mut specs: Vec<String> = Vec::new();
        let mut named = ground.published.refs.iter();
        specs.extend(
            named.by_ref().map(|(name, kept)| format!("+{}:{name}", self.place_of(name, kept))),
        );
        if let Some(default) = default {
            let from = self.own(&format!("refs/default/{default}"));
            specs.push(format!("+{from}:refs/remotes/origin/{default}"));
            if !ground.published.refs.contains_key(&format!("refs/heads/{default}")) {
                specs.push(format!("+{from}:refs/heads/{default}"));
            }
        }
        specs.extend(self.carry(&ground.published.trees)?);
        if !specs.is_empty() {
            let own = self.dir().to_string_lossy();
            let mut args = vec!["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
            args.extend(["--update-head-ok", "--", &own]);
            args.extend(specs.iter().map(String::as_str));
            git.ask(&args)?;
        }
        if default.is_some() {
            let place = format!("--work-tree={}", work.display());
            without_filters(work, || git.ask(&[&place, "reset", "--quiet", "--hard"]))?;
        }
        put_files(work, truth)
    }
}

/// Checks out while no attribute of the repository's names a filter: those that the operator's configuration has would
/// run outside of every box. Which of them a run needs is for ralph to say.
fn without_filters<T>(work: &Path, check_out: impl FnOnce() -> Result<T>) -> Result<T> {
    let folder = work.join(".git/info");
    let attributes = folder.join("attributes");
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&attributes, "* -filter\n"))
        .with_context(|| format!("cannot write {}", attributes.display()))?;
    let out = check_out()?;
    fs::remove_file(&attributes)
        .with_context(|| format!("cannot remove {}", attributes.display()))?;
    Ok(out)
}

/// Journal, plan and settings where ralph looks for them.
fn put_files(work: &Path, truth: &Truth) -> Result<()> {
    let views = work.join(".ralph");
    let record = truth.files.workspace.as_ref().and_then(|text| record::at(work, text));
    let mut files = vec![
        (views.join("plan.json"), truth.files.plan.as_ref()),
        (views.join("settings.toml"), truth.files.settings.as_ref()),
    ];
    if let Some(run) = &truth.lease.run {
        let folder = work.join(".git/ralph/runs").join(run);
        files.push((folder.join("journal.jsonl"), Some(&truth.files.journal)));
        files.push((folder.join("workspace.json"), record.as_ref()));
    }
    for (path, contents) in files {
        let Some(contents) = contents else { continue };
        put(work, &path, contents).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Writes a file below the work folder and nowhere else: what was checked out there is the repository's, and may be a
/// link to anywhere.
fn put(work: &Path, path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut folder = work.to_owned();
    let below = path.strip_prefix(work).map_err(io::Error::other)?;
    for part in below.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                let what = format!("{} is a link or a file", folder.display());
                return Err(io::Error::other(what));
            }
            Err(_) => fs::create_dir(&folder)?,
        }
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Only a file that is not there: a link would be followed.
    fs::File::create_new(path)?.write_all(contents)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::{super::git::Git, *};
    use crate::truth::Program;

    #[test]
    fn a_repository_starts_no_filter_of_the_operators() -> Result<()> {
        let (root, marker) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let (work, ran) = (root.path(), marker.path().join("ran"));
        let git = Git::new(&Program::default(), &work.join(".git"));
        let place = format!("--work-tree={}", work.display());
        let evil = format!("touch {}; cat", ran.display());
        for command in [&["init", "-q"][..], &["config", "user.name", "x"]] {
            git.ask(command)?;
        }
        for (name, value) in [("user.email", "x@x"), ("filter.evil.smudge", &evil)] {
            git.ask(&["config", name, value])?;
        }
        fs::write(work.join(".gitattributes"), "*.md filter=evil\n")?;
        fs::write(work.join("a.md"), "text\n")?;
        git.ask(&[&place, "add", "-A"])?;
        git.ask(&[&place, "commit", "-qm", "first"])?;
        let check_out = || {
            fs::remove_file(work.join("a.md"))?;
            git.ask(&[&place, "reset", "--quiet", "--hard"])
        };
        without_filters(work, check_out)?;
        assert!(!ran.exists() && fs::read_to_string(work.join("a.md"))? == "text\n");
        check_out()?;
        assert!(ran.exists(), "it would run otherwise");
        Ok(())
    }

    #[test]
    fn a_repository_cannot_lead_the_worker_out_of_the_folder() -> io::Result<()> {
        let (work, home) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let (inside, theirs) = (work.path(), home.path().join("settings.toml"));
        fs::write(&theirs, "operator")?;
        let path = inside.join(".ralph/settings.toml");
        symlink(home.path(), inside.join(".ralph"))?;
        assert!(put(inside, &path, b"mine").is_err());
        fs::remove_file(inside.join(".ralph"))?;
        fs::create_dir(inside.join(".ralph"))?;
        symlink(&theirs, &path)?;
        put(inside, &path, b"mine")?;
        assert_eq!(fs::read_to_string(&path)?, "mine");
        assert_eq!(fs::read_to_string(&theirs)?, "operator");
        Ok(())
    }
}
