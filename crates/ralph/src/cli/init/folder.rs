//! The `.ralph` folder: whose it is, and writing into it without losing anything.

use std::path::{Path, PathBuf};

use ralph_engine::project_file;

use crate::{diagnostics::CommandError, words};

/// Names in `.ralph` that are ours.
const KNOWN: [&str; 15] = [
    ".gitignore",
    "archive",
    "mcp",
    "memory",
    "plan.json",
    "plan.json.old",
    "prd.md",
    "progress.md",
    "prompts",
    "runs",
    "settings.json",
    "settings.schema.json",
    "settings.toml",
    "settings.toml.old",
    "skills",
];
const SETTINGS: [&str; 4] =
    ["settings.toml", "settings.json", "settings.local.toml", "settings.local.json"];

/// Whether an existing file may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    Keep,
    Replace,
}

/// The settings of the project, if there are any; refuses a folder that another tool left.
pub(crate) fn settings(folder: &Path) -> Result<Option<PathBuf>, CommandError> {
    let names: Vec<String> = match std::fs::read_dir(folder) {
        Ok(entries) => entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CommandError::file("read", folder)(error)),
    };
    let settings = SETTINGS.iter().find(|name| names.iter().any(|n| n == *name));
    let mut foreign: Vec<String> = names
        .iter()
        .filter(|name| !KNOWN.contains(&name.as_str()) && !SETTINGS.contains(&name.as_str()))
        .cloned()
        .collect();
    foreign.sort();
    if settings.is_none() && !foreign.is_empty() {
        let what =
            format!("{} belongs to another tool: {}", folder.display(), words::few(&foreign, 5));
        let help =
            "nothing was changed; move that folder away, or choose another project folder with -C";
        return Err(CommandError::usage(what, help));
    }
    Ok(settings.filter(|name| !name.contains("local")).map(|name| folder.join(name)))
}

/// Writes a file whole or not at all; tells whether it was written.
pub(crate) fn write(path: &Path, text: &str, existing: Existing) -> Result<bool, CommandError> {
    let failed = CommandError::file("write", path);
    match existing {
        Existing::Replace => project_file::replace(path, text.as_bytes()).map(|()| true),
        Existing::Keep => project_file::create(path, text.as_bytes()),
    }
    .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the settings that are there, or what is foreign.
    type Looked = Result<Option<String>, String>;

    fn looked(names: &[&str]) -> Looked {
        let Ok(folder) = tempfile::tempdir() else { panic!("no temporary folder") };
        for name in names {
            assert!(std::fs::write(folder.path().join(name), "").is_ok());
        }
        let name = |path: PathBuf| {
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let said = |error: CommandError| {
            error.to_string().rsplit_once(": ").map_or(String::new(), |(_, names)| names.into())
        };
        settings(folder.path()).map(|found| found.map(name)).map_err(said)
    }

    #[test]
    fn only_our_own_folder_is_written_to() {
        let there = |name: &str| Ok(Some(name.to_owned()));
        let table: [(&[&str], Looked); 7] = [
            (&[], Ok(None)),
            (&["plan.json", "runs"], Ok(None)),
            (&["loop.sh", "PROMPT.md"], Err("PROMPT.md and loop.sh".to_owned())),
            (&["settings.toml"], there("settings.toml")),
            (&["settings.toml", "notes.txt"], there("settings.toml")),
            (&["settings.json"], there("settings.json")),
            (&["settings.local.toml"], Ok(None)),
        ];
        for (names, expected) in table {
            assert_eq!(looked(names), expected, "{names:?}");
        }
    }

    #[test]
    fn an_existing_file_is_kept_unless_told_otherwise() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("new/settings.toml");
        assert!(write(&path, "one", Existing::Keep).is_ok_and(|written| written));
        assert!(write(&path, "two", Existing::Keep).is_ok_and(|written| !written));
        assert_eq!(std::fs::read_to_string(&path)?, "one");
        assert!(write(&path, "two", Existing::Replace).is_ok_and(|written| written));
        assert_eq!(std::fs::read_to_string(&path)?, "two");
        Ok(())
    }
}
