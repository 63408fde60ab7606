//! Puts the processes of a run into boxes, and attends to what comes out of a box while it is there.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use ralph_core::{
    network::{HostRule, NetworkRules, RelayRule},
    settings::Sandbox as SandboxSettings,
    vocabulary::NetworkPreset,
};

use super::{
    backend::Sandbox,
    build_folder, caches, environment,
    group::Group,
    machine::Machine,
    policy::{self, PolicyError},
    profile::Reach,
    registry,
    request::SandboxRequest,
    visit::Visit,
};
use crate::{
    network::{
        Proxy, Terms,
        registries::{Registries, Surroundings},
    },
    process::{Enclosed, ProcessSpec},
    sink::RedactedFiles,
};

/// The port of loopback, inside a box, behind which ralph's gateway is.
pub const GATEWAY_PORT: u16 = 61_080;

/// The box of a run: how it is made, and for whom.
pub struct Enclosure {
    backend: &'static dyn Sandbox,
    machine: Machine,
    settings: SandboxSettings,
    /// Asked once for a run, before anything of the project is started in a sandbox.
    registries: Arc<Registries>,
    proxy: Option<Arc<Proxy>>,
    /// Whether gates judge in a room of their own.
    has_room: bool,
}

/// What one process needs of its box, and what it may reach from there.
pub struct Stay {
    pub sandbox_request: SandboxRequest,
    pub rules: NetworkRules,
    /// Where every connection is written down.
    pub log: (RedactedFiles, PathBuf),
}

/// Why a process cannot be put into its box. It is then not started at all.
#[derive(Debug, thiserror::Error)]
pub enum EncloseError {
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error("cannot prepare the sandbox: {0}")]
    Io(#[from] io::Error),
}

impl Enclosure {
    pub fn new(backend: &'static dyn Sandbox, machine: Machine, settings: SandboxSettings) -> Self {
        let registries = Registries::new(Surroundings {
            home: machine.home.clone(),
            environment: machine.environment.clone(),
            folder: machine.cache.clone(),
            shut_out: machine.shut_out.clone(),
        });
        let proxy = Proxy::of(&machine.environment).map(Arc::new);
        let registries = Arc::new(registries);
        Self { backend, machine, settings, registries, proxy, has_room: false }
    }

    /// No box at all.
    pub fn none() -> Self {
        Self::new(&registry::OFF, Machine::default(), SandboxSettings::default())
    }

    /// The same with a room of their own for gates, or without.
    #[must_use]
    pub fn with_room(self, has_room: bool) -> Self {
        Self { has_room, ..self }
    }

    /// Whether agents write over the worktree and gates judge in a room of their own.
    pub fn has_room(&self) -> bool {
        self.has_room
    }

    /// Whether processes are in a box at all.
    pub fn is_closed(&self) -> bool {
        self.backend.name() != registry::OFF.name()
    }

    /// Ralph's program as it is found inside, if that is another place.
    pub fn ralph_inside(&self) -> Option<&'static Path> {
        let is_elsewhere = self.is_closed() && self.backend.has_own_view();
        is_elsewhere.then(|| Path::new(super::RALPH_INSIDE))
    }

    /// Whether what is in the box reaches others only through ralph.
    pub fn has_gateway(&self) -> bool {
        self.is_closed()
    }

    /// Begins to ask the package managers beside other work of a start, if the settings let their hosts through.
    #[must_use]
    pub fn asking(self) -> Self {
        if self.has_gateway() && self.settings.network == NetworkPreset::Registries {
            let registries = Arc::clone(&self.registries);
            // Without a thread they are asked when the first sandbox is made.
            thread::Builder::new().spawn(move || registries.settle()).ok();
        }
        self
    }

    /// The backend's word in settings.
    pub fn name(&self) -> &'static str {
        self.backend.name()
    }

    /// The caller's variables for a process in the box, with those that `asked` names; all of them where there is no
    /// box.
    pub fn environment(
        &self,
        caller: &[(OsString, OsString)],
        asked: impl Fn(&str) -> bool,
    ) -> Vec<(OsString, OsString)> {
        if !self.is_closed() {
            return caller.to_vec();
        }
        environment::let_in(caller, asked)
    }

    /// What a process may reach under this preset: the hosts and relays of its model, and what the settings allow.
    /// Package managers name the rest when it is needed.
    pub fn rules(
        &self,
        preset: NetworkPreset,
        model: Vec<HostRule>,
        relays: Vec<RelayRule>,
    ) -> NetworkRules {
        if preset == NetworkPreset::None || !self.has_gateway() {
            return NetworkRules::none();
        }
        let mut hosts = model;
        let allowed = self.settings.allow_hosts.iter();
        hosts.extend(allowed.clone().filter_map(|host| host.parse().ok()));
        let in_full = allowed.filter_map(|host| host.parse().ok()).collect();
        NetworkRules { preset, hosts, in_full, relays }
    }

    /// What a gate may reach: it has no model.
    pub fn gate_rules(&self, own: Option<NetworkPreset>) -> NetworkRules {
        let preset = own.unwrap_or(self.settings.gate_network);
        self.rules(preset, Vec::new(), Vec::new())
    }

    /// Puts a process into a box of its own.
    pub fn enclose(
        &self,
        mut spec: ProcessSpec,
        stay: Stay,
    ) -> Result<(ProcessSpec, Visit), EncloseError> {
        if !self.is_closed() {
            return Ok((spec, Visit::default()));
        }
        let Stay { sandbox_request, rules, log } = stay;
        let sandbox_request = self.widened(sandbox_request, &spec);
        let reach = match rules.preset {
            _ if !self.has_gateway() => Reach::Anywhere,
            NetworkPreset::None => Reach::Nowhere,
            _ => Reach::Gateway { port: GATEWAY_PORT },
        };
        if rules.preset == NetworkPreset::Registries && self.has_gateway() {
            self.registries.settle();
        }
        let mut profile = policy::profile(&self.machine, &sandbox_request, reach)?;
        // The user's own may lead through a link that is not there inside.
        let copied = sandbox_request.home.as_ref().filter(|_| !self.backend.has_own_view());
        spec.env.retain(|(name, _)| name != "HOME");
        spec.env.push(("HOME".into(), copied.unwrap_or(&profile.home).into()));
        let built = build_folder::outside(&self.machine, &profile.home, &profile.workspace);
        let built = built.filter(|folder| profile.mounts.iter().any(|mount| mount.at() == folder));
        if let Some(folder) = built.filter(|_| self.backend.has_own_view())
            && !spec.env.iter().any(|(name, _)| name == build_folder::VARIABLE)
        {
            spec.env.push((build_folder::VARIABLE.into(), folder.into()));
        }
        caches::make(&profile.mounts, &self.machine)?;
        let group = Group::make(&profile.limits).filter(|_| self.backend.has_own_view());
        if group.is_some() {
            // It counts what is reserved and never used, as sanitizers do by the terabyte.
            profile.limits.data_bytes = u64::MAX;
        }
        profile.groups = group.iter().flat_map(Group::folders).cloned().collect();
        let wrapping = self.backend.wrap(&profile);
        let (visit, door) = if let Reach::Gateway { port } = reach {
            let registries = Some(Arc::clone(&self.registries));
            let terms = Terms { rules, registries, proxy: self.proxy.clone() };
            let (visit, door) = Visit::through(terms, log)?;
            spec.env.extend(environment::proxy(port));
            (visit, Some(door))
        } else {
            (Visit::default(), None)
        };
        spec.enclosed = Some(Enclosed { wrapping, door });
        Ok((spec, visit.in_group(group)))
    }

    /// With what the user's settings add.
    fn widened(&self, mut sandbox_request: SandboxRequest, spec: &ProcessSpec) -> SandboxRequest {
        let expand = |text: &String| match text.strip_prefix("~/") {
            Some(rest) => self.machine.home.join(rest),
            None => text.into(),
        };
        sandbox_request.readable.extend(self.settings.readable.iter().map(expand));
        sandbox_request.writable.extend(self.settings.writable.iter().map(expand));
        sandbox_request.unix_sockets = self.settings.unix_sockets;
        sandbox_request.program.clone_from(&spec.program);
        sandbox_request
    }
}
