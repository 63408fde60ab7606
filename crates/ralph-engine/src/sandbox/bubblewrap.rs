//! Bubblewrap: namespaces for files, processes, network and users, made by a small program that most systems package.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
};

use nix::unistd::Uid;

use super::{
    backend::{Sandbox, Unfit},
    lay,
    profile::{Profile, RALPH_INSIDE, Reach},
    selftest, stage,
};
use crate::{
    fence::{Fence, Wrapping},
    outside,
};

const PROGRAM: &str = "bwrap";

/// The kernel's switches. Root's are root's inside too, and bubblewrap leaves them as they are where it cannot write
/// to their folder itself.
const KERNELS: &[&str] = &["/proc/sys", "/proc/irq", "/proc/bus", "/proc/sysrq-trigger"];

/// What the kernel tells everybody of the user's keys.
const KEYS: &[&str] = &["/proc/keys"];

/// What the kernel tells root about all of the machine, and nobody else.
const TELLING: &[&str] = &[
    "/proc/kcore",
    "/proc/kmsg",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/pagetypeinfo",
    "/proc/slabinfo",
    "/proc/timer_list",
    "/proc/vmallocinfo",
];

/// The default on Linux.
#[derive(Debug)]
pub struct Bubblewrap;

impl Sandbox for Bubblewrap {
    fn name(&self) -> &'static str {
        "bubblewrap"
    }

    fn probe(&self) -> Result<(), Unfit> {
        if !cfg!(target_os = "linux") {
            return Err(Unfit::OtherSystem);
        }
        if outside::bubblewrap().is_none() {
            return Err(Unfit::Missing { program: PROGRAM });
        }
        selftest::attempt(self, PROGRAM)
    }

    fn wrap(&self, profile: &Profile) -> Wrapping {
        let laid = lay::all(&profile.mounts, profile.veil.as_deref());
        let mut before = stage::order(profile.groups.clone(), laid);
        before.push(outside::bubblewrap().unwrap_or_else(|| PathBuf::from(PROGRAM)).into());
        before.extend(arguments(profile));
        Wrapping { before, shim: Some(RALPH_INSIDE.into()), fence: fence(profile) }
    }

    fn version(&self) -> Option<String> {
        let said =
            outside::bubblewrap_command()?.arg("--version").stdin(Stdio::null()).output().ok()?;
        String::from_utf8_lossy(&said.stdout).split_whitespace().last().map(str::to_owned)
    }

    fn describe(&self) -> &'static str {
        "bubblewrap: the agent and all it starts see the worktree, system programs and package caches, nothing else of \
         yours; they cannot change .git or .ralph, and reach only the hosts you allow"
    }
}

fn arguments(profile: &Profile) -> Vec<OsString> {
    let mut args: Vec<OsString> = [
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        "--cap-drop",
        "ALL",
    ]
    .map(OsString::from)
    .to_vec();
    if profile.reach != Reach::Anywhere {
        args.push("--unshare-net".into());
    }
    args.extend(["--bind", lay::ROOT, "/", "--proc", "/proc", "--dev", "/dev"].map(OsString::from));
    let mut place = |from: &str, at: &str| args.extend(["--ro-bind", from, at].map(OsString::from));
    let is_there = |path: &&&str| Path::new(path).exists();
    let is_root = Uid::effective().is_root();
    for path in KERNELS.iter().filter(is_there).filter(|_| is_root) {
        place(path, path);
    }
    for path in TELLING.iter().filter(|_| is_root).chain(KEYS).filter(is_there) {
        place("/dev/null", path);
    }
    args.extend([OsString::from("--chdir"), profile.workspace.clone().into()]);
    args.push("--".into());
    args
}

/// What the shim adds from inside: the kernel's path rules again, calls that nobody needs, bounds.
fn fence(profile: &Profile) -> Fence {
    let own = ["/dev", "/proc"].map(PathBuf::from);
    let mounts = profile.mounts.iter().filter(|mount| mount.is_writable());
    Fence {
        listen: match profile.reach {
            Reach::Gateway { port } => Some(port),
            Reach::Nowhere | Reach::Anywhere => None,
        },
        writable: Some(mounts.map(|mount| mount.at().clone()).chain(own).collect()),
        seccomp: true,
        unix_sockets: profile.unix_sockets,
        limits: Some(profile.limits),
    }
}
