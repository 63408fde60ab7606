//! What stands around a place in code: arguments, receivers, variables, and the texts that they come to.

use super::tokens::Token;
use crate::{call::one_of, marks::HOLE};

/// Longer arguments are not read, so that nested calls cost no more than others.
const MOST: usize = 96;

pub(super) struct Code<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) home: &'a str,
    /// Texts that are paths from the root or the home.
    pub(super) outside: Vec<&'a str>,
    /// Whether it prints something without a condition.
    pub(super) prints: bool,
    /// Whether it opens files, shells or the environment.
    pub(super) opens: bool,
}

/// The last part of a name.
pub(super) fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

/// The names among tokens, without their paths.
pub(super) fn names(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().filter_map(|token| match token {
        Token::Name(name) => Some(last(name)),
        _ => None,
    })
}

/// The texts among tokens.
pub(super) fn texts(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().filter_map(|token| match token {
        Token::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

impl<'a> Code<'a> {
    pub(super) fn new(tokens: &'a [Token], home: &'a str) -> Self {
        let has = |list: &str| names(tokens).any(|name| one_of(list, name));
        let is_path = |text: &&str| {
            let mut chars = text.chars().skip(1);
            text.starts_with('~')
                || text.starts_with('/') && chars.next().is_some_and(char::is_alphabetic)
        };
        Self {
            tokens,
            home,
            outside: texts(tokens).filter(is_path).take(16).collect(),
            prints: has("print log puts echo p write println") && !has("if unless"),
            opens: has("dup2 spawn open environ"),
        }
    }

    pub(super) fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Sign(c)) => Some(*c),
            _ => None,
        }
    }

    /// The arguments of a call, between parentheses or up to the end of the statement.
    pub(super) fn arguments(&self, at: usize) -> &'a [Token] {
        let is_closed = self.sign(at + 1) == Some('(');
        let rest = self.tokens.get(at + 1 + usize::from(is_closed)..).unwrap_or_default();
        let mut open = 0_usize;
        let end = rest.iter().take(MOST).position(|token| {
            match token {
                Token::Sign('(' | '[' | '{') => open += 1,
                Token::Sign(')' | ']' | '}') if open == 0 => return true,
                Token::Sign(')' | ']' | '}') => open -= 1,
                _ => {}
            }
            *token == Token::End && !is_closed
        });
        rest.get(..end.unwrap_or(rest.len().min(MOST))).unwrap_or_default()
    }

    /// The values that a call is given, or what it is a method of.
    pub(super) fn values(&self, at: usize) -> Vec<String> {
        let arguments = self.arguments(at).split(|token| *token == Token::Sign(','));
        let mut values: Vec<String> = arguments.map(|argument| self.value(argument)).collect();
        let is_method = at > 0 && self.sign(at - 1) == Some('.');
        if is_method && values.iter().all(String::is_empty) {
            values = vec![self.value(self.receiver(at))];
        }
        // A path whose parts are arguments of a function inside.
        if self.arguments(at).contains(&Token::Sign('(')) && !values.concat().contains(' ') {
            values.insert(0, self.value(self.arguments(at)));
        }
        values
    }

    /// What stands in front of a method in its statement.
    fn receiver(&self, at: usize) -> &'a [Token] {
        let before = self.tokens.get(at.saturating_sub(MOST)..at).unwrap_or_default();
        let is_start = |token: &Token| matches!(token, Token::End | Token::Sign('=' | '{' | '}'));
        before.rsplit(is_start).next().unwrap_or_default()
    }

    /// Texts, joined; `HOLE` for what is not known.
    fn value(&self, tokens: &[Token]) -> String {
        let mut value = String::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Text(text) if text == "HOME" => value.push_str(self.home),
                Token::Text(text) => value.push_str(&text.replace("$ENV{HOME}", self.home)),
                Token::Sign('/' | ',') if !value.is_empty() && !value.ends_with('/') => {
                    value.push('/');
                }
                Token::Name(name) if is_home(name) => {
                    self.home.clone_into(&mut value);
                }
                Token::Name(name) if is_variable(name, tokens.get(at + 1)) => value.push(HOLE),
                _ => {}
            }
        }
        self.path(&value)
    }

    pub(super) fn path(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.home)
            }
            _ => text.to_owned(),
        }
    }
}

/// Whether a name is no function and no key, so that its value matters.
fn is_variable(name: &str, next: Option<&Token>) -> bool {
    !name.contains('.')
        && !one_of("nil t null None true false True False do end my in", name)
        && !matches!(
            next,
            Some(Token::Text(_) | Token::Name(_) | Token::Sign('(' | '[' | '{' | '.' | ':' | '='))
        )
}

/// Whether a name is the user's home.
fn is_home(name: &str) -> bool {
    one_of("homedir HOME", last(name)) || last(name) == "home" && name != "home"
}
