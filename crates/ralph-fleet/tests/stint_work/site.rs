//! A site for stints: a remote with a plan, hosts with the real ralph in its sandbox, and a scripted agent whose calls
//! are on record.

use std::{
    env, fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use ralph_fleet::{
    stint::{Host, Line, Lost, Rank},
    truth::{SeedFiles, seed},
    wire::{Limits, LoopSpec, StintInput, StintReport, Times},
};
use serde_json::json;

use crate::remote::{Remote, git};

pub(crate) const BRANCH: &str = "ralph/app";
pub(crate) const TRUTH: &str = "refs/ralph/fleet/ralph/app";

pub(crate) struct Site {
    root: tempfile::TempDir,
    pub(crate) remote: Remote,
    pub(crate) log: PathBuf,
    pub(crate) spec: LoopSpec,
}

/// One line of the record: what happened, to which task, on which host, when in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) what: String,
    pub(crate) task: String,
    pub(crate) host: String,
    pub(crate) at: u128,
}

/// The ralph that is tested with.
fn ralph() -> PathBuf {
    let set = env::var_os("RALPH_BIN");
    PathBuf::from(set.expect("RALPH_BIN must name a ralph: build one and set it"))
}

impl Site {
    /// A remote with a plan of so many tasks, seeded.
    pub(crate) fn new(tasks: u32) -> Self {
        let root = tempfile::tempdir().unwrap();
        let remote = Remote::new(root.path(), "files");
        let log = root.path().join("log");
        fs::create_dir_all(&log).unwrap();
        let times = Times {
            heartbeat_ms: 2_000,
            look_ms: 300,
            silence_ms: 1_500,
            kill_ms: 1_000,
            grace_ms: 2_500,
            longest_wait_ms: 60_000,
        };
        let limits = Limits { iterations_per_stint: 1, ..Limits::default() };
        let spec = LoopSpec {
            repo: remote.url(),
            branch: BRANCH.into(),
            tenant: "t".into(),
            account: "a".into(),
            submission: String::new(),
            limits,
            times,
        };
        let site = Self { root, remote, log, spec };
        site.seed(BRANCH, &(1..=tasks).collect::<Vec<_>>());
        site
    }

    /// Seeds a branch with a plan of tasks with these numbers.
    pub(crate) fn seed(&self, branch: &str, tasks: &[u32]) {
        seed(&self.remote.url(), branch, &self.files(tasks)).unwrap();
    }

    /// What a loop on such a plan begins with.
    pub(crate) fn files(&self, tasks: &[u32]) -> SeedFiles {
        let tasks: Vec<_> = tasks.iter().copied().map(task).collect();
        let plan = json!({"version": 1, "project": "app", "branch": "", "description": "demo", "tasks": tasks});
        let gate = here("gate.sh");
        let settings = format!(
            "[agent]\ncommand = \"scripted\"\n[review]\nmode = \"off\"\n[[gate]]\nname = \"tests\"\n\
             command = \"sh {} {}\"\nkind = \"custom\"\n",
            gate.display(),
            self.log.display()
        );
        SeedFiles {
            plan: plan.to_string().into(),
            settings: Some(settings.into()),
            ..SeedFiles::default()
        }
    }

    pub(crate) fn host(&self, name: &str) -> Host {
        let root = self.root.path().join(format!("host-{name}"));
        let home = root.join("home");
        fs::create_dir_all(home.join(".config/ralph")).unwrap();
        let settings = format!(
            "[agents.scripted]\ncommand = [\"/bin/sh\", \"{}\", \"{log}\"]\nprompt = \"stdin\"\n\
             [agent]\nenv = [\"FLEET_HOST\"]\n[sandbox]\nreadable = [\"{}\"]\nwritable = [\"{log}\"]\n",
            here("agent.sh").display(),
            here("").display(),
            log = self.log.display()
        );
        fs::write(home.join(".config/ralph/settings.toml"), settings).unwrap();
        fs::write(home.join(".gitconfig"), "[user]\nname = fleet\nemail = fleet@localhost\n")
            .unwrap();
        let mut host = Host::new(name, root, ralph());
        host.home = Some(home);
        host.local = vec![self.root.path().to_owned()];
        host
    }

    pub(crate) fn input(&self) -> StintInput {
        let key = format!("loop/remote@{BRANCH}");
        StintInput {
            spec: self.spec.clone(),
            key,
            stint: 1,
            wishes: Vec::new(),
            iterations: 0,
            spent_micro_usd: 0,
            by_person: false,
        }
    }

    /// One stint, with this place among claims.
    pub(crate) fn work(&self, host: &Host, scheduled_ms: u64) -> Result<StintReport, Lost> {
        host.work(&self.input(), rank(scheduled_ms), &Line::new(&host.name), None)
    }

    pub(crate) fn hold(&self, what: &str) {
        fs::write(self.log.join(format!("hold-{what}")), "").unwrap();
    }

    pub(crate) fn release(&self, what: &str) {
        fs::remove_file(self.log.join(format!("hold-{what}"))).unwrap();
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        let text = fs::read_to_string(self.log.join("calls")).unwrap_or_default();
        let call = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            let (what, task, host) = (words.next()?, words.next()?, words.next()?);
            Some(Call { what, task, host, at: words.next()?.parse().ok()? })
        };
        text.lines().filter_map(call).collect()
    }

    /// The agents that were called, as task and host.
    pub(crate) fn started(&self) -> Vec<(String, String)> {
        let calls = self.calls().into_iter().filter(|call| call.what == "start");
        calls.map(|call| (call.task, call.host)).collect()
    }

    pub(crate) fn wait_for(&self, what: &str, task: &str, host: &str) -> Call {
        let is_it = |call: &Call| call.what == what && call.task == task && call.host == host;
        until(&format!("{what} {task} {host}"), || self.calls().into_iter().find(is_it))
    }

    /// How many agents of this site live.
    pub(crate) fn agents_alive(&self) -> usize {
        let log = self.log.to_string_lossy().into_owned();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|one| fs::read(one.path().join("cmdline")).ok());
        lines.filter(|line| is_agent(&String::from_utf8_lossy(line), &log)).count()
    }

    /// The work on the run branch: subjects and trees, oldest first.
    pub(crate) fn work_on_branch(&self) -> Vec<(String, String)> {
        let log = git(&self.remote.dir, &["log", "--reverse", "--format=%s\t%T", BRANCH]);
        let pairs = log.lines().filter_map(|line| line.split_once('\t'));
        pairs.map(|(subject, tree)| (subject.to_owned(), tree.to_owned())).collect()
    }

    pub(crate) fn lease(&self) -> serde_json::Value {
        serde_json::from_str(&self.remote.file(TRUTH, "lease.json")).unwrap()
    }

    pub(crate) fn path(&self) -> &Path {
        self.root.path()
    }
}

pub(crate) fn rank(scheduled_ms: u64) -> Rank {
    Rank { scheduled_ms, attempt: 1 }
}

/// What this gives once it gives something; fails after a minute.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether it comes to be so in time; for what must end before something is released that would end it anyway.
pub(crate) fn within(longest: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + longest;
    while !is_so() {
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
    true
}

fn is_agent(line: &str, log: &str) -> bool {
    line.starts_with("/bin/sh\0") && line.contains("agent.sh") && line.contains(log)
}

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stint_work").join(name)
}

fn task(number: u32) -> serde_json::Value {
    json!({
        "id": format!("T-{number}"), "title": format!("T-{number} write out/T-{number}.txt"),
        "description": "Create the file.", "status": "pending", "order": number,
        "acceptance_criteria": [{"text": "it exists", "check": format!("test -f out/T-{number}.txt")}],
        "depends_on": []
    })
}
