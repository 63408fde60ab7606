//! How plans, tasks and criteria are read and written by serde. By hand, because deriving with kept unknown
//! fields buffers every value, which a plan of 100,000 tasks feels.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};

use super::{Criterion, Plan, Status, Task};

/// Reads a struct from an object: the fields listed, each at most once; unknown ones go to `extra`,
/// derived ones are passed over. Lists give back the room that a reader leaves who does not know their length.
macro_rules! read_object {
    (
        $type:ident, $what:literal, [$($field:ident),+ $(,)?],
        derived: [$($derived:literal),*], lists: [$($list:ident),+]
    ) => {
        impl $type {
            /// Names of all fields that `plan.json` has a place for.
            pub(crate) const FIELDS: &[&str] = &[$(stringify!($field),)+ $($derived),*];
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                const DERIVED: &[&str] = &[$($derived),*];

                #[derive(Clone, Copy)]
                #[expect(non_camel_case_types, reason = "named like the fields")]
                enum Known { $($field),+ }

                enum Key { Known(Known, &'static str), Other(String) }

                impl<'de> Deserialize<'de> for Key {
                    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                        from.deserialize_identifier(ReadKey)
                    }
                }

                struct ReadKey;
                impl Visitor<'_> for ReadKey {
                    type Value = Key;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("the name of a field")
                    }

                    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
                        Ok(match key {
                            $(stringify!($field) => Key::Known(Known::$field, stringify!($field)),)+
                            other => Key::Other(other.to_owned()),
                        })
                    }
                }

                struct ReadObject;
                impl<'de> Visitor<'de> for ReadObject {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$type, A::Error> {
                        let mut object = $type::default();
                        let mut seen = 0_u32;
                        while let Some(key) = map.next_key()? {
                            match key {
                                Key::Known(field, name) => {
                                    let bit = 1 << field as u32;
                                    if seen & bit != 0 {
                                        return Err(A::Error::duplicate_field(name));
                                    }
                                    seen |= bit;
                                    match field {
                                        $(Known::$field => object.$field = map.next_value()?,)+
                                    }
                                }
                                Key::Other(name) if DERIVED.contains(&name.as_str()) => {
                                    map.next_value::<IgnoredAny>()?;
                                }
                                Key::Other(name) => {
                                    object.extra.insert(name, map.next_value()?);
                                }
                            }
                        }
                        $(object.$list.shrink_to_fit();)+
                        Ok(object)
                    }
                }
                deserializer.deserialize_map(ReadObject)
            }
        }
    };
}

read_object!(Plan, "a plan, which is an object", [
    version, project, branch, description, verify_commands, max_iterations, validation_strategy, tasks,
], derived: [], lists: [verify_commands]);

read_object!(Task, "a task, which is an object", [
    id, title, description, acceptance_criteria, status, priority, order, depends_on, skills,
    needs_docs, libraries, agent, model, max_turns, max_attempts, max_retries, timeout_multiplier,
    review_count, review_feedback, notes, branch, question,
], derived: ["review_status"], lists: [acceptance_criteria, depends_on, skills, libraries]);

/// Writes fields of an object, leaving out those that say nothing.
struct Fields<M>(M);

impl<M: SerializeMap> Fields<M> {
    fn always(&mut self, name: &'static str, value: &impl Serialize) -> Result<(), M::Error> {
        self.0.serialize_entry(name, value)
    }

    fn text(&mut self, name: &'static str, value: &str) -> Result<(), M::Error> {
        if value.is_empty() { Ok(()) } else { self.0.serialize_entry(name, value) }
    }

    fn list(&mut self, name: &'static str, value: &[impl Serialize]) -> Result<(), M::Error> {
        if value.is_empty() { Ok(()) } else { self.0.serialize_entry(name, value) }
    }

    fn some(&mut self, name: &'static str, value: Option<&impl Serialize>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.0.serialize_entry(name, value))
    }

    fn rest(
        mut self,
        extra: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<M::Ok, M::Error> {
        for (name, value) in extra {
            self.0.serialize_entry(name, value)?;
        }
        self.0.end()
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(serializer, &self.tasks)
    }
}

impl Plan {
    /// Writes the plan with these tasks in the place of its own.
    pub(crate) fn write<S: Serializer>(
        &self,
        serializer: S,
        tasks: &impl Serialize,
    ) -> Result<S::Ok, S::Error> {
        let mut fields = Fields(serializer.serialize_map(None)?);
        fields.always("version", &self.version)?;
        fields.always("project", &self.project)?;
        fields.text("branch", &self.branch)?;
        fields.text("description", &self.description)?;
        fields.list("verify_commands", &self.verify_commands)?;
        fields.some("max_iterations", self.max_iterations.as_ref())?;
        fields.some("validation_strategy", self.validation_strategy.as_ref())?;
        fields.always("tasks", tasks)?;
        fields.rest(&self.extra)
    }
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = Fields(serializer.serialize_map(None)?);
        fields.always("id", &self.id)?;
        fields.always("title", &self.title)?;
        fields.text("description", &self.description)?;
        fields.list("acceptance_criteria", &self.acceptance_criteria)?;
        fields.always("status", &self.status)?;
        fields.some("review_status", review_status(self.status).as_ref())?;
        fields.some("priority", self.priority.as_ref())?;
        fields.some("order", self.order.as_ref())?;
        fields.list("depends_on", &self.depends_on)?;
        fields.list("skills", &self.skills)?;
        fields.some("needs_docs", self.needs_docs.then_some(&true))?;
        fields.list("libraries", &self.libraries)?;
        fields.some("agent", self.agent.as_ref())?;
        fields.some("model", self.model.as_ref())?;
        fields.some("max_turns", self.max_turns.as_ref())?;
        fields.some("max_attempts", self.max_attempts.as_ref())?;
        fields.some("max_retries", self.max_retries.as_ref())?;
        fields.some("timeout_multiplier", self.timeout_multiplier.as_ref())?;
        fields.some("review_count", self.review_count.as_ref())?;
        fields.some("review_feedback", self.review_feedback.as_ref())?;
        fields.some("notes", self.notes.as_ref())?;
        fields.some("branch", self.branch.as_ref())?;
        fields.some("question", self.question.as_ref())?;
        fields.rest(&self.extra)
    }
}

/// Where a task stands in its review; nothing where no review has a say.
fn review_status(status: Status) -> Option<&'static str> {
    matches!(status, Status::NeedsReview | Status::ChangesRequested).then(|| status.word())
}

impl<'de> Deserialize<'de> for Criterion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Criterion;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sentence, or an object with `text` and `check`")
            }

            fn visit_str<E>(self, text: &str) -> Result<Criterion, E> {
                Ok(Criterion::Sentence(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<Criterion, E> {
                Ok(Criterion::Sentence(text))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Criterion, A::Error> {
                let (mut text, mut check) = (None, None);
                while let Some(key) = map.next_key::<CriterionKey>()? {
                    let (slot, name) = match key {
                        CriterionKey::Text => (&mut text, "text"),
                        CriterionKey::Check => (&mut check, "check"),
                    };
                    if slot.replace(map.next_value()?).is_some() {
                        return Err(A::Error::duplicate_field(name));
                    }
                }
                let text = text.ok_or_else(|| A::Error::missing_field("text"))?;
                Ok(match check {
                    Some(check) => Criterion::Checked { text, check },
                    None => Criterion::Sentence(text),
                })
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// Fields of a criterion. Others are refused, since there is no place to keep them.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum CriterionKey {
    Text,
    Check,
}
