//! Chooses the backend of a run: the one that is named, or the system's own after it was tried. Never falls back to less.

use std::path::Path;

use ralph_core::{
    isolation::Isolation,
    settings::{GateRoom, Sandbox as SandboxSettings, SandboxMode},
    vocabulary::NetworkPreset,
};

use super::{
    advice::{Advice, advise},
    backend::{Sandbox, Unfit},
    host::Host,
    registry::{self, BACKENDS},
};

/// A backend that works here.
#[derive(Clone)]
pub struct Chosen {
    pub backend: &'static dyn Sandbox,
    /// What it promises under these settings.
    pub isolation: Isolation,
    /// Whether gates judge in a room of their own.
    pub has_room: bool,
}

impl Chosen {
    /// With a room for gates, if one is wanted and can be made with layers kept in `layers`. Where there is none, the
    /// guarantee says so.
    #[must_use]
    pub fn with_room(mut self, room: GateRoom, layers: &Path) -> Self {
        let is_able = self.backend.name() == registry::BUBBLEWRAP.name();
        self.has_room = is_able && room != GateRoom::Worktree && super::can_layer(layers);
        if self.isolation.is_isolated() && !self.has_room {
            let why = match room {
                GateRoom::Worktree => "gates.room = \"worktree\"",
                _ if is_able => "no layers can be made here",
                _ => "this backend has no layers",
            };
            self.isolation.guarantee = format!(
                "{}; weaker: gates judge in the worktree, with what agents left in ignored files, and no program can make Unix \
                 sockets unless sandbox.unix_sockets is true ({why})",
                self.isolation.guarantee
            );
        }
        self
    }

    /// Says so where ralph's own git has no box, although agents have one.
    #[must_use]
    pub fn with_git(mut self, is_enclosed: bool) -> Self {
        if self.isolation.is_isolated() && !is_enclosed {
            self.isolation.guarantee = format!(
                "{}; weaker: git has no box, so what agents write into files can make it run programs",
                self.isolation.guarantee
            );
        }
        self
    }
}

/// Why there is none, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the sandbox {name} cannot be used: {unfit}")]
    Unfit { name: &'static str, unfit: Unfit, advice: Advice },
    #[error("ralph has no sandbox for this system")]
    NoneForSystem,
}

impl Refusal {
    /// Why, in lines of its own.
    pub fn why(&self) -> Vec<String> {
        match self {
            Self::Unfit { advice, .. } => advice.why.clone(),
            Self::NoneForSystem => Vec::new(),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Unfit { advice, .. } => advice.help.clone(),
            Self::NoneForSystem => {
                "run ralph on Linux (WSL2 on Windows) or macOS, or in a machine of its own".into()
            }
        }
    }
}

/// The backend for these settings, tried on this machine.
pub fn choose(settings: &SandboxSettings) -> Result<Chosen, Refusal> {
    choose_among(&BACKENDS, settings, &Host::look())
}

/// What a run without a sandbox is.
pub fn not_isolated() -> Chosen {
    Chosen { backend: &registry::OFF, isolation: Isolation::off(), has_room: false }
}

fn choose_among(
    backends: &[&'static dyn Sandbox],
    settings: &SandboxSettings,
    host: &Host,
) -> Result<Chosen, Refusal> {
    let name = match (settings.mode, host.system) {
        (SandboxMode::Auto, "linux") => SandboxMode::Bubblewrap.as_str(),
        (SandboxMode::Auto, "macos") => SandboxMode::Seatbelt.as_str(),
        (SandboxMode::Auto, _) => return Err(Refusal::NoneForSystem),
        (named, _) => named.as_str(),
    };
    let found = backends.iter().find(|one| one.name() == name);
    let backend = *found.ok_or(Refusal::NoneForSystem)?;
    backend.probe().map_err(|unfit| {
        let advice = advise(&unfit, host);
        Refusal::Unfit { name: backend.name(), unfit, advice }
    })?;
    Ok(Chosen { backend, isolation: isolation(backend, settings, host), has_room: false })
}

/// What a backend promises, with what the settings make of it.
fn isolation(backend: &dyn Sandbox, settings: &SandboxSettings, host: &Host) -> Isolation {
    let mut guarantee = backend.describe().to_owned();
    let mut network = String::new();
    if backend.name() != registry::OFF.name() {
        network = reach(settings);
        guarantee = format!("{guarantee}; network: {network}");
        if backend.name() == registry::BUBBLEWRAP.name() && !host.has_groups {
            guarantee = format!(
                "{guarantee}; no bound on the memory of all its processes together (no control groups here)"
            );
        }
        if let Some(wider) = wider(settings) {
            guarantee = format!("{guarantee}; wider than usual: {wider}");
        }
    }
    Isolation { backend: backend.name().into(), guarantee, network }
}

/// What the network of the box reaches.
fn reach(settings: &SandboxSettings) -> String {
    let mut words = settings.network.as_str().to_owned();
    if settings.gate_network != settings.network {
        words = format!("{words}, for gates {}", settings.gate_network.as_str());
    }
    let is_narrow = settings.network.min(settings.gate_network) < NetworkPreset::Open;
    match settings.allow_hosts.as_slice() {
        [one] if is_narrow => format!("{words}, and {one}"),
        [_, _, ..] if is_narrow => {
            format!("{words}, and {} more hosts", settings.allow_hosts.len())
        }
        _ => words,
    }
}

/// What somebody opened beyond the default.
fn wider(settings: &SandboxSettings) -> Option<String> {
    let paths = |paths: &[String], may: &str| match paths.len() {
        0 => None,
        1 => Some(format!("1 more path can be {may}")),
        n => Some(format!("{n} more paths can be {may}")),
    };
    let sockets = settings.unix_sockets.then(|| "Unix sockets".to_owned());
    let parts = [paths(&settings.readable, "read"), paths(&settings.writable, "written"), sockets];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fence::Wrapping, sandbox::Profile};

    /// A backend that says of itself what the test wants.
    struct Said(&'static str, Option<Unfit>);

    impl Sandbox for Said {
        fn name(&self) -> &'static str {
            self.0
        }

        fn probe(&self) -> Result<(), Unfit> {
            self.1.clone().map_or(Ok(()), Err)
        }

        fn wrap(&self, _: &Profile) -> Wrapping {
            Wrapping::default()
        }

        fn describe(&self) -> &'static str {
            "kept in"
        }
    }

    static GOOD: [&dyn Sandbox; 3] =
        [&Said("bubblewrap", None), &Said("seatbelt", None), &crate::sandbox::OFF];
    static BAD: [&dyn Sandbox; 2] =
        [&Said("bubblewrap", Some(Unfit::Missing { program: "bwrap" })), &crate::sandbox::OFF];

    fn settings(mode: SandboxMode) -> SandboxSettings {
        SandboxSettings { mode, ..SandboxSettings::default() }
    }

    fn chosen(
        backends: &[&'static dyn Sandbox],
        mode: SandboxMode,
        system: &'static str,
    ) -> Result<String, String> {
        let host = Host { system, ..Host::default() };
        choose_among(backends, &settings(mode), &host)
            .map(|chosen| chosen.isolation.backend)
            .map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn auto_is_the_systems_own_and_nothing_weaker() {
        use SandboxMode::{Auto, Off};
        assert_eq!(chosen(&GOOD, Auto, "linux"), Ok("bubblewrap".into()));
        assert_eq!(chosen(&GOOD, Auto, "macos"), Ok("seatbelt".into()));
        assert_eq!(chosen(&BAD, Off, "linux"), Ok("off".into()));
        let refused = chosen(&BAD, Auto, "linux");
        assert_eq!(
            refused,
            Err("the sandbox bubblewrap cannot be used: bwrap is not installed".into())
        );
        assert!(chosen(&GOOD, Auto, "windows").is_err());
    }

    #[test]
    fn the_guarantee_tells_the_network_and_what_is_wider() {
        let of = |change: fn(&mut SandboxSettings)| {
            let mut settings = settings(SandboxMode::Bubblewrap);
            change(&mut settings);
            let host = Host { has_groups: true, ..Host::default() };
            isolation(&Said("bubblewrap", None), &settings, &host).guarantee
        };
        assert_eq!(of(|_| {}), "kept in; network: registries");
        let narrow = of(|settings| settings.gate_network = NetworkPreset::None);
        assert_eq!(narrow, "kept in; network: registries, for gates none");
        let host = of(|settings| settings.allow_hosts = vec!["a.example".into()]);
        assert_eq!(host, "kept in; network: registries, and a.example");
        let wide = of(|settings| {
            settings.network = NetworkPreset::Open;
            settings.gate_network = NetworkPreset::Open;
            settings.allow_hosts = vec!["a.example".into()];
            settings.writable = vec!["/a".into(), "/b".into()];
            settings.unix_sockets = true;
        });
        assert_eq!(
            wide,
            "kept in; network: open; wider than usual: 2 more paths can be written, Unix sockets"
        );
        let loose =
            isolation(&Said("bubblewrap", None), &settings(SandboxMode::Auto), &Host::default());
        assert!(loose.guarantee.ends_with("together (no control groups here)"), "{loose:?}");
    }

    #[test]
    fn without_a_sandbox_nothing_is_promised() {
        let mut settings = settings(SandboxMode::Off);
        settings.unix_sockets = true;
        let chosen = choose_among(&BACKENDS, &settings, &Host::default());
        assert_eq!(chosen.map(|chosen| chosen.isolation), Ok(Isolation::off()));
        assert_eq!(not_isolated().isolation, Isolation::off());
    }
}
