//! What is in the box: the one place that decides it. Reads the disk to see what is there, and changes nothing.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{
    build_folder, caches, git_view,
    layers::Spare,
    machine::{GIT_SETTINGS, Machine},
    profile::{Mount, Profile, RALPH_INSIDE, Reach},
    request::SandboxRequest,
    sockets, system, tools,
};
use crate::fence::Limits;
use crate::search_path::leads_through;

/// Why there can be no box.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("{} contains your home folder, so a box around it would contain all your files", .0.display())]
    HoldsHome(PathBuf),
    #[error(
        "sandbox.writable names {}, which contains the repository or ralph's own files: an agent could replace them",
        .0.display()
    )]
    HoldsJudge(PathBuf),
    #[error("HOME is {0:?}, which is not a folder that a box can replace with an empty one")]
    NoHome(PathBuf),
    #[error("{} is not a path without links", .0.display())]
    Linked(PathBuf),
    #[error(
        "{} is behind a link, so it cannot be hidden from the agent: make it a folder, remove it, or run `ralph trust`",
        .0.display()
    )]
    HiddenLink(PathBuf),
}

/// The box for a process.
pub(super) fn profile(
    machine: &Machine,
    request: &SandboxRequest,
    reach: Reach,
) -> Result<Profile, PolicyError> {
    let workspace = real(&request.workspace)?;
    let home = home_of(machine)?;
    for root in request.writable.iter().chain([&workspace]) {
        if home.starts_with(root) {
            return Err(PolicyError::HoldsHome(root.clone()));
        }
    }
    refuse_to_lend_the_judge(machine, request, &workspace)?;
    let mut mounts = system::mounts(&machine.cache);
    mounts.push(match &request.home {
        Some(from) => Mount::Lent { from: from.clone(), at: home.clone() },
        None => Mount::Empty { at: home.clone() },
    });
    let mut others = tools::mounts(machine, &home, request);
    let variable = |name: &str| machine.variable(name).map(PathBuf::from);
    if let Some(layers) = &request.layers {
        others.extend(caches::mounts(&home, machine, layers, variable));
        let built = build_folder::outside(machine, &home, &workspace);
        others.extend(built.map(|folder| build_folder::mount(folder, machine, layers)));
    }
    others.extend(request.readable.iter().filter(|path| path.exists()).map(Mount::shown));
    others.extend(request.writable.iter().filter(|path| path.exists()).map(Mount::lent));
    // Whatever a link of the workspace leads to, an agent chose.
    let is_theirs = |path: &&PathBuf| leads_through(path, std::slice::from_ref(&workspace), &[]);
    others.retain(|mount| !mount.paths().iter().any(is_theirs));
    mounts.extend(others);
    mounts
        .push(Mount::Shown { from: machine.cache.join(GIT_SETTINGS), at: home.join(GIT_SETTINGS) });
    mounts.push(match &request.layers {
        Some(layers) if layers.workspace => {
            layers.over(workspace.clone(), workspace.clone(), Spare::No)
        }
        _ => Mount::lent(workspace.clone()),
    });
    for path in &request.hidden {
        mounts.extend(masked(path, &workspace)?);
    }
    for (from, at) in &request.lent {
        mounts.push(Mount::Lent { from: from.clone(), at: at.clone() });
    }
    for (from, at) in &request.shown {
        mounts.push(Mount::Shown { from: from.clone(), at: at.clone() });
    }
    let own: BTreeSet<&PathBuf> = request.protected.iter().collect();
    mounts.extend(own.into_iter().filter_map(|path| protected(path, &workspace)));
    mounts.extend(git_view::mounts(&request.protected, &machine.cache, request.index.as_ref()));
    mounts
        .extend(request.unseen.iter().filter_map(|path| unseen(path, &mounts)).collect::<Vec<_>>());
    mounts.push(Mount::Shown { from: machine.ralph.clone(), at: RALPH_INSIDE.into() });
    // Through layers nothing of the machine can be reached that way.
    let has_layers = request.layers.as_ref().is_some_and(|layers| layers.workspace);
    let unix_sockets = request.unix_sockets || has_layers;
    let is_veiled = has_layers && !request.unix_sockets;
    if is_veiled {
        // Nothing is mounted in git's own folders: what is in there changes all the time.
        let is_git = |path: &PathBuf| request.protected.iter().any(|own| path.starts_with(own));
        let others = mounts.iter().filter(|mount| !mount.source().is_some_and(is_git));
        let hidden = sockets::hidden(&others.cloned().collect::<Vec<_>>());
        mounts.extend(hidden);
    }
    let veil = is_veiled.then(|| caches::veil(machine));
    let groups = Vec::new();
    Ok(Profile { mounts, workspace, home, reach, unix_sockets, veil, limits: limits(), groups })
}

/// What holds the repository or ralph's own files could be moved away, and others put in its place.
fn refuse_to_lend_the_judge(
    machine: &Machine,
    request: &SandboxRequest,
    workspace: &Path,
) -> Result<(), PolicyError> {
    let layers = request.layers.as_ref().map(|layers| layers.top.as_path());
    let own: Vec<&Path> = layers.into_iter().chain([machine.cache.as_path()]).collect();
    for root in request.writable.iter().filter_map(|root| fs::canonicalize(root).ok()) {
        let is_above = workspace != root && workspace.starts_with(&root);
        let is_own = |own: &&Path| own.starts_with(&root) || root.starts_with(own);
        if is_above || own.iter().any(is_own) {
            return Err(PolicyError::HoldsJudge(root));
        }
    }
    Ok(())
}

/// The user's home, which must be a folder of its own: an empty one in the place of `/` or `/usr` hides the system.
fn home_of(machine: &Machine) -> Result<PathBuf, PolicyError> {
    let refused = || PolicyError::NoHome(machine.home.clone());
    let home = fs::canonicalize(&machine.home).map_err(|_| refused())?;
    if home == Path::new("/") || system::is_top(&home) { Err(refused()) } else { Ok(home) }
}

/// A path as it is; where nothing is, what is made there is gone with the box: ralph would believe it later. What was
/// there before and is now behind a link of the workspace is not protected any more: nobody looks for it there.
fn protected(path: &Path, workspace: &Path) -> Option<Mount> {
    let parent = path.parent()?;
    let is_straight = !parent.starts_with(workspace) || fs::canonicalize(parent).ok()? == parent;
    let mount = match fs::symlink_metadata(path) {
        Ok(entry) if entry.is_symlink() => return None,
        Ok(_) => Mount::shown(path),
        Err(_) => Mount::Empty { at: path.to_owned() },
    };
    is_straight.then_some(mount)
}

/// An empty folder or file in the place of one in the workspace; nothing where there is none. A link would lead
/// elsewhere by the time that somebody looks.
fn masked(path: &Path, workspace: &Path) -> Result<Option<Mount>, PolicyError> {
    let is_straight = |parent: &Path| fs::canonicalize(parent).is_ok_and(|real| real == *parent);
    match fs::symlink_metadata(path) {
        Err(_) => Ok(None),
        Ok(entry) if entry.is_symlink() => Err(PolicyError::HiddenLink(path.to_owned())),
        Ok(_) if !path.starts_with(workspace) => Ok(None),
        Ok(_) if !path.parent().is_some_and(is_straight) => {
            Err(PolicyError::HiddenLink(path.to_owned()))
        }
        Ok(_) => Ok(Some(system::hidden(path))),
    }
}

/// An empty folder or file in the place of one that is seen, if it is there and no link.
fn unseen(path: &Path, mounts: &[Mount]) -> Option<Mount> {
    let shown = mounts.iter().rev().find_map(|mount| match mount {
        Mount::Shown { from, at } => path.strip_prefix(at).ok().map(|below| from.join(below)),
        _ => None,
    })?;
    let kind = fs::symlink_metadata(shown).ok()?.file_type();
    let at = path.to_owned();
    if kind.is_dir() {
        Some(Mount::Empty { at })
    } else {
        kind.is_file().then(|| Mount::Shown { from: system::NOTHING.into(), at })
    }
}

/// A path as the kernel sees it: one with links in it could be moved under our feet.
fn real(path: &Path) -> Result<PathBuf, PolicyError> {
    fs::canonicalize(path).map_err(|_| PolicyError::Linked(path.to_owned()))
}

/// Wide enough for any build; narrow enough that the machine stays usable.
fn limits() -> Limits {
    const FILE: u64 = 64 << 30;
    const PROCESSES: u64 = 8_192;
    Limits { processes: PROCESSES, file_bytes: FILE, data_bytes: memory().unwrap_or(u64::MAX) }
}

/// All the memory of the machine, in bytes.
fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_behind_a_link_cannot_be_hidden() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = fs::canonicalize(folder.path())?;
        let workspace = root.join("work");
        fs::create_dir_all(workspace.join("plain/.claude"))?;
        std::os::unix::fs::symlink("plain", workspace.join("led"))?;
        std::os::unix::fs::symlink("plain/.claude", workspace.join(".claude"))?;
        let masks = |path: &str| masked(&workspace.join(path), &workspace);
        for led in ["led/.claude", ".claude"] {
            assert!(matches!(masks(led), Err(PolicyError::HiddenLink(_))), "{led}");
        }
        assert!(matches!(masks("plain/.claude"), Ok(Some(_))));
        assert!(matches!(masks("absent"), Ok(None)));
        Ok(())
    }
}
