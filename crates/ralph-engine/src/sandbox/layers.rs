//! Where what is written in a box goes, apart from the folders that it is written over.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use ralph_text::fingerprint::digest;

use super::{lay, profile::Mount, stage};

/// Name of what is written, in the folder of one layer.
const UP: &str = "up";

/// The folders that take what a process writes. Each folder that is laid over has a place of its own in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layers {
    /// What earlier processes wrote, to be read; the first on top.
    pub base: Vec<PathBuf>,
    /// What this one writes.
    pub top: PathBuf,
    /// Whether the workspace is laid over too. Otherwise it is written itself.
    pub workspace: bool,
}

/// Whether the top layer will do alone where the kernel refuses to lay it over anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spare {
    Yes,
    No,
}

impl Layers {
    /// What was written over `folder`, in a folder of layers.
    pub fn written(layers: &Path, folder: &Path) -> PathBuf {
        place(layers, folder).join(UP)
    }

    /// Removes what was written.
    pub fn forget(&self) -> io::Result<()> {
        if self.top.exists() { crate::remove::remove_all(&self.top) } else { Ok(()) }
    }

    /// Removes what was written over other folders than these.
    pub fn forget_besides(&self, folders: &[&Path]) -> io::Result<()> {
        let kept: Vec<PathBuf> = folders.iter().map(|folder| place(&self.top, folder)).collect();
        for entry in fs::read_dir(&self.top).into_iter().flatten() {
            let path = entry?.path();
            if !kept.contains(&path) {
                crate::remove::remove_all(&path)?;
            }
        }
        Ok(())
    }

    /// The mount that shows `folder` at `at` and keeps what is written out of it.
    pub(super) fn over(&self, folder: PathBuf, at: PathBuf, spare: Spare) -> Mount {
        let earlier = self.base.iter().map(|base| Self::written(base, &at));
        let below = earlier.filter(|layer| layer.is_dir()).chain([folder]).collect();
        let above = place(&self.top, &at);
        Mount::Layered { below, above, at, spare: spare == Spare::Yes }
    }
}

/// Whether the kernel lays folders over each other here, for this user: it is tried.
pub fn can_layer(layers: &Path) -> bool {
    attempt(layers).unwrap_or(false)
}

fn attempt(layers: &Path) -> io::Result<bool> {
    fs::create_dir_all(layers)?;
    let folder = tempfile::Builder::new().prefix("try-").tempdir_in(fs::canonicalize(layers)?)?;
    let below = folder.path().join("below");
    fs::create_dir(&below)?;
    let (above, at) = (folder.path().join("above"), "/layered".into());
    let layered = Mount::Layered { below: vec![below], above, at, spare: false };
    let words = stage::order(Vec::new(), lay::all(&[layered], None));
    let Some((program, args)) = words.split_first() else {
        return Ok(false);
    };
    let mut command = Command::new(program);
    command.args(args).arg("true").env_clear().env("PATH", "/usr/bin:/bin");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let ended = command.status()?;
    // The kernel leaves a folder there that only its owner can open up.
    let _ = crate::remove::remove_all(folder.path());
    Ok(ended.success())
}

/// Named by a digest of the whole path: no two folders share a place.
fn place(layers: &Path, folder: &Path) -> PathBuf {
    let name = digest(&[folder.as_os_str().as_encoded_bytes()]);
    layers.join(&name[..32])
}
