//! An empty network with only loopback, and no more: what a test does on it reaches nobody.

use std::{
    io,
    path::Path,
    process::{Command, ExitStatus},
};

use crate::Tested;

/// Names the file that shows that the test's body really ran.
const ARRIVED: &str = "RALPH_TEST_ISLAND";

/// Brings loopback up, gives up every capability that was needed for it, and becomes the given program.
const LAND: &str = "PATH=\"$PATH:/usr/sbin:/sbin\"; ip link set lo up \
                    && exec setpriv --ambient-caps=-all -- \"$@\"";

/// Who a test is on the island, where it is not root already.
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
    let status = cross(arrival, test, &arrived)?;
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

fn cross(arrival: Arrival, test: &str, arrived: &Path) -> io::Result<ExitStatus> {
    let mut command = Command::new("unshare");
    command.arg("--net");
    match (is_root()?, arrival) {
        (true, _) => {}
        (false, Arrival::Oneself) => drop(command.args(["--map-current-user", "--keep-caps"])),
        (false, Arrival::Root) => drop(command.arg("--map-root-user")),
    }
    command.args(["--", "sh", "-c", LAND, "sh"]).arg(std::env::current_exe()?);
    command.args(["--exact", test, "--nocapture"]).env(ARRIVED, arrived).status()
}
