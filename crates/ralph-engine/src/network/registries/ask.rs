//! Asks the package managers, all at once and each for a short time, when somebody first needs their answer. It is kept
//! for the run, and on disk for the next one.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    fs,
    io::{self, Read},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{OnceLock, mpsc},
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
use crate::search_path;

/// Longest time for one answer. Some start an interpreter first, which takes its time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of one answer.
const LONGEST: u64 = 1 << 20;

/// Where the package managers are found, and the user's environment for them.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub home: PathBuf,
    /// The user's whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// A folder of the user's own, below which they are asked: they look for settings in every folder above theirs,
    /// and anybody can write to the system's folder for temporary files.
    pub folder: PathBuf,
    /// What the agent can write: no program from there is started.
    pub shut_out: Vec<PathBuf>,
}

/// The hosts that the package managers name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// The hosts of each manager.
    pub hosts: BTreeMap<&'static str, BTreeSet<HostRule>>,
    /// Managers that are there and named nothing in time.
    pub silent: BTreeSet<&'static str>,
}

impl Named {
    /// All hosts, each once.
    pub fn rules(&self) -> Vec<HostRule> {
        let all: BTreeSet<&HostRule> = self.hosts.values().flatten().collect();
        all.into_iter().cloned().collect()
    }

    fn add(&mut self, manager: &'static str, hosts: Vec<HostRule>) {
        if !hosts.is_empty() {
            self.hosts.entry(manager).or_default().extend(hosts);
        }
    }
}

/// The package managers of one run.
#[derive(Debug)]
pub struct Registries {
    surroundings: Surroundings,
    patience: Duration,
    /// What the user's own files and variables name: nothing is started for it.
    written: OnceLock<Named>,
    kept: OnceLock<Vec<HostRule>>,
    named: OnceLock<Named>,
}

impl Registries {
    pub fn new(surroundings: Surroundings) -> Self {
        Self {
            surroundings,
            patience: PATIENCE,
            written: OnceLock::new(),
            kept: OnceLock::new(),
            named: OnceLock::new(),
        }
    }

    /// Whether they name this host. They are asked only if neither the user's files nor their last answer has it, so
    /// that an old answer keeps nobody from what is new.
    pub fn name(&self, host: &Host) -> bool {
        let has = |rules: &[HostRule]| rules.iter().any(|rule| rule.allows(host));
        has(&self.written.get_or_init(|| self.written()).rules())
            || has(self.kept.get_or_init(|| kept::read(&self.place(), &self.key())))
            || has(&self.named().rules())
    }

    /// Whether a person wrote this host into the settings of package managers, or into their variables. Every address
    /// there counts: whether it can be reached at all is not decided by this.
    pub fn are_written(&self, host: &Host) -> bool {
        let files =
            FILES.iter().map(|(_, file, _)| *file).chain(READ_BY.iter().map(|(_, file)| *file));
        let files = files.map(|file| self.in_home(file));
        let cargo = ["config.toml", "config"].map(|name| self.cargo_home().join(name));
        let files = files.chain(cargo).filter(|file| !self.is_shut_out(file));
        let files = files.filter_map(|file| fs::read_to_string(file).ok());
        let variables = VARIABLES.iter().filter_map(|(_, name)| self.variable(name));
        let mut texts = variables.chain(files);
        texts.any(|text| read::urls(&text).iter().any(|rule| rule.allows(host)))
    }

    /// What they name; asked the first time only.
    pub fn named(&self) -> &Named {
        self.named.get_or_init(|| {
            let named = self.ask();
            kept::write(&self.place(), &self.key(), &named.rules());
            named
        })
    }

    /// Where the last answer is kept.
    fn place(&self) -> PathBuf {
        self.surroundings.folder.join(kept::FILE)
    }

    /// What an answer depends on: the programs, the files they read, and the environment.
    fn key(&self) -> String {
        let programs = QUESTIONS.iter().map(|one| self.find(one.program));
        let files = READ_BY.iter().map(|(_, file)| self.in_home(file));
        kept::key(programs.flatten(), files, &self.surroundings.environment)
    }

    fn written(&self) -> Named {
        let mut named = Named::default();
        for (manager, variable) in VARIABLES {
            named.add(
                manager,
                self.variable(variable).map(|text| read::urls(&text)).unwrap_or_default(),
            );
        }
        for (manager, file, read) in FILES {
            let place = self.in_home(file);
            if !self.is_shut_out(&place) {
                named.add(manager, read(&fs::read_to_string(place).unwrap_or_default()));
            }
        }
        named.add("cargo", cargo::hosts(&self.cargo_home(), |file| !self.is_shut_out(file)));
        named
    }

    fn cargo_home(&self) -> PathBuf {
        let moved = self.variable("CARGO_HOME").map(PathBuf::from);
        moved.unwrap_or_else(|| self.surroundings.home.join(".cargo"))
    }

    fn ask(&self) -> Named {
        let mut named = self.written();
        let own = &self.surroundings.folder;
        let made = fs::create_dir_all(own).and_then(|()| tempfile::tempdir_in(own));
        let Ok(folder) = made else { return named };
        self.round(QUESTIONS.iter().filter(|one| !one.is_fallback), folder.path(), &mut named);
        let is_open = |one: &&Question| one.is_fallback && !named.hosts.contains_key(one.manager);
        let open: Vec<&Question> = QUESTIONS.iter().filter(is_open).collect();
        self.round(open.into_iter(), folder.path(), &mut named);
        let Named { hosts, silent } = &mut named;
        silent.retain(|manager| !hosts.contains_key(manager));
        named
    }

    /// Asks these questions at once.
    fn round<'a>(
        &self,
        questions: impl Iterator<Item = &'a Question>,
        folder: &Path,
        named: &mut Named,
    ) {
        let found =
            questions.filter_map(|one| self.find(one.program).map(|program| (one, program)));
        let found: Vec<_> = found.filter(|(one, _)| !self.is_misled(one.manager)).collect();
        let answers: Vec<_> = thread::scope(|scope| {
            let asked: Vec<_> = found
                .iter()
                .map(|(one, program)| {
                    (*one, scope.spawn(|| self.run(program, one.arguments, folder)))
                })
                .collect();
            asked
                .into_iter()
                .map(|(one, answer)| (one, answer.join().unwrap_or_default()))
                .collect()
        });
        for (question, answer) in answers {
            named.silent.insert(question.manager);
            named.add(question.manager, (question.read)(&answer));
        }
    }

    /// What the program says within its time; nothing if it says nothing.
    fn run(&self, program: &Path, arguments: &[&str], folder: &Path) -> String {
        let environment = self.surroundings.environment.iter();
        let environment = environment.filter(|(_, value)| !self.names_shut_out(value, folder));
        let started = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(environment.map(|(name, value)| (name, value)))
            .env("PATH", self.path())
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        let Ok(mut child) = started else { return String::new() };
        let (sender, receiver) = mpsc::channel();
        let Some(stdout) = child.stdout.take() else { return String::new() };
        thread::spawn(move || sender.send(text_of(stdout)));
        let answer = receiver.recv_timeout(self.patience).unwrap_or_default();
        // Whatever it started ends with it.
        if let Ok(group) = i32::try_from(child.id()) {
            nix::sys::signal::killpg(Pid::from_raw(group), Signal::SIGKILL).ok();
        }
        child.wait().ok();
        answer
    }

    /// `PATH` without folders that an agent could write: most managers are scripts, and find their interpreter there.
    fn path(&self) -> OsString {
        let path = self.surroundings.environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, path)| path.as_os_str()).unwrap_or_default();
        search_path::outside(path, &self.surroundings.shut_out)
    }

    /// The program in `PATH`, unless the agent could have put it there.
    fn find(&self, program: &str) -> Option<PathBuf> {
        let path = self.path();
        let mut programs = std::env::split_paths(&path).map(|folder| folder.join(program));
        programs.find(|program| is_executable(program) && !self.is_shut_out(program))
    }

    /// Whether the way to a file, links included, leads through what the agent can write.
    fn is_shut_out(&self, file: &Path) -> bool {
        search_path::leads_through(file, &self.surroundings.shut_out)
    }

    /// Whether a variable names, alone or among other words, a file that the agent can write: settings, or code.
    fn names_shut_out(&self, value: &OsStr, folder: &Path) -> bool {
        let value = value.to_string_lossy();
        let mut words = value.split([':', ';', ',', '=', ' ']).filter(|word| !word.is_empty());
        words.any(|word| self.is_shut_out(&folder.join(word)))
    }

    /// Whether a file of the user's that the manager reads leads to what is shut out.
    fn is_misled(&self, manager: &str) -> bool {
        let mut files = READ_BY.iter().filter(|(by, _)| *by == manager);
        files.any(|(_, file)| self.is_shut_out(&self.in_home(file)))
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

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn text_of(output: impl Read) -> String {
    let mut text = Vec::new();
    let result: io::Result<usize> = output.take(LONGEST).read_to_end(&mut text);
    if result.is_ok() { String::from_utf8_lossy(&text).into_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

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
            Registries { patience: Duration::from_mins(1), ..registries }
        }
    }

    fn shown(named: &Named) -> Vec<String> {
        named.rules().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_manager_whose_settings_lead_into_the_worktree_is_not_asked() -> io::Result<()> {
        let scene = Scene::new()?;
        scene.program("bin/npm", "echo '{\"registry\": \"https://npm.example/\"}'")?;
        fs::create_dir_all(scene.path("home/.cargo"))?;
        let evil = "[registries.own]\nindex = \"sparse+https://evil.example/\"\n";
        fs::write(scene.path("worktree/cargo"), evil)?;
        let links =
            [("worktree/npmrc", "home/.npmrc"), ("worktree/cargo", "home/.cargo/config.toml")];
        for (target, link) in links {
            std::os::unix::fs::symlink(scene.path(target), scene.path(link))?;
        }
        assert_eq!(shown(scene.ask().named()), ["uv.example"]);
        for (_, link) in links {
            fs::remove_file(scene.path(link))?;
        }
        assert_eq!(shown(scene.ask().named()), ["npm.example", "uv.example"]);
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
            let mut registries = scene.ask();
            registries.surroundings.environment.extend([
                ("PIP_CONFIG_FILE".into(), file("pip").into()),
                ("NODE_OPTIONS".into(), format!("--require {}", file("npm").display()).into()),
                ("PATH".into(), format!("{}:/bin:/usr/bin", scene.path("bin").display()).into()),
            ]);
            registries.surroundings.environment.remove(0);
            let named = shown(registries.named());
            let is_there = named.contains(&format!("pip.{host}.example"))
                || named.contains(&format!("npm.{host}.example"));
            assert_eq!(is_there, place == "home", "{named:?}");
        }
        Ok(())
    }

    #[test]
    fn managers_name_their_hosts_from_outside_the_worktree() -> io::Result<()> {
        let scene = Scene::new()?;
        let count = scene.path("count");
        let npm = format!(
            "echo x >> {}; [ -e package.json ] && exit 1; echo '{{\"registry\": \"https://npm.example/\"}}'",
            count.display()
        );
        scene.program("bin/npm", &npm)?;
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
        assert_eq!(shown(registries.named()), expected);
        assert_eq!(registries.named().silent.iter().collect::<Vec<_>>(), [&"gem"]);
        registries.named();
        assert_eq!(fs::read_to_string(count)?, "x\n");
        Ok(())
    }

    #[test]
    fn a_default_is_asked_for_only_if_nothing_is_set() -> io::Result<()> {
        let scene = Scene::new()?;
        scene.program("bin/pip3", "echo \"global.index-url='https://own.example/simple'\"")?;
        scene.program("bin/python3", "echo https://index.example/simple")?;
        assert_eq!(shown(scene.ask().named()), ["own.example", "uv.example"]);
        Ok(())
    }

    #[test]
    fn programs_that_the_agent_could_have_written_are_never_started() -> io::Result<()> {
        let scene = Scene::new()?;
        let trap = format!("touch {}; echo https://evil.example", scene.path("sprung").display());
        scene.program("worktree/bin/go", &trap)?;
        scene.program("worktree/bin/hidden", &trap)?;
        std::os::unix::fs::symlink(scene.path("worktree/bin/hidden"), scene.path("bin/gem"))?;
        assert_eq!(shown(scene.ask().named()), ["uv.example"]);
        assert!(!scene.path("sprung").exists());
        Ok(())
    }

    #[test]
    fn a_manager_that_hangs_is_given_up_with_all_it_started() -> io::Result<()> {
        let scene = Scene::new()?;
        scene.program("bin/go", "/bin/sleep 600 & /bin/sleep 600")?;
        let began = Instant::now();
        let registries = Registries { patience: Duration::from_millis(300), ..scene.ask() };
        assert_eq!(registries.named().silent.iter().collect::<Vec<_>>(), [&"go"]);
        assert!(began.elapsed() < Duration::from_mins(5));
        Ok(())
    }
}
