//! `ralph doctor`: checks everything a run needs and says what to type where something is missing.

use std::path::Path;

use ralph_core::{agent_facts::short_name, settings::Layer};
use ralph_engine::{git::Repository, trust::Standing};
use serde::Serialize;

use crate::{
    context::{Block, Context, Entry, Line, Sign, Tone, answer_json, variable},
    diagnostics::CommandError,
    exit,
    session::{
        access::Access,
        agents::{self, Asked, Found},
        enclosure, installed,
        probe::{self, GitState},
        programs::{self, Missing},
        project::Project,
        trust,
    },
    words,
};

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Health {
    Ok,
    /// Works, but a person should know.
    Warning,
    /// A run cannot start.
    Bad,
}

/// One check and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) health: Health,
    pub(crate) detail: String,
    /// What to type.
    pub(crate) fix: Option<String>,
    #[serde(skip)]
    exit: u8,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Ok, detail: detail.into(), fix: None, exit: exit::DONE }
    }

    fn warning(name: &'static str, detail: impl Into<String>, fix: &str) -> Self {
        Self { health: Health::Warning, fix: Some(fix.into()), ..Self::ok(name, detail) }
    }

    fn bad(name: &'static str, detail: impl Into<String>, fix: &str, exit: u8) -> Self {
        Self { health: Health::Bad, exit, ..Self::warning(name, detail, fix) }
    }

    fn failed(name: &'static str, error: &CommandError) -> Self {
        let detail = [vec![error.to_string()], error.why()].concat().join("; ");
        Self::bad(name, detail, &error.help(), error.exit_code())
    }
}

#[derive(Serialize)]
struct Report<'a> {
    v: u32,
    version: &'a str,
    checks: &'a [Check],
}

/// Runs `ralph doctor`.
pub(crate) fn exec(context: &Context) -> Result<u8, CommandError> {
    let folder = &context.project_dir;
    let path = variable("PATH");
    let opened = Project::open(context, &[]);
    let project = opened.as_ref().ok();
    let mut checks = vec![git(folder)];
    checks.push(identity(folder));
    checks.push(repository(&probe::git_state(folder)));
    checks.extend(project.and_then(writable));
    let found = agents::built_in(folder, path.as_deref(), Asked::VersionAndLogin);
    checks.extend(agents(&found, &named_agent(project, path.as_deref())));
    checks.push(settings(&opened));
    checks.extend(project.and_then(filters));
    checks.extend(project.and_then(servers));
    checks.extend(trusted(folder));
    checks.push(sandbox(project));
    checks.push(other_ralph(path.as_deref()));
    checks.extend(pid_namespaces());
    if context.json {
        answer_json(&Report { v: 1, version: env!("CARGO_PKG_VERSION"), checks: &checks })?;
    } else {
        context.answer(&render(&checks))?;
    }
    Ok(code(&checks))
}

/// The gravest of the bad ones, in the documented order.
fn code(checks: &[Check]) -> u8 {
    let bad: Vec<u8> = checks.iter().map(|check| check.exit).collect();
    [exit::REFUSED, exit::WORKSPACE, exit::AGENT, exit::USAGE]
        .into_iter()
        .find(|code| bad.contains(code))
        .unwrap_or(exit::DONE)
}

fn render(checks: &[Check]) -> Block {
    let mut block = Vec::new();
    for check in checks {
        let sign = match check.health {
            Health::Ok => Sign::Ok,
            Health::Warning => Sign::Warning,
            Health::Bad => Sign::Bad,
        };
        let lead = Line::signed(sign).add(Tone::Bold, format!("{:<11}", check.name));
        block.push(Entry::Wrapped {
            lead,
            indent: 13,
            tone: Tone::Plain,
            text: check.detail.clone(),
        });
        if let Some(fix) = &check.fix {
            let lead = Line::new().add(Tone::Accent, "             help: ");
            block.push(Entry::Wrapped { lead, indent: 19, tone: Tone::Plain, text: fix.clone() });
        }
    }
    let bad = checks.iter().filter(|c| c.health == Health::Bad).count();
    let end = match bad {
        0 => "ready to run".into(),
        n => format!("{} to fix before a run can start", words::count(n as u64, "problem")),
    };
    block.push(Entry::text(0, Tone::Bold, end));
    block
}

fn git(folder: &Path) -> Check {
    let install = "install git 2.39 or newer, and put it on PATH";
    match ralph_engine::git::version(folder) {
        None => Check::bad("git", "not found", install, exit::WORKSPACE),
        Some(version) if is_older(&version, (2, 39)) => {
            let detail = format!("{version} is too old");
            Check::bad("git", detail, install, exit::WORKSPACE)
        }
        Some(version) => Check::ok("git", version),
    }
}

fn is_older(version: &str, than: (u32, u32)) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    found < than
}

fn identity(folder: &Path) -> Check {
    let (name, mail) = ralph_engine::git::identity(folder);
    let name = variable("GIT_AUTHOR_NAME").or(name);
    let mail = variable("GIT_AUTHOR_EMAIL").or(mail);
    match (name, mail) {
        (Some(name), Some(mail)) => Check::ok("identity", format!("{name} <{mail}>")),
        _ => Check::bad(
            "identity",
            "git has no name and email to commit with",
            "git config --global user.name \"…\" and git config --global user.email \"…\"",
            exit::WORKSPACE,
        ),
    }
}

fn repository(state: &GitState) -> Check {
    let name = "repository";
    let detail = super::init::git_words(state);
    match state {
        GitState::Missing => {
            Check::bad(name, "unknown without git", "install git", exit::WORKSPACE)
        }
        GitState::Refused { why, help } => Check::bad(name, why, help, exit::WORKSPACE),
        GitState::NoRepository => {
            Check::bad(name, detail, "git init, or name the project with -C", exit::WORKSPACE)
        }
        GitState::Bare => {
            Check::bad(name, detail, "clone it and run ralph in the clone", exit::WORKSPACE)
        }
        GitState::Repository { has_commits: false, .. } => Check::bad(
            name,
            detail,
            "git add -A && git commit -m \"first commit\"",
            exit::WORKSPACE,
        ),
        GitState::Repository { branch: None, .. } => {
            Check::bad(name, detail, "git switch <branch>", exit::WORKSPACE)
        }
        GitState::Repository { changed: 1.., .. } => Check::warning(
            name,
            detail,
            "commit your changes, or start with --wip, --stash or --worktree",
        ),
        GitState::Repository { .. } => Check::ok(name, detail),
    }
}

/// Whether a run could write here.
fn writable(project: &Project) -> Option<Check> {
    let detail = format!("{} cannot be written to", project.repository.root().display());
    let fix =
        "check the owner and the permissions of the folder and of its .git, and how it is mounted";
    (!project.repository.is_writable())
        .then(|| Check::bad("repository", detail, fix, exit::WORKSPACE))
}

/// Servers that the project names for an agent that ralph cannot give any.
fn servers(project: &Project) -> Option<Check> {
    let own = project.layout.views().join("mcp/coding.json");
    let agent = short_name(&project.resolved.settings.agent.command);
    let is_given = ralph_agents::abilities().get(&agent).is_some_and(|one| one.can_compact);
    (own.is_file() && !is_given).then(|| {
        let detail =
            format!(".ralph/mcp/coding.json has no effect: ralph can give {agent} no MCP servers");
        Check::warning("mcp", detail, "configure them in the agent's own settings")
    })
}

/// The agents that the settings name, as far as they can be read.
enum Named {
    Nobody,
    Present(String),
    Missing(CommandError),
}

fn named_agent(project: Option<&Project>, path: Option<&str>) -> Named {
    let Some(project) = project else { return Named::Nobody };
    let settings = &project.resolved.settings;
    let root = project.repository.root();
    let origin = project.resolved.origins.get("agent.command");
    let is_named = origin.is_some_and(|origin| origin.layer != Layer::BuiltIn);
    let checked = if is_named {
        installed::check_named(settings, root, path)
    } else {
        installed::check_listed(settings, root, path)
    };
    match checked {
        Ok(()) if is_named => Named::Present(settings.agent.command.clone()),
        Ok(()) => Named::Nobody,
        Err(error) => Named::Missing(error),
    }
}

fn agents(found: &[Found], wanted: &Named) -> Vec<Check> {
    let mut installed: Vec<String> = found.iter().filter_map(Found::with_version).collect();
    match wanted {
        Named::Missing(error) => {
            return vec![Check::bad("agents", error.to_string(), &error.help(), exit::AGENT)];
        }
        Named::Present(name) if found.iter().all(|one| one.name != *name) => {
            installed.insert(0, format!("{name}, named by the settings"));
        }
        Named::Present(_) | Named::Nobody => {}
    }
    if installed.is_empty() {
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        return vec![Check::bad(
            "agents",
            format!("none of {} is installed", words::list(&names)),
            "install one of them, or name another program as agent.command in .ralph/settings.toml",
            exit::AGENT,
        )];
    }
    let mut checks = vec![Check::ok("agents", installed.join("   "))];
    let expired = found.iter().filter(|one| one.access == Some(Access::ExpiredLogin));
    checks.extend(expired.map(|one| {
        let words = format!("{}: login expired", one.name);
        Check::warning("agents", words, &Access::help(&one.name, &one.facts))
    }));
    checks.extend(found.iter().filter_map(Found::drift_words).map(|words| {
        let fix = "no action needed as long as it works; ralph agents lists the tested versions";
        Check::warning("agents", words, fix)
    }));
    checks
}

/// Whether all layers of settings can be read.
fn settings(opened: &Result<Project, CommandError>) -> Check {
    let name = "settings";
    match opened {
        Ok(project) if project.resolved.settings.gate.is_empty() => Check::warning(
            name,
            "no gates: only tasks whose criteria all have a check can be proved",
            if project.layout.views().join("settings.toml").is_file() {
                "add a [[gate]] to .ralph/settings.toml"
            } else {
                "ralph init finds the gates of this project"
            },
        ),
        Ok(project) => gates(project),
        // The repository has a check of its own.
        Err(error) if error.exit_code() == exit::WORKSPACE => {
            Check::warning(name, "not checked without a repository", "git init")
        }
        Err(error) => Check::failed(name, error),
    }
}

/// The gates, and whether their programs are here.
fn gates(project: &Project) -> Check {
    let settings = &project.resolved.settings;
    let missing = programs::missing_here(project);
    let detail = missing.iter().map(Missing::words).collect::<Vec<_>>().join("; ");
    let name = "settings";
    match missing.first() {
        None => Check::ok(name, words::count_of(&settings.gate, "gate")),
        Some(first) if missing.iter().any(|one| one.is_hard) => {
            Check::bad(name, detail, first.help(), exit::USAGE)
        }
        Some(first) => Check::warning(name, detail, first.help()),
    }
}

/// What keeps git from looking at the files of this repository, if anything does.
fn filters(project: &Project) -> Option<Check> {
    let error = project.repository.check_filters().err()?;
    Some(Check::bad("filters", error.to_string(), &error.help(), exit::WORKSPACE))
}

/// Agent configuration that the repository brings, if any.
fn trusted(folder: &Path) -> Option<Check> {
    let repository = Repository::discover(folder).ok()?;
    let standing = trust::standing(&repository);
    let words = [standing.words()?].into_iter().chain(trust::unheld(&standing));
    let words = words.collect::<Vec<_>>().join("; ");
    Some(match standing {
        Standing::Trusted(_) => Check::ok("trust", words),
        _ => Check::warning("trust", words, "ralph trust shows what it does and asks you"),
    })
}

/// What would keep the agents of a run in, tried for real.
fn sandbox(project: Option<&Project>) -> Check {
    let name = "sandbox";
    let settings = project.map(|project| &project.resolved.settings);
    let tried = enclosure::tried(&settings.map(|all| all.sandbox.clone()).unwrap_or_default());
    let furnished = tried.map(|chosen| match project.zip(settings) {
        Some((project, all)) => enclosure::furnished(project, chosen, all.gates.room),
        None => chosen,
    });
    match furnished {
        Ok(chosen) if chosen.isolation.is_isolated() => {
            let version = chosen
                .backend
                .version()
                .map_or(String::new(), |version| format!("; version {version}"));
            Check::ok(name, chosen.isolation.guarantee + &version)
        }
        Ok(chosen) => {
            let fix = "remove sandbox.mode = \"off\", RALPH_SANDBOX=off or --sandbox=off to isolate agents";
            Check::warning(name, chosen.isolation.guarantee, fix)
        }
        Err(error) => Check::failed(name, &error),
    }
}

/// A program of the same name that a shell would start instead of this one.
fn other_ralph(path: Option<&str>) -> Check {
    let name = "ralph";
    let this = std::env::current_exe().and_then(|exe| exe.canonicalize()).ok();
    let first = probe::find_all("ralph", path).into_iter().next();
    let version = env!("CARGO_PKG_VERSION");
    match (first.and_then(|file| file.canonicalize().ok()), this) {
        (Some(first), Some(this)) if first != this => Check::warning(
            name,
            format!("{version}, but {} comes first on PATH", first.display()),
            "remove the other one, or put this one's folder earlier on PATH",
        ),
        (None, _) => {
            Check::warning(name, format!("{version}, not on PATH"), "add its folder to PATH")
        }
        _ => Check::ok(name, version),
    }
}

/// Whether this kernel lets ralph put an agent's processes into a PID namespace of their own.
fn pid_namespaces() -> Option<Check> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let reads = |path: &str| std::fs::read_to_string(path).ok().map(|t| t.trim().to_owned());
    let forbidden = reads("/proc/sys/user/max_user_namespaces").as_deref() == Some("0")
        || reads("/proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0")
        || reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref() == Some("1");
    Some(if forbidden {
        Check::warning(
            "processes",
            "PID namespaces are not allowed here; processes that escape an agent are found and killed afterwards",
            "no action needed; allowing unprivileged user namespaces makes this stricter",
        )
    } else {
        Check::ok("processes", "PID namespaces are allowed")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_not_well_says_what_to_type() {
        let states = [
            GitState::Missing,
            GitState::NoRepository,
            GitState::Refused { why: "no".into(), help: "yes".into() },
            GitState::Bare,
            GitState::Repository { branch: None, changed: 0, untracked: 0, has_commits: true },
            GitState::Repository {
                branch: Some("main".into()),
                changed: 2,
                untracked: 1,
                has_commits: true,
            },
        ];
        let mut checks: Vec<Check> = states.iter().map(repository).collect();
        checks.extend(agents(
            &agents::built_in(Path::new("."), None, Asked::Version),
            &Named::Nobody,
        ));
        for check in &checks {
            assert!(check.fix.is_some(), "{check:?}");
        }
        assert_eq!(code(&checks), exit::WORKSPACE);
        assert_eq!(code(&checks[6..]), exit::AGENT);
        assert_eq!(code(&checks[5..6]), exit::DONE);
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(is_older("2.9.5", (2, 39)));
        assert!(!is_older("2.43.0", (2, 39)));
        assert!(!is_older("3.0", (2, 39)));
    }
}
