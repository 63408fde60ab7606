//! The weaker backend for Linux without user namespaces: the shim's own fence and no mounts. Only by name, and says so.

use std::path::{Path, PathBuf};

use super::{
    backend::{Sandbox, Unfit},
    profile::{Mount, Profile},
    system,
};
use crate::fence::{Fence, Wrapping};

/// Where the kernel lists what guards it.
const GUARDS: &str = "/sys/kernel/security/lsm";

/// What a process without a view of its own still needs.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Without a place for temporary files hardly any build works.
const SHARED: [&str; 2] = ["/tmp", "/var/tmp"];

/// `landlock` in settings.
#[derive(Debug)]
pub(super) struct WriteFence;

impl Sandbox for WriteFence {
    fn name(&self) -> &'static str {
        "landlock"
    }

    /// Looks only whether the kernel has it: the fence itself starts nothing where it cannot be put up.
    fn probe(&self) -> Result<(), Unfit> {
        if !cfg!(target_os = "linux") {
            return Err(Unfit::OtherSystem);
        }
        match std::fs::read_to_string(GUARDS) {
            Ok(guards) if !guards.trim().split(',').any(|one| one == "landlock") => {
                let detail =
                    format!("this kernel does not use it: {} says {}", GUARDS, guards.trim());
                Err(Unfit::Refused { program: "landlock", detail })
            }
            _ => Ok(()),
        }
    }

    fn wrap(&self, profile: &Profile) -> Wrapping {
        Wrapping { before: Vec::new(), shim: None, fence: fence(profile) }
    }

    fn describe(&self) -> &'static str {
        "landlock: a fence around writing (the worktree, /tmp and caches stay writable) and reading your home; .git and \
         .ralph can be changed, file metadata, Unix sockets and other processes are not fenced, and the network is not \
         isolated"
    }

    fn has_own_view(&self) -> bool {
        false
    }

    fn fences_network(&self) -> bool {
        false
    }
}

/// Paths where they are: nothing can be shown at another place, and nothing inside a writable folder kept from writing.
fn fence(profile: &Profile) -> Fence {
    let mut writable: Vec<PathBuf> = DEVICES.iter().map(PathBuf::from).collect();
    let mut readable = vec![PathBuf::from("/proc"), PathBuf::from("/dev")];
    for mount in &profile.mounts {
        match mount {
            // A copy of it cannot lie in its place: what may be seen of it is seen there.
            Mount::Shown { at, .. } if at == Path::new("/etc") => {
                readable.extend(system::of_etc().iter().map(|name| at.join(name)));
            }
            Mount::Shown { from, .. } => readable.push(from.clone()),
            Mount::Lent { from, .. } => writable.push(from.clone()),
            Mount::Layered { below, above, .. } => {
                readable.extend(below.iter().cloned());
                writable.push(above.clone());
            }
            // A folder of its own cannot be made without mounts: the shared one stays, everything else is hidden.
            Mount::Empty { at } if SHARED.iter().any(|shared| at == Path::new(shared)) => {
                writable.push(at.clone());
            }
            Mount::Empty { .. } | Mount::Link { .. } => {}
        }
    }
    readable.extend(writable.iter().cloned());
    Fence {
        listen: None,
        writable: Some(writable),
        readable: Some(readable),
        seccomp: true,
        unix_sockets: profile.unix_sockets,
        stops_others: false,
        limits: Some(profile.limits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fence::Limits, sandbox::profile::Reach};

    #[test]
    fn only_what_is_lent_can_be_written() {
        let profile = Profile {
            mounts: vec![
                Mount::shown("/usr"),
                Mount::Empty { at: "/home/ann".into() },
                Mount::Empty { at: "/tmp".into() },
                Mount::lent("/home/ann/work"),
                Mount::shown("/home/ann/work/.git"),
            ],
            workspace: "/home/ann/work".into(),
            home: "/home/ann".into(),
            reach: Reach::Nowhere,
            unix_sockets: false,
            veil: None,
            limits: Limits { processes: 1, file_bytes: 2, data_bytes: 3 },
            groups: Vec::new(),
        };
        let fence = WriteFence.wrap(&profile).fence;
        let (writable, readable) =
            (fence.writable.unwrap_or_default(), fence.readable.unwrap_or_default());
        let work = PathBuf::from("/home/ann/work");
        assert!(writable.contains(&work) && readable.contains(&work));
        let is_meant =
            |path: &PathBuf| path.starts_with("/dev") || path == Path::new("/tmp") || *path == work;
        assert!(writable.iter().all(is_meant), "{writable:?}");
        assert!(readable.contains(&"/usr".into()) && !readable.contains(&"/home/ann".into()));
    }

    #[test]
    fn it_does_not_claim_the_network() {
        assert!(!WriteFence.fences_network());
        assert!(WriteFence.describe().contains("network is not isolated"));
    }
}
