//! A tree of settings in which every value knows where it was written. Knows nothing of any format.

use std::collections::BTreeMap;

use super::Origin;

/// The entries of a table.
pub(super) type Table = BTreeMap<String, Node>;

/// A value and where its key stands (an entry of a list: where the value stands).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// What TOML and JSON have in common.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Truth(bool),
    Whole(i128),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Table(Table),
    /// Something that no setting can be, such as a date or null.
    Odd(&'static str),
}

impl Value {
    /// What it is, for an error.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Truth(truth) => truth.to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("{text:?}"),
            Self::List(_) => "a list".to_owned(),
            Self::Table(_) => "a table".to_owned(),
            Self::Odd(what) => (*what).to_owned(),
        }
    }
}

impl Node {
    /// An empty table.
    pub(super) fn table(origin: Origin) -> Self {
        Self { value: Value::Table(Table::new()), origin }
    }

    /// All values below a JSON value, with one origin.
    pub(super) fn from_json(json: &serde_json::Value, origin: &Origin) -> Self {
        use serde_json::Value as Json;
        let value = match json {
            Json::Null => Value::Odd("null"),
            Json::Bool(truth) => Value::Truth(*truth),
            Json::Number(number) => match number.as_i128() {
                Some(whole) => Value::Whole(whole),
                None => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(list) => {
                Value::List(list.iter().map(|json| Self::from_json(json, origin)).collect())
            }
            Json::Object(map) => Value::Table(
                map.iter()
                    .map(|(key, json)| (key.clone(), Self::from_json(json, origin)))
                    .collect(),
            ),
        };
        Self { value, origin: origin.clone() }
    }

    /// The tree without origins.
    pub(super) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Truth(truth) => Json::Bool(*truth),
            Value::Whole(number) => {
                serde_json::Number::from_i128(*number).map_or(Json::Null, Json::Number)
            }
            Value::Number(number) => {
                serde_json::Number::from_f64(*number).map_or(Json::Null, Json::Number)
            }
            Value::Text(text) => Json::String(text.clone()),
            Value::List(list) => list.iter().map(Self::to_json).collect(),
            Value::Table(table) => {
                table.iter().map(|(key, node)| (key.clone(), node.to_json())).collect()
            }
            Value::Odd(_) => Json::Null,
        }
    }

    /// Lays a later layer over this one: tables merge, everything else is replaced.
    pub(super) fn overlay(&mut self, later: Self) {
        match (&mut self.value, later.value) {
            (Value::Table(ours), Value::Table(theirs)) => {
                for (key, node) in theirs {
                    match ours.entry(key) {
                        std::collections::btree_map::Entry::Occupied(mut old) => {
                            old.get_mut().overlay(node);
                        }
                        std::collections::btree_map::Entry::Vacant(free) => {
                            free.insert(node);
                        }
                    }
                }
            }
            (value, theirs) => {
                *value = theirs;
                self.origin = later.origin;
            }
        }
    }

    /// Puts a value at a path of table keys, making tables on the way.
    pub(super) fn insert(&mut self, path: &[String], node: Self) {
        let Some((first, rest)) = path.split_first() else {
            *self = node;
            return;
        };
        if !matches!(self.value, Value::Table(_)) {
            self.value = Value::Table(Table::new());
        }
        if let Value::Table(table) = &mut self.value {
            table
                .entry(first.clone())
                .or_insert_with(|| Self::table(node.origin.clone()))
                .insert(rest, node);
        }
    }

    /// The value at a path such as `limits.max_cost_usd`.
    pub(super) fn find(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |node, key| match &node.value {
            Value::Table(table) => table.get(key),
            _ => None,
        })
    }

    /// Where a value was written; for a table its first entry, for what is not there what would hold it.
    pub(super) fn origin_of(&self, key: &str) -> Origin {
        let holder = self.deepest(key).origin.clone();
        let (mut exact, mut below, mut above) = (None, None, (0, holder));
        let continues = |rest: &str| rest.starts_with(['.', '[']);
        self.walk("", &mut |path, origin| {
            if path == key {
                exact = Some(origin.clone());
            } else if path.strip_prefix(key).is_some_and(continues) {
                below.get_or_insert_with(|| origin.clone());
            } else if key.strip_prefix(path).is_some_and(continues) && path.len() > above.0 {
                above = (path.len(), origin.clone());
            }
        });
        exact.or(below).unwrap_or(above.1)
    }

    /// The innermost table on the way to a path.
    fn deepest(&self, path: &str) -> &Self {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match &self.value {
            Value::Table(table) => table.get(first).map_or(self, |inner| inner.deepest(rest)),
            _ => self,
        }
    }

    /// Calls `visit` with the path of every value, tables left out, lists of tables entry by entry too.
    pub(super) fn walk(&self, path: &str, visit: &mut impl FnMut(&str, &Origin)) {
        match &self.value {
            Value::Table(table) => {
                for (key, node) in table {
                    node.walk(&join(path, key), visit);
                }
            }
            Value::List(list) => {
                visit(path, &self.origin);
                for (index, node) in list.iter().enumerate() {
                    if matches!(node.value, Value::Table(_)) {
                        let path = format!("{path}[{index}]");
                        visit(&path, &node.origin);
                        node.walk(&path, visit);
                    }
                }
            }
            _ => visit(path, &self.origin),
        }
    }
}

/// A key below a path.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
