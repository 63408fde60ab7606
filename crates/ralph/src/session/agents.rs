//! The agents of this machine: where each is, its version, whether it is logged in. Never makes a model call, and never
//! starts a command that only the settings describe.

use std::path::{Path, PathBuf};

use ralph_agents::{Agent, BUILT_IN, Known};
use ralph_core::{agent_facts::Facts, effect::AgentCall, settings::Settings};
use ralph_engine::{clock, outside::Outside};

use super::{access::Access, probe};

/// An agent, and what is found of it here.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) facts: Facts,
    /// Described in the settings.
    pub(crate) is_custom: bool,
    /// The program it starts; `None` where the settings must name one.
    pub(crate) program: Option<String>,
    pub(crate) path: Option<PathBuf>,
    pub(crate) version: Option<String>,
    /// `None` where nothing tells.
    pub(crate) access: Option<Access>,
}

/// How a version stands to the one ralph was tested with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Drift {
    Same,
    Older,
    Newer,
    Unknown,
}

/// How much is asked of each agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Version,
    VersionAndLogin,
}

impl Found {
    /// Whether the version is another than the tested one; the last number does not matter.
    pub(crate) fn drift(&self) -> Drift {
        let (Some(found), tested) = (self.version.as_deref(), self.facts.tested) else {
            return Drift::Unknown;
        };
        match (minor(found), minor(tested)) {
            (Some(found), Some(tested)) => match found.cmp(&tested) {
                std::cmp::Ordering::Less => Drift::Older,
                std::cmp::Ordering::Equal => Drift::Same,
                std::cmp::Ordering::Greater => Drift::Newer,
            },
            _ => Drift::Unknown,
        }
    }

    /// `codex 0.170.0 is newer than 0.166.0, the version ralph was tested with`.
    pub(crate) fn drift_words(&self) -> Option<String> {
        let word = match self.drift() {
            Drift::Older => "older",
            Drift::Newer => "newer",
            Drift::Same | Drift::Unknown => return None,
        };
        let (name, version) = (&self.name, self.version.as_deref()?);
        let tested = self.facts.tested;
        Some(format!("{name} {version} is {word} than {tested}, the version ralph was tested with"))
    }

    /// `claude 2.1.325`, where it is installed.
    pub(crate) fn with_version(&self) -> Option<String> {
        self.path.as_ref()?;
        Some(match &self.version {
            Some(version) => format!("{} {version}", self.name),
            None => format!("{} of unknown version", self.name),
        })
    }
}

fn minor(version: &str) -> Option<(u64, u64)> {
    let mut parts = version.split(['.', '-']).map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// Every built-in agent that has a program of its own.
pub(crate) fn built_in(folder: &Path, path: Option<&str>, asked: Asked) -> Vec<Found> {
    let known = BUILT_IN.iter().map(|agent| Known::BuiltIn(*agent));
    let known: Vec<Known> = known.filter(|agent| program(&**agent, None).is_some()).collect();
    find(&known, &Settings::default(), (folder, path), asked)
}

/// The agent to work where none is named: the first that is installed, one that is well tried before others.
pub(crate) fn best(is_installed: &dyn Fn(&dyn Agent) -> bool) -> &'static str {
    let mut installed = BUILT_IN.iter().filter(|agent| is_installed(**agent));
    let first = installed.clone().find(|agent| !agent.facts().is_experimental);
    first.or_else(|| installed.next()).map_or("claude", |agent| agent.name())
}

/// Every agent that these settings can name.
pub(crate) fn all(folder: &Path, path: Option<&str>, settings: &Settings) -> Vec<Found> {
    let own = settings.agents.keys().map(|name| ralph_agents::of_name(name, settings));
    let built_in = BUILT_IN.iter().filter(|agent| !settings.agents.contains_key(agent.name()));
    let known: Vec<Known> = built_in.map(|agent| Known::BuiltIn(*agent)).chain(own).collect();
    find(&known, settings, (folder, path), Asked::VersionAndLogin)
}

/// Asks all at once: some take a second to start.
fn find(
    known: &[Known],
    settings: &Settings,
    (folder, path): (&Path, Option<&str>),
    asked: Asked,
) -> Vec<Found> {
    let outside = &probe::outside_with(folder, path);
    std::thread::scope(|scope| {
        let asking: Vec<_> = known
            .iter()
            .map(|agent| scope.spawn(move || look(agent, settings, (folder, outside), asked)))
            .collect();
        asking.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

fn look(
    agent: &Known,
    settings: &Settings,
    (folder, outside): (&Path, &Outside),
    asked: Asked,
) -> Found {
    let name = agent.name().to_owned();
    let facts = agent.facts();
    let program = program(&**agent, Some(settings));
    let place = program.as_deref().and_then(|program| {
        if program.contains('/') {
            probe::find(program, folder, None)
        } else {
            outside.find(program)
        }
    });
    let is_custom = matches!(agent, Known::Custom(_));
    // A command of the user's own may take any question for work to do.
    let answers = place.as_deref().filter(|_| !is_custom);
    let version = answers.and_then(|program| probe::version(program, outside));
    let login = facts.login.filter(|_| asked == Asked::VersionAndLogin);
    let answer = login.zip(answers).and_then(|(args, at)| probe::ask(at, args, outside));
    let says = answer.map(|answer| answer.succeeded);
    let access = match asked {
        Asked::VersionAndLogin if place.is_some() => Access::find(&facts, says, clock::now()),
        Asked::Version | Asked::VersionAndLogin => None,
    };
    Found { is_custom, name, facts, program, path: place, version, access }
}

/// The program that an agent would start if it were called by its own name.
fn program(agent: &dyn Agent, settings: Option<&Settings>) -> Option<String> {
    program_of(agent.name(), agent, settings)
}

/// The program that an agent would start if it were called by this name.
pub(super) fn program_of(
    name: &str,
    agent: &dyn Agent,
    settings: Option<&Settings>,
) -> Option<String> {
    let custom = settings.and_then(|settings| settings.agents.get(name));
    let call = AgentCall {
        agent: name.to_owned(),
        custom: custom.cloned().map(Box::new),
        ..AgentCall::default()
    };
    agent.command(&call, &ralph_agents::Place::default()).ok().map(|spec| spec.program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(version: &str, tested: &'static str) -> Found {
        let facts = Facts { tested, ..BUILT_IN[0].facts() };
        Found {
            name: "one".into(),
            facts,
            is_custom: false,
            program: None,
            path: None,
            version: Some(version.into()),
            access: None,
        }
    }

    #[test]
    fn another_minor_version_than_the_tested_one_is_told_in_plain_words() {
        for (version, tested, drift) in [
            ("2.1.325", "2.1.325", Drift::Same),
            ("2.1.9", "2.1.325", Drift::Same),
            ("2.2.0", "2.1.325", Drift::Newer),
            ("3.0", "2.1.325", Drift::Newer),
            ("1.9.0-beta.2", "2.1.325", Drift::Older),
            ("2026.1", "", Drift::Unknown),
            ("nightly", "1.0.0", Drift::Unknown),
        ] {
            assert_eq!(found(version, tested).drift(), drift, "{version} {tested}");
        }
        let words = found("2.2.0", "2.1.325").drift_words();
        let expected = "one 2.2.0 is newer than 2.1.325, the version ralph was tested with";
        assert_eq!(words.as_deref(), Some(expected));
    }

    #[test]
    fn every_agent_that_starts_a_program_of_its_own_is_looked_for() {
        let names: Vec<String> = built_in(Path::new("."), None, Asked::Version)
            .into_iter()
            .map(|found| found.name)
            .collect();
        for agent in BUILT_IN {
            let has_program = program(*agent, None).is_some();
            assert_eq!(names.iter().any(|name| name == agent.name()), has_program);
        }
        assert!(!names.is_empty());
    }

    #[test]
    fn an_agent_of_the_settings_is_found_by_its_program_and_never_started() -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("my-agent");
        let mark = folder.path().join("started");
        std::fs::write(&file, format!("#!/bin/sh\ntouch {}\necho 4.5.6\n", mark.display()))?;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
        let mut settings = Settings::default();
        let custom = ralph_core::settings::CustomAgent {
            command: vec!["my-agent".into(), "--json".into()],
            ..Default::default()
        };
        settings.agents.insert("mine".into(), custom);
        let path = folder.path().to_string_lossy().into_owned();
        let project = tempfile::tempdir()?;
        let found = all(project.path(), Some(&path), &settings);
        let mine = found.iter().find(|found| found.name == "mine");
        assert_eq!(mine.and_then(|mine| mine.version.as_deref()), None);
        assert!(!mark.exists());
        assert!(mine.is_some_and(|mine| mine.is_custom && mine.path == Some(file)));
        Ok(())
    }
}
