//! The repository as the rules see it: paths and texts of what git tracks or would track.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Every file, by its path from the root.
#[derive(Debug, Default)]
pub(crate) struct Repository {
    files: BTreeMap<String, File>,
}

/// One file; its text is `None` if it is not UTF-8.
#[derive(Debug)]
struct File {
    bytes: usize,
    text: Option<String>,
}

impl Repository {
    /// What is in the checkout, without what git ignores.
    pub(crate) fn load() -> Result<Self, Box<dyn Error>> {
        let root = root();
        let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let output = Command::new("git").current_dir(&root).args(arguments).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let mut repository = Self::default();
        for path in String::from_utf8(output.stdout)?.split_terminator('\0') {
            let place = root.join(path);
            // A deleted file stays listed until the deletion is staged; a link is judged by its target.
            if place.is_file() && !place.is_symlink() {
                let bytes = fs::read(place)?;
                let file = File { bytes: bytes.len(), text: String::from_utf8(bytes).ok() };
                repository.files.insert(path.to_owned(), file);
            }
        }
        Ok(repository)
    }

    /// A repository made of these paths and texts, to show that a rule can fail.
    pub(crate) fn planted(files: &[(&str, &str)]) -> Self {
        let file = |text: &str| File { bytes: text.len(), text: Some(text.to_owned()) };
        let entry = |&(path, text): &(&str, &str)| (path.to_owned(), file(text));
        Self { files: files.iter().map(entry).collect() }
    }

    /// Path and text of every file that is text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, file)| Some((path.as_str(), file.text.as_deref()?)))
    }

    /// Path and text of every Rust file.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(|(path, _)| has_extension(path, "rs"))
    }

    /// Path and text of every Rust file below a folder.
    pub(crate) fn rust_below(&self, folder: &str) -> impl Iterator<Item = (&str, &str)> {
        self.rust().filter(move |(path, _)| path.starts_with(folder))
    }

    /// One file's text; empty if there is no such file.
    pub(crate) fn text(&self, path: &str) -> &str {
        self.files.get(path).and_then(|file| file.text.as_deref()).unwrap_or_default()
    }

    /// Path and size of every file.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&str, usize)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file.bytes))
    }

    /// Names of a folder's modules: its files without `mod.rs` and `tests.rs`, and its folders with a `mod.rs`.
    pub(crate) fn modules_of(&self, folder: &str) -> Vec<&str> {
        let module = |path: &'_ str| {
            let rest = path.strip_prefix(folder)?;
            let name = rest.strip_suffix("/mod.rs").or_else(|| rest.strip_suffix(".rs"))?;
            (!name.contains('/') && !matches!(name, "mod" | "tests")).then_some(name.len())
        };
        let start = folder.len();
        self.rust()
            .filter_map(|(path, _)| module(path).map(|length| &path[start..start + length]))
            .collect()
    }
}

/// Whether a path ends in this extension.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
