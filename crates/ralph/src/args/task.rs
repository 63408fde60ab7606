//! What can be said after `ralph task`.

use clap::{Args, Subcommand};
use ralph_core::{
    ids::TaskId,
    plan::{Criterion, Task, amend::Changes},
};

/// `ralph task`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum TaskCommand {
    /// List the tasks and where they stand
    List,
    /// Show everything known about a task: criteria with their evidence, reviews, questions, branches
    Show(OneTask),
    /// Add a task
    Add(AddArgs),
    /// Change a task
    Edit(EditArgs),
    /// Leave a task out; tasks that depend on it need not wait for it any longer
    Skip(SkipArgs),
    /// Have a task done again from the start
    Retry(OneTask),
    /// Approve a task's work in place of a reviewer; gates and checks still judge it
    Approve(OneTask),
    /// Answer what a task's agent asked
    Answer(AnswerArgs),
    /// List, accept or decline changes of the plan that agents proposed
    Proposals(ProposalsArgs),
}

/// A task by its id.
#[derive(Debug, Clone, Args)]
pub(crate) struct OneTask {
    /// Which task
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
}

/// `ralph task add`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AddArgs {
    /// Name of the new task [default: the next free number]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Task whose place in the order it shares
    #[arg(long, value_name = "TASK", conflicts_with = "priority")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) fields: Fields,
}

/// `ralph task edit`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EditArgs {
    /// Which task
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) fields: Fields,
}

/// `ralph task skip`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SkipArgs {
    /// Which task
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// Why, for whoever reads it later
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) why: String,
}

/// `ralph task answer`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AnswerArgs {
    /// Which task
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// What the agent needs to know
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
}

/// `ralph task proposals`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ProposalsArgs {
    /// Make this change
    #[arg(long, value_name = "N", conflicts_with = "decline")]
    pub(crate) accept: Option<u32>,
    /// Do not make this change
    #[arg(long, value_name = "N")]
    pub(crate) decline: Option<u32>,
    /// Why it is declined
    #[arg(long, value_name = "TEXT", default_value = "", requires = "decline")]
    pub(crate) why: String,
}

/// What a task says. Criteria and dependencies that are given replace all those there are.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Fields {
    /// One line
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What is to be done
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// A criterion that a reviewer judges; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(crate) criterion: Vec<String>,
    /// A criterion that a command proves; may be given several times
    #[arg(long, value_name = "TEXT=COMMAND", value_parser = checked)]
    pub(crate) check: Vec<Criterion>,
    /// Task that must be done first; may be given several times
    #[arg(long, value_name = "TASK", value_delimiter = ',')]
    pub(crate) depends_on: Vec<String>,
    /// Lower goes first
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) priority: Option<i64>,
    /// Rejected attempts before it is given up
    #[arg(long, value_name = "N")]
    pub(crate) max_attempts: Option<u32>,
    /// Agent of its own
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Model of its own
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// For whoever works on it
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
        _ => Err("a check is written TEXT=COMMAND, as in 'it builds=cargo build'".into()),
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
