//! Secrets in what an agent wrote: no object ever holds one, and what else it did is judged as ever.

use std::os::unix::fs::symlink;

use ralph_core::{
    gates::protect::{Exposure, Touched},
    vocabulary::Violation,
};
use ralph_text::redact::Redactor;

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
fn what_is_found_with_a_secret_is_moved_as_it_is_and_no_object_holds_it() -> Outcome {
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
    let kept = fs::read_to_string(repo.truth().join("set-aside/0001-left.txt"))?;
    assert_eq!(kept, format!("{}\n", key()), "a person may have written it");
    let notes = session.notes.join("\n");
    assert!(notes.contains("left.txt has what looks like a secret"), "{notes}");
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
    let drop = format!("git update-ref -d refs/ralph/{}/moved/1 drops it", run());
    assert!(captured.notes.iter().any(|note| note.contains(&drop)), "{:?}", captured.notes);
    Ok(())
}

#[test]
fn a_known_value_in_the_users_changes_is_not_committed_as_theirs() -> Outcome {
    let repo = TestRepo::new()?;
    let known = Redactor::new([("MY_KEY", "quite-plain-words")]);
    let repository = repo.repository()?.with_secrets(Screen::new(known, &[]));
    repo.write("a.txt", "it is quite-plain-words\n")?;
    for is_staged in [false, true] {
        if is_staged {
            repo.git(&["add", "a.txt"])?;
        }
        let request = OpenWorkspace { dirty: DirtyPolicy::Wip, ..request() };
        let opened = repository.open(&request, &run(), &repo.truth(), &repo.state());
        let refused = opened.map(drop).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|said| said.contains("a.txt")), "staged: {is_staged}");
        assert_eq!(repo.read("a.txt").as_deref(), Some("it is quite-plain-words\n"));
    }
    Ok(())
}

const VALUE: &str = "Zq7Zr8mPlW3kVtY2";

/// A run that knows one value exactly.
fn knowing(repo: &TestRepo, admitted: &[&str]) -> Result<Session, Box<dyn Error>> {
    let admitted: Vec<String> = admitted.iter().map(ToString::to_string).collect();
    let screen = Screen::new(Redactor::new([("MY_TOKEN", VALUE)]), &admitted);
    let repository = repo.repository()?.with_secrets(screen);
    let (workspace, worktree) =
        repository.open(&request(), &run(), &repo.truth(), &repo.state())?;
    let mut session = Session::new(workspace, worktree);
    session.checkpoint()?;
    Ok(session)
}

/// What was held against an attempt, in words; none of them holds the value.
fn held(captured: &Captured) -> Vec<String> {
    let words: Vec<String> = captured.violations.iter().map(Violation::describe).collect();
    assert!(!format!("{captured:?}").contains(VALUE), "{captured:?}");
    words
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn a_known_value_in_a_name_or_a_links_target_is_kept_out() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = knowing(&repo, &[])?;
    repo.write(&format!("f-{VALUE}"), "x\n")?;
    repo.write(&format!("d-{VALUE}/inner.txt"), "x\n")?;
    symlink(format!("/x/{VALUE}"), repo.root.join("link"))?;
    repo.write("good.txt", "good\n")?;
    let captured = session.capture()?;
    let held = held(&captured).join("\n");
    for place in [
        "the name of f-[redacted:MY_TOKEN]",
        "the name of d-[redacted:MY_TOKEN]/inner.txt",
        "the target of the link link",
    ] {
        assert!(held.contains(place), "{held}");
    }
    assert_eq!(captured.sample, ["good.txt"]);
    assert!(!objects(&repo)?.contains(VALUE));
    assert!(fs::symlink_metadata(repo.root.join("link")).is_err());
    Ok(())
}

#[test]
fn a_name_that_was_there_before_is_not_new() -> Outcome {
    let repo = TestRepo::new()?;
    repo.write(&format!("f-{VALUE}"), "one\n")?;
    repo.git(&["add", "-A"])?;
    repo.git(&["commit", "-qm", "more"])?;
    let mut session = knowing(&repo, &[])?;
    repo.write(&format!("f-{VALUE}"), "two\n")?;
    assert_eq!(session.capture()?.violations, []);
    Ok(())
}

#[test]
fn a_known_value_is_found_however_it_is_packed() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = knowing(&repo, &[])?;
    let bytes: [(&str, Vec<u8>); 5] = [
        ("wide.txt", utf16(&format!("a key: {VALUE}\n"))),
        ("zero.bin", format!("\0\0{VALUE}\0").into_bytes()),
        ("torn.bin", VALUE.bytes().flat_map(|byte| [byte, 0, 0]).collect()),
        ("late.txt", [vec![b'a'; 5 << 20], VALUE.as_bytes().to_vec()].concat()),
        ("hex.txt", VALUE.bytes().flat_map(|byte| format!("{byte:02X}").into_bytes()).collect()),
    ];
    for (name, bytes) in &bytes {
        fs::write(repo.root.join(name), bytes)?;
    }
    repo.write("locked.txt", VALUE)?;
    fs::set_permissions(repo.root.join("locked.txt"), fs::Permissions::from_mode(0o000))?;
    let packed = miniz_oxide::deflate::compress_to_vec(VALUE.as_bytes(), 6);
    let gzip = [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], &packed, &[0; 8]].concat();
    fs::write(repo.root.join("packed.gz"), gzip)?;
    let captured = session.capture()?;
    let held = held(&captured).join("\n");
    for name in bytes.iter().map(|(name, _)| *name).chain(["locked.txt", "packed.gz"]) {
        assert!(held.contains(name), "{name}: {held}");
    }
    assert_eq!(captured.sample, Vec::<String>::new());
    Ok(())
}

#[test]
fn what_cannot_be_scanned_is_refused_where_values_are_known_and_labelled_elsewhere() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = knowing(&repo, &["admitted/**"])?;
    fs::create_dir(repo.root.join("admitted"))?;
    fs::write(repo.root.join("a.xz"), b"\xfd7zXZ\0\x01\x02")?;
    fs::write(repo.root.join("admitted/b.xz"), b"\xfd7zXZ\0\x01\x02")?;
    let captured = session.capture()?;
    let why = "it is compressed with xz".to_owned();
    let refused = Violation::Unscanned { path: "a.xz".into(), why: why.clone() };
    assert_eq!(captured.violations, [refused]);
    assert_eq!(captured.sample, ["admitted/b.xz"]);
    let label = Touched { path: "admitted/b.xz".into(), exposure: Exposure::Unscanned { why } };
    assert_eq!(captured.touched, [label]);
    Ok(())
}

#[test]
fn an_agents_own_commits_hide_nothing_behind_attributes_names_messages_or_merges() -> Outcome {
    let value = VALUE;
    let sly = |repo: &TestRepo, number: usize| -> Outcome {
        repo.write("own.txt", "own\n")?;
        match number {
            0 => {
                repo.write(".gitattributes", "* -diff\n")?;
                repo.write("own.txt", value)?;
            }
            1 => fs::write(repo.root.join("wide.txt"), utf16(value))?,
            2 => repo.write(&format!("f-{value}"), "x")?,
            3 => symlink(value, repo.root.join("link"))?,
            _ => {}
        }
        repo.git(&["add", "-A"])?;
        match number {
            4 => repo.git(&["commit", "-qm", &format!("fix\n\nKey: {value}")])?,
            5 => repo.git(&["commit", "-qm", "x", "--author", &format!("{value} <a@b.c>")])?,
            _ => repo.git(&["commit", "-qm", "own"])?,
        };
        // Gone again from the files, not from the history.
        repo.git(&["rm", "-rq", "--cached", "--ignore-unmatch", "link", &format!("f-{value}")])?;
        repo.git(&["commit", "-qm", "clean", "--allow-empty"])?;
        Ok(())
    };
    for number in 0..6 {
        let repo = TestRepo::new()?;
        let mut session = knowing(&repo, &[])?;
        sly(&repo, number)?;
        let captured = session.capture()?;
        let held = held(&captured).join("\n");
        assert!(held.contains("a commit of its own"), "{number}: {held}");
        assert_eq!(captured.head, session.head, "{number}: its commits are not kept");
    }
    Ok(())
}

#[test]
fn a_value_in_the_name_or_message_of_a_new_ref_is_taken_away() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = knowing(&repo, &[])?;
    repo.git(&["branch", &format!("b-{VALUE}")])?;
    repo.git(&["tag", &format!("t-{VALUE}")])?;
    repo.git(&["tag", "-am", VALUE, "annotated"])?;
    repo.git(&["notes", "add", "-m", VALUE])?;
    repo.write("blob.txt", VALUE)?;
    let blob = repo.git(&["hash-object", "-w", "blob.txt"])?;
    fs::remove_file(repo.root.join("blob.txt"))?;
    repo.git(&["tag", "single", &blob])?;
    repo.git(&["tag", "-am", "outer", "nested", "annotated"])?;
    repo.git(&["branch", "harmless"])?;
    repo.git(&["switch", "-q", &format!("b-{VALUE}")])?;
    repo.git(&["init", "-q", &format!("nested-{VALUE}")])?;
    let captured = session.capture()?;
    assert!(!format!("{captured:?}").contains(VALUE), "{captured:?}");
    let held = held(&captured).join("\n");
    for place in [
        "refs/heads/b-[redacted",
        "refs/tags/t-[redacted",
        "a tag of its own",
        "a commit of its own",
    ] {
        assert!(held.contains(place), "{place}: {held}");
    }
    let refs = repo.git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/heads",
        "refs/tags",
        "refs/notes",
    ])?;
    assert!(
        !refs.contains(VALUE)
            && !refs.contains("annotated")
            && !refs.contains("single")
            && !refs.contains("nested")
            && !refs.contains("notes"),
        "{refs}"
    );
    assert!(refs.contains("harmless"), "{refs}");
    Ok(())
}

#[test]
fn ralphs_own_messages_and_branches_hold_no_known_value() -> Outcome {
    let repo = TestRepo::new()?;
    let mut session = knowing(&repo, &[])?;
    repo.write("b.txt", "b\n")?;
    let captured = session.capture()?;
    let mut commit = session.commit_request(&captured);
    commit.message = format!("feat: use {VALUE}");
    session.worktree.commit(&commit)?;
    assert!(repo.git(&["log", "-1", "--format=%s"])?.contains("[redacted:MY_TOKEN]"));
    assert!(!objects(&repo)?.contains(VALUE));
    Ok(())
}
