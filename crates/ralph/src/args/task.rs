//! Arguments of `ralph task`.

use clap::{Args, Subcommand};
use ralph_core::{
    ids::TaskId,
    plan::{Criterion, Task, amend::Changes},
};

/// `ralph task`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum TaskCommand {
    /// List the tasks and their status
    List,
    /// Show everything about a task: criteria, evidence, reviews, questions, branches
    Show(OneTask),
    /// Add a task
    Add(AddArgs),
    /// Change a task
    Edit(EditArgs),
    /// Skip a task; tasks that depend on it no longer wait for it
    Skip(SkipArgs),
    /// Restart a task from the beginning
    Retry(OneTask),
    /// Approve a task's work in place of a reviewer; gates and checks still apply
    Approve(OneTask),
    /// Answer the question of a task's agent
    Answer(AnswerArgs),
    /// List, accept or decline plan changes that agents proposed
    Proposals(ProposalsArgs),
}

/// A task by its id.
#[derive(Debug, Clone, Args)]
pub(crate) struct OneTask {
    /// Task id
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
}

/// `ralph task add`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AddArgs {
    /// Id of the new task [default: next free number]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Give it the same priority as this task
    #[arg(long, value_name = "TASK", conflicts_with = "priority")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) fields: Fields,
}

/// `ralph task edit`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EditArgs {
    /// Task id
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) fields: Fields,
}

/// `ralph task skip`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SkipArgs {
    /// Task id
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// Reason, for later readers
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) why: String,
}

/// `ralph task answer`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AnswerArgs {
    /// Task id
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// The answer
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
}

/// `ralph task proposals`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ProposalsArgs {
    /// Accept this proposal
    #[arg(long, value_name = "N", conflicts_with = "decline")]
    pub(crate) accept: Option<u32>,
    /// Decline this proposal
    #[arg(long, value_name = "N")]
    pub(crate) decline: Option<u32>,
    /// Reason for declining
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        requires = "decline"
    )]
    pub(crate) why: String,
}

/// What a task says. Criteria and dependencies that are given replace all those there are.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Fields {
    /// Title, on one line
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What to do
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Criterion for a reviewer to judge; repeatable
    #[arg(long, value_name = "TEXT")]
    pub(crate) criterion: Vec<String>,
    /// Criterion that a command proves; repeatable
    #[arg(long, value_name = "TEXT=COMMAND", value_parser = checked)]
    pub(crate) check: Vec<Criterion>,
    /// Task that must be done first; repeatable
    #[arg(long, value_name = "TASK", value_delimiter = ',')]
    pub(crate) depends_on: Vec<String>,
    /// Priority; lower numbers come first
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) priority: Option<i64>,
    /// Rejected attempts before ralph gives up on it
    #[arg(long, value_name = "N")]
    pub(crate) max_attempts: Option<u32>,
    /// Agent for this task
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Model for this task
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Notes for the agent
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
}

impl Fields {
    /// As new values of a task's fields.
    pub(crate) fn changes(&self) -> Changes {
        let sentences = self.criterion.iter().cloned().map(Criterion::Sentence);
        let criteria: Vec<Criterion> = sentences.chain(self.check.iter().cloned()).collect();
        let needed: Vec<TaskId> = self.depends_on.iter().map(|id| id.as_str().into()).collect();
        Changes {
            title: self.title.clone(),
            description: self.description.clone(),
            acceptance_criteria: (!criteria.is_empty()).then_some(criteria),
            depends_on: (!needed.is_empty()).then_some(needed),
            priority: self.priority.map(Some),
            max_attempts: self.max_attempts.map(Some),
            agent: self.agent.clone().map(Some),
            model: self.model.clone().map(Some),
            notes: self.notes.clone().map(Some),
            ..Changes::default()
        }
    }

    /// As a new task.
    pub(crate) fn task(&self, id: TaskId) -> Task {
        let changes = self.changes();
        Task {
            id,
            title: changes.title.unwrap_or_default(),
            description: changes.description.unwrap_or_default(),
            acceptance_criteria: changes.acceptance_criteria.unwrap_or_default(),
            depends_on: changes.depends_on.unwrap_or_default(),
            priority: self.priority,
            max_attempts: self.max_attempts,
            agent: self.agent.clone(),
            model: self.model.clone(),
            notes: self.notes.clone(),
            ..Task::default()
        }
    }
}

/// `TEXT=COMMAND`, split at the first `=`.
fn checked(text: &str) -> Result<Criterion, String> {
    match text.split_once('=') {
        Some((text, check)) if !text.trim().is_empty() && !check.trim().is_empty() => {
            Ok(Criterion::Checked { text: text.trim().to_owned(), check: check.trim().to_owned() })
        }
        _ => Err("write a check as TEXT=COMMAND, for example 'it builds=cargo build'".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_split_at_the_first_sign_and_needs_both_sides() {
        let expected = Criterion::Checked { text: "it says so".into(), check: "test a = a".into() };
        assert_eq!(checked("it says so = test a = a"), Ok(expected));
        for odd in ["cargo build", "=cargo build", "it builds= "] {
            assert!(checked(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn only_what_was_said_is_changed() {
        assert_eq!(Fields::default().changes(), Changes::default());
        let fields = Fields { title: Some("t".into()), ..Fields::default() };
        assert_eq!(fields.changes().names(), ["title"]);
    }
}
