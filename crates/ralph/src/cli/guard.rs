//! `ralph guard`: the verdict of the command guard on one command, or on many. It opens no repository and reads
//! no plan: it runs before every command of an agent and must be quick.

use std::{
    io::{BufRead as _, Write as _},
    path::Path,
};

use clap::Args;
use ralph_core::settings::{self, LayerText};
use ralph_engine::git::Repository;
use ralph_guard::{Rules, Scene, Verdict, judge};

use crate::{
    context::{Context, answer_json, variable},
    diagnostics::CommandError,
    env_vars, exit,
    session::project::{settings_files, unusable},
};

/// Stands for a line end inside a command of a batch.
const LINE_END: char = '⏎';

/// `ralph guard`.
#[derive(Debug, Clone, Args)]
pub(crate) struct GuardArgs {
    /// Command to judge, as one argument
    #[arg(required_unless_present = "batch")]
    pub(crate) command: Option<String>,
    /// Judge commands from stdin, one per line (⏎ for a newline inside one)
    #[arg(long, conflicts_with = "command")]
    pub(crate) batch: bool,
}

/// Runs `ralph guard`.
pub(crate) fn exec(args: &GuardArgs, context: &Context) -> Result<u8, CommandError> {
    let scene = scene(context)?;
    let Some(command) = &args.command else { return batch(&scene, context) };
    let verdict = judge(command, &scene);
    if context.json {
        answer_json(&verdict)?;
    } else {
        let mut out = std::io::stdout().lock();
        match &verdict {
            Verdict::Allow => writeln!(out, "allow")?,
            Verdict::Deny { rule, reason, instead } => {
                writeln!(out, "deny ({rule}): {reason}\ninstead: {instead}")?;
            }
        }
    }
    Ok(if verdict.is_allowed() { exit::DONE } else { exit::REFUSED })
}

/// One verdict a line, in the order of the commands.
fn batch(scene: &Scene, context: &Context) -> Result<u8, CommandError> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line?;
        let text = String::from_utf8_lossy(&line).replace(LINE_END, "\n");
        let verdict = judge(&text, scene);
        if context.json {
            serde_json::to_writer(&mut out, &verdict).map_err(std::io::Error::from)?;
            writeln!(out)?;
            continue;
        }
        match verdict {
            Verdict::Allow => writeln!(out, "allow")?,
            Verdict::Deny { reason, .. } => writeln!(out, "deny\t{}", reason.replace('\n', " "))?,
        }
    }
    out.flush()?;
    Ok(exit::DONE)
}

/// The folder is taken for the root of the worktree.
fn scene(context: &Context) -> Result<Scene, CommandError> {
    let root = std::path::absolute(&context.project_dir)?;
    let home = variable(env_vars::HOME).unwrap_or_default();
    let rules = rules(&root, context)?;
    Ok(Scene { rules, ..Scene::at_root(&root.to_string_lossy(), &home) })
}

/// Rules of the settings around a folder; the settings are read only where there are any.
fn rules(root: &Path, context: &Context) -> Result<Rules, CommandError> {
    let project = root.ancestors().find(|folder| folder.join(".ralph").is_dir()).unwrap_or(root);
    let tracked = |path: &Path| is_tracked(project, path);
    let mut layers = settings_files(project, &tracked, context)?;
    let variables = env_vars::settings();
    if layers.is_empty() && !variables.iter().any(|(name, _)| name.starts_with("RALPH_GUARD")) {
        return Ok(Rules::default());
    }
    layers.push(LayerText::Variables(variables));
    let resolved = settings::resolve(layers, &[ralph_agents::check_settings])
        .map_err(|errors| unusable(&errors))?;
    Ok(resolved.settings.guard.rules())
}

/// Git is asked only where a local settings file exists; in doubt the file is the repository's.
fn is_tracked(project: &Path, path: &Path) -> bool {
    let Ok(project) = project.canonicalize() else { return true };
    Repository::discover(&project).map_or(true, |repository| repository.tracks(&project.join(path)))
}
