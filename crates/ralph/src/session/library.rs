//! Reads the user's own texts for agents when a run starts: templates, skills, requirements, MCP sets.
//!
//! What lies in the repository must not lead out of it; what lies in the user's home is the user's.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use ralph_core::{
    plan::Plan,
    prompt::{Library, Prd, Shelf, TemplateError, TemplateName, check_template, is_plain_name},
};
use ralph_engine::project_file;

use super::project::Project;
use crate::{
    context::{Context, variable},
    diagnostics::CommandError,
    env_vars,
};

/// No file that is read here is bigger.
const BIGGEST: u64 = 256 << 10;
/// The MCP sets there can be.
const MCP_SETS: [&str; 2] = ["coding", "memory"];

/// What was found, and what a person should know about it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) library: Library,
    pub(crate) warnings: Vec<String>,
}

/// Reads a project's texts and tells on stderr what is odd about them.
pub(crate) fn read(
    project: &Project,
    plan: &Plan,
    context: &Context,
) -> Result<Library, CommandError> {
    let home = variable(env_vars::HOME).map(PathBuf::from).filter(|home| home.is_absolute());
    let found =
        Places { root: project.repository.main_root(), home: home.as_deref() }.find(plan)?;
    for warning in &found.warnings {
        context.warn(warning)?;
    }
    Ok(found.library)
}

/// Where to look.
pub(crate) struct Places<'a> {
    pub(crate) root: &'a Path,
    pub(crate) home: Option<&'a Path>,
}

impl Places<'_> {
    /// Everything there is for a plan. What could change what agents do unseen is an error, the rest a warning.
    pub(crate) fn find(&self, plan: &Plan) -> Result<Found, CommandError> {
        let mut found = Found::default();
        for name in names(&self.own("prompts"), "md") {
            let path = self.own("prompts").join(format!("{name}.md"));
            let text = self.needed(&path)?;
            if !TemplateName::ALL.iter().any(|known| known.name() == name) {
                let known = TemplateName::ALL.map(TemplateName::name).join(", ");
                let path = path.display();
                found
                    .warnings
                    .push(format!("{path} is not a template name and is ignored: {known}"));
                continue;
            }
            check_template(&text).map_err(|error| broken(&path, &error))?;
            put(&mut found.library, Shelf::Template, &name, (&path, &text))?;
        }
        for name in MCP_SETS {
            let path = self.own("mcp").join(format!("{name}.json"));
            if path.exists() {
                let text = self.needed(&path)?;
                serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&text).map_err(
                    |error| unusable(&path, &error.to_string(), "write one JSON object"),
                )?;
                put(&mut found.library, Shelf::Mcp, name, (&path, &text))?;
            }
        }
        let prd = self.own("prd.md");
        match self.text(&prd) {
            Ok(text) => found.library.prd = Prd::read(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => found.warnings.push(format!("{} is ignored: {error}", prd.display())),
        }
        self.skills(plan, &mut found);
        Ok(found)
    }

    /// The project's own skills, and installed ones that the plan names.
    fn skills(&self, plan: &Plan, found: &mut Found) {
        let wanted = plan.tasks.iter().filter(|task| !task.status.satisfies());
        let wanted: BTreeSet<&str> =
            wanted.flat_map(|task| &task.skills).map(String::as_str).collect();
        let own = names(&self.own("skills"), "md");
        for name in own.iter().map(String::as_str).chain(wanted.iter().copied()) {
            if found.library.skills.contains_key(name) {
                continue;
            }
            let Some(path) = self.skill(name) else {
                found.warnings.push(format!(
                    "the plan names the skill {name:?}, which does not exist: write .ralph/skills/{name}.md, or \
                     remove it from the task"
                ));
                continue;
            };
            let put = self.text(&path).map_err(|error| error.to_string()).and_then(|text| {
                found.library.put(Shelf::Skill, name, &text).map_err(|error| error.to_string())
            });
            if let Err(error) = put {
                found.warnings.push(format!("{} is ignored: {error}", path.display()));
            }
        }
    }

    /// The file of a skill.
    fn skill(&self, name: &str) -> Option<PathBuf> {
        if !is_plain_name(name) {
            return None;
        }
        let installed = |folder: &Path, tool: &str| {
            folder.join(tool).join("skills").join(name).join("SKILL.md")
        };
        let in_root = [".claude", ".agents"].map(|tool| installed(self.root, tool));
        let in_home =
            [".claude", ".codex", ".agents"].map(|tool| Some(installed(self.home?, tool)));
        let own = self.own("skills").join(format!("{name}.md"));
        let all = std::iter::once(own).chain(in_root).chain(in_home.into_iter().flatten());
        all.into_iter().find(|path| path.exists())
    }

    fn own(&self, name: &str) -> PathBuf {
        self.root.join(".ralph").join(name)
    }

    /// A file that must be readable, because something was said in it.
    fn needed(&self, path: &Path) -> Result<String, CommandError> {
        self.text(path)
            .map_err(|error| unusable(path, &error.to_string(), "fix the file, or move it away"))
    }

    /// A small ordinary text file that is where it seems to be.
    fn text(&self, path: &Path) -> io::Result<String> {
        let home = self.home.filter(|home| path.starts_with(home) && !path.starts_with(self.root));
        match home {
            Some(_) => project_file::text(&path.canonicalize()?, BIGGEST),
            None => project_file::text(path, BIGGEST),
        }
    }
}

/// Plain names of the files with this ending, in order.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let is_meant = path.extension().is_some_and(|found| found == ending);
            path.file_stem().filter(|_| is_meant)?.to_str().map(str::to_owned)
        })
        .filter(|name| is_plain_name(name))
        .collect();
    names.sort();
    names
}

fn put(
    library: &mut Library,
    shelf: Shelf,
    name: &str,
    (path, text): (&Path, &str),
) -> Result<(), CommandError> {
    let put = library.put(shelf, name, text);
    put.map_err(|error| unusable(path, &error.to_string(), error.help()))
}

/// What is wrong with a template, and on which line.
fn broken(path: &Path, error: &TemplateError) -> CommandError {
    let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
    let what = format!("{}{line}: the template cannot be used: {error}", path.display());
    CommandError::usage(what, error.help())
}

fn unusable(path: &Path, why: &str, help: &str) -> CommandError {
    CommandError::usage(format!("{} cannot be used: {why}", path.display()), help)
}

#[cfg(test)]
#[path = "library_tests.rs"]
mod tests;
