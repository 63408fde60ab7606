//! Which open tasks cannot begin because a task before them failed or waits for a person.

use std::collections::{BTreeMap, VecDeque};

use super::{Status, Task};
use crate::ids::TaskId;

/// Positions of the blocked tasks, each with the task it waits for; `status` says where the task at a position
/// stands. Linear, also with 100,000 tasks.
pub fn blocked(tasks: &[Task], status: impl Fn(usize) -> Status) -> BTreeMap<usize, &TaskId> {
    let is_held = |at: usize| matches!(status(at), Status::Failed | Status::Parked);
    let mut queue: VecDeque<usize> = (0..tasks.len()).filter(|&at| is_held(at)).collect();
    if queue.is_empty() {
        return BTreeMap::new();
    }
    let mut dependants: BTreeMap<&TaskId, Vec<usize>> = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate() {
        for on in &task.depends_on {
            dependants.entry(on).or_default().push(at);
        }
    }
    let mut causes = BTreeMap::new();
    while let Some(cause) = queue.pop_front() {
        let Some(cause) = tasks.get(cause) else { continue };
        for &at in dependants.get(&cause.id).into_iter().flatten() {
            if !status(at).satisfies() && !is_held(at) && !causes.contains_key(&at) {
                causes.insert(at, &cause.id);
                queue.push_back(at);
            }
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, status: Status, on: &[&str]) -> Task {
        let depends_on = on.iter().map(|&on| on.into()).collect();
        Task { id: id.into(), status, depends_on, ..Task::default() }
    }

    #[test]
    fn a_failure_blocks_everything_that_needs_it_and_nothing_else() {
        use Status::{Done, Failed, Parked, Pending};
        let tasks = [
            task("a", Failed, &[]),
            task("b", Pending, &["a"]),
            task("c", Pending, &["d", "b"]),
            task("d", Pending, &[]),
            task("e", Done, &["a"]),
            task("f", Pending, &["e", "g"]),
            task("g", Parked, &["a"]),
        ];
        let found = blocked(&tasks, |at| tasks[at].status);
        let found: Vec<(usize, &str)> = found.iter().map(|(at, on)| (*at, on.as_str())).collect();
        assert_eq!(found, [(1, "a"), (2, "b"), (5, "g")]);
    }
}
