//! An empty network with only loopback, and no more: what a test does on it reaches nobody.

use std::{
    io,
    net::Ipv4Addr,
    path::Path,
    process::{Command, ExitStatus},
};

use crate::Tested;

/// Names the file that shows that the test's body really ran.
const ARRIVED: &str = "RALPH_TEST_ISLAND";

/// An address that looks like one in the internet, and the name that leads there; so does that of a real service.
pub(crate) const FAR: Ipv4Addr = Ipv4Addr::new(93, 184, 215, 14);
pub(crate) const FAR_NAME: &str = "model.example";
const HOSTS: &str = "127.0.0.1 localhost\n93.184.215.14 model.example api.anthropic.com\n";

/// Brings loopback up and leads the far address there, which stays no address of this machine; makes its names known, gives up every capability that was needed for
/// that, and becomes the given program.
const LAND: &str = "PATH=\"$PATH:/usr/sbin:/sbin\"; ip link set lo up \
                    && ip route add \"$1\" dev lo src 127.0.0.1 && nft add table ip nat \
                    && nft 'add chain ip nat output { type nat hook output priority -100; }' \
                    && nft add rule ip nat output ip daddr \"$1\" dnat to 127.0.0.1 && echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start \
                    && mount --bind \"$2\" /etc/hosts && shift 2 \
                    && exec setpriv --ambient-caps=-all -- \"$@\"";

/// Who a test is on the island, where it is not root already, and how it works there.
#[derive(Clone, Copy)]
pub(crate) enum Arrival {
    Oneself,
    Root,
}

/// Runs the body of the test of this name in a process of its own on the island.
pub(crate) fn on_island(test: &str, body: impl FnOnce() -> Tested) -> Tested {
    on_island_as(Arrival::Oneself, test, body)
}

/// The same as somebody.
pub(crate) fn on_island_as(arrival: Arrival, test: &str, body: impl FnOnce() -> Tested) -> Tested {
    if let Some(arrived) = std::env::var_os(ARRIVED) {
        std::fs::write(arrived, "")?;
        return body();
    }
    let folder = tempfile::tempdir()?;
    let arrived = folder.path().join("arrived");
    let hosts = folder.path().join("hosts");
    std::fs::write(&hosts, HOSTS)?;
    let status = cross(arrival, test, &arrived, &hosts)?;
    // Without this a misspelt name would run no test at all, and pass.
    assert!(
        arrived.exists(),
        "the test did not begin on the island ({status}); it needs root or user namespaces, and the programs \
         unshare, setpriv and ip"
    );
    assert!(status.success(), "{test} failed on the island: {status}");
    Ok(())
}

/// Whether tests run as root and must make ralph somebody else.
pub(crate) fn is_root() -> io::Result<bool> {
    let output = Command::new("id").arg("-u").output()?;
    Ok(output.stdout.trim_ascii() == b"0")
}

fn cross(arrival: Arrival, test: &str, arrived: &Path, hosts: &Path) -> io::Result<ExitStatus> {
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount"]);
    match (is_root()?, arrival) {
        (true, _) => {}
        (false, Arrival::Oneself) => {
            command.args(["--map-current-user", "--keep-caps"]);
        }
        (false, Arrival::Root) => {
            command.arg("--map-root-user");
        }
    }
    command.args(["--", "sh", "-c", LAND, "sh", &format!("{FAR}/32")]).arg(hosts);
    command.arg(std::env::current_exe()?);
    command.args(["--exact", test, "--nocapture"]).env(ARRIVED, arrived).status()
}
