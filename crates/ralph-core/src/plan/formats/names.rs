//! Ids, statuses and priorities in the words of other tools.

use std::collections::BTreeSet;

use crate::{
    ids::TaskId,
    plan::{Status, check},
};

/// Longest id that is made from a title.
const LONGEST_SLUG: usize = 40;

/// An id as a run can use it; one that it can use already stays.
pub(super) fn sound_id(id: &str) -> TaskId {
    if !id.is_empty() && check::odd(id).is_none() {
        return TaskId::from(id);
    }
    let plain: String = id
        .chars()
        .map(|c| if c.is_alphanumeric() || "_.@#()+=,".contains(c) { c } else { '-' })
        .collect();
    let mut plain = plain.trim_matches(['-', '.']).replace("..", ".");
    if let Some((at, _)) = plain.char_indices().nth(LONGEST_SLUG) {
        plain.truncate(at);
    }
    let plain = plain.trim_matches(['-', '.']);
    let is_usable = !plain.is_empty() && check::odd(plain).is_none();
    if is_usable { TaskId::from(plain) } else { slug(plain) }
}

/// An id made from a title: the same title gives the same id, wherever it stands in a list.
pub(super) fn slug(title: &str) -> TaskId {
    let mut slug = String::new();
    for word in title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let length = slug.chars().count() + word.chars().count();
        if !slug.is_empty() && length > LONGEST_SLUG {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(word.chars().take(LONGEST_SLUG).flat_map(char::to_lowercase));
    }
    let is_usable = !slug.is_empty() && check::odd(&slug).is_none();
    TaskId::from(if is_usable { slug } else { "task".to_owned() })
}

/// The id, or the first with a number behind it that is still free.
pub(super) fn free_id(id: TaskId, taken: &BTreeSet<TaskId>) -> TaskId {
    if !taken.contains(&id) {
        return id;
    }
    let numbered = (2_u32..).map(|number| TaskId(format!("{id}-{number}")));
    numbered.into_iter().find(|id| !taken.contains(id)).unwrap_or(id)
}

/// A status in ralph's words or in those of other tools.
pub(super) fn status(word: &str) -> Option<Status> {
    let plain: String =
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    Some(match plain.as_str() {
        "" | "pending" | "todo" | "open" | "new" | "ready" | "backlog" | "notstarted"
        | "planned" | "blocked" => Status::Pending,
        "inprogress" | "doing" | "started" | "wip" | "active" => Status::InProgress,
        "needsreview" | "review" | "inreview" => Status::NeedsReview,
        "changesrequested" => Status::ChangesRequested,
        "done" | "closed" | "complete" | "completed" | "finished" | "resolved" | "passed"
        | "passing" => Status::Done,
        "failed" => Status::Failed,
        "skipped" | "cancelled" | "canceled" | "wontfix" | "wontdo" | "notplanned" => {
            Status::Skipped
        }
        "parked" | "deferred" | "onhold" | "paused" => Status::Parked,
        _ => return None,
    })
}

/// A priority as a number, as `P1`, or as a word.
pub(super) fn priority(word: &str) -> Option<i64> {
    let plain = word.trim().to_lowercase();
    let plain = plain.strip_suffix("priority").map_or(plain.as_str(), str::trim_end);
    if let Ok(number) = plain.parse() {
        return Some(number);
    }
    if let Some(number) = plain.strip_prefix('p').and_then(|rest| rest.parse().ok()) {
        return Some(number);
    }
    Some(match plain {
        "critical" | "urgent" | "highest" => 0,
        "high" => 1,
        "medium" | "normal" => 2,
        "low" => 3,
        "lowest" => 4,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_can_be_used_stay_and_others_become_usable() {
        for id in ["T-001", "Grüße_1.2@x", "1", "a,b", "bd-a1b2.1"] {
            assert_eq!(sound_id(id).as_str(), id);
        }
        let odd = ["a b", "x/y", "-n", "a..b", "../../etc", "a.lock", "@", ".", "", "$(x)", "~~~"];
        for id in odd {
            let sound = sound_id(id);
            assert_eq!(check::odd(sound.as_str()), None, "{id} became {sound}");
            assert!(!sound.as_str().is_empty(), "{id}");
        }
    }

    #[test]
    fn slugs_are_short_and_stable() {
        assert_eq!(slug("Add a **login** form!").as_str(), "add-a-login-form");
        assert_eq!(slug("…").as_str(), "task");
        assert!(slug(&"word ".repeat(50)).as_str().len() <= LONGEST_SLUG);
        let taken = [TaskId::from("a"), TaskId::from("a-2")].into_iter().collect();
        assert_eq!(free_id("a".into(), &taken).as_str(), "a-3");
    }

    #[test]
    fn priorities_are_numbers_or_words() {
        let cases = [("3", Some(3)), ("P0", Some(0)), ("High Priority", Some(1)), ("low", Some(3))];
        for (word, number) in cases {
            assert_eq!(priority(word), number, "{word}");
        }
        assert_eq!(priority("purple"), None);
    }
}
