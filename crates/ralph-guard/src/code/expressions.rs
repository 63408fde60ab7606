//! Expressions of code: texts, lists, operators, and what is bound on the way.

use super::{
    super::marks,
    lexer::{Family, Part, Token},
    reader::{DEEPEST, Reader, Step},
    value::Value,
};

impl Reader<'_> {
    pub(super) fn expression(&mut self) -> Value {
        if self.depth >= DEEPEST {
            self.at += 1;
            return Value::unknown();
        }
        self.depth += 1;
        let mut left = self.primary();
        while let Some(value) = self.joint(&left) {
            left = value;
        }
        self.depth -= 1;
        left
    }

    /// What an operator makes of the value before it.
    pub(super) fn joint(&mut self, left: &Value) -> Option<Value> {
        let token = self.peek(0)?.clone();
        match token {
            Token::Text(_) if self.family != Family::Lisp => {
                let right = self.primary();
                Some(left.joined(&right))
            }
            Token::Sign(sign @ ('+' | '.' | '&' | '~')) => {
                self.at += 1;
                let right = self.primary();
                let is_text = sign != '&' || !right.is_unknown();
                Some(if is_text { left.joined(&right) } else { left.clone() })
            }
            Token::Sign('/') => {
                self.at += 1;
                let right = self.primary();
                Some(left.below(&right.text))
            }
            Token::Sign('%') => {
                self.at += 1;
                let right = self.primary();
                Some(filled(left, &right.all()))
            }
            Token::Sign('?') => {
                self.at += 1;
                Some(self.expression())
            }
            Token::Name { text, .. } if text == "if" || text == "unless" => {
                self.at += 1;
                self.expression();
                Some(left.clone())
            }
            Token::Sign('∨') => {
                self.at += 1;
                let right = self.expression();
                Some(if left.is_unknown() { right } else { left.clone() })
            }
            Token::Sign('≟' | '<' | '>' | '*') => {
                self.at += 1;
                self.primary();
                Some(Value::unknown())
            }
            Token::Name { text, .. } if text == "or" || text == "and" => {
                self.at += 1;
                let right = self.expression();
                Some(if left.is_unknown() { right } else { left.clone() })
            }
            Token::Name { text, .. }
                if ["in", "is", "eq", "ne", "not"].contains(&text.as_str()) =>
            {
                self.at += 1;
                self.primary();
                Some(Value::unknown())
            }
            Token::Name { text, .. } if text == "as" => {
                if let Some(name) = self.word(1).map(str::to_owned) {
                    self.bind(&name, left.clone(), false);
                }
                self.at += 2;
                Some(left.clone())
            }
            _ => None,
        }
    }

    pub(super) fn primary(&mut self) -> Value {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.at = self.tokens.len();
        }
        let Some(token) = self.peek(0).cloned() else { return Value::unknown() };
        match token {
            Token::Text(parts) => {
                self.at += 1;
                let text = self.text(&parts);
                self.members(text, String::new())
            }
            Token::Ticked(parts) => self.ticked(&parts),
            Token::Number(number) => {
                self.at += 1;
                Value::text(number)
            }
            Token::Name { text, has_sigil } => self.name(&text, has_sigil),
            Token::Sign('(') if self.family == Family::Lisp => self.lisp_call(),
            Token::Sign('(') => {
                let mut values = self.elements(')');
                let value = if values.len() == 1 {
                    values.pop().unwrap_or_default()
                } else {
                    Value::list(values)
                };
                self.members(value, String::new())
            }
            Token::Sign(open @ ('[' | '{')) => {
                let values = self.elements(if open == '[' { ']' } else { '}' });
                self.members(Value::list(values), String::new())
            }
            Token::Sign('!') => {
                self.at += 1;
                self.nested_primary();
                Value::unknown()
            }
            Token::Sign('-' | '*' | '&' | '\\' | '@' | '%' | '$' | '+' | '~' | ':' | '#') => {
                self.at += 1;
                let value = self.nested_primary();
                if token == Token::Sign('-') { Value::text("-").joined(&value) } else { value }
            }
            _ => {
                self.at += 1;
                Value::unknown()
            }
        }
    }

    pub(super) fn nested_primary(&mut self) -> Value {
        if self.depth >= DEEPEST || matches!(self.peek(0), Some(Token::Sign(')' | ']' | '}'))) {
            return Value::unknown();
        }
        self.depth += 1;
        let value = self.primary();
        self.depth -= 1;
        value
    }

    pub(super) fn text(&mut self, parts: &[Part]) -> Value {
        let mut value = Value::default();
        for part in parts {
            let more = match part {
                Part::Plain(text) => Value::text(text.as_str()),
                Part::Code(code) => self.read(code),
            };
            value = Value::text(format!("{}{}", value.text, more.text));
        }
        value
    }

    /// A text in backquotes: a template for some languages, a command for others.
    pub(super) fn ticked(&mut self, parts: &[Part]) -> Value {
        let is_tagged = self.at > 0 && self.tokens.get(self.at - 1) == Some(&Token::Sign('$'));
        self.at += 1;
        let value = self.text(parts);
        if self.family == Family::Slash && !is_tagged {
            return self.members(value, String::new());
        }
        self.push(Step::Shell(value.text));
        self.members(Value::text(marks::DATA), String::new())
    }

    /// Values up to a closing sign; those that are named `env` are left out.
    pub(super) fn elements(&mut self, close: char) -> Vec<Value> {
        self.at += 1;
        let mut values: Vec<Value> = Vec::new();
        let mut is_dropped = false;
        self.depth += 1;
        while self.at < self.tokens.len() {
            if self.is_sign(0, close) {
                break;
            }
            let before = self.at;
            self.lambda_names();
            let key = self.key();
            let value = if self.depth < DEEPEST { self.item() } else { None };
            if self.at == before {
                self.at += 1;
            }
            let Some(value) = value else { continue };
            if self.is_sign(0, ':') || self.is_sign(0, '→') {
                is_dropped = is_aside(&value.text);
                continue;
            }
            let drops = std::mem::take(&mut is_dropped) || key.is_some_and(|key| is_aside(&key));
            if !drops {
                values.push(value);
            }
            if let Some(last) = values.last()
                && last.text.contains("://")
                && self.given.is_unknown()
                && !super::is_loopback_text(&last.text)
            {
                self.given = Value::text(marks::NET);
            }
        }
        self.depth -= 1;
        self.at += 1;
        values
    }

    /// The name of a named argument or member, if one comes next.
    pub(super) fn key(&mut self) -> Option<String> {
        let name = self.word(0)?.to_owned();
        let is_key = (self.is_sign(1, ':') && !self.is_sign(2, ':'))
            || self.is_sign(1, '=')
            || self.is_sign(1, '→');
        if !is_key {
            return None;
        }
        if let Some(other) = self.word(2)
            && (self.is_sign(3, ',') || self.is_sign(3, '}'))
            && super::effects::of(&name).is_some()
        {
            self.aliases.insert(other.to_owned(), name.clone());
        }
        self.at += 2;
        Some(name)
    }

    /// `name =>`, `(names) =>`, `function (names)`: what the call around gives is bound to them.
    pub(super) fn lambda_names(&mut self) {
        let mut ahead = usize::from(self.word(0) == Some("async"));
        let is_function = self.word(ahead) == Some("function");
        ahead += usize::from(is_function);
        let mut names = Vec::new();
        if let Some(name) = self.word(ahead).filter(|_| self.is_sign(ahead + 1, '→')) {
            names.push(name.to_owned());
            ahead += 1;
        } else if self.is_sign(ahead, '(') {
            loop {
                ahead += 1;
                match self.peek(ahead) {
                    Some(Token::Name { text, .. }) if names.len() < 4 => names.push(text.clone()),
                    Some(Token::Sign(',')) => {}
                    Some(Token::Sign(')')) => break,
                    _ => return,
                }
            }
            ahead += 1;
            if !is_function && !self.is_sign(ahead, '→') {
                return;
            }
        } else {
            return;
        }
        for name in names {
            self.vars.insert(name, self.given.clone());
        }
        self.at += ahead + usize::from(self.is_sign(ahead, '→'));
    }
}

/// Arguments that say how, not what.
fn is_aside(key: &str) -> bool {
    ["env", "environment", "headers", "encoding", "stdio", "cwd"].contains(&key)
}

/// A text with its places filled by values.
fn filled(text: &Value, values: &[String]) -> Value {
    let mut rest = text.text.clone();
    for value in values {
        rest = rest.replacen("%s", value, 1);
    }
    Value::text(rest)
}
