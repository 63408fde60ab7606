//! The reviewer's room: whatever it does there, nothing of it survives.

use std::{fs, io};

use testkit::test_run::{Because, TestRun};

use super::{HONEST, RALPH, Tested, assert_code, said};

/// Judges first, then does all the harm that it can do where it is.
const VANDAL: &str = r#"
review true '' "work/$TASK:1"
echo evil > evil.txt; echo evil > src/main.txt; git checkout -q -b evil; git add -A; git commit -q -m evil
git tag evil; git update-ref refs/heads/main HEAD; git branch -q -D ralph/scratch
git config core.hooksPath evil; git gc -q --prune=now 2>/dev/null; git stash list >/dev/null
mkdir -p .ralph && echo '{}' > .ralph/plan.json
pwd > "$STATE/room.$N"
rm -rf ./* .git .ralph .gitignore
echo again > evil.txt"#;
/// Finds the repository that its copy borrows from, and what it writes there by its path.
const BURGLAR: &str = r#"
home=$(dirname "$(dirname "$(tr -d '"' < .git/objects/info/alternates)")")
review true '' "work/$TASK:1"
echo evil > "$home/evil.txt"; echo evil > "$home/src/main.txt"; echo "$home" > "$STATE/home.$N"
sed -i 's/needs_review/done/' "$home/.ralph/plan.json""#;

fn refs(run: &TestRun) -> io::Result<Vec<String>> {
    let list =
        run.git(&["for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/stash"])?;
    Ok(list.lines().map(str::to_owned).collect())
}

#[test]
fn nothing_that_a_reviewer_does_in_its_copy_survives() -> Tested {
    let run = TestRun::reviewed(RALPH, 2, HONEST, VANDAL)?.without_sandbox(Because::ItReachesOut);
    let main = run.git(&["rev-parse", "main"])?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    assert_eq!(refs(&run)?, ["refs/heads/main", "refs/heads/ralph/scratch"]);
    assert_eq!(run.git(&["rev-parse", "main"])?, main);
    assert_eq!(run.read("work/src/main.txt"), "original\n");
    assert_eq!(
        run.git(&["ls-tree", "-r", "--name-only", "ralph/scratch", "work/"])?,
        "work/T-1\nwork/T-2"
    );
    assert!(!run.work().join("evil.txt").exists());
    assert_eq!(run.git(&["status", "--porcelain", "--", ".", ":!.ralph"])?, "");
    assert_eq!(run.git(&["fsck", "--no-dangling", "--no-progress"])?, "");
    assert!(run.git(&["config", "core.hooksPath"]).is_err());
    for nth in [2, 4] {
        let room = run.read(&format!("state/room.{nth}"));
        let room = std::path::Path::new(room.trim());
        assert!(
            !room.starts_with(run.work()) && !room.as_os_str().is_empty(),
            "{}",
            room.display()
        );
        assert!(!room.exists(), "{} stays", room.display());
    }
    let copies = run.path("home/state/ralph/copies");
    let left: usize = fs::read_dir(&copies)?
        .map(|project| Ok(fs::read_dir(project?.path())?.count()))
        .sum::<io::Result<usize>>()?;
    assert_eq!(left, 0, "{}", said(&output));
    Ok(())
}

/// The same by git.
const REWRITER: &str = r#"
home=$(dirname "$(tr -d '"' < .git/objects/info/alternates)")
review true '' "work/$TASK:1"
for name in refs/heads/main refs/heads/ralph/scratch; do
  git --git-dir="$home" update-ref "$name" "$(git --git-dir="$home" commit-tree -m evil HEAD^{tree} < /dev/null)"
done"#;

#[test]
fn refs_that_a_reviewer_moves_beyond_its_copy_are_put_back() -> Tested {
    let run = TestRun::reviewed(RALPH, 2, HONEST, REWRITER)?.without_sandbox(Because::ItReachesOut);
    let main = run.git(&["rev-parse", "main"])?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    assert_eq!(run.git(&["rev-parse", "main"])?, main, "{}", said(&output));
    let subjects = run.git(&["log", "--format=%s", "main..ralph/scratch"])?;
    assert_eq!(subjects, "T-2: make work/T-2\nT-1: make work/T-1", "{}", said(&output));
    Ok(())
}

#[test]
fn what_a_reviewer_writes_beyond_its_copy_is_put_right() -> Tested {
    let run = TestRun::reviewed(RALPH, 2, HONEST, BURGLAR)?.without_sandbox(Because::ItReachesOut);
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    let home = run.read("state/home.2");
    assert_eq!(fs::canonicalize(home.trim())?, fs::canonicalize(run.work())?, "it did not find it");
    assert_eq!(run.statuses(), ["done", "done"]);
    assert_eq!(run.task("T-1")["review_count"], 1);
    assert_eq!(run.kinds(), ["implement T-1", "review T-1", "implement T-2", "review T-2"]);
    assert_eq!(run.git(&["show", "ralph/scratch:src/main.txt"])?, "original");
    let tracked = run.git(&["log", "--all", "--format=%s", "--", "evil.txt"])?;
    assert!(!tracked.contains("T-"), "{tracked}");
    assert_eq!(run.git(&["ls-tree", "--name-only", "ralph/scratch", "evil.txt"])?, "");
    assert_eq!(run.read("work/src/main.txt"), "original\n", "{}", said(&output));
    Ok(())
}
