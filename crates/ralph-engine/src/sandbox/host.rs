//! What of this machine decides whether a sandbox can work, as it was found. Changes nothing.

use std::{fs, path::Path};

use super::group;

/// The machine, as far as a sandbox is concerned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Host {
    /// `linux`, `macos` or another.
    pub(super) system: &'static str,
    /// The text of `/etc/os-release`.
    pub(super) os_release: String,
    pub(super) is_root: bool,
    pub(super) is_container: bool,
    /// Whether boxes get control groups.
    pub(super) has_groups: bool,
    /// Settings of the kernel that keep users from making namespaces.
    pub(super) knobs: Vec<Knob>,
}

/// A setting of the kernel that stands in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knob {
    /// `kernel.apparmor_restrict_unprivileged_userns = 1`: Ubuntu since 23.10.
    AppArmor,
    /// `kernel.unprivileged_userns_clone = 0`: older Debian.
    Clone,
    /// `user.max_user_namespaces = 0`.
    NoneAtAll,
}

impl Knob {
    const ALL: [Self; 3] = [Self::AppArmor, Self::Clone, Self::NoneAtAll];

    /// Its name for `sysctl`, the value that stands in the way, and one that does not.
    pub(super) fn setting(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::AppArmor => ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
            Self::Clone => ("kernel.unprivileged_userns_clone", "0", "1"),
            Self::NoneAtAll => ("user.max_user_namespaces", "0", "15000"),
        }
    }

    fn stands_in_the_way(self) -> bool {
        let (name, bad, _) = self.setting();
        let file = Path::new("/proc/sys").join(name.replace('.', "/"));
        fs::read_to_string(file).is_ok_and(|value| value.trim() == bad)
    }
}

impl Host {
    /// This machine now.
    pub(super) fn look() -> Self {
        let is_there = |path: &str| Path::new(path).exists();
        let os_release = ["/etc/os-release", "/usr/lib/os-release"]
            .into_iter()
            .find_map(|path| fs::read_to_string(path).ok());
        let is_root = nix::unistd::geteuid().is_root();
        let knobs = Knob::ALL.into_iter().filter(|knob| knob.stands_in_the_way());
        Self {
            system: std::env::consts::OS,
            os_release: os_release.unwrap_or_default(),
            has_groups: group::is_possible(),
            is_container: is_there("/.dockerenv") || is_there("/run/.containerenv"),
            // None of them but the last holds for root.
            knobs: knobs.filter(|knob| !is_root || *knob == Knob::NoneAtAll).collect(),
            is_root,
        }
    }

    /// Names of the distribution, its own first.
    pub(super) fn distributions(&self) -> Vec<String> {
        let value = |key: &str| {
            let found = self.os_release.lines().find_map(|line| line.trim().strip_prefix(key));
            found.unwrap_or_default().trim_matches(['"', '\'']).to_ascii_lowercase()
        };
        let names = format!("{} {}", value("ID="), value("ID_LIKE="));
        names.split_whitespace().map(str::to_owned).collect()
    }
}
