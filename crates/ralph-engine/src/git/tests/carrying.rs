//! What an agent wrote over the worktree: what git would track arrives, what git ignores does not.

use std::os::unix::fs::symlink;

use nix::sys::stat::{Mode, SFlag, mknod};

use super::{super::Beneath, *};

/// A repository with a worktree open, and an empty layer over it.
struct Over {
    repo: TestRepo,
    worktree: Worktree,
    up: PathBuf,
}

fn over(files: &[(&str, &str)]) -> Result<Over, Box<dyn Error>> {
    over_with(files, &[])
}

/// The same with further files of the user, which git ignores.
fn over_with(files: &[(&str, &str)], more: &[(&str, &str)]) -> Result<Over, Box<dyn Error>> {
    let repo = TestRepo::new()?;
    for (path, text) in files {
        repo.write(path, text)?;
    }
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-q", "-m", "files"])?;
    for (path, text) in more {
        repo.write(path, text)?;
    }
    let (_, worktree) = repo.open_with(&request())?;
    let up = repo.home.path().join("layer/up");
    fs::create_dir_all(&up)?;
    Ok(Over { repo, worktree, up })
}

impl Over {
    fn agent_writes(&self, path: &str, text: &str) -> Outcome {
        let place = self.up.join(path);
        fs::create_dir_all(place.parent().unwrap_or(&self.up))?;
        Ok(fs::write(place, text)?)
    }

    /// As the kernel notes that something is not there any more.
    fn agent_removes(&self, path: &str) -> Outcome {
        let place = self.up.join(path);
        fs::create_dir_all(place.parent().unwrap_or(&self.up))?;
        Ok(mknod(&place, SFlag::S_IFCHR, Mode::from_bits_truncate(0o600), 0)?)
    }

    /// The moment from which on everything is somebody's.
    fn checkpoint(&mut self) -> Result<(CommitId, TreeId), Box<dyn Error>> {
        let head = self.worktree.repo.head()?;
        let keep_as = "found/1".to_owned();
        let taken = self.worktree.checkpoint(&Checkpoint {
            iteration: 1,
            head: head.clone(),
            start: None,
            keep_as,
        })?;
        // The disk's clock moves on in steps.
        let since = self.worktree.disk_time()?;
        while self.worktree.disk_time()? <= since {}
        Ok((head, taken.tree))
    }

    /// Takes out what git would track, as after a gate.
    fn strip(&self) -> Result<(Vec<String>, Vec<String>), GitError> {
        let folders = vec![self.repo.root.clone()];
        let beneath = Beneath { paths: self.worktree.tree_paths()?, folders };
        let stripped = self.worktree.strip(&self.up, &beneath)?;
        Ok((stripped.changed, stripped.made))
    }

    fn here(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.repo.root.join(path)).ok()
    }
}

fn is_empty(folder: &Path) -> Result<bool, Box<dyn Error>> {
    Ok(fs::read_dir(folder)?.next().is_none())
}

#[test]
fn new_changed_and_removed_files_arrive_and_leave_the_layer() -> Outcome {
    let mut over = over(&[("src/a", "a"), ("src/b", "b"), ("src/old/c", "c")])?;
    over.agent_writes("src/a", "changed")?;
    over.agent_writes("new/deep/file", "new")?;
    fs::set_permissions(over.up.join("new/deep/file"), fs::Permissions::from_mode(0o755))?;
    over.agent_removes("src/b")?;
    over.agent_removes("src/old")?;
    symlink("a", over.up.join("src/link"))?;
    let carried = over.worktree.carry(&over.up)?;
    assert_eq!(over.here("src/a").as_deref(), Some("changed"));
    assert_eq!(over.here("new/deep/file").as_deref(), Some("new"));
    let mode = fs::metadata(over.repo.root.join("new/deep/file"))?.permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    assert_eq!(fs::read_link(over.repo.root.join("src/link"))?, Path::new("a"));
    assert!(over.here("src/b").is_none() && !over.repo.root.join("src/old").exists());
    assert!(carried.ignored.is_empty() && carried.notes.is_empty(), "{carried:?}");
    assert!(is_empty(&over.up)?);
    // Done twice, as after a kill: nothing changes.
    over.worktree.carry(&over.up)?;
    assert_eq!(over.here("src/a").as_deref(), Some("changed"));
    Ok(())
}

#[test]
fn what_git_ignores_stays_in_the_layer_whoever_made_the_rule() -> Outcome {
    let mut over = over(&[(".gitignore", "node_modules/\n*.log\n"), ("a", "a")])?;
    fs::create_dir_all(over.repo.root.join("node_modules/.bin"))?;
    fs::write(over.repo.root.join("node_modules/.bin/jest"), "honest")?;
    over.agent_writes("node_modules/.bin/jest", "exit 0")?;
    over.agent_removes("x.log")?;
    over.agent_writes(".gitignore", "node_modules/\n*.log\nconftest.py\n")?;
    over.agent_writes("conftest.py", "fraud")?;
    over.agent_writes("a", "work")?;
    let carried = over.worktree.carry(&over.up)?;
    assert_eq!(over.here("node_modules/.bin/jest").as_deref(), Some("honest"));
    assert_eq!(over.here("conftest.py"), None, "the rule came first");
    assert_eq!(over.here("a").as_deref(), Some("work"));
    assert!(carried.ignored.contains(b"node_modules".as_slice()), "{carried:?}");
    Ok(())
}

#[test]
fn a_rule_that_ignores_itself_does_not_arrive() -> Outcome {
    let mut over = over(&[("src/a", "a")])?;
    over.agent_writes("src/.gitignore", "*\n")?;
    over.agent_writes("src/hidden", "h")?;
    over.agent_writes("src/a", "work")?;
    let carried = over.worktree.carry(&over.up)?;
    assert!(over.here("src/.gitignore").is_none() && over.here("src/hidden").is_none());
    assert_eq!(over.here("src/a").as_deref(), Some("work"));
    assert!(carried.ignored.contains(b"src/.gitignore".as_slice()), "{carried:?}");
    Ok(())
}

#[test]
fn tracked_files_in_ignored_folders_arrive() -> Outcome {
    let mut over = over(&[("build/keep", "k"), ("build/gone", "g")])?;
    over.agent_writes("build/keep", "changed")?;
    over.agent_writes("build/new", "x")?;
    over.agent_removes("build/gone")?;
    over.agent_writes(".gitignore", "build/\n")?;
    over.worktree.carry(&over.up)?;
    over.agent_writes("build/keep", "changed again")?;
    over.worktree.carry(&over.up)?;
    assert_eq!(over.here("build/keep").as_deref(), Some("changed again"));
    assert_eq!(over.here("build/gone"), None);
    Ok(())
}

#[test]
fn a_folder_that_was_replaced_keeps_what_git_ignores_of_the_old_one() -> Outcome {
    let mut over = over(&[("pkg/a", "a"), ("pkg/sub/b", "b"), (".gitignore", "cache/\n")])?;
    fs::create_dir_all(over.repo.root.join("pkg/cache"))?;
    fs::write(over.repo.root.join("pkg/cache/warm"), "w")?;
    over.agent_writes("pkg/new", "n")?;
    rustix::fs::lsetxattr(
        over.up.join("pkg"),
        "user.overlay.opaque",
        b"y",
        rustix::fs::XattrFlags::empty(),
    )?;
    over.worktree.carry(&over.up)?;
    assert!(over.here("pkg/a").is_none() && over.here("pkg/sub/b").is_none());
    assert_eq!(over.here("pkg/new").as_deref(), Some("n"));
    assert_eq!(over.here("pkg/cache/warm").as_deref(), Some("w"));
    Ok(())
}

#[test]
fn links_of_the_agent_are_carried_as_links_and_never_followed() -> Outcome {
    let mut over = over(&[("libs/foo/x", "x"), ("file", "f")])?;
    let outside = over.repo.home.path().join("outside");
    fs::create_dir_all(&outside)?;
    over.agent_removes("file")?;
    fs::remove_file(over.up.join("file"))?;
    symlink(&outside, over.up.join("libs"))?;
    over.agent_writes("file/in/folder", "y")?;
    over.worktree.carry(&over.up)?;
    assert_eq!(fs::read_link(over.repo.root.join("libs"))?, outside);
    assert_eq!(over.here("file/in/folder").as_deref(), Some("y"));
    let changes = over.worktree.look()?;
    over.worktree.index.apply(&changes, &over.worktree.aside)?;
    // Through the link that is now there, nothing is written.
    over.agent_writes("libs/planted", "p")?;
    over.worktree.carry(&over.up)?;
    assert!(is_empty(&outside)?);
    assert_eq!(over.here("libs/planted").as_deref(), Some("p"));
    Ok(())
}

#[test]
fn repositories_pipes_and_the_users_own_files_stay_where_they_are() -> Outcome {
    let mut over = over(&[("a", "a")])?;
    over.agent_writes("sub/.git/config", "[core]\n\tfsmonitor = evil\n")?;
    over.agent_writes("sub/file", "s")?;
    nix::unistd::mkfifo(&over.up.join(".gitignore"), Mode::S_IRWXU)?;
    let carried = over.worktree.carry(&over.up)?;
    assert!(!over.repo.root.join("sub/.git").exists());
    assert!(!over.repo.root.join(".gitignore").exists());
    assert_eq!(over.here("sub/file").as_deref(), Some("s"));
    let told = carried.notes.join("\n");
    assert!(told.contains("the repository in sub is kept as"), "{told}");
    assert!(told.contains("cannot be committed"), "{told}");
    Ok(())
}

#[test]
fn files_that_git_was_told_not_to_look_at_are_left_as_they_are() -> Outcome {
    let mut over = over(&[("watched", "w"), ("unwatched", "u"), ("skipped", "s")])?;
    over.repo.git(&["update-index", "--assume-unchanged", "unwatched"])?;
    over.repo.git(&["update-index", "--skip-worktree", "skipped"])?;
    let (_, worktree) = over.repo.open_with(&request())?;
    over.worktree = worktree;
    over.worktree.index.start_from(&over.repo.root.join(".git/index"))?;
    for path in ["watched", "unwatched", "skipped"] {
        over.agent_writes(path, "agent")?;
    }
    over.worktree.carry(&over.up)?;
    assert_eq!(over.here("watched").as_deref(), Some("agent"));
    assert_eq!(over.here("unwatched").as_deref(), Some("u"));
    assert_eq!(over.here("skipped").as_deref(), Some("s"));
    Ok(())
}

#[test]
fn what_gates_changed_is_named_and_gone_and_what_builds_keep_stays() -> Outcome {
    let over = over(&[(".gitignore", "target/\n"), ("src/a", "a")])?;
    over.agent_writes("target/debug/x", "built")?;
    over.agent_writes("src/a", "formatted")?;
    over.agent_writes("made/by/gate", "m")?;
    assert_eq!(over.strip()?, (vec!["src/a".to_owned()], vec!["made/by/gate".to_owned()]));
    assert_eq!(fs::read_to_string(over.up.join("target/debug/x"))?, "built");
    assert!(!over.up.join("src").exists() && !over.up.join("made").exists());
    Ok(())
}

/// What the user has beside the commit.
const YOURS: [(&str, &str); 5] = [
    (".git/info/exclude", "/notes\n"),
    (".env", "key"),
    ("notes", "n"),
    ("node_modules/x/index.js", "x"),
    ("db/data", "d"),
];

#[test]
fn what_was_ignored_before_is_the_users_whatever_the_agent_makes_of_the_rules() -> Outcome {
    for rules in ["", "!/.env\n!/notes\n"] {
        let rules_before = (".gitignore", "/.env\nnode_modules/\ndb/\n");
        let mut over = over_with(&[rules_before, ("a", "a")], &YOURS)?;
        over.agent_writes(".gitignore", rules)?;
        over.agent_writes(".env", "mine")?;
        over.agent_removes("notes")?;
        over.agent_removes("node_modules")?;
        over.agent_writes("db", "a file in the place of a folder")?;
        over.agent_writes("a", "work")?;
        let carried = over.worktree.carry(&over.up)?;
        let session = over.worktree.capture(&CaptureTree {
            iteration: 1,
            head: over.worktree.repo.head()?,
            start: over.worktree.repo.tree_at("HEAD")?,
            protect: Vec::new(),
        })?;
        for (path, text) in YOURS {
            assert_eq!(over.here(path).as_deref(), Some(text), "{path}: {carried:?}");
        }
        assert_eq!(over.here("a").as_deref(), Some("work"));
        let tree = session.tree.ok_or("no tree")?;
        let names = over.repo.git(&["ls-tree", "-r", "--name-only", tree.as_str()])?;
        assert_eq!(names, ".gitignore\na\na.txt\nsrc/lib.rs");
    }
    Ok(())
}

#[test]
fn a_new_file_in_a_folder_that_was_ignored_can_be_tracked() -> Outcome {
    let mut over = over_with(&[(".gitignore", "logs/*\n")], &[("logs/old", "o")])?;
    over.checkpoint()?;
    over.agent_writes(".gitignore", "logs/*\n!logs/.keep\n")?;
    over.agent_writes("logs/.keep", "")?;
    let carried = over.worktree.carry(&over.up)?;
    assert!(over.here("logs/.keep").is_some(), "{carried:?}");
    assert_eq!(over.worktree.look()?.present, [b".gitignore".to_vec(), b"logs/.keep".to_vec()]);
    Ok(())
}

#[test]
fn what_people_do_meanwhile_is_neither_overwritten_nor_committed() -> Outcome {
    let mut over = over(&[("both", "b"), ("theirs", "t"), ("removed", "r"), ("sub/in", "s")])?;
    let (head, start) = over.checkpoint()?;
    over.repo.write("both", "the person's")?;
    over.repo.write("theirs", "edited")?;
    fs::remove_file(over.repo.root.join("removed"))?;
    over.repo.write("sub/late", "new")?;
    over.repo.write("same", "the person's")?;
    over.agent_writes("both", "the agent's")?;
    over.agent_removes("sub")?;
    over.agent_writes("same", "the agent's")?;
    let carried = over.worktree.carry(&over.up)?;
    over.worktree.brought = Some(carried.brought);
    let captured =
        over.worktree.capture(&CaptureTree { iteration: 1, head, start, protect: Vec::new() })?;
    assert_eq!(over.here("both").as_deref(), Some("the agent's"));
    assert_eq!(over.here("theirs").as_deref(), Some("t"));
    assert_eq!(over.here("removed").as_deref(), Some("r"));
    assert_eq!(over.here("sub/late").as_deref(), Some("new"));
    assert_eq!(over.here("same").as_deref(), Some("the person's"));
    let told = [carried.notes, captured.notes].concat().join("\n");
    let kept =
        "the agent changed the same files: your changes come back at the end of the run: both";
    assert!(told.contains(kept), "{told}");
    assert_eq!(over.repo.git(&["show", "refs/ralph/r1/yours/1:both"])?, "the person's");
    assert!(
        told.contains("your changes come back at the end of the run: removed, theirs"),
        "{told}"
    );
    assert_eq!(over.repo.git(&["show", "refs/ralph/r1/yours/2:theirs"])?, "edited");
    let tree = captured.tree.ok_or("no tree")?;
    let names = over.repo.git(&["diff", "--name-only", "HEAD", tree.as_str()])?;
    assert_eq!(names, "both\nsub/in");
    Ok(())
}

#[test]
fn what_people_put_in_the_place_of_a_tracked_file_or_folder_is_kept_and_named() -> Outcome {
    let mut over = over(&[("file", "f"), ("folder/in", "i"), ("work", "w"), ("gone", "g")])?;
    let (head, start) = over.checkpoint()?;
    fs::remove_file(over.repo.root.join("gone"))?;
    fs::remove_file(over.repo.root.join("file"))?;
    over.repo.write("file/deep/mine", "a folder now")?;
    fs::remove_dir_all(over.repo.root.join("folder"))?;
    over.repo.write("folder", "a file now")?;
    over.agent_writes("work", "the agent's")?;
    let carried = over.worktree.carry(&over.up)?;
    over.worktree.brought = Some(carried.brought);
    let captured =
        over.worktree.capture(&CaptureTree { iteration: 1, head, start, protect: Vec::new() })?;
    assert_eq!(over.here("file").as_deref(), Some("f"));
    assert_eq!(over.here("folder/in").as_deref(), Some("i"));
    let told = captured.notes.join("\n");
    for (path, text) in [("file/deep/mine", "a folder now"), ("folder", "a file now")] {
        let kept = over.repo.git(&["show", &format!("refs/ralph/r1/yours/1:{path}")])?;
        assert_eq!(kept, text, "{told}");
    }
    let kept = over.repo.git(&["ls-tree", "-r", "--name-only", "refs/ralph/r1/yours/1"])?;
    assert!(!kept.lines().any(|path| path == "gone"), "{kept}");
    assert!(!told.contains("left alone"), "{told}");
    assert!(told.contains("your changes come back at the end of the run: "), "{told}");
    assert_eq!(over.here("gone").as_deref(), Some("g"));
    Ok(())
}

#[test]
fn what_people_wrote_before_a_process_has_looked_is_kept_and_named() -> Outcome {
    let mut over = over(&[("both", "b"), ("gone", "g"), ("agents", "a")])?;
    over.checkpoint()?;
    over.agent_writes("both", "the agent's")?;
    over.agent_removes("gone")?;
    over.agent_writes("agents", "the agent's")?;
    // The process is killed, and somebody goes on by hand.
    over.repo.write("both", "mine")?;
    over.repo.write("gone", "mine too")?;
    let (_, mut worktree) = over.repo.open_with(&request())?;
    let carried = worktree.carry(&over.up)?;
    assert_eq!(over.here("both").as_deref(), Some("the agent's"));
    let told = carried.notes.join("\n");
    assert!(told.contains("come back at the end of the run: both, gone"), "{told}");
    for (path, text) in [("both", "mine"), ("gone", "mine too")] {
        let kept = over.repo.git(&["show", &format!("refs/ralph/r1/yours/1:{path}")])?;
        assert_eq!(kept, text, "{told}");
    }
    Ok(())
}

#[test]
fn what_a_person_wrote_into_a_file_that_the_agent_changed_too_is_in_no_commit() -> Outcome {
    let lines = |more: &[&str]| ["1\n2\n3\n4\n5\n6\n", &more.concat()].concat();
    let mut over = over(&[("both", &lines(&[]))])?;
    let (head, start) = over.checkpoint()?;
    over.worktree.begin_work(true)?;
    let theirs = lines(&[]).replace("2\n", "2, mine\n");
    over.repo.write("both", &theirs)?;
    // The agent's program read what lay there by then.
    over.agent_writes("both", &format!("{theirs}the agent's\n"))?;
    let carried = over.worktree.carry(&over.up)?;
    over.worktree.brought = Some(carried.brought);
    let request = CaptureTree { iteration: 1, head, start, protect: Vec::new() };
    let captured = over.worktree.capture(&request)?;
    let tree = captured.tree.ok_or("no tree")?;
    let committed = over.repo.git(&["show", &format!("{tree}:both")])?;
    assert_eq!(format!("{committed}\n"), lines(&["the agent's\n"]));
    assert_eq!(over.here("both"), Some(lines(&["the agent's\n"])));
    Ok(())
}

#[test]
fn what_a_person_saves_before_git_reads_the_agents_files_is_in_no_commit() -> Outcome {
    let mut over = over(&[("both", "b\n"), ("gone", "g\n"), ("undone", "u\n")])?;
    let (head, start) = over.checkpoint()?;
    over.worktree.begin_work(true)?;
    over.agent_writes("both", "b\nthe agent's\n")?;
    over.agent_writes("undone", "u\nthe agent's\n")?;
    over.agent_removes("gone")?;
    let carried = over.worktree.carry(&over.up)?;
    over.worktree.brought = Some(carried.brought);
    over.repo.write("both", "b\nthe agent's\nmine\n")?;
    over.repo.write("gone", "mine\n")?;
    over.repo.write("undone", "u\n")?;
    let request = CaptureTree { iteration: 1, head, start, protect: Vec::new() };
    let captured = over.worktree.capture(&request)?;
    let tree = captured.tree.ok_or("no tree")?;
    for path in ["both", "undone"] {
        let text = over.repo.git(&["show", &format!("{tree}:{path}")])?;
        assert!(text.ends_with("the agent's"), "{path}: {text}");
    }
    let names = over.repo.git(&["ls-tree", "-r", "--name-only", tree.as_str()])?;
    assert!(!names.lines().any(|name| name == "gone"), "{names}");
    over.checkpoint()?;
    for (path, text) in [("both", "b\nthe agent's\nmine"), ("undone", "u")] {
        let kept = over.repo.git(&["show", &format!("refs/ralph/r1/yours/1:{path}")])?;
        assert_eq!(kept, text);
    }
    assert_eq!(over.here("gone").as_deref(), Some("g\n"), "the run goes on with its own");
    Ok(())
}

#[test]
fn what_a_person_writes_after_a_kill_is_told_from_what_had_arrived_by_then() -> Outcome {
    let mut over = over(&[("theirs", "t"), ("work", "w")])?;
    let (head, start) = over.checkpoint()?;
    over.worktree.begin_work(true)?;
    over.agent_writes("work", "the agent's")?;
    over.agent_writes("made", "the agent's")?;
    over.worktree.carry(&over.up)?;
    // Here the process is killed.
    over.repo.write("theirs", "mine")?;
    over.repo.write("new", "mine")?;
    let since = over.worktree.disk_time()?;
    while over.worktree.disk_time()? <= since {}
    over.repo.write("made", "the agent's, and mine")?;
    let resumed = OpenWorkspace { resume_at: Some(head.clone()), ..request() };
    let (workspace, worktree) = over.repo.open_with(&resumed)?;
    over.worktree = worktree;
    over.worktree.carry(&over.up)?;
    let request =
        CaptureTree { iteration: 1, head: head.clone(), start: start.clone(), protect: Vec::new() };
    let captured = over.worktree.capture(&request)?;
    let tree = captured.tree.ok_or("no tree")?;
    let names = over.repo.git(&["diff", "--name-only", head.as_str(), tree.as_str()])?;
    assert_eq!(names, "made\nwork", "{:?}", captured.notes);
    let told = workspace.notes.join("\n");
    assert!(told.contains("new: new files of yours are left alone"), "{told}");
    assert!(told.contains("theirs (refs/ralph/r1/yours/1)"), "{told}");
    assert!(told.contains("what you changed in made may be part of the agent's work"), "{told}");
    assert_eq!(over.here("new").as_deref(), Some("mine"));
    Ok(())
}

#[test]
fn a_repository_that_a_person_makes_while_an_agent_works_is_theirs() -> Outcome {
    let mut over = over(&[("work", "w")])?;
    let (head, start) = over.checkpoint()?;
    over.worktree.begin_work(true)?;
    over.repo.git(&["init", "-q", "vendored"])?;
    over.repo.write("vendored/file", "theirs")?;
    over.agent_writes("work", "the agent's")?;
    let carried = over.worktree.carry(&over.up)?;
    over.worktree.brought = Some(carried.brought);
    let request = CaptureTree { iteration: 1, head, start, protect: Vec::new() };
    let captured = over.worktree.capture(&request)?;
    assert_eq!(captured.violations, Vec::new(), "{:?}", captured.notes);
    assert!(over.repo.root.join("vendored/.git").is_dir());
    Ok(())
}

#[test]
fn commits_that_a_person_makes_meanwhile_are_kept_and_never_undone_by_the_agents() -> Outcome {
    let mut over = over(&[("theirs", "t"), ("work", "w")])?;
    let (head, start) = over.checkpoint()?;
    over.worktree.begin_work(true)?;
    over.repo.write("theirs", "committed")?;
    over.repo.write("new", "committed")?;
    over.repo.git(&["add", "theirs", "new"])?;
    over.repo.git(&["commit", "-qm", "by a person"])?;
    let commit = over.repo.git(&["rev-parse", "HEAD"])?;
    over.agent_writes("work", "the agent's")?;
    let carried = over.worktree.carry(&over.up)?;
    over.worktree.brought = Some(carried.brought);
    let request = CaptureTree { iteration: 1, head: head.clone(), start, protect: Vec::new() };
    let captured = over.worktree.capture(&request)?;
    assert_eq!((captured.head, captured.violations), (head.clone(), Vec::new()));
    assert_eq!(over.repo.git(&["rev-parse", "HEAD"])?, head.as_str());
    let told = captured.notes.join("\n");
    assert!(told.contains("committed again when the run is over"), "{told}");
    let kept = over.repo.git(&["for-each-ref", "--format=%(objectname)", "refs/ralph/r1/moved"])?;
    assert!(kept.lines().any(|one| one == commit), "{kept}");
    let tree = captured.tree.ok_or("no tree")?;
    let names = over.repo.git(&["diff", "--name-only", head.as_str(), tree.as_str()])?;
    assert_eq!(names, "work", "{told}");
    assert_eq!(over.here("new").as_deref(), Some("committed"));
    Ok(())
}

#[test]
fn whatever_way_a_gate_changes_the_tree_it_is_named() -> Outcome {
    let files = [
        (".gitignore", "build/\n"),
        ("lib/a", "a"),
        ("lib/deep/b", "b"),
        ("old/c", "c"),
        ("file", "f"),
        ("same", "s"),
        ("mode", "m"),
    ];
    let over = over(&files)?;
    over.repo.write("build/kept", "k")?;
    over.repo.git(&["add", "-f", "build/kept"])?;
    over.repo.git(&["commit", "-qm", "kept"])?;
    let tree = over.repo.git(&["rev-parse", "HEAD^{tree}"])?.as_str().into();
    let mut over = over;
    over.worktree.index.load(&tree)?;
    // A folder in the place of another, one that is gone, a folder in the place of a file and the other way round.
    over.agent_writes("lib/deep/new", "n")?;
    let is_opaque = |mark: &str| {
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(over.up.join("lib/deep"), mark, b"y", flags).is_ok()
    };
    assert!(is_opaque("user.overlay.opaque") || is_opaque("trusted.overlay.opaque"));
    over.agent_removes("old")?;
    over.agent_writes("file/inside", "i")?;
    over.agent_writes("lib/a", "A")?;
    over.agent_writes("same", "s")?;
    over.agent_writes("mode", "m")?;
    make_executable(&over.up.join("mode"))?;
    over.agent_writes("build/kept", "changed")?;
    over.agent_writes("build/output", "o")?;
    let (mut changed, mut made) = over.strip()?;
    changed.sort();
    made.sort();
    assert_eq!(changed, ["build/kept", "file", "lib/a", "lib/deep/b", "mode", "old/c"]);
    assert_eq!(made, ["file/inside", "lib/deep/new"]);
    assert_eq!(fs::read_dir(&over.up)?.count(), 1);
    assert!(over.up.join("build/output").exists() && !over.up.join("build/kept").exists());
    Ok(())
}

#[test]
fn a_file_larger_than_the_disk_is_the_attempts_fault_and_blocks_nothing() -> Outcome {
    let mut over = over(&[("a.txt", "mine\n")])?;
    over.agent_writes("b.txt", "two\n")?;
    let huge = over.up.join("a.txt");
    let space = rustix::fs::statvfs(&over.up)?;
    fs::File::create(&huge)?.set_len(space.f_bavail * space.f_frsize + (1 << 30))?;
    let carried = over.worktree.carry(&over.up)?;
    assert!(carried.notes.iter().any(|note| note.contains("larger than")), "{:?}", carried.notes);
    assert_eq!(over.repo.read("a.txt").as_deref(), Some("mine\n"));
    assert_eq!(over.repo.read("b.txt").as_deref(), Some("two\n"));
    assert!(!huge.exists(), "it is set aside");
    let known = super::super::violations::recall(&over.worktree.truth);
    assert!(format!("{known:?}").contains("Unscanned"), "{known:?}");
    Ok(())
}

#[test]
fn a_folder_that_ignores_itself_never_arrives_however_often_it_is_looked_at() -> Outcome {
    let mut over = over(&[("a.txt", "mine\n")])?;
    over.agent_writes(".venv/.gitignore", "*\n")?;
    over.agent_writes(".venv/bin/python", "#!/bin/sh\n")?;
    for _ in 0..2 {
        let carried = over.worktree.carry(&over.up)?;
        assert!(carried.brought.is_empty(), "{:?}", carried.brought);
        assert!(!over.repo.root.join(".venv").exists(), "not even its folder");
        assert!(over.up.join(".venv/.gitignore").is_file() && over.up.join(".venv/bin").is_dir());
    }
    Ok(())
}
