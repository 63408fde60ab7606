//! Which fields change, and to what. Knows nothing of who may change them.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::claims;
use crate::{
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task},
};

/// New values for fields of a task; what is `None` stays as it is. The last three and some of `other` say
/// where a task stands: they can be proposed, and are never applied.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Changes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance_criteria: Option<Vec<Criterion>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub priority: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub order: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<TaskId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_docs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub libraries: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub agent: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub model: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub max_turns: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub max_attempts: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub max_retries: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub timeout_multiplier: Option<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub notes: Option<Option<String>>,
    /// Fields that ralph does not know; null takes one away.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub other: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub review_count: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub review_feedback: Option<Option<String>>,
}

/// New values for what holds for the whole plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanChanges {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_commands: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub max_iterations: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
    pub validation_strategy: Option<Option<String>>,
    /// Fields that ralph does not know; null takes one away.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub other: Map<String, Value>,
}

/// A value that is there, be it null.
#[expect(clippy::option_option, reason = "that is its purpose")]
fn said<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// What both kinds of changes can do, field by field.
macro_rules! changes_of {
    ($changes:ident of $whole:ident, [$($field:ident),+ $(,)?], never applied: [$($state:ident),*],
        other places: [$($place:literal),+]) => {
        impl $changes {
            /// What leads from one to the other.
            pub fn between(old: &$whole, new: &$whole) -> Self {
                Self {
                    $($field: (old.$field != new.$field).then(|| new.$field.clone()),)+
                    $($state: (old.$state != new.$state).then(|| new.$state.clone()),)*
                    other: differing(&old.extra, &new.extra),
                }
            }

            /// Without what is so already.
            #[must_use]
            pub fn against(&self, now: &$whole) -> Self {
                let mut left = self.clone();
                $(if left.$field.as_ref() == Some(&now.$field) { left.$field = None; })+
                $(if left.$state.as_ref() == Some(&now.$state) { left.$state = None; })*
                left.other.retain(|name, value| {
                    now.extra.get(name).unwrap_or(&Value::Null) != &*value
                });
                left
            }

            /// Names of the fields that change.
            pub fn names(&self) -> Vec<&str> {
                let mut names = Vec::new();
                $(if self.$field.is_some() { names.push(stringify!($field)); })+
                $(if self.$state.is_some() { names.push(stringify!($state)); })*
                names.extend(self.other.keys().map(String::as_str));
                names
            }

            /// Sets the fields that may be set.
            pub(super) fn write_to(&self, whole: &mut $whole) {
                $(if let Some(value) = &self.$field { whole.$field.clone_from(value); })+
                for (name, value) in &self.other {
                    if value.is_null() {
                        whole.extra.shift_remove(name);
                    } else {
                        whole.extra.insert(name.clone(), value.clone());
                    }
                }
            }

            /// A field in `other` that has a place of its own, and would be written twice.
            pub(super) fn misplaced(&self) -> Option<&str> {
                const OWN: &[&str] = &[$(stringify!($field),)+ $(stringify!($state),)* $($place),+];
                self.other.keys().map(String::as_str).find(|name| OWN.contains(name))
            }
        }
    };
}

changes_of!(Changes of Task, [
    title, description, acceptance_criteria, priority, order, depends_on, skills, needs_docs, libraries,
    agent, model, max_turns, max_attempts, max_retries, timeout_multiplier, notes,
], never applied: [status, review_count, review_feedback], other places: ["id", "review_status"]);

changes_of!(PlanChanges of Plan, [
    project, branch, description, verify_commands, max_iterations, validation_strategy,
], never applied: [], other places: ["version", "tasks"]);

impl Changes {
    /// The first field that says where the task stands.
    pub fn claim(&self) -> Option<&str> {
        let known = [
            ("status", self.status.is_some()),
            ("review_count", self.review_count.is_some()),
            ("review_feedback", self.review_feedback.is_some()),
        ];
        let known = known.into_iter().find_map(|(name, is_there)| is_there.then_some(name));
        known.or_else(|| self.other.keys().map(String::as_str).find(|name| claims::is_claim(name)))
    }
}

/// Unknown fields that differ; null where one is gone.
fn differing(old: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let value =
        |map: &Map<String, Value>, name: &String| map.get(name).cloned().unwrap_or_default();
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    new.keys()
        .chain(gone)
        .filter(|name| value(old, name) != value(new, name))
        .map(|name| (name.clone(), value(new, name)))
        .collect()
}
