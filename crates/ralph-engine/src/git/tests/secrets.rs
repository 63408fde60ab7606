//! Secrets in what an agent wrote: no object ever holds one, and what else it did is judged as ever.

use ralph_core::{input::Violation, redact::Redactor};

use super::{super::Screen, *};

/// Made up, and not to be found in this file.
fn key() -> String {
    format!("AK{}{}", "IA", "Q7X2M9K4T5W8Z3B6")
}

/// All objects, inflated.
fn objects(repo: &TestRepo) -> Result<String, Box<dyn Error>> {
    let out = repo.raw(&repo.root, &["cat-file", "--batch-all-objects", "--batch"])?;
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

fn told(path: &str, line: u64) -> Violation {
    Violation::Secret { path: path.into(), line, kind: "aws-access-key".into() }
}

#[test]
fn a_file_with_a_new_secret_is_taken_out_before_anything_is_staged() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("new/config.toml", &format!("a = 1\nkey = \"{}\"\n", key()))?;
    repo.write("a.txt", &format!("{}\n", key()))?;
    repo.write("good.txt", "good\n")?;
    let captured = session.capture()?;
    assert_eq!(captured.violations, [told("a.txt", 1), told("new/config.toml", 2)]);
    assert_eq!(captured.sample, ["good.txt"]);
    assert_eq!(repo.read("a.txt").as_deref(), Some("one\n"), "as the index knows it");
    assert!(!repo.root.join("new").exists());
    let tree = captured.tree.clone().unwrap_or_default();
    assert_eq!(session.worktree.undo_meddling(&tree)?, Vec::<String>::new());
    assert!(!objects(&repo)?.contains(&key()));
    let aside = fs::read_to_string(repo.truth().join("set-aside/0001-config.toml"))?;
    assert_eq!(aside, "a = 1\nkey = \"[redacted:aws-access-key]\"\n");
    Ok(())
}

#[test]
fn what_a_killed_run_left_is_kept_without_its_secrets() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("left.txt", &format!("{}\n", key()))?;
    repo.write("other.txt", "other\n")?;
    session.worktree.disturbed();
    session.checkpoint()?;
    assert_eq!(repo.read("left.txt"), None);
    let all = objects(&repo)?;
    assert!(!all.contains(&key()));
    assert!(all.contains("other\n"), "what holds no secret is under a ref");
    Ok(())
}

#[test]
fn a_secret_that_was_there_before_and_one_of_documentation_do_not_count() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("fixture.txt", &format!("{}\n", key()))?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "fixture"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    repo.write("fixture.txt", &format!("more\n{}\n", key()))?;
    repo.write("docs.txt", "AKIAIOSFODNN7EXAMPLE\n")?;
    let captured = session.capture()?;
    assert_eq!(captured.violations, []);
    assert_eq!(captured.sample, ["docs.txt", "fixture.txt"]);
    Ok(())
}

#[test]
fn a_secret_that_only_moves_to_another_file_is_not_new() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write("fixture.txt", &format!("{}\n", key()))?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "fixture"])?;
    let mut session = repo.open()?;
    session.checkpoint()?;
    fs::rename(repo.root.join("fixture.txt"), repo.root.join("moved.txt"))?;
    let captured = session.capture()?;
    assert_eq!(captured.violations, []);
    assert_eq!(captured.sample, ["fixture.txt", "moved.txt"]);
    repo.write("moved.txt", &format!("{}\n", key().replace('Q', "R")))?;
    assert_eq!(session.capture()?.violations, [told("moved.txt", 1)], "another one is");
    Ok(())
}

#[test]
fn a_path_that_the_user_admits_may_hold_what_looks_like_one() -> Outcome {
    let repo = TestRepo::new()?;
    let screen = Screen::new(Redactor::default(), &["fixtures/**".into()]);
    let repository = repo.repository()?.with_secrets(screen);
    let (workspace, worktree) =
        repository.open(&request(), &run(), &repo.truth(), &repo.state())?;
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    repo.write("fixtures/key.txt", &format!("{}\n", key()))?;
    repo.write("elsewhere.txt", &format!("{}\n", key()))?;
    let captured = session.capture()?;
    assert_eq!(captured.violations, [told("elsewhere.txt", 1)]);
    assert_eq!(captured.sample, ["fixtures/key.txt"]);
    Ok(())
}

#[test]
fn a_known_value_counts_in_any_file_and_in_an_agents_own_commits() -> Outcome {
    let repo = TestRepo::new()?;
    let known = Redactor::new([("MY_KEY", "quite-plain-words")]);
    let repository = repo.repository()?.with_secrets(Screen::new(known, &[]));
    let (workspace, worktree) =
        repository.open(&request(), &run(), &repo.truth(), &repo.state())?;
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    repo.write("own.txt", "it is quite-plain-words\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "own"])?;
    repo.write("own.txt", "nothing\n")?;
    repo.git(&["commit", "-qam", "hidden again"])?;
    let captured = session.capture()?;
    let secret = Violation::Secret {
        path: "a commit of its own, own.txt".into(),
        line: 0,
        kind: "MY_KEY".into(),
    };
    assert!(captured.violations.contains(&secret), "{:?}", captured.violations);
    assert_eq!(captured.head, session.head, "its commits are not kept");
    Ok(())
}
