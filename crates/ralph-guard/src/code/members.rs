//! Names, their members, calls and indexes.

use super::{
    super::marks::{self, HOLE, SECRET},
    lexer::{Family, Token},
    reader::{DEEPEST, ENVIRONMENT, JOINTS, KEYWORDS, Reader, Step},
    value::Value,
};

impl Reader<'_> {
    pub(super) fn name(&mut self, text: &str, has_sigil: bool) -> Value {
        self.at += 1;
        if JOINTS.contains(&text) && !has_sigil || KEYWORDS.contains(&text) {
            return if text == "not" { Value::unknown() } else { self.nested_primary() };
        }
        let name = self.aliases.get(text).cloned().unwrap_or_else(|| text.to_owned());
        let value = match self.vars.get(text) {
            Some(value) => value.clone(),
            None => self.property(&name, &Value::unknown()),
        };
        self.members(value, name)
    }

    /// A name that stands for a value of its own.
    pub(super) fn property(&self, path: &str, owner: &Value) -> Value {
        let last = path.rsplit('.').next().unwrap_or_default();
        if owner.name.as_deref() == Some(ENVIRONMENT) && last != ENVIRONMENT {
            let methods = [
                "get", "fetch", "items", "values", "keys", "copy", "to_h", "toObject", "each",
                "map", "inspect", "entries", "dig",
            ];
            return if methods.contains(&last) {
                owner.clone()
            } else {
                Value::text(self.walker.frame_var(last))
            };
        }
        let is_environment = ["os.environ", "process.env", "Deno.env", "Bun.env"].contains(&path)
            || ["ENV", "ENVIRON", "_ENV", "environ"].contains(&path)
            || path.ends_with(").environ");
        if is_environment {
            return Value { text: SECRET.to_string(), items: None, name: Some(ENVIRONMENT.into()) };
        }
        match path {
            "Dir.home" | "NSHomeDirectory" => Value::text(self.walker.home()),
            "process.ppid" | "Process.ppid" => Value::text(marks::PARENT),
            _ if ["length", "size", "count"].contains(&last) => Value::unknown(),
            "__dirname" => Value::text(self.walker.frame_var("PWD")),
            _ if owner.is_unknown() => Value { name: Some(last.to_owned()), ..Value::unknown() },
            _ => Value { name: None, ..owner.clone() },
        }
    }

    /// What follows a value: members, calls and indexes.
    pub(super) fn members(&mut self, value: Value, path: String) -> Value {
        let (mut value, mut path) = (value, path);
        let mut owner: Option<Value> = None;
        loop {
            match self.peek(0) {
                Some(Token::Sign('.')) if self.is_sign(1, '!') && !value.is_unknown() => {
                    self.at += 2;
                    self.push(Step::Shell(value.text.clone()));
                }
                Some(Token::Sign('.')) if self.is_member() => {
                    self.at += 1;
                    let Some(name) = self.word(0).map(str::to_owned) else { return value };
                    self.at += 1;
                    let last = path.rsplit('.').next().unwrap_or_default();
                    path = if last.is_empty() { name } else { format!("{last}.{name}") };
                    let next = self.property(&path, &value);
                    owner = Some(value);
                    value = next;
                }
                Some(Token::Sign('(')) if !path.is_empty() => {
                    let args = self.arguments(owner.as_ref(), ')');
                    value = self.call(&path, owner.take(), &args);
                    path = "()".into();
                }
                Some(Token::Sign('[')) => {
                    value = self.index(&value, ']');
                    owner = None;
                }
                Some(Token::Sign('{')) if value.name.as_deref() == Some(ENVIRONMENT) => {
                    value = self.index(&value, '}');
                }
                Some(_) if self.is_bare_call(&path) => {
                    let args = self.bare_arguments(owner.as_ref());
                    value = self.call(&path, owner.take(), &args);
                    path = "()".into();
                }
                _ => break,
            }
        }
        let is_called_by_name = owner.is_some() && path != "()";
        if is_called_by_name && super::effects::acts_on_owner(&path) {
            return self.call(&path, owner, &[]);
        }
        value
    }

    /// Whether a dot leads to a member; it joins texts otherwise.
    pub(super) fn is_member(&self) -> bool {
        matches!(self.peek(1), Some(Token::Name { has_sigil: false, .. }))
    }

    pub(super) fn arguments(&mut self, owner: Option<&Value>, close: char) -> Vec<Value> {
        let given = owner.cloned().unwrap_or_else(Value::unknown);
        let before = std::mem::replace(&mut self.given, Value { name: None, ..given });
        let values = self.elements(close);
        let after = std::mem::replace(&mut self.given, before);
        if self.is_sign(0, '{') || self.word(0) == Some("do") {
            self.given = owner.cloned().unwrap_or(after);
        }
        values
    }

    /// Whether a name is called without parentheses.
    pub(super) fn is_bare_call(&self, path: &str) -> bool {
        if path.is_empty() || path == "()" {
            return false;
        }
        match self.peek(0) {
            Some(Token::Text(_)) => true,
            Some(Token::Ticked(_)) => self.family != Family::Slash,
            Some(Token::Name { text, .. }) => {
                !JOINTS.contains(&text.as_str()) && super::effects::is_known(path)
            }
            Some(Token::Sign('%' | '[' | '*')) => {
                self.family == Family::Sigil && super::effects::is_known(path)
            }
            _ => false,
        }
    }

    pub(super) fn bare_arguments(&mut self, owner: Option<&Value>) -> Vec<Value> {
        self.given = owner.cloned().unwrap_or_else(Value::unknown);
        let mut values = Vec::new();
        while self.at < self.tokens.len() && self.depth < DEEPEST {
            self.key();
            values.push(self.expression());
            if !self.is_sign(0, ',') {
                break;
            }
            self.at += 1;
        }
        values
    }

    pub(super) fn index(&mut self, value: &Value, close: char) -> Value {
        let start = self.at;
        let keys = if close == '}' {
            self.at += 1;
            let key = match self.peek(0) {
                Some(Token::Name { text, has_sigil: false }) => Some(Value::text(text.as_str())),
                Some(Token::Name { .. }) => Some(Value::unknown()),
                _ => None,
            };
            let key = key.unwrap_or_else(|| match self.peek(0) {
                Some(Token::Text(_)) => self.expression(),
                _ => Value::unknown(),
            });
            while self.at < self.tokens.len() && !self.is_sign(0, close) {
                self.at += 1;
            }
            self.at += 1;
            vec![key]
        } else {
            self.elements(close)
        };
        let backwards = [Token::Sign('.'), Token::Sign('-')];
        if self.tokens.get(start + 1..).is_some_and(|rest| rest.starts_with(&backwards)) {
            return Value::text(super::decode::reversed(&value.text));
        }
        let key = keys.first().map_or("", |key| key.text.as_str());
        if value.name.as_deref() == Some(ENVIRONMENT) {
            let is_named = !key.is_empty() && !key.contains(HOLE);
            return Value::text(if is_named { self.walker.frame_var(key) } else { SECRET.into() });
        }
        match (&value.items, key.parse::<usize>()) {
            (Some(items), Ok(index)) => items.get(index).map_or_else(Value::unknown, Value::text),
            _ => Value { name: None, ..value.clone() },
        }
    }

    /// `(name arguments)`.
    pub(super) fn lisp_call(&mut self) -> Value {
        self.at += 1;
        let name = self.word(0).unwrap_or_default().replace(['/', ':'], ".");
        if !name.is_empty() {
            self.at += 1;
        }
        let mut args = Vec::new();
        while self.at < self.tokens.len() && !self.is_sign(0, ')') {
            let before = self.at;
            let value = match self.peek(0) {
                Some(Token::Name { text, .. }) => {
                    let value = self.vars.get(text).cloned();
                    self.at += 1;
                    value.unwrap_or_else(Value::unknown)
                }
                _ => self.nested_primary(),
            };
            if self.at == before {
                self.at += 1;
            }
            args.push(value);
        }
        self.at += 1;
        if name == "getenv" || name == "getEnv" {
            return Value::text(self.walker.frame_var(args.first().map_or("", |arg| &arg.text)));
        }
        let args: Vec<Value> = args.into_iter().filter(|arg| !arg.is_unknown()).collect();
        self.call(&name, None, &args)
    }
}
