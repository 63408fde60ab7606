//! Reads code from its beginning to its end, follows plain values, and collects what its calls would do.
//! Must never loop: every step takes at least one token, and nesting is bounded.

use std::collections::BTreeMap;

use super::{
    super::{
        marks::{self, HOLE},
        walk::Walker,
    },
    lexer::{Family, Token, lex},
    value::Value,
};

/// What code would do, as a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Step {
    /// A text for a shell.
    Shell(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

/// Expressions inside expressions.
pub(super) const DEEPEST: usize = 40;
/// Code inside texts inside code.
const DEEPEST_CODE: usize = 3;
/// Values that are looked at in one reading; an honest program on a command line has fewer.
const MOST_VALUES: usize = 3000;
/// Steps that are kept.
const MOST_STEPS: usize = 64;

/// Longer code is not asked what it prints.
const LONGEST_PRINTER: usize = 1024;

/// The name under which the whole environment is known here.
pub(super) const ENVIRONMENT: &str = "environ";

/// Words of languages that are no values.
pub(super) const KEYWORDS: [&str; 40] = [
    "let", "const", "var", "my", "our", "local", "await", "return", "new", "yield", "else", "then",
    "do", "begin", "end", "import", "from", "use", "async", "typeof", "void", "if", "elsif",
    "elif", "unless", "while", "until", "try", "except", "catch", "finally", "with", "def", "fn",
    "class", "static", "lambda", "function", "raise", "rescue",
];

/// Words between two values.
pub(super) const JOINTS: [&str; 16] = [
    "in", "of", "as", "and", "or", "not", "is", "if", "unless", "for", "while", "else", "eq", "ne",
    "do", "then",
];

pub(super) struct Reader<'w> {
    pub(super) walker: &'w Walker,
    pub(super) family: Family,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) vars: BTreeMap<String, Value>,
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) steps: Vec<Step>,
    /// Whether a program was started whose name or text is not known.
    pub(super) starts_unknown: bool,
    pub(super) printed: String,
    /// What the call around gives to a function among its arguments.
    pub(super) given: Value,
    pub(super) depth: usize,
    code_depth: usize,
    /// Values that may still be looked at.
    pub(super) left: usize,
}

/// What a code would do, and whether it starts something that could not be followed.
pub(super) fn steps(code: &str, name: &str, walker: &Walker) -> (Vec<Step>, bool) {
    let reader = read_whole(code, name, walker);
    (reader.steps, reader.starts_unknown)
}

/// What a code prints, as far as that is plain.
pub(in super::super) fn printed(code: &str, name: &str, walker: &Walker) -> String {
    if code.len() > LONGEST_PRINTER {
        return HOLE.to_string();
    }
    let reader = read_whole(code, name, walker);
    if marks::is_unknown(&reader.printed) {
        marks::residue(&reader.printed)
    } else {
        reader.printed
    }
}

fn read_whole<'w>(code: &str, name: &str, walker: &'w Walker) -> Reader<'w> {
    let mut reader = Reader {
        walker,
        family: super::languages::family(name),
        tokens: Vec::new(),
        at: 0,
        vars: BTreeMap::new(),
        aliases: BTreeMap::new(),
        steps: Vec::new(),
        starts_unknown: false,
        printed: String::new(),
        given: Value::unknown(),
        depth: 0,
        code_depth: 0,
        left: MOST_VALUES,
    };
    reader.read(code);
    // Names may be bound after their use: loops that stand behind their body, functions.
    reader.steps.clear();
    reader.starts_unknown = false;
    reader.printed.clear();
    reader.left = MOST_VALUES;
    reader.read(code);
    reader.steps.dedup();
    reader
}

impl Reader<'_> {
    pub(super) fn push(&mut self, step: Step) {
        if self.steps.len() < MOST_STEPS {
            self.steps.push(step);
        }
    }

    /// Reads another code in this one's place; the value is that of its last expression.
    pub(super) fn read(&mut self, code: &str) -> Value {
        if self.code_depth >= DEEPEST_CODE {
            return Value::unknown();
        }
        self.code_depth += 1;
        let tokens = std::mem::replace(&mut self.tokens, lex(code, self.family));
        let at = std::mem::take(&mut self.at);
        let mut last = Value::unknown();
        while self.at < self.tokens.len() && self.left > 0 {
            let before = self.at;
            if let Some(value) = self.item() {
                last = value;
            }
            if self.at == before {
                self.at += 1;
            }
        }
        self.tokens = tokens;
        self.at = at;
        self.code_depth -= 1;
        last
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(&Token::Sign(sign))
    }

    pub(super) fn word(&self, ahead: usize) -> Option<&str> {
        match self.peek(ahead) {
            Some(Token::Name { text, .. }) => Some(text),
            _ => None,
        }
    }

    /// One statement, element or argument; `None` for a sign that is no value.
    pub(super) fn item(&mut self) -> Option<Value> {
        match self.word(0) {
            Some("for" | "foreach") => {
                self.at += 1;
                self.loop_head();
                return None;
            }
            Some(word) if KEYWORDS.contains(&word) => {
                self.at += 1;
                return None;
            }
            Some(_) => {
                if let Some(name) = self.assigned() {
                    let appends = self.is_sign(1, '⊕');
                    self.at += 2;
                    let value = self.expression();
                    self.bind(&name, value.clone(), appends);
                    return Some(value);
                }
            }
            None => {}
        }
        match self.peek(0) {
            Some(Token::Sign('|')) => {
                self.block_names();
                None
            }
            Some(Token::Sign('}' | ')' | ']' | ',' | ';' | ':' | '=' | '→') | Token::Line)
            | None => {
                self.at += 1;
                None
            }
            Some(_) => Some(self.expression()),
        }
    }

    /// The name that a value is given to, if that comes next.
    pub(super) fn assigned(&self) -> Option<String> {
        let name = self.word(0)?;
        (self.is_sign(1, '=') || self.is_sign(1, '⊕')).then(|| name.to_owned())
    }

    pub(super) fn bind(&mut self, name: &str, value: Value, appends: bool) {
        if let Some(alias) = &value.name
            && alias != ENVIRONMENT
        {
            self.aliases.insert(name.to_owned(), alias.clone());
            return;
        }
        let value = match self.vars.get(name) {
            Some(before) if appends => before.joined(&value),
            _ => value,
        };
        self.vars.insert(name.to_owned(), value);
    }

    /// `for names in values`, `for (names of values)`, `for names (values)`.
    pub(super) fn loop_head(&mut self) {
        let mut names = Vec::new();
        for ahead in 0..12 {
            match self.peek(ahead) {
                Some(Token::Name { text, .. }) if text == "in" || text == "of" => {
                    self.at += ahead + 1;
                    return self.bind_loop(&names);
                }
                Some(Token::Name { text, .. }) if !KEYWORDS.contains(&text.as_str()) => {
                    names.push(text.clone());
                }
                Some(Token::Sign('(')) if !names.is_empty() => {
                    self.at += ahead;
                    return self.bind_loop(&names);
                }
                Some(Token::Name { .. } | Token::Sign('(' | ',' | '[')) => {}
                _ => return,
            }
        }
    }

    pub(super) fn bind_loop(&mut self, names: &[String]) {
        let value = self.expression();
        for name in names {
            self.vars.insert(name.clone(), value.clone());
        }
    }

    /// `|names|` at the beginning of a block.
    pub(super) fn block_names(&mut self) {
        for ahead in 1..6 {
            match self.peek(ahead) {
                Some(Token::Name { text, .. }) => {
                    let (name, value) = (text.clone(), self.given.clone());
                    self.vars.insert(name, value);
                }
                Some(Token::Sign(',')) => {}
                Some(Token::Sign('|')) => {
                    self.at += ahead + 1;
                    return;
                }
                _ => break,
            }
        }
        self.at += 1;
    }
}
