//! What a truth holds and how it comes back: long journals in segments, wishes, trees, refs that come and go, a push
//! that arrives late.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod remote;

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    time::{Duration, Instant},
};

use ralph_fleet::truth::{
    Claim, Claimant, Claimed, Ledger, Program, Rank, Repository, SeedFiles, Snapshot, Went, claim,
    owner, read, seed, unseed,
};
use remote::{Remote, git};

const BRANCH: &str = "ralph/app";
const TRUTH: &str = "refs/ralph/fleet/ralph/app";

fn seeded(root: &Path) -> Remote {
    let remote = Remote::new(root, "files");
    let (plan, settings) = (b"{}".to_vec(), Some(b"[agent]\n".to_vec()));
    let files = SeedFiles { plan, settings, ..SeedFiles::default() };
    seed(&remote.url(), BRANCH, &files).unwrap();
    remote
}

fn claimed(program: &Program, root: &Path, remote: &Remote) -> (Repository, Claimed) {
    let dir = root.join("mirror.git");
    let repository = Repository::open(program, &dir, (&remote.url(), BRANCH), "app").unwrap();
    let rank = Rank { scheduled_ms: 1, attempt: 1 };
    let claimant = Claimant {
        host: "a".into(),
        key: "app".into(),
        rank,
        version: "0.1.0".into(),
        ..Claimant::default()
    };
    let Claim::Mine(claimed) = claim(&repository, &claimant).unwrap() else { panic!("not mine") };
    (repository, *claimed)
}

fn ledger(root: &Path, remote: &Remote) -> (Repository, Ledger) {
    let (repository, claimed) = claimed(&Program::default(), root, remote);
    let published = claimed.before.published.clone();
    (repository.clone(), Ledger::new(repository, &claimed, published))
}

fn blobs(remote: &Remote) -> Vec<String> {
    let text = git(&remote.dir, &["ls-tree", "-r", TRUTH, "journal"]);
    text.lines().map(|line| line.split_whitespace().nth(2).unwrap().to_owned()).collect()
}

#[test]
fn a_long_journal_is_cut_and_its_whole_segments_are_never_sent_again() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let (_, mut ledger) = ledger(root.path(), &remote);
    let line = format!("{}\n", "j".repeat(99));
    let mut moment =
        Snapshot { run: "r1".into(), journal: line.repeat(12_000).into(), ..Snapshot::default() };
    assert_eq!(ledger.publish(&moment).unwrap(), Went::Out);
    assert_eq!(ledger.publish(&moment).unwrap(), Went::Known, "nothing is new");
    let first = blobs(&remote);
    assert_eq!(first.len(), 3);
    moment.journal.extend(line.repeat(7_000).into_bytes());
    assert_eq!(ledger.hand_over(Some(&moment)).unwrap(), Went::Out);
    let second = blobs(&remote);
    assert_eq!(second.len(), 4);
    assert_eq!(second[..2], first[..2]);
    assert_ne!(second[2], first[2]);
    let there = read(&remote.url(), BRANCH, &root.path().join("read")).unwrap();
    assert_eq!(there.files.journal, moment.journal);
    assert_eq!(fs::read(root.path().join("read/journal.jsonl")).unwrap(), moment.journal);
    assert_eq!(there.files.settings.as_deref(), Some(b"[agent]\n".as_slice()));
    assert!(!there.lease.held);
}

/// Puts a file of so many zeros into the truth, as whoever may push there could.
fn plant(remote: &Remote, name: &str, bytes: u64) {
    let path = remote.dir.join("planted");
    fs::File::create(&path).unwrap().set_len(bytes).unwrap();
    let blob = git(&remote.dir, &["hash-object", "-w", &path.to_string_lossy()]);
    git(&remote.dir, &["read-tree", TRUTH]);
    git(&remote.dir, &["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{name}")]);
    let tree = git(&remote.dir, &["write-tree"]);
    let commit = git(&remote.dir, &["commit-tree", "-p", TRUTH, "-m", "planted", &tree]);
    git(&remote.dir, &["update-ref", TRUTH, &commit]);
}

#[test]
fn a_file_that_is_too_large_is_refused_by_its_size_and_a_large_plan_is_read() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let truth = git(&remote.dir, &["rev-parse", TRUTH]);
    let there = || read(&remote.url(), BRANCH, &root.path().join("read"));
    fs::create_dir(root.path().join("read")).unwrap();
    plant(&remote, "plan.json", 45_000_000);
    assert_eq!(there().unwrap().files.plan.unwrap().len(), 45_000_000);
    for (name, bytes) in [
        ("lease.json", 2 << 20),
        ("published.json", 33 << 20),
        ("plan.json", 65 << 20),
        ("settings.toml", 2 << 20),
        ("workspace.json", 17 << 20),
        ("journal/000000.jsonl", 513 << 10),
        ("inbox/1.json", 3 << 20),
    ] {
        git(&remote.dir, &["update-ref", TRUTH, &truth]);
        plant(&remote, name, bytes);
        let why = format!("{:#}", there().unwrap_err());
        assert!(why.contains(&format!("its {name} has {bytes} bytes, but at most")), "{why}");
    }
    let plan = vec![b' '; 65 << 20];
    let why = seed(&remote.url(), BRANCH, &SeedFiles { plan, ..SeedFiles::default() });
    assert!(why.unwrap_err().to_string().contains("its plan.json has 68157440 bytes"));
}

#[test]
fn another_run_on_the_branch_brings_its_own_journal() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let (_, mut ledger) = ledger(root.path(), &remote);
    let moment = |run: &str, journal: &str| Snapshot {
        run: run.into(),
        journal: journal.into(),
        ..Snapshot::default()
    };
    ledger.publish(&moment("r1", "one\ntwo\nthree\n")).unwrap();
    ledger.hand_over(Some(&moment("r2", "other\n"))).unwrap();
    let there = read(&remote.url(), BRANCH, &root.path().join("read")).unwrap();
    assert_eq!(there.files.journal, b"other\n");
    assert_eq!(there.lease.run.as_deref(), Some("r2"));
}

#[test]
fn wishes_travel_until_they_are_taken_and_a_new_seed_forgets_them() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let (_, mut ledger) = ledger(root.path(), &remote);
    let mut moment = Snapshot { run: "r1".into(), ..Snapshot::default() };
    moment.inbox.insert("1.json".into(), b"\"stop\"".to_vec());
    moment.inbox.insert("2 odd.json".into(), b"{}".to_vec());
    ledger.publish(&moment).unwrap();
    let there = read(&remote.url(), BRANCH, &root.path().join("read")).unwrap();
    assert_eq!(there.files.inbox, moment.inbox);
    moment.inbox.remove("1.json");
    ledger.hand_over(Some(&moment)).unwrap();
    let there = read(&remote.url(), BRANCH, &root.path().join("read")).unwrap();
    assert_eq!(there.files.inbox.keys().collect::<Vec<_>>(), ["2 odd.json"]);
    seed(&remote.url(), BRANCH, &SeedFiles::default()).unwrap();
    let there = read(&remote.url(), BRANCH, &root.path().join("read")).unwrap();
    assert_eq!((there.files.inbox.len(), there.files.settings), (0, None));
    assert_eq!(there.lease.run, None, "another plan is another run");
}

#[test]
fn refs_and_loose_trees_reach_another_folder_and_deleted_ones_go() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let (repository, first) = claimed(&Program::default(), root.path(), &remote);
    let work = root.path().join("work");
    let ground = repository.ground(&first.before.published, None).unwrap();
    repository.make_folder(&work, &first.before, &ground).unwrap();
    git(&work, &["checkout", "-q", "-b", BRANCH]);
    fs::write(work.join("attempt.txt"), "kept by no ref\n").unwrap();
    git(&work, &["add", "-A"]);
    let tree = git(&work, &["write-tree"]);
    git(&work, &["update-ref", "refs/ralph/r1/T-1/1", "HEAD"]);
    git(&work, &["update-ref", "refs/heads/wip/ralph-fail-T-1-x", "HEAD"]);
    git(&work, &["update-ref", "refs/heads/somebodys", "HEAD"]);
    fs::create_dir_all(work.join(".git/ralph/runs/r1")).unwrap();
    fs::write(work.join(".git/ralph/runs/r1/journal.jsonl"), "whole\nhalf").unwrap();
    let way_out = repository.way_out(&root.path().join("out.git"), &work).unwrap();
    let mut ledger = Ledger::new(way_out, &first, ground.published);
    let mut moment = Snapshot::take(&repository, &work, "r1").unwrap();
    assert_eq!(moment.journal, b"whole\n");
    moment.trees = vec![tree.clone()];
    assert_eq!(ledger.publish(&moment).unwrap(), Went::Out);
    moment.refs.remove("refs/ralph/r1/T-1/1");
    moment.refs.remove("refs/heads/wip/ralph-fail-T-1-x");
    assert_eq!(ledger.hand_over(Some(&moment)).unwrap(), Went::Out);
    let refs = git(&remote.dir, &["for-each-ref", "--format=%(refname)"]);
    let refs: Vec<&str> = refs.lines().collect();
    let wip = "refs/heads/wip/ralph-fail-T-1-x";
    assert_eq!(refs, ["refs/heads/main", "refs/heads/ralph/app", wip, TRUTH]);

    let (repository, second) = claimed(&Program::default(), &root.path().join("b"), &remote);
    let ground = repository.ground(&second.before.published, Some("r1")).unwrap();
    assert!(ground.is_as_published);
    let there = root.path().join("b/work");
    repository.make_folder(&there, &second.before, &ground).unwrap();
    assert_eq!(
        git(&there, &["cat-file", "blob", &format!("{tree}:attempt.txt")]),
        "kept by no ref"
    );
    assert_eq!(git(&there, &["rev-parse", wip]), git(&work, &["rev-parse", wip]));
    let truths = git(&there, &["rev-list", "--all", "--objects"]);
    assert!(!truths.contains("lease.json"), "the truth's past came along");
}

#[test]
fn a_push_that_arrives_late_is_known_as_ones_own() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let (late, armed) = (root.path().join("late-git"), root.path().join("armed"));
    let text = format!(
        "#!/bin/sh\nfor one in \"$@\"; do if [ \"$one\" = push ] && [ -e {armed} ]; then rm {armed}\n\
         (while [ ! -e {armed}.go ]; do sleep 0.02; done; git \"$@\"; touch {armed}.done) >/dev/null 2>&1 &\n\
         exit 128; fi; done\nexec git \"$@\"\n",
        armed = armed.display()
    );
    fs::write(&late, text).unwrap();
    fs::set_permissions(&late, fs::Permissions::from_mode(0o755)).unwrap();
    let program = Program { path: late, ..Program::default() };
    let (repository, claimed) = claimed(&program, root.path(), &remote);
    let published = claimed.before.published.clone();
    let mut ledger = Ledger::new(repository, &claimed, published);
    let mut moment = Snapshot { run: "r1".into(), journal: b"a\n".to_vec(), ..Snapshot::default() };
    fs::write(&armed, "").unwrap();
    assert!(matches!(ledger.publish(&moment).unwrap(), Went::NotYet { has_answered: true, .. }));
    fs::write(armed.with_extension("go"), "").unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while !armed.with_extension("done").exists() {
        assert!(Instant::now() < end, "the late push never came");
        std::thread::yield_now();
    }
    moment.journal.extend(b"b\n");
    assert_eq!(ledger.publish(&moment).unwrap(), Went::Out, "fenced by oneself");
    assert_eq!(remote.file(TRUTH, "journal/000000.jsonl"), "a\nb");
    assert_eq!(remote.commits(TRUTH).len(), 4);
}

#[test]
fn a_side_branch_that_another_loop_has_is_left_alone_and_ours_is_kept_beside_it() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let parked = "refs/heads/ralph/parked/T-1";
    let theirs = git(&remote.dir, &["rev-parse", "main"]);
    let (repository, first) = claimed(&Program::default(), root.path(), &remote);
    let work = root.path().join("work");
    let ground = repository.ground(&first.before.published, None).unwrap();
    repository.make_folder(&work, &first.before, &ground).unwrap();
    git(&remote.dir, &["update-ref", parked, &theirs]);
    git(&work, &["checkout", "-q", "-b", BRANCH]);
    git(&work, &["commit", "-q", "--allow-empty", "-m", "ours"]);
    git(&work, &["update-ref", parked, "HEAD"]);
    let ours = git(&work, &["rev-parse", "HEAD"]);
    fs::create_dir_all(work.join(".git/ralph/runs/r1")).unwrap();
    fs::write(work.join(".git/ralph/runs/r1/journal.jsonl"), "a\n").unwrap();
    let way_out = repository.way_out(&root.path().join("out.git"), &work).unwrap();
    let mut ledger = Ledger::new(way_out, &first, ground.published);
    let moment = Snapshot::take(&repository, &work, "r1").unwrap();
    assert_eq!(ledger.hand_over(Some(&moment)).unwrap(), Went::Out);
    assert!(!ledger.has_branch_moved(), "the run branch is as it was");
    assert_eq!(git(&remote.dir, &["rev-parse", parked]), theirs);
    assert_eq!(git(&remote.dir, &["rev-parse", BRANCH]), ours);

    let (repository, second) = claimed(&Program::default(), &root.path().join("b"), &remote);
    let ground = repository.ground(&second.before.published, Some("r1")).unwrap();
    assert!(ground.is_as_published && ground.astray.is_none());
    let there = root.path().join("b/work");
    repository.make_folder(&there, &second.before, &ground).unwrap();
    assert_eq!(git(&there, &["rev-parse", parked]), ours);
}

#[test]
fn a_lease_that_is_given_back_without_a_moment_leaves_the_truth_as_it_was_published() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let (_, mut ledger) = ledger(root.path(), &remote);
    let branch = format!("refs/heads/{BRANCH}");
    let main = git(&remote.dir, &["rev-parse", "main"]);
    let refs = [(branch.clone(), main.clone())].into();
    let moment = Snapshot { run: "r1".into(), refs, ..Snapshot::default() };
    // Somebody else has the branch, and the name that ours would get instead is refused.
    let theirs = git(&remote.dir, &["commit-tree", "-m", "theirs", &format!("{main}^{{tree}}")]);
    git(&remote.dir, &["update-ref", &branch, &theirs]);
    let hook = remote.dir.join("hooks/update");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\ncase $1 in */kept/*) exit 1;; esac\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let went = ledger.hand_over(Some(&moment)).unwrap();
    assert!(matches!(went, Went::NotYet { has_answered: true, .. }), "{went:?}");
    assert_eq!(ledger.hand_over(None).unwrap(), Went::Out);
    let there = read(&remote.url(), BRANCH, &root.path().join("read")).unwrap();
    assert!(!there.lease.held && there.published.refs.is_empty(), "{there:?}");
}

#[test]
fn a_seed_without_a_loop_leaves_the_truth_as_it_was() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let truth = || read(&remote.url(), BRANCH, &root.path().join("read")).ok().map(|it| it.commit);
    fs::create_dir(root.path().join("read")).unwrap();
    let first = truth();
    let files = SeedFiles { plan: b"{\"other\": 1}".to_vec(), ..SeedFiles::default() };
    let second = seed(&remote.url(), BRANCH, &files).unwrap();
    assert_eq!((truth(), &second.before), (Some(second.commit.clone()), &first));
    unseed(&remote.url(), BRANCH, &second).unwrap();
    assert_eq!(truth(), first);
    // Whoever came since keeps the branch.
    let third = seed(&remote.url(), BRANCH, &SeedFiles::default()).unwrap();
    unseed(&remote.url(), BRANCH, &second).unwrap();
    assert_eq!(truth(), Some(third.commit));
}

#[test]
fn a_branch_that_is_held_for_one_loop_is_not_taken_by_another() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let (repository, held) = claimed(&Program::default(), root.path(), &remote);
    let later = Rank { scheduled_ms: 2, attempt: 1 };
    let of = |key: &str| {
        let (host, key, version) = ("b".to_owned(), key.to_owned(), "0.1.0".to_owned());
        claim(&repository, &Claimant { host, key, rank: later, version, ..Claimant::default() })
            .unwrap()
    };
    assert!(matches!(of("another spelling"), Claim::Fenced(_)));
    assert_eq!(git(&remote.dir, &["rev-parse", TRUTH]), held.head);
    assert!(matches!(of("app"), Claim::Mine(_)), "its own loop gave the holder up");
}

#[test]
fn a_branch_belongs_to_the_loop_it_was_submitted_for_last_and_a_person_may_take_it_over() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let (repository, held) = claimed(&Program::default(), root.path(), &remote);
    let wanted = |takes_over| SeedFiles { key: "new".into(), takes_over, ..SeedFiles::default() };
    assert!(seed(&remote.url(), BRANCH, &wanted(false)).is_err(), "it is held");
    seed(&remote.url(), BRANCH, &wanted(true)).unwrap();
    assert_eq!(owner(&remote.url(), BRANCH).unwrap().as_deref(), Some("new"));
    // By the clock of its server the former holder's loop may well come later.
    let of = |key: &str, scheduled_ms| {
        let (host, key, version) = ("b".to_owned(), key.to_owned(), "0.1.0".to_owned());
        let rank = Rank { scheduled_ms, attempt: 1 };
        claim(&repository, &Claimant { host, key, rank, version, ..Claimant::default() }).unwrap()
    };
    assert!(matches!(of("app", 9), Claim::Fenced(_)), "the former loop has lost it");
    let Claim::Mine(mine) = of("new", 0) else { panic!("not the new loop's") };
    assert!(mine.took_over && mine.before.lease.is_taken_over, "{:?}", mine.before.lease);
    assert_eq!(mine.before.lease.holder, held.lease.holder, "who is waited for");
    // Given back, it still belongs to its loop.
    let mut ledger = Ledger::new(repository.clone(), &mine, mine.before.published.clone());
    assert_eq!(ledger.hand_over(None).unwrap(), Went::Out);
    assert!(matches!(of("app", 99), Claim::Fenced(_)));
    let Claim::Mine(next) = of("new", 100) else { panic!("not the new loop's") };
    assert!(!next.took_over && !next.lease.is_taken_over);
}

#[test]
fn a_branch_that_was_submitted_to_two_servers_is_the_later_submissions() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let dir = root.path().join("mirror.git");
    let repository =
        Repository::open(&Program::default(), &dir, (&remote.url(), BRANCH), "app").unwrap();
    let submit = |submission: &str| {
        let (key, submission) = ("app".to_owned(), submission.to_owned());
        seed(&remote.url(), BRANCH, &SeedFiles { key, submission, ..SeedFiles::default() })
    };
    let of = |submission: &str, scheduled_ms| {
        let (host, key, submission) = ("b".to_owned(), "app".to_owned(), submission.to_owned());
        let (rank, version) = (Rank { scheduled_ms, attempt: 1 }, "0.1.0".to_owned());
        let notices_within = Duration::from_secs(7);
        claim(&repository, &Claimant { host, key, submission, notices_within, rank, version })
    };
    submit("first").unwrap();
    submit("second").unwrap();
    assert!(matches!(of("first", 9).unwrap(), Claim::Fenced(_)));
    let Claim::Mine(mine) = of("second", 1).unwrap() else { panic!("not the second's") };
    assert!(matches!(of("first", 99).unwrap(), Claim::Fenced(_)), "its holder is content");
    assert_eq!(mine.lease.noticed_within_ms, 7_000, "for whoever takes it over");
}

#[test]
fn a_claim_that_the_remote_refuses_says_why_in_one_line_without_secrets() {
    let root = tempfile::tempdir().unwrap();
    let remote = seeded(root.path());
    let secret = ["ghp_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    let hook = remote.dir.join("hooks/pre-receive");
    let script = format!(
        "#!/bin/sh\nprintf 'error: \\033[2Jlocked, use {secret}\\n' >&2\n\
         for n in $(seq 100); do echo 'more words about it' >&2; done\nexit 1\n"
    );
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, script).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let dir = root.path().join("mirror.git");
    let repository =
        Repository::open(&Program::default(), &dir, (&remote.url(), BRANCH), "app").unwrap();
    let claimant = Claimant { host: "a".into(), version: "0.1.0".into(), ..Claimant::default() };
    let why = format!("{:#}", claim(&repository, &claimant).unwrap_err());
    assert!(why.starts_with("the remote does not accept the claim: error: "), "{why}");
    assert!(why.contains("locked") && !why.contains(&secret) && !why.contains('\u{1b}'), "{why}");
    assert!(why.len() < 400, "{why}");
}
