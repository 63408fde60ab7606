//! Arguments of `run`, `prompt` and `resume`, old names included, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ralph_core::{effect::DirtyPolicy, run::Share, settings::Flag};

use super::{limits::LimitArgs, sandbox::SandboxArgs};
use crate::{diagnostics::CommandError, reporters::console::Progress};

/// `ralph run`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunArgs {
    /// Tasks to work on [default: all]; a trailing number means `-n`
    #[arg(value_name = "TASK")]
    pub(crate) words: Vec<String>,
    /// Work on this text instead of the plan
    #[arg(short = 'p', long = "prompt", value_name = "TEXT", conflicts_with_all = ["prompt_file", "words", "plan"])]
    pub(crate) prompt: Option<String>,
    /// Work on this file instead of the plan, re-read each iteration
    #[arg(short = 'f', long = "prompt-file", value_name = "FILE", conflicts_with_all = ["words", "plan"])]
    pub(crate) prompt_file: Option<PathBuf>,
    /// Plan file [default: .ralph/plan.json]
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// Run in the background and print the run's name
    #[arg(long)]
    pub(crate) detach: bool,
    /// Open `ralph watch` over the console at once
    #[arg(long)]
    pub(crate) watch: bool,
    /// What the process in the background is told
    #[arg(long, hide = true)]
    pub(crate) in_background: bool,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

/// `ralph prompt`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PromptArgs {
    /// Prompt file, re-read each iteration
    pub(crate) file: PathBuf,
    /// Same as `-n`
    #[arg(value_name = "N", conflicts_with = "max_iterations")]
    pub(crate) number: Option<u32>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

/// `ralph resume`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArgs {
    /// Run to resume, as listed by `ralph runs` [default: latest]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) options: HeldOptions,
}

/// What `run` and `prompt` share.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) held: HeldOptions,
    /// Branch [default: the plan's branch, or ralph/PROJECT]
    #[arg(long)]
    pub(crate) branch: Option<String>,
    /// Append the completion instruction if the prompt has none
    #[arg(long)]
    pub(crate) add_signal: bool,
    /// Resume an interrupted run without asking, or start a new one
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) resume: bool,
    /// Start a new run even if one was interrupted
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Commit your uncommitted changes first, under your name
    #[arg(long, conflicts_with_all = ["stash", "worktree"])]
    pub(crate) wip: bool,
    /// Set your uncommitted changes aside and restore them at the end
    #[arg(long, conflicts_with = "worktree")]
    pub(crate) stash: bool,
    /// Work in a separate git worktree and leave this one alone
    #[arg(long)]
    pub(crate) worktree: bool,
    /// Print the prompt, command line and gates; start nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How much of the run this process does.
    #[arg(skip)]
    pub(crate) share: Option<Share>,
}

/// What holds for a run whether it begins or is resumed.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
pub(crate) struct HeldOptions {
    /// Maximum iterations of the run [default: from the plan]
    #[arg(short = 'n', long, value_name = "N", alias = "maximum-iterations")]
    pub(crate) max_iterations: Option<u32>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Same as `-n` for a number, otherwise same as `--model`
    #[arg(short = 'm', value_name = "N|MODEL")]
    pub(crate) number_or_model: Option<String>,
    /// Built-in agent or program [default: from the settings]
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Model, as the agent spells it [default: the agent's own]
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Progress: auto, bar, counter, none, only
    #[arg(long, value_enum, default_value_t, value_name = "HOW", hide_possible_values = true)]
    pub(crate) show_progress: Progress,
    /// Multiply all time limits by this factor [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub(crate) timeout_multiplier: Option<f64>,
    /// When resuming, use the current settings
    #[arg(long)]
    pub(crate) reload_settings: bool,
    /// Exit 0 if the run stops at a limit
    #[arg(long)]
    pub(crate) ok_on_limit: bool,
    /// Start even if nothing can verify the work (unverified results)
    #[arg(long)]
    pub(crate) trust_agent: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Review by a second agent: on, auto, off [default: on]
    #[arg(long, value_enum, hide_possible_values = true, num_args = 0..=1, require_equals = true, default_missing_value = "on", value_name = "WHEN", conflicts_with = "skip_review")]
    pub(crate) review: Option<Review>,
    /// Same as `--review=off`
    #[arg(long)]
    pub(crate) skip_review: bool,
    /// Maximum reviews of a task that may request changes
    #[arg(long, value_name = "N")]
    pub(crate) review_cap: Option<u32>,
    /// Text inside `<response>…</response>` that claims completion
    #[arg(short = 'c', long, value_name = "TEXT")]
    pub(crate) completion_response: Option<String>,
    /// Show the agent's output live
    #[arg(long, overrides_with = "no_stream_agent_output")]
    pub(crate) stream_agent_output: bool,
    /// Hide the agent's output
    #[arg(long, overrides_with = "stream_agent_output")]
    pub(crate) no_stream_agent_output: bool,
}

/// Values of `--review`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Review {
    On,
    Auto,
    Off,
}

impl Review {
    /// As the settings spell it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Auto => "auto",
            Self::Off => "off",
        }
    }
}

/// What a run is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Work {
    Plan,
    Tasks(Vec<String>),
    Text(String),
    File(PathBuf),
}

/// What was said, with every old name and short form resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunRequest {
    pub(crate) work: Work,
    pub(crate) plan: Option<PathBuf>,
    pub(crate) max_iterations: Option<u32>,
    pub(crate) branch: Option<String>,
    pub(crate) dirty: DirtyPolicy,
    /// The settings layer that flags make.
    pub(crate) flags: Vec<Flag>,
}

impl RunArgs {
    /// What was meant, or which two flags exclude each other.
    pub(crate) fn request(&self) -> Result<RunRequest, CommandError> {
        if let Some(error) = self.options.held.sandbox.misread(&self.words) {
            return Err(error);
        }
        let mut tasks = self.words.clone();
        let trailing = match tasks.last().map(|word| word.parse::<u32>()) {
            Some(Ok(number)) => {
                tasks.pop();
                Some(("a trailing number", number))
            }
            _ => None,
        };
        let work = match (&self.prompt, &self.prompt_file) {
            (Some(text), _) => Work::Text(text.clone()),
            (None, Some(file)) => Work::File(file.clone()),
            (None, None) if tasks.is_empty() => Work::Plan,
            (None, None) => Work::Tasks(tasks),
        };
        if self.options.add_signal && matches!(work, Work::Plan | Work::Tasks(_)) {
            let help = "add -p or -f, or omit --add-signal";
            return Err(CommandError::usage("--add-signal needs -p or -f", help));
        }
        let mut request = self.options.request(work, self.plan.clone(), trailing)?;
        if self.watch {
            let (name, key) = ("--watch".into(), "display.face".into());
            request.flags.push(Flag { name, key, value: "watch".into() });
        }
        Ok(request)
    }
}

impl PromptArgs {
    /// What was meant, or which two flags exclude each other.
    pub(crate) fn request(&self) -> Result<RunRequest, CommandError> {
        let trailing = self.number.map(|number| ("a trailing number", number));
        let work = Work::File(self.file.clone());
        self.options.request(work, None, trailing)
    }
}

impl RunOptions {
    fn request(
        &self,
        work: Work,
        plan: Option<PathBuf>,
        trailing: Option<(&str, u32)>,
    ) -> Result<RunRequest, CommandError> {
        let max_iterations = self.held.iterations(trailing)?;
        let dirty = match (self.wip, self.stash) {
            (true, _) => DirtyPolicy::Wip,
            (_, true) => DirtyPolicy::Stash,
            _ => DirtyPolicy::Refuse,
        };
        let mut flags = self.held.flags()?;
        flags.extend(self.worktree.then(|| Flag {
            name: "--worktree".into(),
            key: "git.workspace".into(),
            value: "worktree".into(),
        }));
        Ok(RunRequest { work, plan, max_iterations, branch: self.branch.clone(), dirty, flags })
    }
}

impl HeldOptions {
    /// The number of iterations, however it is spelled.
    pub(crate) fn iterations(
        &self,
        trailing: Option<(&str, u32)>,
    ) -> Result<Option<u32>, CommandError> {
        let short = self.number_or_model.as_deref();
        let numbered = short.and_then(|short| short.parse::<u32>().ok());
        let given = [self.max_iterations.map(|n| ("-n", n)), numbered.map(|n| ("-m", n)), trailing];
        let given: Vec<(&str, u32)> = given.into_iter().flatten().collect();
        let max_iterations = only_one(&given)?;
        if max_iterations == Some(0) {
            let help = "use a whole number of at least 1, such as -n 20";
            return Err(CommandError::usage("0 is not a valid number of iterations", help));
        }
        Ok(max_iterations)
    }

    /// The settings layer that flags make.
    pub(crate) fn flags(&self) -> Result<Vec<Flag>, CommandError> {
        let short = self.number_or_model.clone().filter(|short| short.parse::<u32>().is_err());
        if short.is_some() && self.model.is_some() {
            return Err(conflict("-m", "--model"));
        }
        let model_flag = if short.is_some() { "-m" } else { "--model" };
        let on = |given: bool, value: &str| given.then(|| value.to_owned());
        let factor = self.timeout_multiplier.map(|factor| factor.to_string());
        let review = if self.skip_review { "--skip-review" } else { "--review" };
        let mode = on(self.skip_review, "off").or(self.review.map(|mode| mode.word().to_owned()));
        let given = [
            ("--agent", "agent.command", self.agent.clone()),
            (model_flag, "agent.model", short.or_else(|| self.model.clone())),
            ("--timeout-multiplier", "timeouts.multiplier", factor),
            ("-c", "claims.completion_response", self.completion_response.clone()),
            ("--trust-agent", "claims.trust_agent", on(self.trust_agent, "true")),
            ("--stream-agent-output", "display.stream", on(self.stream_agent_output, "true")),
            (
                "--no-stream-agent-output",
                "display.stream",
                on(self.no_stream_agent_output, "false"),
            ),
            (review, "review.mode", mode),
            ("--review-cap", "review.cap", self.review_cap.map(|cap| cap.to_string())),
        ];
        let given = given.into_iter().filter_map(|(name, key, value)| {
            Some(Flag { name: name.into(), key: key.into(), value: value? })
        });
        Ok(given.chain(self.limits.flags()).chain(self.sandbox.flag()).collect())
    }
}

fn conflict(first: &str, second: &str) -> CommandError {
    let what = format!("{first} cannot be combined with {second}");
    CommandError::usage(what, format!("use either {first} or {second}"))
}

fn only_one(given: &[(&str, u32)]) -> Result<Option<u32>, CommandError> {
    match given {
        [] => Ok(None),
        [(_, number)] => Ok(Some(*number)),
        [(first, _), (second, _), ..] => Err(conflict(first, second)),
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
