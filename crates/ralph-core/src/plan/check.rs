//! What is wrong with a plan as a whole, found in linear time. Changes nothing.

use std::collections::BTreeMap;

use super::{Criterion, Plan, Task};
use crate::ids::TaskId;

/// Most cycles that are named; each one found costs a walk.
const MOST_CYCLES: usize = 10;

/// Longest id: it becomes part of file names and refs.
const LONGEST_ID: usize = 100;

/// Something in a plan that no run can work with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("task number {number} has no id")]
    NoId { number: usize },
    #[error("task {task} has no title")]
    NoTitle { task: TaskId },
    #[error("criterion number {number} of task {task} {why}")]
    BlankCriterion { task: TaskId, number: usize, why: &'static str },
    #[error("tasks number {first} and {second} both have the id {task}")]
    SameId { task: TaskId, first: usize, second: usize },
    #[error("the id {:?} of task number {number} {why}", task.as_str())]
    OddId { number: usize, task: TaskId, why: &'static str },
    #[error("task {task} depends on {missing}, which is not in the plan")]
    UnknownDependency { task: TaskId, missing: TaskId },
    #[error("task {task} depends on itself")]
    OwnDependency { task: TaskId },
    #[error("tasks depend on each other in a cycle: {}", circle(tasks))]
    Cycle { tasks: Vec<TaskId> },
}

impl Problem {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoId { .. } => "give it a unique id, for example \"T-001\"",
            Self::NoTitle { .. } => "say in a few words what to do",
            Self::BlankCriterion { .. } => "say what must be true, or remove it",
            Self::SameId { .. } => "rename one of them, and update what depends on it",
            Self::OddId { .. } => {
                "use letters, digits, - and _; the id becomes part of branch and file names"
            }
            Self::UnknownDependency { .. } => "add that task, or remove it from depends_on",
            Self::OwnDependency { .. } => "remove it from its own depends_on",
            Self::Cycle { .. } => "remove one of these dependencies",
        }
    }
}

/// The circle with its beginning repeated at the end; long ones shortened.
fn circle(tasks: &[TaskId]) -> String {
    let ids: Vec<_> = tasks.iter().map(TaskId::as_str).collect();
    let shown = match ids.as_slice() {
        [head @ .., last] if head.len() >= 12 => {
            let left_out = head.len() - 10;
            format!(
                "{} -> … {left_out} more … -> {last}",
                head.get(..10).unwrap_or(head).join(" -> ")
            )
        }
        ids => ids.join(" -> "),
    };
    match ids.first() {
        Some(first) => format!("{shown} -> {first}"),
        None => shown,
    }
}

/// Everything that is wrong with a plan, in the order of its tasks, cycles last.
pub fn problems(plan: &Plan) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut positions: BTreeMap<&TaskId, usize> = BTreeMap::new();
    for (index, task) in plan.tasks.iter().enumerate() {
        check_names(index + 1, task, &mut problems);
        if task.id.as_str().is_empty() {
            continue;
        }
        let first = *positions.entry(&task.id).or_insert(index);
        if first != index {
            let (first, second) = (first + 1, index + 1);
            problems.push(Problem::SameId { task: task.id.clone(), first, second });
        }
    }
    let edges: Vec<Vec<usize>> =
        plan.tasks.iter().map(|task| dependencies(task, &positions, &mut problems)).collect();
    for cycle in cycles(&edges) {
        let ids = cycle.iter().filter_map(|index| plan.tasks.get(*index)).map(|t| t.id.clone());
        problems.push(Problem::Cycle { tasks: ids.collect() });
    }
    problems
}

fn check_names(number: usize, task: &Task, problems: &mut Vec<Problem>) {
    if task.id.as_str().is_empty() {
        problems.push(Problem::NoId { number });
        return;
    }
    if let Some(why) = odd(task.id.as_str()) {
        problems.push(Problem::OddId { number, task: task.id.clone(), why });
    }
    if task.title.trim().is_empty() {
        problems.push(Problem::NoTitle { task: task.id.clone() });
    }
    // Nobody can judge the one, and the other proves anything.
    for (number, criterion) in (1..).zip(&task.acceptance_criteria) {
        let blank = |text: &str| text.trim().is_empty();
        let why = match criterion {
            Criterion::Sentence(text) if blank(text) => "is empty",
            Criterion::Checked { check, .. } if blank(check) => "has an empty check",
            _ => continue,
        };
        problems.push(Problem::BlankCriterion { task: task.id.clone(), number, why });
    }
}

/// Why an id cannot be one part of a git ref and of a file name.
pub(super) fn odd(id: &str) -> Option<&'static str> {
    let forbidden =
        |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\/\"'`$<>|&;".contains(c);
    if id.len() > LONGEST_ID {
        Some("is longer than 100 bytes")
    } else if id.contains(forbidden) {
        Some("contains a space or a character that git or a shell would misread")
    } else if id.starts_with(['-', '.']) {
        Some("starts with - or .")
    } else if id.contains("..") || id.contains("@{") || id == "@" {
        Some("contains .. or @{, or is @, which are special to git")
    } else if id.ends_with('.') || id.strip_suffix(".lock").is_some() {
        Some("ends with . or .lock")
    } else {
        None
    }
}

fn dependencies(
    task: &Task,
    positions: &BTreeMap<&TaskId, usize>,
    problems: &mut Vec<Problem>,
) -> Vec<usize> {
    let mut edges = Vec::with_capacity(task.depends_on.len());
    for needed in &task.depends_on {
        match positions.get(needed) {
            _ if *needed == task.id => {
                problems.push(Problem::OwnDependency { task: task.id.clone() });
            }
            Some(index) => edges.push(*index),
            None => problems.push(Problem::UnknownDependency {
                task: task.id.clone(),
                missing: needed.clone(),
            }),
        }
    }
    edges
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    OnPath,
    Done,
}

/// Cycles, each as the tasks along it. A walk in depth without recursion: each edge is looked at once.
fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut marks = vec![Mark::New; edges.len()];
    let mut found = Vec::new();
    let mut path: Vec<(usize, std::slice::Iter<'_, usize>)> = Vec::new();
    let enter = |node: usize, marks: &mut Vec<Mark>| {
        let mark = marks.get_mut(node)?;
        let before = std::mem::replace(mark, Mark::OnPath);
        if before == Mark::Done {
            *mark = Mark::Done;
        }
        Some(before)
    };
    for start in 0..edges.len() {
        let mut next = Some(start);
        loop {
            if let Some(node) = next.take() {
                match enter(node, &mut marks) {
                    Some(Mark::New) => {
                        path.push((node, edges.get(node).map_or([].iter(), |e| e.iter())));
                    }
                    Some(Mark::OnPath) if found.len() < MOST_CYCLES => {
                        let from = path.iter().rposition(|(on, _)| *on == node).unwrap_or(0);
                        found.push(path.iter().skip(from).map(|(on, _)| *on).collect());
                    }
                    _ => {}
                }
            }
            let Some((node, rest)) = path.last_mut() else {
                break;
            };
            next = rest.next().copied();
            if next.is_none() {
                if let Some(mark) = marks.get_mut(*node) {
                    *mark = Mark::Done;
                }
                path.pop();
            }
        }
    }
    found
}
