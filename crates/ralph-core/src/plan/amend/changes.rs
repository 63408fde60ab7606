//! Which fields change, and to what. Knows nothing of who may change them.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::claims;
use crate::{
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task},
};

/// A value that is given, even if it is null.
fn said<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// A struct of changes, and what it can do field by field.
macro_rules! changes_of {
    (
        $(#[$doc:meta])* $changes:ident of $whole:ident,
        applied: { $($field:ident: $type:ty),+ $(,)? },
        never_applied: { $($state:ident: $state_type:ty),* $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $changes {
            $(
                #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
                pub $field: Option<$type>,
            )+
            $(
                #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "said")]
                pub $state: Option<$state_type>,
            )*
            /// Fields that ralph does not know; null removes one.
            #[serde(skip_serializing_if = "Map::is_empty")]
            pub other: Map<String, Value>,
        }

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
                self.other.keys().map(String::as_str).find(|name| $whole::FIELDS.contains(name))
            }
        }
    };
}

changes_of! {
    /// New values for fields of a task; what is `None` stays as it is. The status, the review fields and some of
    /// `other` say how far a task is: they can be proposed, and are never applied.
    Changes of Task,
    applied: {
        title: String,
        description: String,
        acceptance_criteria: Vec<Criterion>,
        priority: Option<i64>,
        order: Option<i64>,
        depends_on: Vec<TaskId>,
        skills: Vec<String>,
        needs_docs: bool,
        libraries: Vec<String>,
        agent: Option<String>,
        model: Option<String>,
        max_turns: Option<u32>,
        max_attempts: Option<u32>,
        max_retries: Option<u32>,
        timeout_multiplier: Option<f64>,
        notes: Option<String>,
    },
    never_applied: {
        status: Status,
        review_count: Option<u32>,
        review_feedback: Option<String>,
    }
}

changes_of! {
    /// New values for what holds for the whole plan.
    PlanChanges of Plan,
    applied: {
        project: String,
        branch: String,
        description: String,
        verify_commands: Vec<String>,
        max_iterations: Option<u32>,
        validation_strategy: Option<String>,
    },
    never_applied: {}
}

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
