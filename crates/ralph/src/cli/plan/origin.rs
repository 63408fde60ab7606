//! Where an imported plan comes from: its text, its name for people, and what the plan remembers of it.

use std::{io::Read as _, path::Path};

use ralph_core::plan::formats::{self, PlanFormat, source::Source};
use ralph_engine::project_file;

use super::gh;
use crate::diagnostics::CommandError;

/// Largest text that is read as a plan.
const LARGEST: u64 = 64 << 20;

/// A text that should be a plan.
pub(super) struct Origin {
    pub(super) text: String,
    /// For people.
    pub(super) name: String,
    pub(super) format: &'static PlanFormat,
    pub(super) source: Source,
}

impl Origin {
    /// Gets the text that was named, seen from a folder of a project, and finds out its format.
    pub(super) fn get(
        from: &str,
        format: Option<&str>,
        (folder, root): (&Path, &Path),
    ) -> Result<Self, CommandError> {
        let asked = format.map(named).transpose()?;
        if let Some(query) = gh::query(from) {
            let text = gh::issues(query, root)?;
            let format = named("github")?;
            let source = Source {
                format: "github".into(),
                path: None,
                query: Some(query.to_owned()).filter(|query| !query.is_empty()),
            };
            return Ok(Self { text, name: "GitHub".into(), format, source });
        }
        let (text, name, path) = if from == "-" {
            (read(&mut std::io::stdin(), Path::new("-"))?, "standard input".to_owned(), None)
        } else {
            let path = folder.join(from);
            (read_file(&path)?, from.to_owned(), Some(remembered(&path, root)))
        };
        let format = match asked {
            Some(format) => format,
            None => formats::detect(from, &text).ok_or_else(|| unrecognised(&name, &text))?,
        };
        let source = Source { format: format.name.into(), path, query: None };
        Ok(Self { text, name, format, source })
    }
}

/// The format of this name.
pub(super) fn named(name: &str) -> Result<&'static PlanFormat, CommandError> {
    formats::named(name).ok_or_else(|| {
        let known: Vec<_> = formats::ALL.iter().map(|format| format.name).collect();
        let what = format!("there is no plan format called {name}");
        let help = formats::dropped(name).map(str::to_owned);
        CommandError::usage(what, help.unwrap_or_else(|| format!("formats: {}", known.join(", "))))
    })
}

fn read_file(path: &Path) -> Result<String, CommandError> {
    let failed = CommandError::file("read", path);
    let about = path.metadata().map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => {
            let what = format!("there is no file {}", path.display());
            let help = "name the file with the tasks, - for standard input, or github";
            CommandError::usage(what, help)
        }
        _ => failed(source),
    })?;
    if about.is_dir() {
        let what = format!("{} is a folder", path.display());
        let help = "name the file in it with the tasks, such as tasks.json or fix_plan.md";
        return Err(CommandError::usage(what, help));
    }
    read(&mut project_file::open(path).map_err(&failed)?, path)
}

fn read(from: &mut dyn std::io::Read, path: &Path) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let failed = CommandError::file("read", path);
    from.take(LARGEST + 1).read_to_end(&mut bytes).map_err(&failed)?;
    let name =
        if path == Path::new("-") { "standard input".into() } else { path.display().to_string() };
    let help = "use a text file with tasks, in one of the formats of docs/plan-formats.md";
    if bytes.len() as u64 > LARGEST {
        return Err(CommandError::usage(format!("{name} is larger than 64 MiB"), help));
    }
    let is_binary = bytes.contains(&0);
    match String::from_utf8(bytes) {
        Ok(text) if text.trim().is_empty() => {
            Err(CommandError::usage(format!("{name} is empty"), help))
        }
        Ok(text) if !is_binary => Ok(text),
        _ => Err(CommandError::usage(format!("{name} is not text"), help)),
    }
}

/// Relative to the project where the file lies in it, so that the plan can move with it.
fn remembered(path: &Path, root: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    whole.strip_prefix(&root).unwrap_or(&whole).display().to_string()
}

fn unrecognised(name: &str, text: &str) -> CommandError {
    let json = serde_json::from_str::<serde_json::Value>(text).err();
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    let why = json.filter(|_| looks_like_json).map(|error| format!("as JSON: {error}"));
    let known: Vec<_> = formats::ALL.iter().map(|format| format.name).collect();
    let help = formats::dropped(name).map_or_else(
        || format!("name its format with --format: {}", known.join(", ")),
        str::to_owned,
    );
    let what = format!("{name} is not in a format ralph knows");
    CommandError::usage(what, help).because(why.into_iter().collect())
}
