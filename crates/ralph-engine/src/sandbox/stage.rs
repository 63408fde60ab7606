//! `ralph __stage`: enters the box's control group, lays what is written in the box over the user's package caches,
//! then becomes the next program.
//!
//! Happens in a mount namespace of its own, so nobody else sees it. Runs before the process has a second thread.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use serde::{Deserialize, Serialize};

use super::{
    group,
    profile::{Mount, Profile},
};

/// The hidden subcommand's name.
pub(crate) const SUBCOMMAND: &str = "__stage";

#[derive(Debug, Serialize, Deserialize)]
struct Order {
    groups: Vec<PathBuf>,
    layers: Vec<Layer>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Layer {
    below: PathBuf,
    above: PathBuf,
}

/// What to put before the next program; nothing where there is nothing to do.
pub(super) fn command(profile: &Profile) -> Vec<OsString> {
    let layers: Vec<Layer> = profile
        .mounts
        .iter()
        .filter_map(|mount| match mount {
            Mount::Layered { below, above, .. } => {
                Some(Layer { below: below.clone(), above: above.clone() })
            }
            _ => None,
        })
        .collect();
    let is_idle = layers.is_empty() && profile.groups.is_empty();
    match serde_json::to_string(&Order { groups: profile.groups.clone(), layers }) {
        Ok(order) if !is_idle => {
            vec!["/proc/self/exe".into(), SUBCOMMAND.into(), order.into()]
        }
        _ => Vec::new(),
    }
}

/// Does as ordered and becomes the next program; comes back only with an exit code for a failure.
pub(crate) fn main() -> i32 {
    let mut args = std::env::args_os().skip(2);
    let (Some(order), Some(program)) = (args.next(), args.next()) else {
        return 2;
    };
    if follow(&order).is_err() {
        return 1;
    }
    let _ = Command::new(program).args(args).exec();
    127
}

fn follow(order: &OsStr) -> io::Result<()> {
    let Order { groups, layers } = serde_json::from_slice(order.as_encoded_bytes())?;
    group::enter(&groups)?;
    if layers.is_empty() { Ok(()) } else { lay(layers) }
}

#[cfg(target_os = "linux")]
fn lay(layers: Vec<Layer>) -> io::Result<()> {
    use nix::{
        mount::{MsFlags, mount},
        sched::{CloneFlags, unshare},
        unistd::{Gid, Uid},
    };

    let (user, group) = (Uid::effective(), Gid::effective());
    if user.is_root() {
        unshare(CloneFlags::CLONE_NEWNS)?;
    } else {
        unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWUSER)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    let nothing = None::<&str>;
    mount(nothing, "/", nothing, MsFlags::MS_REC | MsFlags::MS_SLAVE, nothing)?;
    for Layer { below, above } in layers {
        let (up, work) = (above.join("up"), above.join("work"));
        fs::create_dir_all(&up)?;
        fs::create_dir_all(&work)?;
        let options = overlay_options(&below, &up, &work, user.is_root());
        let laid =
            mount(Some("overlay"), &below, Some("overlay"), MsFlags::empty(), Some(&*options));
        if laid.is_err() {
            // Not every file system can be a layer; an own cache that starts empty will do.
            mount(Some(&up), &below, nothing, MsFlags::MS_BIND, nothing)?;
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn lay(_: Vec<Layer>) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Paths are escaped as overlayfs reads them.
#[cfg(target_os = "linux")]
fn overlay_options(below: &Path, up: &Path, work: &Path, is_root: bool) -> OsString {
    let escaped = |path: &Path| {
        let mut text = Vec::new();
        for byte in path.as_os_str().as_encoded_bytes() {
            if matches!(byte, b'\\' | b',' | b':') {
                text.push(b'\\');
            }
            text.push(*byte);
        }
        <OsString as std::os::unix::ffi::OsStringExt>::from_vec(text)
    };
    let mut options = OsString::from("lowerdir=");
    options.push(escaped(below));
    options.push(",upperdir=");
    options.push(escaped(up));
    options.push(",workdir=");
    options.push(escaped(work));
    if !is_root {
        options.push(",userxattr");
    }
    options
}
