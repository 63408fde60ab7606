//! What simulated agents want of the plan: amendments in the handoff, and what they make of the plan file.

use ralph_core::{
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task, formats::plan_json},
};
use serde_json::{Value, json};

use super::{agent::Act, rng::Rng};

/// The first number of a task that an agent adds; people's begin behind it.
const FIRST_NEW: u64 = 4;

/// What the agent's handoff proposes, if anything.
pub(super) fn amendments(act: Act, plan: &Plan, task: &TaskId, rng: &mut Rng) -> Option<Value> {
    let other = other(plan, task, rng);
    let entries = match act {
        Act::Proposes => {
            let note = modify(&other, &json!({"notes": format!("see {}", rng.below(50))}));
            vec![addition(rng, "pending"), note]
        }
        Act::ProposesMuch => (0..5).map(|_| addition(rng, "pending")).collect(),
        Act::ApprovesItself => vec![
            modify(task, &json!({"status": "done", "review_status": "approved"})),
            modify(&other, &json!({"status": "done", "review_count": 3})),
            addition(rng, "done"),
        ],
        Act::Weakens => vec![
            modify(&other, &json!({"acceptance_criteria": []})),
            modify(task, &json!({"acceptance_criteria": ["part 0"], "max_attempts": 9})),
            modify(&other, &json!({"depends_on": [], "title": "less"})),
        ],
        Act::ProposesCycle => vec![
            modify(&other, &json!({"depends_on": [task.as_str()]})),
            modify(task, &json!({"depends_on": [other.as_str(), task.as_str()]})),
        ],
        Act::Removes => vec![
            json!({"action": "remove", "task_id": other.as_str(), "reason": "not needed"}),
            modify(&other, &json!({"description": "changed"})),
        ],
        _ => return None,
    };
    Some(Value::Array(entries))
}

/// What the agent leaves where the plan file was, if it touches it.
pub(super) fn edit(act: Act, plan: &Plan, task: &TaskId, rng: &mut Rng) -> Option<String> {
    let mut edited = plan.clone();
    match act {
        Act::EmptiesPlan => return Some(String::new()),
        Act::CutsPlan => {
            let text = plan_json::render(plan);
            let cut = usize::try_from(rng.below(text.len() as u64)).unwrap_or(0);
            return text.get(..cut).map(str::to_owned);
        }
        Act::ReplacesPlan => {
            edited.tasks =
                vec![Task { id: "X1".into(), title: "easier".into(), ..Task::default() }];
        }
        Act::ApprovesInPlan => {
            for one in edited.tasks.iter_mut().filter(|one| rng.chance(500) || &one.id == task) {
                one.status = Status::Done;
                one.review_count = Some(7);
            }
        }
        Act::DropsTasks => edited.tasks.retain(|one| &one.id == task || rng.chance(500)),
        Act::AddsInPlan => {
            for _ in 0..4 {
                edited.tasks.push(new_task(rng));
            }
            if let Some(one) = edited.tasks.first_mut() {
                one.notes = Some("edited".into());
                one.acceptance_criteria.pop();
            }
        }
        _ => return None,
    }
    Some(plan_json::render(&edited))
}

/// A task that somebody adds.
pub(super) fn new_task(rng: &mut Rng) -> Task {
    let number = FIRST_NEW + rng.below(6);
    let check = Criterion::Checked { text: "part 0".into(), check: format!("check {number} 0") };
    let criteria = [check, Criterion::Sentence("part 1".into())];
    Task {
        id: TaskId(format!("N{number}")),
        title: format!("new {number}"),
        description: "came up on the way".into(),
        acceptance_criteria: criteria.into_iter().filter(|_| rng.chance(600)).collect(),
        ..Task::default()
    }
}

fn addition(rng: &mut Rng, status: &str) -> Value {
    let task = new_task(rng);
    let reason = if rng.chance(900) { "it is needed" } else { "" };
    json!({
        "action": "add",
        "task": {
            "id": task.id,
            "title": task.title,
            "description": task.description,
            "acceptance_criteria": task.acceptance_criteria,
            "status": status,
        },
        "reason": reason,
    })
}

fn modify(task: &TaskId, changes: &Value) -> Value {
    json!({"action": "modify", "task_id": task.as_str(), "changes": changes, "reason": "better so"})
}

fn other(plan: &Plan, task: &TaskId, rng: &mut Rng) -> TaskId {
    let others: Vec<&TaskId> =
        plan.tasks.iter().map(|one| &one.id).filter(|id| *id != task).collect();
    rng.pick(&others).unwrap_or(task).clone()
}
