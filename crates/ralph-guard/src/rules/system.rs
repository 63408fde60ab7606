//! Packages, services, network and clock of the machine.

use super::{
    super::{call::Call, walk::Frame},
    Rule,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "system-packages",
        reason: "it changes what is installed on the machine",
        instead: "add it as a dependency of the project; tools of the machine are a person's decision",
        check: packages,
        denies: &[
            "apt-get install -y x",
            "brew upgrade",
            "npm install -g x",
            "dnf remove x",
            "pip install --user x",
            "pip install --break-system-packages x",
        ],
        allows: &[
            "apt list --installed",
            "npm install x",
            "pip install -e .",
            "brew list",
            "apt-cache search x",
        ],
    },
    Rule {
        name: "services",
        reason: "it starts or stops a service of the machine",
        instead: "start what the tests need as a process of your own",
        check: services,
        denies: &["systemctl stop postgresql", "service nginx restart", "systemctl restart docker"],
        allows: &["systemctl status x", "systemctl list-units"],
    },
    Rule {
        name: "network-setup",
        reason: "it changes the machine's network or its firewall",
        instead: "leave the network as it is",
        check: network,
        denies: &[
            "iptables -F",
            "ufw disable",
            "nft flush ruleset",
            "ifconfig en0 down",
            "ip link set eth0 down",
            "route add default x",
        ],
        allows: &["iptables -L", "ip addr", "ip route show", "ifconfig", "ufw status"],
    },
    Rule {
        name: "machine-setup",
        reason: "it changes the clock, the name or the protections of the machine",
        instead: "leave the machine as it is; fake the clock inside tests",
        check: machine,
        denies: &[
            "date -s 2020-01-01",
            "hostnamectl set-hostname x",
            "timedatectl set-time x",
            "csrutil disable",
            "spctl --master-disable",
        ],
        allows: &["date -u", "hostname", "timedatectl status", "date -d yesterday"],
    },
];

/// Verbs of package managers that change the machine.
const CHANGES: [&str; 29] = [
    "install",
    "remove",
    "purge",
    "upgrade",
    "dist-upgrade",
    "full-upgrade",
    "autoremove",
    "uninstall",
    "update",
    "reinstall",
    "add",
    "del",
    "delete",
    "erase",
    "downgrade",
    "cask",
    "tap",
    "unlink",
    "link",
    "cleanup",
    "refresh",
    "in",
    "rm",
    "up",
    "dup",
    "localinstall",
    "groupinstall",
    "switch",
    "build-dep",
];

fn packages(call: &Call, _: &Frame) -> bool {
    if call.is_rehearsal() {
        return false;
    }
    let words = call.words();
    let verb = words.first().copied().unwrap_or_default();
    match call.name.as_str() {
        "apt" | "apt-get" | "aptitude" | "dnf" | "yum" | "zypper" | "apk" | "brew" | "port"
        | "snap" | "flatpak" | "xbps-install" | "nala" | "tdnf" | "microdnf" | "choco"
        | "winget" | "scoop" | "mas" => {
            CHANGES.contains(&verb) || call.has_word(&["-y"]) && !verb.is_empty()
        }
        "pacman" | "yay" | "paru" => call.args.iter().any(|arg| {
            arg.starts_with("-S") && !arg.contains('s') && !arg.contains('i')
                || arg.starts_with("-R")
                || arg.starts_with("-U")
        }),
        "dpkg" | "rpm" => {
            call.has(&["-i", "-r", "-P", "--install", "--remove", "--purge", "-e", "-U"])
                && !call.has(&["-q", "-l", "-L"])
        }
        "dpkg-reconfigure" | "installer" | "softwareupdate" | "xcode-select" => {
            !call.args.is_empty() && !call.has_word(&["-p", "--print-path", "-l", "--list"])
        }
        "npm" | "pnpm" => {
            ["install", "i", "add", "uninstall", "update", "link", "un", "remove", "rm"]
                .contains(&verb)
                && (call.has(&["-g", "--global"]) || call.has_word(&["--location=global"]))
        }
        "yarn" => {
            verb == "global"
                && words.get(1).is_some_and(|word| ["add", "remove", "upgrade"].contains(word))
        }
        "bun" => ["add", "install", "i"].contains(&verb) && call.has(&["-g", "--global"]),
        "pip" | "pip3" => {
            ["install", "uninstall"].contains(&verb)
                && (call.has(&["--user", "--break-system-packages"])
                    || call.has_word(&["--target=/", "--root=/"]))
        }
        "python" | "python3" => {
            call.has_word(&["pip"]) && call.has(&["--user", "--break-system-packages"])
        }
        "rustup" => {
            ["default", "self", "uninstall"].contains(&verb)
                || (verb == "toolchain"
                    && words.get(1).is_some_and(|word| *word == "uninstall" || *word == "remove"))
        }
        "nix-env" => call.has(&["-i", "-e", "-u", "--install"]),
        "gem" => verb == "install" && call.has(&["--system"]),
        _ => false,
    }
}

fn services(call: &Call, _: &Frame) -> bool {
    let words = call.words();
    let acts = [
        "start",
        "stop",
        "restart",
        "reload",
        "kill",
        "try-restart",
        "reload-or-restart",
        "reset-failed",
        "force-reload",
    ];
    match call.name.as_str() {
        "systemctl" | "rc-service" | "sv" | "s6-svc" | "initctl" | "supervisorctl" => {
            words.iter().take(2).any(|word| acts.contains(word))
        }
        "service" | "invoke-rc.d" => words.iter().skip(1).any(|word| acts.contains(word)),
        _ => false,
    }
}

fn network(call: &Call, _: &Frame) -> bool {
    let words = call.words();
    let has = |any: &[&str]| call.args.iter().any(|arg| any.contains(&arg.as_str()));
    match call.name.as_str() {
        "iptables" | "ip6tables" | "ebtables" | "arptables" => {
            !has(&["-L", "-S", "--list", "-nL", "-vnL", "-nvL", "--list-rules", "--version", "-V"])
                && !call.args.is_empty()
        }
        "iptables-restore" | "ipset" | "pfctl" | "tc" => {
            !has(&["list", "show", "-s", "-sr", "ls"]) && !call.args.is_empty()
        }
        "nft" => has(&["flush", "add", "delete", "insert", "-f", "create", "destroy", "replace"]),
        "ufw" | "firewall-cmd" => {
            !has(&["status", "--list-all", "--state", "--version", "verbose", "show"])
                && !call.args.is_empty()
        }
        "ifconfig" => words.len() > 1,
        "ip" => words.iter().any(|word| {
            ["add", "del", "delete", "set", "flush", "change", "replace"].contains(word)
        }),
        "route" => has(&["add", "del", "delete", "change", "flush"]),
        "nmcli" => {
            has(&["down", "up", "delete", "modify", "off", "on", "add", "connect", "disconnect"])
        }
        "networksetup" | "scutil" => {
            call.args.iter().any(|arg| arg.starts_with("-set") || arg.starts_with("--set"))
        }
        "resolvectl" => has(&["dns", "domain", "revert", "flush-caches"]) && words.len() > 1,
        "wg" | "wg-quick" | "openvpn" | "tailscale" => has(&["up", "down", "set", "--config"]),
        "rfkill" => has(&["block", "unblock"]),
        _ => false,
    }
}

fn machine(call: &Call, _: &Frame) -> bool {
    let words = call.words();
    match call.name.as_str() {
        "date" => {
            call.has_exact(&["-s", "--set"])
                || call.args.iter().any(|arg| {
                    arg.starts_with("-s")
                        || (arg.len() >= 8 && arg.chars().all(|c| c.is_ascii_digit()))
                })
        }
        "hwclock" => call.has(&["-w", "-s", "--set", "--systohc", "--hctosys"]),
        "timedatectl" | "hostnamectl" | "localectl" => {
            words.first().is_some_and(|word| word.starts_with("set-") || *word == "hostname")
        }
        "hostname" | "domainname" => !words.is_empty(),
        "csrutil" | "spctl" => call.args.iter().any(|arg| {
            arg.contains("disable") || arg == "--add" || arg == "clear" || arg.contains("enable")
        }),
        "nvram" | "systemsetup" | "tmutil" | "bcdedit" | "grub-install" | "update-grub"
        | "efibootmgr" | "update-initramfs" | "mkinitcpio" | "ntpdate" => {
            !words.is_empty() && !call.is_rehearsal() || call.is(&["update-grub"])
        }
        "journalctl" => {
            call.args.iter().any(|arg| arg.starts_with("--vacuum") || arg == "--rotate")
        }
        "logrotate" | "dmesg" => call.has(&["-C", "-c", "-f", "--clear", "--force"]),
        "swapoff" | "auditctl" => true,
        _ => false,
    }
}
