//! The work of a loop as it is put beside its repository: a plan and the project's settings, read, checked, and without
//! secrets. Starts nothing.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ralph_core::{
    plan::{Plan, Task, formats::plan_json, problems},
    settings::{Format, Layer, LayerText, Settings, SettingsFile, Trust, resolve},
};
use ralph_text::redact::Redactor;

use crate::{cli::SubmitArgs, commands::git, error::CommandError};

/// Longest title that is made of a prompt's first line.
const LONGEST_TITLE: usize = 72;

/// What a loop works on.
pub(super) struct Work {
    pub(super) plan: Plan,
    pub(super) settings: Settings,
    /// As they go to the truth.
    pub(super) plan_text: String,
    pub(super) settings_text: Option<String>,
}

/// Reads and checks what the command line names, or what the folder holds.
pub(super) fn read(args: &SubmitArgs, folder: &Path) -> Result<Work, CommandError> {
    // Plan and settings are those of the main worktree, whichever one the command is typed in.
    let top = git::ask(folder, &["rev-parse", "--path-format=absolute", "--git-common-dir"])
        .and_then(|git_dir| Path::new(&git_dir).parent().map(Path::to_owned));
    let of_project = |name: &str| top.as_deref().unwrap_or(folder).join(".ralph").join(name);
    let named = |path: &Option<PathBuf>| path.as_ref().map(|path| folder.join(path));
    let plan = if let Some(file) = &args.prompt {
        of_prompt(&read_text(&folder.join(file), "name the prompt with --prompt FILE")?)
    } else {
        let file = named(&args.plan).unwrap_or_else(|| of_project("plan.json"));
        parse_plan(&file, &read_text(&file, NO_PLAN)?)?
    };
    let plan = Redactor::default().data(plan);
    let file = named(&args.settings);
    let is_wanted = file.is_some();
    let file = file.unwrap_or_else(|| of_project("settings.toml"));
    let settings_text = (is_wanted || file.is_file())
        .then(|| read_text(&file, "name the settings with --settings FILE"))
        .transpose()?;
    let settings = parse_settings(&file, settings_text.as_deref())?;
    Ok(Work { plan_text: plan_json::render(&plan), plan, settings, settings_text })
}

const NO_PLAN: &str =
    "name the plan with --plan FILE, or submit from a project folder with .ralph/plan.json";

fn read_text(path: &Path, help: &str) -> Result<String, CommandError> {
    fs::read_to_string(path).map_err(|error| {
        let what = format!("cannot read {}", path.display());
        CommandError::usage(what, help).because(vec![error.to_string()])
    })
}

fn parse_plan(path: &Path, text: &str) -> Result<Plan, CommandError> {
    let plan = plan_json::parse(text).map_err(|error| {
        let what = format!("{} is not a plan: {error}", path.display());
        CommandError::usage(what, "ralph plan --check shows what is wrong, line by line")
    })?;
    let wrong = problems(&plan);
    if let Some(first) = wrong.first() {
        let why = wrong.iter().take(10).map(ToString::to_string).collect();
        let what = format!("{} is not a valid plan", path.display());
        return Err(CommandError::usage(what, first.help()).because(why));
    }
    if plan.open_tasks() == 0 {
        let what = format!("nothing is left to do in {}", path.display());
        return Err(CommandError::usage(
            what,
            "add a task with ralph task add, or retry one with ralph task retry",
        ));
    }
    Ok(plan)
}

/// One task whose text is the prompt's.
fn of_prompt(text: &str) -> Plan {
    let title = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("prompt");
    let title = title.trim_start_matches(['#', ' ']).chars().take(LONGEST_TITLE).collect();
    let task = Task { id: "PROMPT".into(), title, description: text.to_owned(), ..Task::default() };
    Plan { tasks: vec![task], ..Plan::default() }
}

fn parse_settings(path: &Path, text: Option<&str>) -> Result<Settings, CommandError> {
    let file = text.map(|text| {
        LayerText::File(SettingsFile {
            layer: Layer::Project,
            name: path.display().to_string(),
            format: Format::Toml,
            trust: Trust::OnlyTighten,
            text: text.to_owned(),
        })
    });
    let resolved = resolve(file.into_iter().collect(), &[]).map_err(|errors| {
        let why = errors.iter().take(10).map(ToString::to_string).collect();
        let what = format!("{} has settings that a worker would refuse", path.display());
        CommandError::usage(what, "ralph config show explains them; what loosens the sandbox belongs in the worker's own settings")
            .because(why)
    })?;
    Ok(resolved.settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_becomes_a_plan_of_one_task() {
        let plan = of_prompt("\n# Make it fast\n\nMeasure first.\n");
        assert_eq!(plan.tasks.len(), 1);
        assert_eq!(plan.tasks[0].title, "Make it fast");
        assert!(plan.tasks[0].description.contains("Measure first."));
        assert!(problems(&plan).is_empty());
        assert!(plan_json::parse(&plan_json::render(&plan)).is_ok());
    }

    #[test]
    fn plans_that_no_run_can_work_with_are_refused_here() {
        let path = Path::new("plan.json");
        for text in [
            "{",
            r#"{"tasks": []}"#,
            r#"{"tasks": [{"id": "T-1", "title": "a", "depends_on": ["T-9"]}]}"#,
            r#"{"tasks": [{"id": "T-1", "title": "a", "status": "completed"}]}"#,
        ] {
            assert!(parse_plan(path, text).is_err(), "{text}");
        }
        assert!(parse_plan(path, r#"{"tasks": [{"id": "T-1", "title": "a"}]}"#).is_ok());
    }

    #[test]
    fn settings_that_open_the_box_are_refused_as_a_worker_would() {
        let path = Path::new("settings.toml");
        assert!(parse_settings(path, Some("[sandbox]\nmode = \"off\"\n")).is_err());
        assert!(parse_settings(path, Some("[agent]\ncommand = \"claude\"\n")).is_ok());
        assert!(parse_settings(path, None).is_ok());
    }
}
