//! A fault at each `git` command of a stint: it fails, or it is killed after it did its work. Whatever was told to be
//! published is there afterwards, and the next stint gets the lease.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod remote;

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use ralph_fleet::truth::{
    Claim, Claimant, Ledger, Program, Rank, Repository, SeedFiles, Snapshot, Went, claim, seed,
};
use remote::{Remote, git};

const BRANCH: &str = "ralph/app";
const TRUTH: &str = "refs/ralph/fleet/ralph/app";
const RUN: &str = "r1";

/// A `git` that counts its calls and has a fault at one of them.
struct Wrapper {
    path: PathBuf,
    counter: PathBuf,
}

impl Wrapper {
    fn new(root: &Path) -> Self {
        let (path, counter) = (root.join("git-with-faults"), root.join("calls"));
        let text = format!(
            "#!/bin/sh\ncalls={0}\necho \"$*\" >> \"$calls\"\nn=$(wc -l < \"$calls\")\n\
             fault=$(cat {0}.fault 2>/dev/null || echo 'none 0')\n\
             if [ \"$fault\" = \"fails $n\" ]; then echo 'fatal: planted' >&2; exit 128; fi\n\
             if [ \"$fault\" = \"dies $n\" ]; then git \"$@\" >/dev/null 2>&1; kill -9 $$; fi\n\
             exec git \"$@\"\n",
            counter.display()
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self { path, counter }
    }

    fn plant(&self, fault: &str) {
        fs::write(&self.counter, "").unwrap();
        fs::write(self.counter.with_extension("fault"), fault).unwrap();
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.counter).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

/// What a stint that never starts ralph does: a line for the journal and a commit for the branch, published; another
/// line, handed over. What it was told to be out is noted.
fn stint(
    program: &Program,
    root: &Path,
    url: &str,
    number: u64,
    out: &mut Vec<String>,
) -> Result<()> {
    let work = root.join("work");
    let mirror = root.join("mirror.git");
    let repository = Repository::open(program, &mirror, (url, BRANCH), "app")?;
    let rank = Rank { scheduled_ms: number, attempt: 1 };
    let claimant = Claimant {
        host: "a".into(),
        key: "app".into(),
        rank,
        version: "0.1.0".into(),
        ..Claimant::default()
    };
    let Claim::Mine(claimed) = claim(&repository, &claimant)? else { bail!("not mine") };
    let run = claimed.lease.run.as_deref();
    let ground = repository.ground(&claimed.before.published, run)?;
    fs::remove_dir_all(&work).ok();
    repository.make_folder(&work, &claimed.before, &ground)?;
    let way_out = repository.way_out(&root.join("out.git"), &work)?;
    let mut ledger = Ledger::new(way_out, &claimed, ground.published);
    decide(&work, &format!("{number}a"))?;
    let moment = Snapshot::take(&repository, &work, RUN)?;
    if ledger.publish(&moment)? == Went::Out {
        out.push(format!("{number}a"));
    }
    decide(&work, &format!("{number}b"))?;
    let moment = Snapshot::take(&repository, &work, RUN)?;
    match ledger.hand_over(Some(&moment))? {
        Went::Out => out.extend([format!("{number}a"), format!("{number}b")]),
        other => bail!("{other:?}"),
    }
    Ok(())
}

/// A line in the journal, and a commit of the same name on the run branch.
fn decide(work: &Path, name: &str) -> Result<()> {
    let folder = work.join(".git/ralph/runs").join(RUN);
    fs::create_dir_all(&folder)?;
    let is_new = git(work, &["for-each-ref", &format!("refs/heads/{BRANCH}")]).is_empty();
    let switch: &[&str] = if is_new { &["-q", "-b", BRANCH] } else { &["-q", BRANCH] };
    git(work, &[&["checkout"], switch].concat());
    git(work, &["commit", "-q", "--allow-empty", "-m", name]);
    let path = folder.join("journal.jsonl");
    let mut journal = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(journal, "{name}").context("journal")
}

/// Everything that was told to be out is in the journal and on the branch, once, and nobody holds the lease.
fn check(remote: &Remote, out: &[String], fault: &str) {
    let journal = remote.file(TRUTH, "journal/000000.jsonl");
    let titles = git(&remote.dir, &["log", "--format=%s", "--reverse", BRANCH]);
    let branch: Vec<&str> = titles.lines().skip(1).collect();
    let lines: Vec<&str> = journal.lines().collect();
    assert_eq!(lines, branch, "{fault}: journal and branch differ");
    for one in out {
        assert_eq!(
            lines.iter().filter(|line| *line == one).count(),
            1,
            "{fault}: {one} in {lines:?}"
        );
    }
    let lease: serde_json::Value = serde_json::from_str(&remote.file(TRUTH, "lease.json")).unwrap();
    assert_eq!(lease["held"], false, "{fault}");
}

#[test]
fn a_fault_at_any_git_command_loses_nothing_and_leaves_no_lease_stuck() {
    let root = tempfile::tempdir().unwrap();
    let remote = Remote::new(root.path(), "files");
    let wrapper = Wrapper::new(root.path());
    let program = Program { path: wrapper.path.clone(), ..Program::default() };
    seed(&remote.url(), BRANCH, &SeedFiles::default()).unwrap();
    let (mut number, mut out, mut faults) = (0, Vec::new(), 0);
    for kind in ["fails", "dies"] {
        for at in 1.. {
            let fault = format!("{kind} {at}");
            wrapper.plant(&fault);
            number += 1;
            let ended = stint(&program, root.path(), &remote.url(), number, &mut out);
            let was_met = wrapper.calls().len() >= at;
            if ended.is_err() {
                wrapper.plant("none 0");
                number += 1;
                stint(&program, root.path(), &remote.url(), number, &mut out)
                    .unwrap_or_else(|error| panic!("{fault}: the next stint fails: {error:#}"));
            }
            check(&remote, &out, &fault);
            if !was_met {
                break;
            }
            faults += 1;
        }
    }
    println!("{faults} faults over {number} stints; {} publications told, all there", out.len());
    assert!(faults >= 20, "only {faults} faults were met");
}

#[test]
fn a_publication_takes_three_git_commands() {
    let root = tempfile::tempdir().unwrap();
    let remote = Remote::new(root.path(), "files");
    let wrapper = Wrapper::new(root.path());
    let program = Program { path: wrapper.path.clone(), ..Program::default() };
    seed(&remote.url(), BRANCH, &SeedFiles::default()).unwrap();
    wrapper.plant("none 0");
    stint(&program, root.path(), &remote.url(), 1, &mut Vec::new()).unwrap();
    let calls = wrapper.calls();
    let is = |call: &String, name: &str| call.contains(&format!(" {name} "));
    let folder = root.path().join("work").display().to_string();
    let first = calls.iter().position(|call| is(call, "for-each-ref") && call.contains(&folder));
    let publication = &calls[first.unwrap()..first.unwrap() + 3];
    let names = ["for-each-ref", "fast-import", "push"];
    assert!(publication.iter().zip(names).all(|(call, name)| is(call, name)), "{publication:#?}");
    println!("a cold stint of two publications: {} git commands", calls.len());
    assert_eq!(calls.len() - first.unwrap(), 6, "{calls:#?}");
}
