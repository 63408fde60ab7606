//! Simulated planning runs: what is asked for, and planners from honest to useless. Nothing they do may survive.

use ralph_core::{
    effect::{AgentCall, How},
    ending::Ending,
    event::Source,
    handoff::Handoff,
    ids::TaskId,
    input::Done,
    plan::{Criterion, Plan, Status, Task},
    planning::{Asking, PlanRequest},
    run::{StartOptions, begin},
    settings::Settings,
};
use serde_json::{Value, json};

use super::{
    rng::{Rng, mix},
    scenario::Scenario,
    tree::Tree,
    world::World,
};

/// Planning runs among all, in a thousand.
const SHARE: u64 = 80;

/// What a planner hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Draft {
    Good,
    /// In a block of its last message.
    InText,
    /// Changes a task that waits, and removes one.
    Changes,
    Asks,
    NoCriterion,
    Twice,
    /// Changes a task that is done.
    TouchesDone,
    RemovesDone,
    Cycle,
    NoRequirements,
    /// Talks instead.
    Prose,
    Nothing,
}

/// What a planner really said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drafted {
    /// It fulfils all that is asked of a draft.
    pub is_usable: bool,
    /// It is no draft at all.
    pub is_shapeless: bool,
    /// The tasks in it.
    pub tasks: Vec<TaskId>,
}

/// Whether a run of this seed plans.
pub(super) fn plans(seed: u64) -> bool {
    Rng::new(mix(&[seed, 10])).chance(SHARE)
}

/// What a planner is asked for.
pub(super) fn start(rng: &mut Rng, settings: Settings) -> Option<ralph_core::event::RunStart> {
    let task = |id: &str, status: Status| Task {
        id: id.into(),
        title: format!("the work of {id}"),
        description: "it is needed".into(),
        status,
        acceptance_criteria: vec![Criterion::Sentence("it works".into())],
        ..Task::default()
    };
    let tasks = vec![
        task("W1", Status::Pending),
        task("W2", Status::Pending),
        task("D1", Status::Done),
        task("F1", Status::Failed),
    ];
    let existing =
        if rng.chance(600) { Plan { tasks, ..Plan::default() } } else { Plan::default() };
    let request = PlanRequest {
        text: "make it work".into(),
        prd: if rng.chance(500) { "# What is wanted".into() } else { String::new() },
        existing,
        asking: if rng.chance(400) { Asking::Allowed } else { Asking::Assume },
        ..PlanRequest::default()
    };
    let source = Source::Planning { request: Box::new(request) };
    let options = StartOptions {
        version: "sim".into(),
        abilities: ralph_agents::abilities(),
        ..StartOptions::default()
    };
    begin(source, Plan::default(), settings, options).ok()
}

/// What was asked for, if this run plans.
pub(super) fn request(scenario: &Scenario) -> Option<&PlanRequest> {
    match &scenario.start.source {
        Source::Planning { request } => Some(request),
        Source::Plan | Source::Tasks { .. } | Source::Prompt { .. } => None,
    }
}

impl World<'_> {
    /// A planner works in a copy: what it does there is gone, unless it is not given one.
    pub(super) fn planner(&mut self, call: &AgentCall, how: Option<How>, rng: &mut Rng) -> Done {
        let copied = call.copy_of.as_ref().and_then(|commit| self.git.find(commit));
        if copied.is_none() {
            self.git.worktree = Tree(self.git.worktree.0 ^ Tree::UGLY.0);
        }
        let mut report = self.scenario.mood.act(rng).report(self.now, rng);
        report.handoff = None;
        report.last_words = String::new();
        if how.is_some() && self.rng.chance(700) {
            report.ending = Ending::Interrupted;
        }
        let has_tasks = request(self.scenario).is_some_and(|one| !one.existing.tasks.is_empty());
        let draft = pick(has_tasks, rng);
        let value = draft.value();
        match draft {
            Draft::InText => {
                report.last_words = format!("Here it is.\n\n```ralph-handoff\n{value}\n```\n");
            }
            Draft::Prose => report.last_words = "All tasks are done.".into(),
            _ => report.handoff = Handoff::from_json(&value.to_string()),
        }
        let is_ok = report.ending == Ending::Ok;
        self.drafted = Some(Drafted {
            is_usable: is_ok && request(self.scenario).is_some_and(|one| draft.is_usable(one)),
            is_shapeless: !is_ok || matches!(draft, Draft::Prose | Draft::Nothing),
            tasks: ids(&value),
        });
        self.now = self.now.plus(report.took);
        self.reported = Some(report.clone());
        Done::AgentEnded(Box::new(report))
    }

    /// People go on with their own work while nobody plans.
    pub(super) fn user_commits(&mut self) {
        let head = self.git.head();
        let tree = Tree(self.git.tree(head).0 ^ Tree::OLD_B.0);
        let made = self.git.commit(tree, head, super::git::Author::User);
        self.git.branch = Some(made);
        self.users = (made, self.git.worktree);
    }
}

fn pick(has_tasks: bool, rng: &mut Rng) -> Draft {
    use Draft as D;
    let any = [
        D::Good,
        D::Good,
        D::InText,
        D::Asks,
        D::NoCriterion,
        D::Twice,
        D::Cycle,
        D::NoRequirements,
        D::Prose,
        D::Nothing,
    ];
    let about_others = [D::Changes, D::TouchesDone, D::RemovesDone];
    let list: &[D] = if has_tasks && rng.chance(300) { &about_others } else { &any };
    rng.pick(list).unwrap_or(D::Good)
}

fn ids(value: &Value) -> Vec<TaskId> {
    let tasks = value.get("tasks").and_then(Value::as_array).into_iter().flatten();
    tasks.filter_map(|task| task.get("id")?.as_str()).map(TaskId::from).collect()
}

impl Draft {
    fn is_usable(self, request: &PlanRequest) -> bool {
        match self {
            Self::Good | Self::InText | Self::Changes => true,
            Self::Asks => request.asking == Asking::Allowed,
            Self::NoRequirements => !request.prd.is_empty(),
            Self::NoCriterion
            | Self::Twice
            | Self::TouchesDone
            | Self::RemovesDone
            | Self::Cycle
            | Self::Prose
            | Self::Nothing => false,
        }
    }

    fn value(self) -> Value {
        let task = |id: &str, after: &[&str]| {
            json!({"id": id, "title": format!("the work of {id}"), "description": "so", "depends_on": after,
                "acceptance_criteria": [{"text": "it works", "check": "true"}]})
        };
        let prd = json!({"summary": "s", "problem_statement": "p", "technical_design": "t"});
        let of = |tasks: Vec<Value>, remove: Value| json!({"summary": "s", "project": "p", "description": "d", "prd": prd, "tasks": tasks, "remove": remove});
        let (one, none) = (task("N1", &[]), json!([]));
        match self {
            Self::Good | Self::InText => of(vec![one, task("N2", &["N1"])], none),
            Self::Changes => {
                of(vec![task("W1", &[]), one], json!([{"id": "W2", "why": "not needed"}]))
            }
            Self::Asks => json!({"questions": [{"question": "Which one?", "why": "it matters",
                "options": ["a", "b"], "default": "a"}]}),
            Self::NoCriterion => {
                of(vec![json!({"id": "N1", "title": "one", "description": "d"})], none)
            }
            Self::Twice => of(vec![one.clone(), one], none),
            Self::TouchesDone => of(vec![one, task("D1", &[])], none),
            Self::RemovesDone => of(vec![one], json!([{"id": "D1", "why": "not needed"}])),
            Self::Cycle => of(vec![task("N1", &["N2"]), task("N2", &["N1"])], none),
            Self::NoRequirements => json!({"project": "p", "tasks": [one]}),
            Self::Prose | Self::Nothing => json!({}),
        }
    }
}
