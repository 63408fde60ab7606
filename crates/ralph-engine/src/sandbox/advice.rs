//! What to do where a sandbox does not work, down to the command that is to be typed. Pure.

use super::{
    backend::Unfit,
    host::{Host, Knob},
};

/// What a person is told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// What is in the way, one thing a line.
    pub why: Vec<String>,
    /// What to type.
    pub help: String,
}

/// Package managers by the distributions that have them. All of them call the package `bubblewrap`.
const MANAGERS: [(&[&str], &str); 6] = [
    (&["debian", "ubuntu"], "apt-get install bubblewrap"),
    (&["fedora", "rhel", "centos"], "dnf install bubblewrap"),
    (&["arch"], "pacman -S bubblewrap"),
    (
        &["suse", "opensuse", "opensuse-leap", "opensuse-tumbleweed", "sles"],
        "zypper install bubblewrap",
    ),
    (&["alpine"], "apk add bubblewrap"),
    (&["nixos"], NIXOS),
];

/// There the system is described, not changed.
const NIXOS: &str = "nixos-rebuild switch";

/// Tells what is in the way and how to remove it.
pub(super) fn advise(unfit: &Unfit, host: &Host) -> Advice {
    let help = |help: String| Advice { why: Vec::new(), help };
    match unfit {
        Unfit::Missing { program: "bwrap" } => help(install(host)),
        Unfit::Missing { program } => {
            help(format!("{program} belongs to the system; update it, or run ralph on another machine"))
        }
        Unfit::Leaks { .. } => help(
            "nothing was started; run ralph in a machine of its own, and report this with the output of ralph doctor"
                .into(),
        ),
        Unfit::Refused { program: "bwrap", .. } => allow(host),
        Unfit::OtherSystem | Unfit::Refused { .. } => help("use --sandbox alone: it picks this system's sandbox".into()),
    }
}

/// The command that installs bubblewrap.
fn install(host: &Host) -> String {
    let names = host.distributions();
    let has = |known: &[&str]| names.iter().any(|name| known.contains(&name.as_str()));
    let found = MANAGERS.iter().find(|(known, _)| has(known)).map(|(_, command)| *command);
    match found {
        Some(NIXOS) => format!(
            "add pkgs.bubblewrap to environment.systemPackages, then: {}",
            as_root(NIXOS, host)
        ),
        Some(command) => format!("install it: {}", as_root(command, host)),
        None => "install the package bubblewrap with your system's package manager".into(),
    }
}

/// How to let users make namespaces, where something keeps them from it.
fn allow(host: &Host) -> Advice {
    let mut advice = Advice::default();
    let mut commands = Vec::new();
    for knob in &host.knobs {
        let (name, bad, good) = knob.setting();
        advice.why.push(format!("{} ({name} = {bad})", reason(*knob)));
        commands.push(as_root(&format!("sysctl -w {name}={good}"), host));
    }
    advice.help = match host.knobs.first() {
        Some(Knob::AppArmor) => format!(
            "{}; to keep it, write the same without `sysctl -w` into /etc/sysctl.d/60-ralph.conf, or allow only \
             bubblewrap with the AppArmor profile bwrap-userns-restrict of the package apparmor-profiles",
            commands.join(" && ")
        ),
        Some(_) => format!(
            "{}; to keep it, write the same without `sysctl -w` into /etc/sysctl.d/60-ralph.conf",
            commands.join(" && ")
        ),
        None if host.is_container => {
            advice.why.push("this is a container, and it may not make namespaces of its own".into());
            "start the container with --security-opt seccomp=unconfined --security-opt \
             systempaths=unconfined; if it holds nothing but this work, the container can be the boundary"
                .into()
        }
        None => "update bubblewrap and the kernel, and see whether `bwrap --unshare-all --ro-bind / / true` works"
            .into(),
    };
    advice
}

fn reason(knob: Knob) -> &'static str {
    match knob {
        Knob::AppArmor => "AppArmor keeps users of this machine from making namespaces",
        Knob::Clone => "the kernel keeps users of this machine from making namespaces",
        Knob::NoneAtAll => "the kernel allows no user namespaces at all",
    }
}

fn as_root(command: &str, host: &Host) -> String {
    if host.is_root { command.to_owned() } else { format!("sudo {command}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(os_release: &str, knobs: &[Knob]) -> Host {
        Host {
            system: "linux",
            os_release: os_release.into(),
            knobs: knobs.to_vec(),
            ..Host::default()
        }
    }

    #[test]
    fn every_distribution_gets_its_own_command() {
        let missing = Unfit::Missing { program: "bwrap" };
        let table = [
            ("ID=debian\nVERSION_ID=\"12\"", "install it: sudo apt-get install bubblewrap"),
            (
                "NAME=Mint\nID=linuxmint\nID_LIKE=\"ubuntu debian\"",
                "install it: sudo apt-get install bubblewrap",
            ),
            (
                "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"",
                "install it: sudo dnf install bubblewrap",
            ),
            ("ID=manjaro\nID_LIKE=arch", "install it: sudo pacman -S bubblewrap"),
            (
                "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"",
                "install it: sudo zypper install bubblewrap",
            ),
            ("ID=alpine", "install it: sudo apk add bubblewrap"),
            (
                "ID=nixos",
                "add pkgs.bubblewrap to environment.systemPackages, then: sudo nixos-rebuild switch",
            ),
            ("ID=plan9", "install the package bubblewrap with your system's package manager"),
            ("", "install the package bubblewrap with your system's package manager"),
        ];
        for (os_release, expected) in table {
            assert_eq!(advise(&missing, &host(os_release, &[])).help, expected, "{os_release}");
        }
        let root = Host { is_root: true, ..host("ID=debian", &[]) };
        assert_eq!(advise(&missing, &root).help, "install it: apt-get install bubblewrap");
    }

    #[test]
    fn the_setting_that_is_in_the_way_is_named_with_the_command_that_changes_it() {
        let refused = Unfit::Refused { program: "bwrap", detail: "no permissions".into() };
        let table = [
            (Knob::AppArmor, "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
            (Knob::Clone, "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
            (Knob::NoneAtAll, "sudo sysctl -w user.max_user_namespaces=15000"),
        ];
        for (knob, command) in table {
            let advice = advise(&refused, &host("ID=ubuntu", &[knob]));
            assert!(advice.help.starts_with(command), "{}", advice.help);
            let (name, bad, _) = knob.setting();
            assert!(advice.why.iter().any(|why| why.contains(&format!("{name} = {bad}"))));
        }
        let both = advise(&refused, &host("", &[Knob::Clone, Knob::NoneAtAll]));
        assert!(both.help.contains(" && ") && both.why.len() == 2, "{both:?}");
        let container = Host { is_container: true, ..host("", &[]) };
        assert!(advise(&refused, &container).help.contains("--security-opt"));
        assert!(advise(&refused, &host("", &[])).help.contains("bwrap --unshare-all"));
    }

    #[test]
    fn every_reason_comes_with_something_to_do() {
        let detail = || "x".to_owned();
        let all = [
            Unfit::Missing { program: "bwrap" },
            Unfit::Missing { program: "sandbox-exec" },
            Unfit::Refused { program: "bwrap", detail: detail() },
            Unfit::Refused { program: "sandbox-exec", detail: detail() },
            Unfit::Leaks { program: "bwrap", detail: detail() },
            Unfit::OtherSystem,
        ];
        for unfit in all {
            assert!(!advise(&unfit, &Host::default()).help.is_empty(), "{unfit}");
        }
    }
}
