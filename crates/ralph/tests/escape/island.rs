//! A machine of its own for a test: an empty network with stand-in addresses, its own processes, and empty folders
//! where services keep their sockets. Nothing that is done there reaches anybody.

use std::{
    io,
    path::Path,
    process::{Command, ExitStatus},
};

/// The argument that says that the test has arrived.
pub(crate) const ARRIVED: &str = "--on-island";

/// The variable with the hash of the commit that is tested: it chooses what CI plays.
pub(crate) const COMMIT: &str = "RALPH_ESCAPES_COMMIT";

/// Where the scratch world is: a folder that boxes show, as they show all of the system's.
pub(crate) const GROUND: &str = "/var/opt";

/// Prepares the machine as its root and becomes the given program. Box and machine count processes from different
/// numbers, so that nobody meets a process of the box where one of the machine was meant. What root lays out there must
/// be readable for the user who is played, whatever umask the caller has.
const LAND: &str = r#"set -e
umask 022
PATH="$PATH:/usr/sbin:/sbin"
ip link set lo up
# A host of the internet must be no address of this machine.
ip route add 93.184.215.14 dev lo src 127.0.0.1
nft add table ip nat
nft 'add chain ip nat output { type nat hook output priority -100; }'
nft add rule ip nat output ip daddr 93.184.215.14 dnat to 127.0.0.14
for address in 93.184.215.15 10.11.12.13 10.11.12.53 169.254.169.254; do
  ip address add "$address/32" dev lo
done
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
echo 20000 > /proc/sys/kernel/ns_last_pid
resolver=$(readlink -m /etc/resolv.conf)
for folder in /home /var/opt /var/tmp /dev/shm /run /tmp; do
  case "$1" in "$folder"/*) ;; *) [ ! -d "$folder" ] || mount -t tmpfs -o mode=1777 own "$folder" ;; esac
done
mkdir -p "$(dirname "$resolver")" /run/own
[ -e "$resolver" ] || : > "$resolver"
echo 'nameserver 10.11.12.53' > /run/own/resolver
mount --bind /run/own/resolver "$resolver"
: > /run/own/shadow
chmod 600 /run/own/shadow
[ ! -e /etc/shadow ] || mount --bind /run/own/shadow /etc/shadow
exec "$@"
"#;

/// Runs this binary again on the island, to do what `args` say.
pub(crate) fn cross(args: &[&str]) -> io::Result<ExitStatus> {
    let mut command = Command::new("unshare");
    let namespaces = ["--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];
    command.args(namespaces).arg("--mount-proc");
    if !is_root() {
        command.arg("--map-root-user");
    }
    command.args(["--", "sh", "-c", LAND, "sh"]).arg(std::env::current_exe()?);
    command.arg(ARRIVED).args(args).env(COMMIT, commit()?).status()
}

/// The hash of the commit that is tested; of a packed source tree there is none.
fn commit() -> io::Result<String> {
    let head = ["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "HEAD"];
    let output = Command::new("git").args(head).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether other users can be had here.
pub(crate) fn has_users() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().last().is_some_and(|count| count.len() > 1)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// A folder of the machine that only the island has.
pub(crate) fn ground() -> &'static Path {
    Path::new(GROUND)
}
