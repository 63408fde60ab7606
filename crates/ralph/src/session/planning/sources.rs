//! What a plan is made from: files that were named, a sentence, the folder of specifications, or the requirements.

use std::path::{Path, PathBuf};

use ralph_core::{
    gates::report::GateSpec,
    plan::{Plan, prd},
    planning::{PlanRequest, Spec},
    preflight::{self, pin},
};
use ralph_engine::{project_file, sandbox::Enclosure};

use crate::{
    args::plan::PlanArgs,
    context::Context,
    diagnostics::CommandError,
    session::{
        gate_detection, probe, programs,
        project::{Project, read_plan},
    },
};

/// Most bytes of one specification that are told; the agent reads the rest in its copy.
const MOST: u64 = 64 << 10;
/// Most files.
const FILES: usize = 50;

/// Everything the planner is told.
pub(super) fn request(
    args: &PlanArgs,
    project: &Project,
    context: &Context,
) -> Result<PlanRequest, CommandError> {
    let existing = existing(project)?;
    let prd = written(&project.layout.views().join("prd.md"))?;
    let mut request = PlanRequest {
        revise: args.revise.clone(),
        verify_commands: commands(project, context, &existing),
        prd,
        existing,
        ..PlanRequest::default()
    };
    if args.revise.is_some() {
        if request.existing.tasks.is_empty() {
            let help = "draft one first with ralph plan \"…\"";
            return Err(CommandError::usage("there is no plan to revise", help));
        }
        return Ok(request);
    }
    if args.words.iter().any(|word| word.trim().is_empty()) {
        let help = "describe what you want: ralph plan \"…\"";
        return Err(CommandError::usage("the text to plan from is empty", help));
    }
    let named = Named::read(&args.words, &context.project_dir)?;
    request.text = named.text;
    request.specs = specs(&named.files, project)?;
    if request.text.is_empty() && request.specs.is_empty() {
        let folder = &project.resolved.settings.prompt.specs_dir;
        request.specs = specs(&markdown_in(&project.repository.root().join(folder)), project)?;
        if request.specs.is_empty() && request.prd.is_empty() {
            return Err(CommandError::usage(
                format!(
                    "there is nothing to plan from: no text, no {folder}/*.md, no .ralph/prd.md with content"
                ),
                "describe what you want (ralph plan \"…\"), name files (ralph plan spec.md), or write one of these",
            ));
        }
    }
    Ok(request)
}

/// The plan file; none yet is an empty plan.
pub(super) fn existing(project: &Project) -> Result<Plan, CommandError> {
    let path = project.layout.plan();
    if path.exists() { read_plan(&path) } else { Ok(Plan::default()) }
}

/// The requirements, if somebody wrote any.
pub(super) fn written(path: &Path) -> Result<String, CommandError> {
    match project_file::read(path, project_file::LARGEST_TEXT) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Ok(if prd::is_scaffold(&text) { String::new() } else { text })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(CommandError::file("read", path)(error)),
    }
}

/// What was named on the command line.
struct Named {
    text: String,
    files: Vec<PathBuf>,
}

impl Named {
    /// Words that are files are files; a word that looks like one must be one; the rest is what is wanted.
    fn read(words: &[String], folder: &Path) -> Result<Self, CommandError> {
        let mut named = Self { text: String::new(), files: Vec::new() };
        let mut text: Vec<&str> = Vec::new();
        for word in words {
            let path = folder.join(word);
            if path.is_dir() {
                project_file::place(&path).map_err(CommandError::file("read", &path))?;
                let inside = markdown_in(&path);
                if inside.is_empty() {
                    let what = format!("{} contains no Markdown file", path.display());
                    return Err(CommandError::usage(what, "name the files themselves"));
                }
                named.files.extend(inside);
            } else if path.is_file() {
                named.files.push(path);
            } else if looks_like_file(word) {
                let what = format!("there is no file {}", path.display());
                return Err(CommandError::usage(
                    what,
                    "check the path, or describe what you want in a sentence",
                ));
            } else {
                text.push(word);
            }
        }
        text.join(" ").trim().clone_into(&mut named.text);
        if !named.text.is_empty() && named.text.chars().all(|c| c.is_ascii_digit()) {
            let what = format!("{} is a number, not a description of what you want", named.text);
            let help = "describe it in a sentence; ralph run N limits a run to N iterations";
            return Err(CommandError::usage(what, help));
        }
        Ok(named)
    }
}

fn looks_like_file(word: &str) -> bool {
    let has_ending =
        [".md", ".markdown", ".txt", ".rst", ".adoc"].iter().any(|e| word.ends_with(e));
    !word.contains(char::is_whitespace) && (has_ending || word.contains('/'))
}

/// Markdown files of a folder, by name.
fn markdown_in(folder: &Path) -> Vec<PathBuf> {
    let entries = project_file::place(folder).and_then(std::fs::read_dir);
    let entries = entries.into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md") && path.is_file())
        .collect();
    files.sort();
    files
}

fn specs(files: &[PathBuf], project: &Project) -> Result<Vec<Spec>, CommandError> {
    if files.len() > FILES {
        let what = format!("{} files are too many to plan from at once", files.len());
        return Err(CommandError::usage(what, "name the ones that matter"));
    }
    files.iter().map(|file| spec(file, project.repository.root())).collect()
}

fn spec(file: &Path, root: &Path) -> Result<Spec, CommandError> {
    let error = CommandError::file("read", file);
    let mut bytes = project_file::beginning(file, MOST + 1).map_err(&error)?;
    let is_cut = bytes.len() as u64 > MOST;
    bytes.truncate(usize::try_from(MOST).unwrap_or(usize::MAX));
    if bytes.contains(&0) {
        let what = format!("{} is not a text file", file.display());
        return Err(CommandError::usage(what, "name text files, such as Markdown"));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if text.trim().is_empty() {
        let what = format!("{} is empty", file.display());
        return Err(CommandError::usage(
            what,
            "write down what you want, or describe it in a sentence",
        ));
    }
    let whole = project_file::place(file).map_err(&error)?;
    let path = whole.strip_prefix(root).unwrap_or(&whole).to_string_lossy().into_owned();
    Ok(Spec { path, text, is_cut })
}

/// What verifies work here today: the gates, or what the project's files suggest where there are no settings yet. What
/// `ralph init` left out of the settings cannot run here, and is no command to plan with.
fn commands(project: &Project, context: &Context, plan: &Plan) -> Vec<String> {
    let settings = &project.resolved.settings;
    let pinned = pin::pin(settings, plan).unwrap_or_default();
    if pinned.is_empty() && !project.is_set_up {
        let (root, here) = (project.repository.root(), context.project_dir.canonicalize());
        let here = here.unwrap_or_else(|_| root.to_owned());
        let found = gate_detection::detect(root, &here, &probe::is_installed);
        let found = found.iter().map(gate_detection::FoundGate::line);
        return found.filter(|line| can_run(line, project)).collect();
    }
    pinned.iter().map(GateSpec::line).collect()
}

/// Whether the program of a command is here.
fn can_run(command: &str, project: &Project) -> bool {
    let lacks = |program: String| {
        let lacking = programs::lacking([program].into(), project, &Enclosure::none());
        lacking.is_ok_and(|lacking| !lacking.is_empty())
    };
    !preflight::program(command).is_some_and(lacks)
}
