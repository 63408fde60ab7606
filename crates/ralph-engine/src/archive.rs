//! Moves what a finished plan left into a folder of its own, so that a kill at any moment loses nothing.
//!
//! Everything is copied first; an intent beside the journals then says what is still to be done. Whoever finds it
//! finishes. Only for whoever holds the lock.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ralph_core::{ids::RunId, plan::prd};
use serde::{Deserialize, Serialize};

use crate::{
    atomic_write::sync_folder, crash, git, layout::Layout, project_file, remove::remove_all,
    safe_files,
};

/// Folder that is being filled.
const BUILDING: &str = ".building";

/// Files and folders of `.ralph` that belong to one plan.
const BELONGINGS: [&str; 4] = ["plan.json", "prd.md", "progress.md", "memory"];

/// An archive that is decided on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Name of the folder below `.ralph/archive`.
    pub folder: String,
    /// What the work belongs to, for the requirements that come next.
    pub project: String,
    /// Files that move, named from `.ralph`.
    pub files: Vec<String>,
    /// The newest run, which must not be taken up again.
    pub run: Option<RunId>,
    /// Message of the commit, if one is to be made.
    pub message: Option<String>,
}

/// Files of `.ralph` that belong to the plan, named from there; requirements that nobody wrote stay.
pub fn belongings(layout: &Layout) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for name in BELONGINGS {
        collect(layout.views(), Path::new(name), &mut files)?;
    }
    files.retain(|name| {
        let text = || {
            project_file::text(&layout.views().join(name), project_file::LARGEST)
                .unwrap_or_default()
        };
        name != "prd.md" || !prd::is_scaffold(&text())
    });
    Ok(files)
}

/// A name below `.ralph/archive` that nobody has taken.
pub fn free_folder(layout: &Layout, wanted: &str) -> String {
    let archive = layout.archive();
    let is_free = |name: &String| fs::symlink_metadata(archive.join(name)).is_err();
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// The archive that a process began and did not finish.
pub fn unfinished(layout: &Layout) -> io::Result<Option<Intent>> {
    let text = match project_file::read(&intent_file(layout), project_file::LARGEST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let intent: Intent = serde_json::from_slice(&text)?;
    // Without the folder only copies were made: the originals are all there, and it begins anew.
    Ok(layout.archive().join(&intent.folder).is_dir().then_some(intent))
}

/// Copies the files, and puts others with them; from then on the archive is there.
pub fn begin(layout: &Layout, intent: &Intent, beside: &[(&str, String)]) -> io::Result<()> {
    let archive = layout.archive();
    let building = archive.join(BUILDING);
    if fs::symlink_metadata(&building).is_ok() {
        remove_all(&building)?;
    }
    project_file::folder_for(&building.join("any"))?;
    for name in &intent.files {
        project_file::replace(
            &building.join(name),
            &project_file::read(&layout.views().join(name), project_file::LARGEST)?,
        )?;
        crash::point();
    }
    for (name, text) in beside {
        project_file::replace(&building.join(name), text.as_bytes())?;
    }
    sync_folders(&building)?;
    crash::point();
    let text = serde_json::to_vec_pretty(intent)?;
    safe_files::folder(layout.base_of(layout.truth()), layout.truth())?;
    project_file::replace(&intent_file(layout), &text)?;
    crash::point();
    fs::rename(&building, archive.join(&intent.folder))?;
    sync_folder(&archive)?;
    crash::point();
    Ok(())
}

/// Takes away what was copied and leaves a fresh state; may be repeated. Gives what was changed meanwhile and stays.
pub fn clear(layout: &Layout, intent: &Intent) -> io::Result<Vec<String>> {
    let mut stays = Vec::new();
    for name in &intent.files {
        let path = layout.views().join(name);
        let there = read_if_there(&path)?;
        let copy = read_if_there(&layout.archive().join(&intent.folder).join(name))?;
        if there.is_some() && there == copy {
            fs::remove_file(&path)?;
            crash::point();
        } else if there.is_some_and(|text| !is_fresh(name, &text)) {
            stays.push(name.clone());
        }
    }
    remove_empty(&layout.views().join("memory"));
    let requirements = layout.views().join("prd.md");
    if fs::symlink_metadata(&requirements).is_err() {
        project_file::replace(&requirements, prd::scaffold(&intent.project).as_bytes())?;
    }
    crash::point();
    if let Some(run) = &intent.run {
        git::retire(&layout.run(run))?;
        project_file::replace(&archived_file(layout), run.as_str().as_bytes())?;
    }
    sync_folder(layout.views())?;
    crash::point();
    Ok(stays)
}

/// The archive is complete.
pub fn end(layout: &Layout) -> io::Result<()> {
    crash::point();
    fs::remove_file(intent_file(layout))?;
    sync_folder(layout.truth())
}

/// What a commit of the archive is about, named from the repository's root.
pub fn paths(intent: &Intent) -> Vec<String> {
    let files = intent.files.iter().map(|name| format!(".ralph/{name}"));
    let others = [format!(".ralph/archive/{}", intent.folder), ".ralph/prd.md".to_owned()];
    files.chain(others).collect()
}

/// The newest run when the last archive was made: it and older ones worked on plans that are gone.
pub fn last_archived(layout: &Layout) -> Option<RunId> {
    project_file::text(&archived_file(layout), project_file::LARGEST).ok().map(RunId)
}

fn intent_file(layout: &Layout) -> PathBuf {
    layout.truth().join("archive.json")
}

fn archived_file(layout: &Layout) -> PathBuf {
    layout.truth().join("archived")
}

/// Requirements that an earlier process wrote after it had moved the old ones.
fn is_fresh(name: &str, text: &[u8]) -> bool {
    name == "prd.md" && prd::is_scaffold(&String::from_utf8_lossy(text))
}

/// Ordinary files at or below a path; what else lies there is not ours to move.
fn collect(root: &Path, name: &Path, files: &mut Vec<String>) -> io::Result<()> {
    let path = root.join(name);
    let about = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    if about.is_file() {
        files.extend(name.to_str().map(str::to_owned));
    } else if about.is_dir() {
        let mut names: Vec<_> =
            fs::read_dir(&path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
        names.sort();
        for inside in names {
            collect(root, &name.join(inside), files)?;
        }
    }
    Ok(())
}

fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match project_file::read(path, project_file::LARGEST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

fn sync_folders(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync_folder(folder)
}

/// Removes a folder and those in it as far as they hold nothing.
fn remove_empty(folder: &Path) {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in inside.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove_empty(&entry.path());
    }
    // One that holds something stays, and that is what is wanted.
    let _ = fs::remove_dir(folder);
}
