//! Asks the package managers: once, before the first agent of a run, in a sandbox that holds the system and the user's home,
//! read-only, and nothing that agents write. The answer is kept on disk for the next run.
//!
//! Must never start a program because something in a sandbox asked for a host.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    fs,
    io::{self, Read},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use nix::{sys::signal::Signal, unistd::Pid};
use ralph_core::network::{Host, HostRule};

use super::{
    cargo, kept,
    managers::{FILES, QUESTIONS, Question, READ_BY, VARIABLES},
    read,
};
use crate::outside::{self, Outside};

/// Longest time for one answer. Some start an interpreter first, which takes its time on a busy machine.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of one answer.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
/// Where a manager stands in its sandbox: an empty folder that it can write, with nothing above it.
const EMPTY_FOLDER: &str = "/dev/shm";

/// Where the package managers are found, and the user's environment for them.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub home: PathBuf,
    /// The user's whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Where the answer is kept.
    pub folder: PathBuf,
    /// What agents can write: the managers' sandbox does not have it.
    pub shut_out: Vec<PathBuf>,
}

/// The hosts of each manager.
type Named = BTreeMap<&'static str, BTreeSet<HostRule>>;

/// All hosts, each once.
fn rules(named: &Named) -> Vec<HostRule> {
    let all: BTreeSet<&HostRule> = named.values().flatten().collect();
    all.into_iter().cloned().collect()
}

/// The package managers of one run.
#[derive(Debug)]
pub struct Registries {
    surroundings: Surroundings,
    outside: Outside,
    timeout: Duration,
    /// What the user's own files and variables name: nothing is started for it.
    written: OnceLock<Vec<HostRule>>,
    /// What the managers answered, now or the last time; empty as long as they were not asked.
    answer: OnceLock<Vec<HostRule>>,
    /// A manager did not answer in time.
    is_late: AtomicBool,
}

impl Registries {
    pub fn new(surroundings: Surroundings) -> Self {
        let Surroundings { environment, shut_out, .. } = &surroundings;
        Self {
            outside: Outside::new(environment.clone(), shut_out.clone()),
            surroundings,
            timeout: ANSWER_TIMEOUT,
            written: OnceLock::new(),
            answer: OnceLock::new(),
            is_late: AtomicBool::new(false),
        }
    }

    /// Whether they name this host, as far as they were asked. Starts nothing.
    pub fn name(&self, host: &Host) -> bool {
        let has = |rules: &[HostRule]| rules.iter().any(|rule| rule.allows(host));
        has(self.written.get_or_init(|| rules(&self.written())))
            || self.answer.get().is_some_and(|rules| has(rules))
    }

    /// Returns when their answer is known: the one that is kept, or a new one.
    pub fn settle(&self) {
        self.answer.get_or_init(|| {
            kept::read(&self.place(), &self.key()).unwrap_or_else(|| {
                let rules = rules(&self.named());
                // An answer that came too late is asked for again by the next run.
                if !self.is_late.load(Ordering::Relaxed) {
                    fs::create_dir_all(&self.surroundings.folder).ok();
                    kept::write(&self.place(), &self.key(), &rules);
                }
                rules
            })
        });
    }

    /// Whether a person wrote this host into the settings of package managers, or into their variables. Every address
    /// there counts: whether it can be reached at all is not decided by this.
    pub fn are_written(&self, host: &Host) -> bool {
        let files =
            FILES.iter().map(|(_, file, _)| *file).chain(READ_BY.iter().map(|(_, file)| *file));
        let files = files.map(|file| self.in_home(file));
        let cargo = ["config.toml", "config"].map(|name| self.cargo_home().join(name));
        let files = files.chain(cargo).filter(|file| !self.outside.is_agents(file));
        let files = files.filter_map(|file| fs::read_to_string(file).ok());
        let variables = VARIABLES.iter().filter_map(|(_, name)| self.variable(name));
        let mut texts = variables.chain(files);
        texts.any(|text| read::urls(&text).iter().any(|rule| rule.allows(host)))
    }

    /// Where the last answer is kept.
    fn place(&self) -> PathBuf {
        self.surroundings.folder.join(kept::FILE)
    }

    /// What an answer depends on: the programs, the files they read, and the environment.
    fn key(&self) -> String {
        let programs = QUESTIONS.iter().map(|one| self.outside.find(one.program));
        let files = READ_BY.iter().map(|(_, file)| self.in_home(file));
        let files = files.filter(|file| !self.outside.is_agents(file));
        kept::key(programs.flatten(), files, &self.surroundings.environment)
    }

    fn written(&self) -> Named {
        let mut named = Named::default();
        for (manager, variable) in VARIABLES {
            let text = self.variable(variable).unwrap_or_default();
            named.entry(*manager).or_default().extend(read::urls(&text));
        }
        for (manager, file, read) in FILES {
            let place = self.in_home(file);
            if !self.outside.is_agents(&place) {
                let text = fs::read_to_string(place).unwrap_or_default();
                named.entry(*manager).or_default().extend(read(&text));
            }
        }
        let cargo = cargo::hosts(&self.cargo_home(), |file| !self.outside.is_agents(file));
        named.entry("cargo").or_default().extend(cargo);
        named
    }

    fn cargo_home(&self) -> PathBuf {
        let moved = self.variable("CARGO_HOME").map(PathBuf::from);
        moved.unwrap_or_else(|| self.surroundings.home.join(".cargo"))
    }

    /// What they name: each is asked.
    fn named(&self) -> Named {
        let mut named = self.written();
        self.round(QUESTIONS.iter().filter(|one| !one.is_fallback), &mut named);
        let is_open = |one: &&Question| {
            one.is_fallback && named.get(one.manager).is_none_or(BTreeSet::is_empty)
        };
        let open: Vec<&Question> = QUESTIONS.iter().filter(is_open).collect();
        self.round(open.into_iter(), &mut named);
        named
    }

    /// Asks these questions at once.
    fn round<'a>(&self, questions: impl Iterator<Item = &'a Question>, named: &mut Named) {
        let found = questions
            .filter_map(|one| Some((one, self.outside.find(one.program)?)))
            .collect::<Vec<_>>();
        let variables = self.outside.variables();
        let answers: Vec<_> = thread::scope(|scope| {
            let ask = |(one, program): &(&'a Question, PathBuf)| {
                let command = self.enclosed(program, one.arguments);
                let command = command.map(|mut command| {
                    command.envs(variables.clone()).env("TMPDIR", EMPTY_FOLDER);
                    command
                });
                let one = *one;
                (one, scope.spawn(move || command.and_then(|it| self.run(it)).unwrap_or_default()))
            };
            let asked: Vec<_> = found.iter().map(ask).collect();
            asked
                .into_iter()
                .map(|(one, answer)| (one, answer.join().unwrap_or_default()))
                .collect()
        });
        for (question, answer) in answers {
            named.entry(question.manager).or_default().extend((question.read)(&answer));
        }
    }

    /// A manager in its sandbox: everything read-only, what agents write empty, no network. None where there is no
    /// bubblewrap, or the home is part of what agents write.
    fn enclosed(&self, program: &Path, arguments: &[&str]) -> Option<Command> {
        let mut command = outside::bubblewrap_command()?;
        command.args(["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
        command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
        for folder in &self.surroundings.shut_out {
            let Ok(real) = fs::canonicalize(folder) else { continue };
            if fs::canonicalize(&self.surroundings.home).is_ok_and(|home| home.starts_with(&real)) {
                return None;
            }
            if real.is_dir() {
                command.args([OsStr::new("--tmpfs"), real.as_os_str()]);
            } else {
                command.args([OsStr::new("--ro-bind"), "/dev/null".as_ref(), real.as_os_str()]);
            }
        }
        command.args(["--chdir", EMPTY_FOLDER, "--"]).arg(program).args(arguments);
        Some(command)
    }

    /// What the program says within its time; nothing if it says nothing.
    fn run(&self, mut command: Command) -> Option<String> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().ok()?;
        let (sender, receiver) = mpsc::channel();
        let stdout = child.stdout.take()?;
        thread::spawn(move || sender.send(text_of(stdout)));
        let answer = receiver.recv_timeout(self.timeout).ok();
        self.is_late.fetch_or(answer.is_none(), Ordering::Relaxed);
        // Whatever it started ends with it.
        if let Ok(group) = i32::try_from(child.id()) {
            nix::sys::signal::killpg(Pid::from_raw(group), Signal::SIGKILL).ok();
        }
        child.wait().ok();
        answer
    }

    /// A file below the home folder, or where the user keeps settings instead.
    fn in_home(&self, file: &str) -> PathBuf {
        let moved = self.variable("XDG_CONFIG_HOME").filter(|folder| folder.starts_with('/'));
        match (file.strip_prefix(".config/"), moved) {
            (Some(rest), Some(folder)) => PathBuf::from(folder).join(rest),
            _ => self.surroundings.home.join(file),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        let set =
            self.surroundings.environment.iter().find(|(known, _)| known == OsStr::new(name))?;
        Some(set.1.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
    }
}

fn text_of(output: impl Read) -> String {
    let mut text = Vec::new();
    let result: io::Result<usize> = output.take(MAX_ANSWER_BYTES).read_to_end(&mut text);
    if result.is_ok() { String::from_utf8_lossy(&text).into_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::fs::PermissionsExt as _, time::Instant};

    use super::*;

    /// A home, a worktree and a folder of stand-in package managers.
    struct Scene {
        folder: tempfile::TempDir,
    }

    impl Scene {
        fn new() -> io::Result<Self> {
            let folder = tempfile::tempdir()?;
            for name in ["home", "worktree/bin", "bin"] {
                fs::create_dir_all(folder.path().join(name))?;
            }
            Ok(Self { folder })
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn program(&self, path: &str, script: &str) -> io::Result<()> {
            let path = self.path(path);
            fs::write(&path, format!("#!/bin/sh\n{script}\n"))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        }

        fn ask(&self) -> Registries {
            let folders = [self.path("worktree/bin"), self.path("bin")];
            let path = std::env::join_paths(folders).unwrap_or_default();
            let variable = |name: &str, value: &str| (name.into(), value.into());
            let registries = Registries::new(Surroundings {
                home: self.path("home"),
                environment: vec![
                    (OsString::from("PATH"), path),
                    variable("UV_INDEX", "https://uv.example/simple"),
                ],
                folder: self.path("state"),
                shut_out: vec![self.path("worktree")],
            });
            // A slow machine is no reason to fail.
            Registries { timeout: Duration::from_mins(1), ..registries }
        }
    }

    fn shown(named: &Named) -> Vec<String> {
        rules(named).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn managers_see_nothing_that_agents_write_and_change_nothing() -> io::Result<()> {
        let scene = Scene::new()?;
        let script = "cat {}/home/.npmrc 2>/dev/null || echo '{\"registry\": \"https://npm.example/\"}'\n\
                      : > {}/home/made";
        let script = script.replace("{}/", &format!("{}/", scene.folder.path().display()));
        scene.program("bin/npm", &format!("PATH=/usr/bin:/bin\n{script}"))?;
        fs::create_dir_all(scene.path("home/.cargo"))?;
        let evil = "[registries.own]\nindex = \"sparse+https://evil.example/\"\n";
        fs::write(scene.path("worktree/cargo"), evil)?;
        fs::write(scene.path("worktree/npmrc"), "https://evil.example/")?;
        let links =
            [("worktree/npmrc", "home/.npmrc"), ("worktree/cargo", "home/.cargo/config.toml")];
        for (target, link) in links {
            std::os::unix::fs::symlink(scene.path(target), scene.path(link))?;
        }
        assert_eq!(shown(&scene.ask().named()), ["npm.example", "uv.example"]);
        assert!(!scene.path("home/made").exists());
        Ok(())
    }

    #[test]
    fn a_request_for_a_host_starts_no_manager() -> Result<(), Box<dyn std::error::Error>> {
        let scene = Scene::new()?;
        scene.program("bin/go", "echo https://go.example")?;
        let (go, registries) = ("go.example".parse()?, scene.ask());
        assert!(registries.name(&"uv.example".parse()?), "it is written");
        assert!(!registries.name(&go), "go was not asked");
        registries.settle();
        assert!(registries.name(&go));
        scene.program("bin/go", "echo https://new.example")?;
        assert!(!registries.name(&"new.example".parse()?), "go is asked once");
        assert!(!scene.ask().name(&go), "another run asks anew, before its first agent");
        Ok(())
    }

    #[test]
    fn an_answer_is_kept_as_long_as_nothing_changes() -> Result<(), Box<dyn std::error::Error>> {
        let scene = Scene::new()?;
        scene.program("bin/go", "echo https://go.example")?;
        scene.ask().settle();
        let kept = fs::read_to_string(scene.path("state/registries.json"))?;
        fs::write(scene.path("state/registries.json"), kept.replace("go.example", "kept.example"))?;
        let named = |host: &str| -> Result<bool, Box<dyn std::error::Error>> {
            let registries = scene.ask();
            registries.settle();
            Ok(registries.name(&host.parse()?))
        };
        assert!(named("kept.example")? && !named("go.example")?);
        scene.program("bin/gem", "echo https://gem.example")?;
        assert!(named("gem.example")? && !named("kept.example")?);
        Ok(())
    }

    #[test]
    fn variables_that_lead_into_the_worktree_do_not_reach_managers() -> io::Result<()> {
        let scene = Scene::new()?;
        scene.program("bin/pip3", "cat $PIP_CONFIG_FILE")?;
        scene.program("bin/npm", "cat ${NODE_OPTIONS#--require }")?;
        for (place, host) in [("worktree", "evil"), ("home", "own")] {
            let file = |name: &str| scene.path(place).join(name);
            fs::write(file("pip"), format!("global.index-url='https://pip.{host}.example/'\n"))?;
            fs::write(file("npm"), format!("{{\"registry\": \"https://npm.{host}.example/\"}}"))?;
            let registries = scene.ask();
            let mut around = registries.surroundings.clone();
            around.environment.extend([
                ("PIP_CONFIG_FILE".into(), file("pip").into()),
                ("NODE_OPTIONS".into(), format!("--require {}", file("npm").display()).into()),
                ("PATH".into(), format!("{}:/bin:/usr/bin", scene.path("bin").display()).into()),
            ]);
            around.environment.remove(0);
            let registries = Registries { timeout: registries.timeout, ..Registries::new(around) };
            let named = shown(&registries.named());
            let is_there = named.contains(&format!("pip.{host}.example"))
                || named.contains(&format!("npm.{host}.example"));
            assert_eq!(is_there, place == "home", "{named:?}");
        }
        Ok(())
    }

    #[test]
    fn managers_name_their_hosts_from_outside_the_worktree() -> io::Result<()> {
        let scene = Scene::new()?;
        let npm = "[ -e package.json ] && exit 1; echo '{\"registry\": \"https://npm.example/\"}'";
        scene.program("bin/npm", npm)?;
        scene.program("bin/go", "echo 'https://go.example,direct'; echo sums.example")?;
        scene.program("bin/gem", "exit 3")?;
        scene.program("bin/pip3", "exit 0")?;
        scene.program("bin/python3", "echo https://index.example/simple https://files.example")?;
        fs::write(scene.path("worktree/package.json"), "{}")?;
        let registries = scene.ask();
        let expected = [
            "files.example",
            "go.example",
            "index.example",
            "npm.example",
            "sums.example",
            "uv.example",
        ];
        assert_eq!(shown(&registries.named()), expected);
        Ok(())
    }

    #[test]
    fn a_default_is_asked_for_only_if_nothing_is_set() -> io::Result<()> {
        let scene = Scene::new()?;
        scene.program("bin/pip3", "echo \"global.index-url='https://own.example/simple'\"")?;
        scene.program("bin/python3", "echo https://index.example/simple")?;
        assert_eq!(shown(&scene.ask().named()), ["own.example", "uv.example"]);
        Ok(())
    }

    #[test]
    fn programs_that_the_agent_could_have_written_are_never_started() -> io::Result<()> {
        let scene = Scene::new()?;
        let trap = "echo https://evil.example";
        scene.program("worktree/bin/go", trap)?;
        scene.program("worktree/bin/hidden", trap)?;
        std::os::unix::fs::symlink(scene.path("worktree/bin/hidden"), scene.path("bin/gem"))?;
        assert_eq!(shown(&scene.ask().named()), ["uv.example"]);
        Ok(())
    }

    #[test]
    fn a_manager_that_hangs_is_given_up_with_all_it_started() -> io::Result<()> {
        let scene = Scene::new()?;
        scene.program("bin/go", "/bin/sleep 600 & /bin/sleep 600")?;
        let began = Instant::now();
        let registries = Registries { timeout: Duration::from_millis(300), ..scene.ask() };
        assert_eq!(shown(&registries.named()), ["uv.example"]);
        assert!(registries.is_late.load(Ordering::Relaxed));
        assert!(began.elapsed() < Duration::from_mins(5));
        Ok(())
    }
}
