//! A scratch project whose agent is a real CLI, driven as an ordinary user.

use std::{
    fs, io,
    net::Ipv4Addr,
    os::unix::{
        fs::{PermissionsExt, symlink},
        process::ExitStatusExt,
    },
    path::Path,
    process::{Child, Command, Output},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use testkit::{
    model::{AUTHORITY, Model, Step},
    test_run::TestRun,
};

use crate::{
    RALPH,
    clis::{self, CLAUDE, Cli},
    island::{self, FAR_NAME},
};
use tempfile::TempDir;

/// The user who stands for an ordinary one where the tests run as root.
const NOBODY: u32 = 65_534;
/// Longest time for anything to happen; far more than a loaded machine needs.
pub(crate) const LONGEST: Duration = Duration::from_secs(280);

/// Looks for the key and for the world, and leaves marks of what it finds. A file, because the guard reads commands.
pub(crate) const LOOK: &str = "env | grep -q dummy-that-stays-outside && touch has-key\n\
                               test -e ../home/secret && touch has-home\n\
                               touch .git/planted ../planted\ntouch looked\n";
/// The command that does it.
pub(crate) const LOOKS: &str = "sh look.sh";

/// The heading of every review's prompt.
pub(crate) const REVIEWS: &str = "# Review of task ";

/// The heading of the findings in a fix's prompt, and that of a planner's prompt.
pub(crate) const FIXES: &str = "## Findings to answer";
pub(crate) const PLANS: &str = "# Draft a plan";

/// A project and its model.
pub(crate) struct Ground {
    pub(crate) run: TestRun,
    pub(crate) model: Model,
    /// Copies of what an ordinary user could not reach, not theirs to change.
    _spare: TempDir,
}

/// Who runs ralph.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// An ordinary user with an API key.
    KeyHolder,
    /// An ordinary user with a subscription.
    Subscriber,
    /// Root, with an API key.
    Root,
}

impl Ground {
    /// A project of so many tasks for claude; `steps` is told the repository's path.
    pub(crate) fn new(tasks: usize, steps: impl FnOnce(&str) -> Vec<Step>) -> io::Result<Self> {
        Self::with(tasks, Caller::KeyHolder, steps, |_| Ok(()))
    }

    /// The same for another caller, and with files that `plant` adds.
    pub(crate) fn with(
        tasks: usize,
        caller: Caller,
        steps: impl FnOnce(&str) -> Vec<Step>,
        plant: impl FnOnce(&TestRun) -> io::Result<()>,
    ) -> io::Result<Self> {
        let (name, secret) = match caller {
            Caller::KeyHolder | Caller::Root => ("ANTHROPIC_API_KEY", "sk-ant-dummy"),
            Caller::Subscriber => ("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-dummy"),
        };
        let mut ground = Self::of(&CLAUDE, tasks, steps, plant)?;
        ground.run = ground.run.with_env(name, secret);
        if caller == Caller::Root { Ok(ground) } else { ground.humbled() }
    }

    /// A project of so many tasks for any CLI, still of the user who runs the tests.
    pub(crate) fn of(
        cli: &Cli,
        tasks: usize,
        steps: impl FnOnce(&str) -> Vec<Step>,
        plant: impl FnOnce(&TestRun) -> io::Result<()>,
    ) -> io::Result<Self> {
        let run = TestRun::new(RALPH, tasks, "exit 1")?;
        let mut steps = steps(&run.work().to_string_lossy());
        add_approval(&mut steps);
        let model = Model::start(steps)?;
        let spare = tempfile::tempdir()?;
        fs::set_permissions(spare.path(), fs::Permissions::from_mode(0o755))?;
        run.write("work/.ralph/settings.toml", &settings(&cli.command(spare.path())?))?;
        let (run, url) = if cli.is_tunnelled {
            (far(run, &model, spare.path())?, format!("https://{FAR_NAME}"))
        } else {
            (run, model.url())
        };
        for (name, text) in (cli.files)(&url) {
            run.write(&format!("home/{name}"), &text)?;
        }
        plant(&run)?;
        run.amend()?;
        let node = clis::node_folder(spare.path())?;
        let node = node.map(|node| format!("{}:", node.display())).unwrap_or_default();
        let run = run
            .with_env("PATH", format!("{node}/usr/local/bin:/usr/bin:/bin"))
            .with_env("LANG", "C.UTF-8");
        let env = (cli.env)(&url).into_iter();
        let run = env.fold(run, |run, (name, value)| run.with_env(name, value));
        Ok(Self { run, model, _spare: spare })
    }

    /// An empty repository with nothing but defaults, with the CLI in `PATH` under its own name.
    pub(crate) fn by_default(cli: &Cli, steps: impl FnOnce(&str) -> Vec<Step>) -> io::Result<Self> {
        let run = TestRun::new(RALPH, 0, "exit 1")?;
        let model = Model::start(steps(&run.work().to_string_lossy()))?;
        let spare = tempfile::tempdir()?;
        fs::set_permissions(spare.path(), fs::Permissions::from_mode(0o755))?;
        fs::create_dir_all(run.path("bin"))?;
        symlink(cli.command(spare.path())?, run.path("bin").join(cli.name))?;
        for (name, text) in (cli.files)(&model.url()) {
            run.write(&format!("home/{name}"), &text)?;
        }
        for name in ["work/.ralph", "work/src"] {
            fs::remove_dir_all(run.path(name))?;
        }
        for name in ["work/README.md", "work/gate.sh"] {
            fs::remove_file(run.path(name))?;
        }
        run.amend()?;
        let env = (cli.env)(&model.url()).into_iter();
        let run = env.fold(run, |run, (name, value)| run.with_env(name, value));
        Ok(Self { run: run.with_env("LANG", "C.UTF-8"), model, _spare: spare })
    }

    /// What the model answers from now on.
    pub(crate) fn goes_on(&self, mut steps: Vec<Step>) {
        add_approval(&mut steps);
        self.model.goes_on(steps);
    }

    /// The same as an ordinary user.
    pub(crate) fn humbled(mut self) -> io::Result<Self> {
        if island::is_root()? {
            self.run = self.run.owned_by(NOBODY)?;
        }
        Ok(self)
    }

    /// Runs ralph to its end, which must come in time.
    pub(crate) fn ralph(&self, args: &[&str]) -> io::Result<Ended> {
        let child = self.run.spawn(args)?;
        self.end_of(child)
    }

    /// Waits for ralph's end, which must come in time.
    pub(crate) fn end_of(&self, mut child: Child) -> io::Result<Ended> {
        let end = Instant::now() + LONGEST;
        loop {
            if let Some(status) = child.try_wait()? {
                let code = status.code().or(status.signal().map(|signal| 128 + signal));
                return Ok(Ended { code, said: self.run.read("ralph.log") });
            }
            if Instant::now() > end {
                child.kill()?;
                child.wait()?;
                let said = self.run.read("ralph.log");
                return Err(io::Error::other(format!("ralph did not end in time: {said}")));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The command looked around, and found nothing that it must not see or change.
    #[track_caller]
    pub(crate) fn assert_kept_in(&self, ended: &Ended) {
        assert!(self.run.work().join("looked").exists(), "{}", ended.said);
        for mark in ["has-key", "has-home", ".git/planted", "../planted"] {
            assert!(!self.run.work().join(mark).exists(), "{mark}: {}", ended.said);
        }
    }

    /// What `ralph status --json` says.
    pub(crate) fn status(&self) -> io::Result<Value> {
        let output: Output = self.run.ralph(&["status", "--json"])?;
        serde_json::from_slice(&output.stdout).map_err(io::Error::other)
    }

    /// The tree of the run branch's last commit.
    pub(crate) fn tree(&self) -> io::Result<String> {
        self.run.git(&["rev-parse", "ralph/scratch^{tree}"])
    }

    /// Waits for a file below the run's folder.
    pub(crate) fn until_exists(&self, name: &str) -> io::Result<()> {
        until(name, LONGEST, || self.run.path(name).exists())
    }

    /// Waits until no process of this project is alive, and says how long that took.
    pub(crate) fn until_nobody_is_left(&self) -> io::Result<Duration> {
        let begin = Instant::now();
        let folder = self.run.path("").to_string_lossy().into_owned();
        until("every process is gone", LONGEST, || processes(&folder).is_empty())?;
        Ok(begin.elapsed())
    }

    /// The command lines of this project's processes.
    pub(crate) fn processes(&self) -> Vec<String> {
        processes(&self.run.path("").to_string_lossy())
    }
}

/// Reviews are on by default: one that the script does not mention approves.
fn add_approval(steps: &mut Vec<Step>) {
    let approves = Step::reports(verdict(true, "src/main.txt:1", "")).when(REVIEWS).always();
    let end = steps.iter().position(Step::is_last_resort).unwrap_or(steps.len());
    steps.insert(end, approves);
}

/// A run in the box, with the model far away too: behind TLS, at a name that the user allows. Codex's provider in its
/// own file names a variable of its own.
fn far(run: TestRun, model: &Model, spare: &Path) -> io::Result<TestRun> {
    model.serves_tls((Ipv4Addr::LOCALHOST, 443).into())?;
    let authority = spare.join("authority.pem");
    fs::write(&authority, AUTHORITY)?;
    let authority = authority.display().to_string();
    Ok(run
        .with_env("RALPH_SANDBOX_ALLOW_HOSTS", FAR_NAME)
        .with_env("RALPH_AGENT_ENV", "SCRIPTED_KEY")
        .with_env("SSL_CERT_FILE", &authority)
        .with_env("NODE_EXTRA_CA_CERTS", &authority))
}

/// How ralph ended.
pub(crate) struct Ended {
    /// Its exit code; 128 and the signal's number if one ended it.
    pub(crate) code: Option<i32>,
    pub(crate) said: String,
}

impl Ended {
    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}", self.said);
    }
}

/// The steps that do a task and report it.
pub(crate) fn does(work: &str, task: &str, content: &str) -> Vec<Step> {
    let heading = format!("# Task {task}");
    vec![
        Step::writes(&format!("{work}/work/{task}"), content).when(&heading),
        Step::reports(report(task)).when(&heading),
    ]
}

/// A complete structured report.
pub(crate) fn report(task: &str) -> Value {
    json!({
        "task_completed": {"task_id": task, "summary": format!("{task} is written"), "fully_complete": true},
        "deviations": [], "bugs_encountered": [], "architectural_notes": [], "files_touched": [],
        "plan_amendments": [], "tests_added": [], "constraints_discovered": [],
        "commit_message": format!("write {task} as the model puts it"),
    })
}

/// A structured review of one criterion.
pub(crate) fn verdict(met: bool, evidence: &str, comment: &str) -> Value {
    let ruling = json!({"number": 1, "criterion": "as numbered", "met": met, "evidence": evidence, "comment": comment});
    json!({"criteria": [ruling], "findings": [], "summary": comment})
}

/// Waits for something that another process brings about.
pub(crate) fn until(
    what: &str,
    longest: Duration,
    mut happened: impl FnMut() -> bool,
) -> io::Result<()> {
    let end = Instant::now() + longest;
    while !happened() {
        if Instant::now() > end {
            return Err(io::Error::other(format!("did not happen in time: {what}")));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn settings(command: &Path) -> String {
    format!(
        "[agent]\ncommand = \"{}\"\n[[gate]]\nname = \"tests\"\ncommand = \"./gate.sh\"\nkind = \"test\"\n",
        command.display()
    )
}

/// Command lines of all live processes that have the folder's path in their environment or arguments.
fn processes(folder: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let of = |entry: fs::DirEntry| {
        let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
        let text = |name: &str| String::from_utf8_lossy(&read(name)).replace('\0', " ");
        let line = text("cmdline");
        let is_ours = line.contains(folder) || text("environ").contains(folder);
        (is_ours && !line.is_empty()).then_some(line)
    };
    entries.flatten().filter_map(of).collect()
}

/// Sends a signal to ralph.
pub(crate) fn signal(child: &Child, name: &str) -> io::Result<()> {
    let status = Command::new("kill").args(["-s", name, &child.id().to_string()]).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other("kill failed")) }
}

/// A task of a draft.
fn task(id: &str, after: &[&str]) -> Value {
    let check = json!({"text": format!("work/{id} exists"), "check": format!("test -f work/{id}")});
    json!({
        "id": id, "title": format!("write work/{id}"), "description": "Write the file.",
        "acceptance_criteria": [check], "depends_on": after, "priority": 1, "skills": [], "needs_docs": false,
        "libraries": [],
    })
}

/// A planner's draft of two tasks.
pub(crate) fn draft() -> Value {
    json!({
        "summary": "two files, one after the other", "questions": [], "assumptions": ["any content will do"],
        "project": "scratch", "description": "Files below work/.",
        "prd": {
            "summary": "Two files.", "problem_statement": "They are missing.", "goals": "- both exist",
            "non_goals": "- anything else", "background": "", "technical_design": "Write them below work/.",
            "constraints": "", "edge_cases": "", "risks": "", "open_questions": "",
        },
        "verify_commands": [], "tasks": [task("T-1", &[]), task("T-2", &["T-1"])], "remove": [],
    })
}
