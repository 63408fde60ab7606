//! Which programs beside the system's are in a box: what `PATH` leads to, and toolchains below the home.
//!
//! Of an installation, known by its marks, everything is seen; of a known version manager what holds its programs; of
//! any other folder its programs and nothing that lies beside them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use super::{
    copy_files,
    machine::Machine,
    profile::Mount,
    request::SandboxRequest,
    system,
    toolchains::{INSTALLATIONS, MANAGERS, MARKS, Manager},
};
use crate::{outside::is_program, search_path::leads_through};

/// Variables that name whom TLS trusts: files and folders, several of them separated as in `PATH`.
pub(super) const CERTIFICATES: &[&str] = &[
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// Names of cargo's settings in its folder.
const OF_CARGO: [&str; 2] = ["config", "config.toml"];

/// Where people say where packages come from, below the home.
const OF_MANAGERS: [&str; 7] = [
    ".bunfig.toml",
    ".config/go/env",
    ".config/pip/pip.conf",
    ".config/pnpm/rc",
    ".config/uv/uv.toml",
    ".npmrc",
    ".pip/pip.conf",
];

/// Folders that only the system's packages fill.
const PACKAGED: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/sbin"];

/// So many programs of one folder are shown one by one.
const MOST: usize = 300;

/// Folders of the home in which tools and logins of everything lie side by side, whatever else is there.
const SHARED: &[&str] = &[".cache", ".config", ".local", ".local/share", ".local/state"];

/// Variables that move them.
const MOVED: &[&str] = &["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// The mounts for all programs that a process needs, never for a folder that holds the workspace, the home, ralph's own
/// state or what all tools share.
pub(super) fn mounts(machine: &Machine, home: &Path, request: &SandboxRequest) -> Vec<Mount> {
    let mut found = Found { agents: vec![request.workspace.clone()], ..Found::default() };
    found.toolchains(machine, home);
    let path = machine.variable("PATH").unwrap_or_default();
    let is_place = |place: &PathBuf| place.is_absolute() && place.is_dir();
    let places = std::env::split_paths(path).filter(is_place).map(straight);
    let places: Vec<PathBuf> = places.collect();
    for place in &places {
        found.place(place);
    }
    let mut candidates = places.iter().map(|place| place.join(&request.program));
    if let Some(program) = candidates.find(|candidate| candidate.is_file()) {
        found.program(&program);
    }
    let kept = kept(machine, home, request);
    let mut mounts = found.shown(|path| holds(path, &kept));
    let cargo = machine.variable("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.unwrap_or_else(|| home.join(".cargo"));
    let settings = OF_CARGO.iter().map(|name| cargo.join(name));
    let settings = settings.chain(OF_MANAGERS.iter().map(|name| home.join(name)));
    let settings = settings.filter(|file| file.is_file() && file.is_absolute());
    mounts.extend(settings.map(|file| copy_files::of_settings(file, &machine.cache)));
    mounts
}

/// A folder without a way up in its name: nothing can be mounted by such a one.
fn straight(place: PathBuf) -> PathBuf {
    let goes_up = place.components().any(|part| part == Component::ParentDir);
    if goes_up { fs::canonicalize(&place).unwrap_or(place) } else { place }
}

/// What is never seen as a whole, by no name.
fn kept(machine: &Machine, home: &Path, request: &SandboxRequest) -> Vec<PathBuf> {
    let shared = SHARED.iter().map(|name| home.join(name));
    let moved = MOVED.iter().filter_map(|name| machine.variable(name).map(PathBuf::from));
    let own = [home, &request.workspace, &machine.cache].map(Path::to_owned);
    let kept: Vec<PathBuf> =
        own.into_iter().chain(shared).chain(moved.filter(|it| it.is_absolute())).collect();
    let real = kept.iter().filter_map(|folder| fs::canonicalize(folder).ok());
    real.chain(kept.iter().cloned()).collect()
}

/// Whether something of that is at or below a path, or where the path leads.
fn holds(path: &Path, kept: &[PathBuf]) -> bool {
    let real = fs::canonicalize(path).unwrap_or_default();
    let is_above = |place: &Path| kept.iter().any(|folder| folder.starts_with(place));
    is_above(path) || (real.is_absolute() && is_above(&real))
}

/// What is to be shown so far.
#[derive(Default)]
struct Found {
    /// Where agents write: a link there leads to what they chose.
    agents: Vec<PathBuf>,
    paths: BTreeSet<PathBuf>,
    /// Links to programs, in folders that are not shown themselves.
    links: BTreeMap<PathBuf, PathBuf>,
}

impl Found {
    fn toolchains(&mut self, machine: &Machine, home: &Path) {
        let named = |name: &str| machine.variable(name).map(PathBuf::from);
        for manager in MANAGERS {
            let moved = named(manager.variable).filter(|folder| folder.is_absolute());
            for folder in [Some(home.join(manager.folder)), moved].into_iter().flatten() {
                self.manager(manager, &folder);
            }
        }
        let installations = INSTALLATIONS.iter().filter_map(|name| named(name));
        self.paths.extend(installations.filter(|it| it.is_absolute() && is_installation(it)));
        let certificates = CERTIFICATES.iter().filter_map(|name| machine.variable(name));
        let certificates = certificates.flat_map(std::env::split_paths);
        self.paths.extend(certificates.filter(|it| it.is_absolute() && it.exists()));
    }

    /// The parts of a version manager's folder that are there.
    fn manager(&mut self, manager: &Manager, folder: &Path) {
        let parts = manager.parts.iter().flat_map(|part| part_of(folder, part));
        self.paths.extend(parts.filter(|part| part.exists()));
    }

    /// A folder of programs.
    fn place(&mut self, place: &Path) {
        let is_packaged = PACKAGED.iter().any(|folder| place == Path::new(folder));
        if is_packaged || leads_through(place, &self.agents, &[]) {
            return;
        }
        // A version manager may be anywhere: in the home of root, in an image's own folder.
        for manager in MANAGERS.iter().filter(|manager| manager.folder.starts_with('.')) {
            if let Some(folder) = place.ancestors().find(|it| it.ends_with(manager.folder)) {
                self.manager(manager, folder);
            }
        }
        if let Some(whole) = install_of(&place.join("program")) {
            self.paths.insert(whole);
        }
        let entries: Vec<PathBuf> =
            fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        let programs: Vec<&PathBuf> = entries.iter().filter(|path| is_program(path)).collect();
        let has_only_programs = programs.len() == entries.len();
        if has_only_programs {
            self.paths.insert(place.to_owned());
        }
        for program in programs.into_iter().take(MOST) {
            let is_link = program.is_symlink();
            if is_link || !has_only_programs {
                self.program(program);
            }
        }
    }

    /// A program, with its installation if it has one.
    fn program(&mut self, program: &Path) {
        if leads_through(program, &self.agents, &[]) {
            return;
        }
        let Ok(real) = fs::canonicalize(program) else { return };
        // Itself too: an installation that holds the workspace is not shown.
        self.paths.extend(install_of(&real).into_iter().chain([real.clone()]));
        if real != program {
            // A link stays one: many programs look for their own beside what they are called by in truth.
            self.links.insert(program.to_owned(), real);
        }
    }

    /// Sorted: a folder comes before what lies in it and is seen with it.
    fn shown(self, holds: impl Fn(&Path) -> bool) -> Vec<Mount> {
        let mut shown: Vec<PathBuf> = Vec::new();
        let is_seen = |path: &Path, shown: &[PathBuf]| {
            system::is_seen(path) || shown.iter().any(|folder| path.starts_with(folder))
        };
        for path in self.paths {
            if !is_seen(&path, &shown) && !holds(&path) {
                shown.push(path);
            }
        }
        let links = self.links.into_iter().filter(|(at, _)| !is_seen(at, &shown) && !holds(at));
        let links: Vec<Mount> = links.map(|(at, to)| Mount::Link { to, at }).collect();
        shown.into_iter().map(Mount::shown).chain(links).collect()
    }
}

/// The part of a manager's folder; with a star, each folder that has such a mark.
fn part_of(folder: &Path, part: &str) -> Vec<PathBuf> {
    match part.strip_prefix("*/") {
        _ if part == "." => vec![folder.to_owned()],
        None => vec![folder.join(part)],
        Some(mark) => {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| path.join(mark).exists()).collect()
        }
    }
}

/// The installation that a program is of, as far as its marks tell.
fn install_of(program: &Path) -> Option<PathBuf> {
    let modules =
        program.components().position(|part| part == Component::Normal("node_modules".as_ref()));
    if let Some(position) = modules {
        return Some(program.components().take(position + 1).collect());
    }
    let folder = program.parent()?;
    let whole = if folder.ends_with("bin") { folder.parent()? } else { folder };
    is_installation(whole).then(|| whole.to_owned())
}

/// Whether everything in a folder is one installation.
fn is_installation(folder: &Path) -> bool {
    folder.parent().is_some() && MARKS.iter().any(|mark| folder.join(mark).exists())
}

#[cfg(test)]
mod tests {
    use std::{
        ffi::OsString,
        io,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::*;

    struct Case {
        _folder: tempfile::TempDir,
        home: PathBuf,
    }

    impl Case {
        fn new(files: &[&str]) -> io::Result<Self> {
            let folder = tempfile::tempdir()?;
            let home = fs::canonicalize(folder.path())?.join("home");
            fs::create_dir_all(&home)?;
            let case = Self { _folder: folder, home };
            for name in files {
                let path = case.home.join(name.trim_start_matches('!'));
                fs::create_dir_all(path.parent().unwrap_or(&case.home))?;
                fs::write(&path, "")?;
                let mode = if name.starts_with('!') { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
            }
            Ok(case)
        }

        fn machine(&self, places: &[&str]) -> Machine {
            let places = places.iter().map(|place| self.home.join(place));
            let path = std::env::join_paths(places).unwrap_or_default();
            Machine {
                home: self.home.clone(),
                ralph: PathBuf::new(),
                cache: self.home.join("cache"),
                environment: vec![(OsString::from("PATH"), path)],
                git_settings: String::new(),
                shut_out: Vec::new(),
            }
        }

        /// What is shown with these folders in `PATH`, by names below the home.
        fn shown(&self, places: &[&str], program: &str) -> Vec<String> {
            let machine = self.machine(places);
            let sandbox_request = SandboxRequest {
                workspace: self.home.join("work"),
                program: program.into(),
                ..SandboxRequest::default()
            };
            let name = |mount: &Mount| {
                mount.at().strip_prefix(&self.home).map(|name| name.display().to_string())
            };
            mounts(&machine, &self.home, &sandbox_request).iter().flat_map(name).collect()
        }
    }

    #[test]
    fn a_link_to_a_program_shows_the_program_and_nothing_beside_it() -> io::Result<()> {
        let case = Case::new(&["!projects/a/other/t.sh", "projects/a/other/.env"])?;
        fs::create_dir_all(case.home.join(".local/bin"))?;
        symlink("../../projects/a/other/t.sh", case.home.join(".local/bin/t"))?;
        let shown = case.shown(&[".local/bin"], "t");
        assert_eq!(shown, [".local/bin", "projects/a/other/t.sh"]);
        Ok(())
    }

    #[test]
    fn what_a_link_in_the_workspace_leads_to_is_not_shown() -> io::Result<()> {
        let case =
            Case::new(&["!work/bin/own", "!private/deploy", "!inst/bin/py", "inst/pyvenv.cfg"])?;
        let link = |to: &str, at: &str| symlink(case.home.join(to), case.home.join(at));
        link("private/deploy", "work/bin/deploy")?;
        link("inst/bin/py", "work/bin/py")?;
        link("private", "work/place")?;
        fs::create_dir_all(case.home.join("tools"))?;
        link("work/bin/deploy", "tools/deploy")?;
        link("work/bin", "linked")?;
        let places = ["work/bin", "work/place", "tools", "linked"];
        assert_eq!(case.shown(&places, "deploy"), ["tools"]);
        Ok(())
    }

    #[test]
    fn of_a_folder_with_more_than_programs_only_the_programs_are_shown() -> io::Result<()> {
        let case =
            Case::new(&["!scripts/deep/down/bin/run", "scripts/deep/down/bin/.env", "x/.env"])?;
        symlink("../../../../x/.env", case.home.join("scripts/deep/down/bin/link"))?;
        assert_eq!(case.shown(&["scripts/deep/down/bin"], "run"), ["scripts/deep/down/bin/run"]);
        Ok(())
    }

    #[test]
    fn an_installation_is_shown_whole_and_known_by_its_marks() -> io::Result<()> {
        let case = Case::new(&[
            "!venv/bin/pytest",
            "venv/pyvenv.cfg",
            "miniconda3/conda-meta/x",
            "!miniconda3/bin/python",
            "!tools/node_modules/x/cli.js",
        ])?;
        fs::create_dir_all(case.home.join("bin"))?;
        symlink("../tools/node_modules/x/cli.js", case.home.join("bin/x"))?;
        assert_eq!(
            case.shown(&["venv/bin", "miniconda3/bin", "bin"], "x"),
            ["bin", "miniconda3", "tools/node_modules", "venv"]
        );
        Ok(())
    }

    #[test]
    fn what_all_tools_share_is_no_installation_whatever_marks_it_has() -> io::Result<()> {
        for mark in MARKS {
            let case = Case::new(&[
                "!.local/bin/node",
                &format!(".local/{mark}/x"),
                ".local/share/keyrings/login.keyring",
                "!.config/bin/run",
                &format!(".config/{mark}/x"),
                ".config/gh/hosts.yml",
            ])?;
            symlink(case.home.join(".local"), case.home.join("alias"))?;
            let shown = case.shown(&[".local/bin", ".config/bin", "alias/bin"], "node");
            let is_program = |name: &String| {
                format!("{name}/").contains("/bin/") || name.starts_with(".local/lib")
            };
            assert!(shown.iter().all(is_program), "{mark}: {shown:?}");
        }
        Ok(())
    }

    #[test]
    fn a_folder_above_the_home_in_path_shows_its_programs_by_their_own_names() -> io::Result<()> {
        let case = Case::new(&["inner/home/x"])?;
        fs::write(case.home.join("inner/tool"), "")?;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(case.home.join("inner/tool"), executable)?;
        let home = case.home.join("inner/home");
        let sandbox_request = SandboxRequest {
            workspace: home.join("work"),
            program: "tool".into(),
            ..SandboxRequest::default()
        };
        let mounts = mounts(&case.machine(&["inner/home/.."]), &home, &sandbox_request);
        let shown: Vec<&PathBuf> = mounts.iter().map(Mount::at).collect();
        assert_eq!(shown, [&case.home.join("inner/tool")]);
        Ok(())
    }

    #[test]
    fn a_variable_that_names_a_shared_folder_shows_nothing_of_it() -> io::Result<()> {
        let case = Case::new(&[".local/share/keyrings/login.keyring", ".config/gh/hosts.yml"])?;
        let kept = case.home.join(".local");
        for (name, value) in [("HOMEBREW_PREFIX", kept.clone()), ("SSL_CERT_DIR", kept.clone())] {
            let machine = Machine {
                environment: vec![(OsString::from(name), value.into_os_string())],
                ..case.machine(&[])
            };
            let sandbox_request =
                SandboxRequest { workspace: case.home.join("work"), ..SandboxRequest::default() };
            let mounts = mounts(&machine, &case.home, &sandbox_request);
            assert!(mounts.is_empty(), "{name}: {mounts:?}");
        }
        Ok(())
    }

    #[test]
    fn a_version_manager_in_path_is_known_by_its_name_wherever_it_is() -> io::Result<()> {
        let case = Case::new(&[
            "!img/.pyenv/shims/python3",
            "!img/.pyenv/libexec/pyenv",
            "img/.pyenv/versions/3/x",
            "img/.pyenv/.git/config",
        ])?;
        let shown = ["img/.pyenv/libexec", "img/.pyenv/shims", "img/.pyenv/versions"];
        assert_eq!(case.shown(&["img/.pyenv/shims"], "python3"), shown);
        Ok(())
    }

    #[test]
    fn version_managers_are_shown_without_their_logins() -> io::Result<()> {
        let case = Case::new(&[
            ".local/share/uv/credentials/credentials.toml",
            ".local/share/uv/tools/ruff/pyvenv.cfg",
            ".dotnet/corefx/cryptography/x509stores/my/key.pfx",
            ".dotnet/sdk/8/x",
            ".cargo/credentials.toml",
            ".cargo/config.toml",
            "!.cargo/bin/cargo",
            ".opam/default/.opam-switch/x",
            ".opam/log/x",
        ])?;
        let shown = case.shown(&[], "x");
        assert_eq!(
            shown,
            [
                ".cargo/bin",
                ".dotnet/sdk",
                ".local/share/uv/tools",
                ".opam/default",
                ".cargo/config.toml"
            ]
        );
        Ok(())
    }
}
