//! Three contestants push at once, again and again: whoever was told that a push went through must find it in the
//! truth at the end, and nobody else's may be there. `RALPH_FLEET_RACES` says how many races there are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "figures")]

mod remote;

use std::{env, path::Path, sync::Barrier, thread};

use ralph_fleet::truth::{
    Claim, Claimant, Claimed, Ledger, Program, Rank, Repository, SeedFiles, Snapshot, Went, claim,
    seed,
};
use remote::Remote;

const BRANCH: &str = "ralph/app";
const CONTESTANTS: usize = 3;

fn races() -> u64 {
    env::var("RALPH_FLEET_RACES").map_or(200, |count| count.parse().unwrap())
}

struct Contestant {
    host: String,
    repository: Repository,
    ledger: Option<Ledger>,
    run: String,
    journal: String,
    won: Vec<String>,
}

impl Contestant {
    fn new(root: &Path, url: &str, number: usize) -> Self {
        let dir = root.join(format!("mirror{number}.git"));
        let repository = Repository::open(&Program::default(), &dir, (url, BRANCH), "app").unwrap();
        let host = format!("host{number}");
        Self {
            host,
            repository,
            ledger: None,
            run: String::new(),
            journal: String::new(),
            won: Vec::new(),
        }
    }

    /// A holder publishes, anybody else claims.
    fn race(&mut self, scheduled_ms: u64) {
        if let Some(ledger) = &mut self.ledger {
            self.journal.push_str("{}\n");
            let journal = self.journal.clone().into();
            let moment = Snapshot { run: self.run.clone(), journal, ..Snapshot::default() };
            match ledger.publish(&moment).unwrap() {
                Went::Out => self.won.push(ledger.head().to_owned()),
                Went::Known => panic!("it had nothing to say"),
                Went::Fenced => self.ledger = None,
                Went::NotYet { why, has_answered } => assert!(has_answered, "{why}"),
            }
            return;
        }
        let rank = Rank { scheduled_ms, attempt: 1 };
        let claimant = Claimant {
            host: self.host.clone(),
            key: "app".to_owned(),
            rank,
            version: "0.1.0".to_owned(),
            ..Claimant::default()
        };
        if let Claim::Mine(claimed) = claim(&self.repository, &claimant).unwrap() {
            self.won.push(claimed.head.clone());
            self.ledger = Some(self.begin(&claimed));
            self.run = format!("{}-{}", self.host, claimed.lease.epoch);
            self.journal.clear();
        }
    }

    fn begin(&self, claimed: &Claimed) -> Ledger {
        let published = claimed.before.published.clone();
        Ledger::new(self.repository.clone(), claimed, published)
    }
}

fn play(remote: &Remote, root: &Path, races: u64) {
    let seeded = seed(&remote.url(), BRANCH, &SeedFiles::default()).unwrap();
    let mut all: Vec<Contestant> =
        (0..CONTESTANTS).map(|number| Contestant::new(root, &remote.url(), number)).collect();
    let start = Barrier::new(CONTESTANTS);
    for race in 1..=races {
        thread::scope(|scope| {
            for one in &mut all {
                scope.spawn(|| {
                    start.wait();
                    one.race(race);
                });
            }
        });
    }
    let truth = remote.commits(&format!("refs/ralph/fleet/{BRANCH}"));
    let won: Vec<&String> = all.iter().flat_map(|one| &one.won).collect();
    let lost: Vec<&&String> = won.iter().filter(|commit| !truth.contains(commit)).collect();
    println!(
        "{races} races of {CONTESTANTS}: {} pushes won, {} lost updates",
        won.len(),
        lost.len()
    );
    assert!(lost.is_empty(), "{} updates were lost: {lost:?}", lost.len());
    assert_eq!(truth.len(), won.len() + 1, "somebody's truth is there who was told that it is not");
    assert_eq!(truth.last(), Some(&seeded.commit));
    assert!(
        won.len() as u64 >= races,
        "in {} of {races} races nobody won",
        races - won.len() as u64
    );
}

#[test]
fn no_update_is_lost_on_a_file_remote() {
    let root = tempfile::tempdir().unwrap();
    play(&Remote::new(root.path(), "files"), root.path(), races() / 2);
}

#[test]
fn no_update_is_lost_on_a_reftable_remote() {
    let root = tempfile::tempdir().unwrap();
    play(&Remote::new(root.path(), "reftable"), root.path(), races() / 4);
}

#[test]
fn no_update_is_lost_on_a_served_remote() {
    let root = tempfile::tempdir().unwrap();
    play(&Remote::served(root.path()), root.path(), races() / 4);
}
