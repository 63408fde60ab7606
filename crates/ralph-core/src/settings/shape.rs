//! What each setting may be, taken from the JSON Schema, so that there is one list of settings only.

use std::sync::OnceLock;

use serde_json::{Map, Value as Json};

use super::schema;

/// What a value may be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Table(Vec<Field>),
    /// Any keys, values of one shape.
    Map(Box<Shape>),
    List(Box<Shape>),
    Text,
    Length,
    Truth,
    Whole {
        max: u64,
    },
    Number,
    Choice(Vec<String>),
}

/// One key of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    /// What it is for.
    pub(super) meaning: String,
    pub(super) default: Json,
    pub(super) shape: Shape,
}

impl Shape {
    /// The shape of all settings.
    pub(super) fn of_settings() -> &'static Self {
        static SHAPE: OnceLock<Shape> = OnceLock::new();
        SHAPE.get_or_init(|| {
            let root = schema::as_json();
            let defs = root.get("$defs").and_then(Json::as_object).cloned().unwrap_or_default();
            Compiler { defs }.shape(&root)
        })
    }

    /// The keys, if it is a table.
    pub(super) fn fields(&self) -> &[Field] {
        match self {
            Self::Table(fields) => fields,
            _ => &[],
        }
    }

    /// What is expected, for an error.
    pub(super) fn expected(&self) -> String {
        match self {
            Self::Table(_) | Self::Map(_) => "a table".to_owned(),
            Self::List(entry) => match entry.as_ref() {
                Self::Table(_) => "a list of tables".to_owned(),
                _ => "a list".to_owned(),
            },
            Self::Text => "text".to_owned(),
            Self::Length => "a duration such as 90s, 20m or 1h30m".to_owned(),
            Self::Truth => "true or false".to_owned(),
            Self::Whole { .. } => "a whole number, 0 or more".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
        }
    }

    /// A value that would be right, as TOML and JSON alike.
    pub(super) fn example(&self) -> String {
        match self {
            Self::Table(_) | Self::Map(_) => "{ … }".to_owned(),
            Self::List(entry) => format!("[{}]", entry.example()),
            Self::Text => "\"text\"".to_owned(),
            Self::Length => "\"20m\"".to_owned(),
            Self::Truth => "true".to_owned(),
            Self::Whole { .. } => "5".to_owned(),
            Self::Number => "1.5".to_owned(),
            Self::Choice(words) => format!("{:?}", words.first().map_or("", String::as_str)),
        }
    }
}

struct Compiler {
    defs: Map<String, Json>,
}

impl Compiler {
    fn shape(&self, schema: &Json) -> Shape {
        if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
            let name = name.trim_start_matches("#/$defs/");
            return match (name, self.defs.get(name)) {
                ("Length", _) => Shape::Length,
                (_, Some(schema)) => self.shape(schema),
                (_, None) => Shape::Text,
            };
        }
        if let Some(first) = schema.pointer("/anyOf/0") {
            return self.shape(first);
        }
        let words = choices(schema);
        if !words.is_empty() {
            return Shape::Choice(words);
        }
        match type_of(schema) {
            Some("object") => self.object(schema),
            Some("array") => {
                Shape::List(Box::new(schema.get("items").map_or(Shape::Text, |s| self.shape(s))))
            }
            Some("boolean") => Shape::Truth,
            Some("integer") => Shape::Whole {
                max: match schema.get("format").and_then(Json::as_str) {
                    Some("uint32") => u64::from(u32::MAX),
                    // TOML and JSON readers elsewhere stop at signed 64 bits.
                    _ => i64::MAX.unsigned_abs(),
                },
            },
            Some("number") => Shape::Number,
            _ => Shape::Text,
        }
    }

    fn object(&self, schema: &Json) -> Shape {
        let Some(properties) = schema.get("properties").and_then(Json::as_object) else {
            let value = schema.get("additionalProperties").map_or(Shape::Text, |s| self.shape(s));
            return Shape::Map(Box::new(value));
        };
        let field = |(name, schema): (&String, &Json)| Field {
            name: name.clone(),
            meaning: schema.get("description").and_then(Json::as_str).unwrap_or_default().into(),
            default: schema.get("default").cloned().unwrap_or_default(),
            shape: self.shape(schema),
        };
        Shape::Table(properties.iter().map(field).collect())
    }
}

/// The type of a value; what may be left out has a list of its type and null.
fn type_of(schema: &Json) -> Option<&str> {
    let told = schema.get("type")?;
    told.as_str().or_else(|| told.get(0)?.as_str())
}

/// The words of an enum, however the schema spells it.
fn choices(schema: &Json) -> Vec<String> {
    let text = |json: &Json| json.as_str().map(str::to_owned);
    if let Some(words) = schema.get("enum").and_then(Json::as_array) {
        return words.iter().filter_map(text).collect();
    }
    if let Some(word) = schema.get("const") {
        return text(word).into_iter().collect();
    }
    let parts = schema.get("oneOf").and_then(Json::as_array);
    parts.into_iter().flatten().flat_map(choices).collect()
}
