//! What people write in `.ralph/` beside the plan: put back when it is deleted during a run. Changed settings are
//! reported and left as they are.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::project_file::{read_plain, replace};

/// Most bytes of files that are remembered.
const REMEMBERED: u64 = 1 << 20;

/// Settings files that the next run would read.
const SETTINGS: [&str; 4] =
    ["settings.toml", "settings.local.toml", "settings.json", "settings.local.json"];

/// A copy of what people wrote, as it was before any agent ran.
#[derive(Debug)]
pub(crate) struct AuthoredFiles {
    folder: PathBuf,
    texts: BTreeMap<PathBuf, Vec<u8>>,
    /// What each settings file held when it was last looked at.
    settings: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl AuthoredFiles {
    /// Remembers what is in the folder, apart from the plan.
    pub(crate) fn of(folder: &Path, plan: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            texts: remember(folder, plan),
            settings: settings(folder),
        }
    }

    /// Puts deleted files back, and says so; says once of each settings file that it changed.
    pub(crate) fn put_back(&mut self) -> Vec<String> {
        let mut notes = Vec::new();
        for (path, text) in &self.texts {
            if !path.exists() && replace(path, text).is_ok() {
                notes.push(format!("{} was deleted; it was put back", self.short(path)));
            }
        }
        let before = std::mem::replace(&mut self.settings, settings(&self.folder));
        let changed = self.settings.iter().filter(|(path, text)| before.get(*path) != Some(text));
        notes.extend(changed.map(|(path, _)| {
            format!(
                "{} changed while an agent worked; this run does not use it, so check it before the next one",
                self.short(path)
            )
        }));
        notes
    }

    /// A path as people name it.
    pub(crate) fn short(&self, path: &Path) -> String {
        match path.strip_prefix(&self.folder) {
            Ok(inside) => format!(".ralph/{}", inside.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// Files small enough to remember; runs and memory are not among them.
fn remember(folder: &Path, plan: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut left = REMEMBERED;
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(about) = entry.metadata() else { continue };
        if path == plan || !about.is_file() || about.len() > left {
            continue;
        }
        if let Some(text) = read_plain(&path) {
            left -= about.len().min(left);
            found.insert(path, text);
        }
    }
    found
}

/// What each settings file holds now.
fn settings(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let paths = SETTINGS.iter().map(|name| folder.join(name));
    paths.map(|path| (path.clone(), read_plain(&path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deleted_files_come_back_and_a_new_settings_file_is_reported_once() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (prd, plan) = (folder.path().join("prd.md"), folder.path().join("plan.json"));
        fs::write(&prd, "what is wanted")?;
        let mut files = AuthoredFiles::of(folder.path(), &plan);
        assert!(files.put_back().is_empty());
        fs::remove_file(&prd)?;
        assert_eq!(files.put_back(), [".ralph/prd.md was deleted; it was put back"]);
        assert_eq!(fs::read_to_string(&prd)?, "what is wanted");
        fs::write(folder.path().join("settings.local.toml"), "[claims]\ntrust_agent = true\n")?;
        let notes = files.put_back();
        assert!(notes.len() == 1 && notes[0].contains("settings.local.toml"), "{notes:?}");
        assert!(files.put_back().is_empty());
        Ok(())
    }
}
