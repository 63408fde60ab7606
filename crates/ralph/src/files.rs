//! Finds and reads the settings files. Knows where they are, never what is in them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ralph_core::settings::{Format, Layer, LayerText, SettingsFile, Trust};
use ralph_engine::project_file::{self, Unfit};

/// The folder of a repository that people write settings in.
const FOLDER: &str = ".ralph";

/// No settings file is bigger; what is bigger is something else.
const BIGGEST: u64 = 1 << 20;

/// Where to look.
pub(crate) struct Search<'a> {
    pub(crate) project_dir: &'a Path,
    /// `--config`: read in place of the project's file.
    pub(crate) config: Option<&'a Path>,
    /// See `env_vars::user_settings_dir`.
    pub(crate) user_dir: Option<&'a Path>,
    /// Whether git tracks a file, below the project folder. In doubt it must say yes: a tracked local file
    /// came with the repository and may not open the box. Letter case must not matter.
    pub(crate) is_tracked: &'a dyn Fn(&Path) -> bool,
}

/// Why the settings files cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FilesError {
    #[error("both {} and {} exist, and only one may", toml.display(), json.display())]
    Both { toml: PathBuf, json: PathBuf },
    #[error("{} is a symbolic link, so git cannot tell who wrote its target", path.display())]
    Link { path: PathBuf },
    #[error("{} is not UTF-8 text", path.display())]
    NotText { path: PathBuf },
    #[error("{} cannot be read{}", path.display(), why(source))]
    Read { path: PathBuf, source: io::Error },
}

fn why(error: &io::Error) -> String {
    Unfit::of(error).map_or_else(String::new, |why| format!(": {why}"))
}

impl FilesError {
    /// What to do about it.
    pub(crate) fn help(&self) -> String {
        match self {
            Self::Both { toml, json } => format!(
                "move what you need from {} to {} and delete it",
                json.display(),
                toml.display()
            ),
            Self::Link { .. } => {
                "replace it with the file itself; settings for all projects belong in \
                                  ~/.config/ralph/settings.toml, which may be a link"
                    .to_owned()
            }
            Self::NotText { .. } => "save it as UTF-8".to_owned(),
            Self::Read { path, source } if source.kind() == io::ErrorKind::NotFound => {
                format!("check the path {}, or omit --config", path.display())
            }
            Self::Read { source, .. } => {
                Unfit::of(source).map_or("check its permissions", Unfit::help).to_owned()
            }
        }
    }
}

/// Whether a link may stand in place of a file.
#[derive(Clone, Copy, PartialEq)]
enum Links {
    /// The user's own place.
    Followed,
    /// As long as they stay in a repository that they lie in.
    Within,
    Refused,
}

/// All settings files there are, as layers.
pub(crate) fn layers(search: &Search<'_>) -> Result<Vec<LayerText>, FilesError> {
    let mut files = Vec::new();
    if let Some(dir) = search.user_dir {
        let name = |file: &str| dir.join(file).display().to_string();
        let found = one_of(dir, "settings", Links::Followed)?;
        files.extend(found.map(|found| {
            // In the project it is what an agent made of it.
            let is_agents = lies_in(&dir.join(&found.file), search.project_dir);
            let trust = if is_agents { Trust::OnlyTighten } else { Trust::MayLoosen };
            found.layer(Layer::User, trust, name)
        }));
    }
    let folder = search.project_dir.join(FOLDER);
    if fs::symlink_metadata(&folder).is_ok_and(|about| about.is_symlink()) {
        return Err(FilesError::Link { path: folder });
    }
    let name = |file: &str| format!("{FOLDER}/{file}");
    if let Some(path) = search.config {
        let text = read(path, Links::Within)?.ok_or_else(|| FilesError::Read {
            path: path.to_owned(),
            source: io::ErrorKind::NotFound.into(),
        })?;
        let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        let format = if is_json { Format::Json } else { Format::Toml };
        let found = Found { file: path.display().to_string(), format, text };
        files.push(found.layer(Layer::Project, Trust::OnlyTighten, str::to_owned));
    } else if let Some(found) = one_of(&folder, "settings", Links::Refused)? {
        files.push(found.layer(Layer::Project, Trust::OnlyTighten, name));
    }
    if let Some(found) = one_of(&folder, "settings.local", Links::Refused)? {
        let tracked = (search.is_tracked)(&Path::new(FOLDER).join(&found.file));
        let trust = if tracked { Trust::OnlyTighten } else { Trust::MayLoosen };
        files.push(found.layer(Layer::Local, trust, name));
    }
    Ok(files.into_iter().map(LayerText::File).collect())
}

/// Settings of the project that are not written yet.
pub(crate) fn proposed(text: &str) -> LayerText {
    let (file, format) = ("settings.toml".to_owned(), Format::Toml);
    let found = Found { file, format, text: text.to_owned() };
    let name = |file: &str| format!("{FOLDER}/{file}");
    LayerText::File(found.layer(Layer::Project, Trust::OnlyTighten, name))
}

/// Whether a file is behind its links one of this folder.
fn lies_in(file: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(file).starts_with(real(folder))
}

struct Found {
    file: String,
    format: Format,
    text: String,
}

impl Found {
    fn layer(self, layer: Layer, trust: Trust, name: impl Fn(&str) -> String) -> SettingsFile {
        SettingsFile { layer, name: name(&self.file), format: self.format, trust, text: self.text }
    }
}

/// The TOML or the JSON file of a layer, or none.
fn one_of(dir: &Path, stem: &str, links: Links) -> Result<Option<Found>, FilesError> {
    let mut found = None;
    for (ending, format) in [("toml", Format::Toml), ("json", Format::Json)] {
        let file = format!("{stem}.{ending}");
        let Some(text) = read(&dir.join(&file), links)? else {
            continue;
        };
        if found.replace(Found { file, format, text }).is_some() {
            let path = |ending: &str| dir.join(format!("{stem}.{ending}"));
            return Err(FilesError::Both { toml: path("toml"), json: path("json") });
        }
    }
    Ok(found)
}

/// The text of a file, or nothing if there is none.
fn read(path: &Path, links: Links) -> Result<Option<String>, FilesError> {
    let place = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(about) if about.is_symlink() && links == Links::Refused => {
            return Err(FilesError::Link { path: path.to_owned() });
        }
        Ok(_) if links == Links::Followed => path.canonicalize(),
        about => about.map(|_| path.to_owned()),
    };
    let bytes = place.and_then(|place| project_file::read(&place, BIGGEST));
    let bytes = bytes.map_err(|source| FilesError::Read { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map(Some).map_err(|_| FilesError::NotText { path: path.to_owned() })
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
