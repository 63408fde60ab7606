//! Code as tokens that most languages share: names, texts, signs, ends of statements.

use crate::syntax::unescape;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name with its path, joined by dots.
    Name(String),
    Text(String),
    /// A text between backquotes, or in the form that a language has for commands.
    Command(String),
    Sign(char),
    End,
}

/// Reads code; `is_lisp` allows `-` in names, `is_script` means that backquotes make texts.
pub(super) fn read(code: &str, is_lisp: bool, is_script: bool) -> Vec<Token> {
    let chars: Vec<char> = code.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at).copied() {
        at += 1;
        match c {
            ';' | '\n' => tokens.push(Token::End),
            '\'' | '"' | '`' => {
                let text = quoted(&chars, &mut at, c);
                let is_tagged = tokens.last() == Some(&Token::Sign('$'));
                tokens.push(match c {
                    '`' if !is_script || is_tagged => Token::Command(text),
                    _ => Token::Text(text),
                });
            }
            c if c.is_alphabetic() || c == '_' => {
                at -= 1;
                let name = name(&chars, &mut at, is_lisp);
                let is_prefix = name.len() < 3 && matches!(chars.get(at), Some('\'' | '"'));
                let is_command =
                    name == "qx" || name == "x" && tokens.last() == Some(&Token::Sign('%'));
                match chars.get(at).copied().filter(|_| is_command) {
                    Some(open @ ('(' | '{' | '[' | '/' | '|' | '!')) => {
                        at += 1;
                        tokens.push(Token::Command(quoted(&chars, &mut at, closing(open))));
                    }
                    _ if is_prefix
                        && "fFrRbBuU".contains(name.chars().next().unwrap_or_default()) => {}
                    _ => tokens.push(Token::Name(name)),
                }
            }
            c if c.is_whitespace() => {}
            c => tokens.push(Token::Sign(c)),
        }
    }
    tokens
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        other => other,
    }
}

fn quoted(chars: &[char], at: &mut usize, end: char) -> String {
    let mut text = String::new();
    while let Some(c) = chars.get(*at).copied() {
        *at += 1;
        match c {
            c if c == end => break,
            '\\' => {
                text.push(c);
                text.extend(chars.get(*at));
                *at += 1;
            }
            c => text.push(c),
        }
    }
    unescape(&text)
}

fn name(chars: &[char], at: &mut usize, is_lisp: bool) -> String {
    let mut name = String::new();
    while let Some(c) = chars.get(*at).copied() {
        let next_is_letter = chars.get(*at + 1).is_some_and(|c| c.is_alphabetic() || *c == '_');
        let joins = chars.get(*at + 1) == Some(&':') && c == ':' || c == '.' && next_is_letter;
        if c.is_alphanumeric() || c == '_' || is_lisp && c == '-' {
            name.push(c);
        } else if joins && !name.is_empty() {
            name.push('.');
            *at += usize::from(c == ':');
        } else {
            break;
        }
        *at += 1;
    }
    name
}
