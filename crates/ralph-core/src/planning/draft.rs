//! What a planner drafts: questions, requirements, tasks. A proposal; nothing of it is a plan yet.

use serde::{Deserialize, Serialize};

use crate::{
    ids::TaskId,
    plan::{Plan, Status, Task},
};

/// A drafted plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// A sentence or two for people.
    pub summary: String,
    /// What the planner must know before it can plan.
    pub questions: Vec<Question>,
    /// What it took for granted.
    pub assumptions: Vec<String>,
    /// Name of the project; empty where the plan has one.
    pub project: String,
    /// What it is all about, for agents.
    pub description: String,
    /// The requirements as Markdown; empty where they are written down already.
    pub prd: String,
    /// Commands that prove the whole work.
    pub verify_commands: Vec<String>,
    /// New tasks, and changed ones under their own id.
    pub tasks: Vec<Task>,
    /// Pending tasks that are to leave the plan.
    pub remove: Vec<Removal>,
}

impl Draft {
    /// The draft as a plan: pending tasks that it does not mention go on, those it removes do not.
    pub fn incoming(&self, existing: &Plan) -> Plan {
        let drafted = |id: &TaskId| self.tasks.iter().find(|task| task.id == *id);
        let removed = |id: &TaskId| self.remove.iter().any(|one| one.id == *id);
        let known = existing.tasks.iter().filter(|task| task.status == Status::Pending);
        let mut tasks: Vec<Task> = known
            .filter(|task| !removed(&task.id))
            .map(|task| drafted(&task.id).unwrap_or(task).clone())
            .collect();
        let is_new = |task: &&Task| tasks.iter().all(|known| known.id != task.id);
        let new: Vec<Task> = self.tasks.iter().filter(is_new).cloned().collect();
        tasks.extend(new);
        Plan {
            project: if existing.project.is_empty() { self.project.clone() } else { String::new() },
            description: self.description.clone(),
            verify_commands: self.verify_commands.clone(),
            tasks,
            ..Plan::default()
        }
    }
}

/// Something a person must say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Question {
    pub question: String,
    /// What depends on the answer.
    pub why: String,
    /// Answers to choose from; another one is always possible.
    pub options: Vec<String>,
    /// What the planner would assume; empty if it cannot tell.
    pub default: String,
}

impl Question {
    /// What is taken for granted where nobody answers.
    pub(super) fn assumed(&self) -> Option<String> {
        let answer = if self.default.is_empty() { "left open" } else { &self.default };
        (!self.question.is_empty()).then(|| format!("{} {answer}", self.question))
    }
}

/// A task that is to leave the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Removal {
    pub id: TaskId,
    pub why: String,
}
