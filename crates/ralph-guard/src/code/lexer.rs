//! Tokens of code: names, texts and signs. Comments and layout go, whatever the language.

use super::super::syntax::escapes::unescape;

/// What the reader must know of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// `#` begins a comment: Python, R, Julia, Elixir.
    Hash,
    /// Like those, and texts in double quotes hold variables: Perl, PHP, Ruby.
    Sigil,
    /// `//` begins a comment: JavaScript, Java, C.
    Slash,
    /// `--` begins a comment and `:` calls a method: Lua, Haskell, Erlang.
    Dash,
    /// A parenthesis stands in front of the function's name.
    Lisp,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Plain(String),
    /// Code whose value stands in the text.
    Code(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Name {
        text: String,
        /// Written with `$` or `@`.
        has_sigil: bool,
    },
    Text(Vec<Part>),
    /// A text in backquotes or its like, which some languages hand to a shell.
    Ticked(Vec<Part>),
    Number(String),
    Sign(char),
    Line,
}

/// Takes a code apart.
pub(super) fn lex(code: &str, family: Family) -> Vec<Token> {
    let mut lexer = Lexer { chars: code.chars().collect(), at: 0, family, tokens: Vec::new() };
    while lexer.token() {}
    lexer.tokens
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    family: Family,
    tokens: Vec<Token>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, c)| self.peek(index) == c)
    }

    fn token(&mut self) -> bool {
        if self.at >= self.chars.len() {
            return false;
        }
        let c = self.peek(0);
        match c {
            '\n' => self.sign(Token::Line, 1),
            c if c.is_whitespace() => self.at += 1,
            _ if self.is_comment() => {
                while self.at < self.chars.len() && self.peek(0) != '\n' {
                    self.at += 1;
                }
            }
            '"' | '\'' | '`' => self.text(""),
            c if c.is_ascii_digit() => self.number(),
            c if c.is_alphabetic() || c == '_' => self.name(false),
            '$' | '@' if self.peek(1).is_alphabetic() || self.peek(1) == '_' => {
                self.at += 1;
                self.name(true);
            }
            '%' if self.percent() => {}
            _ => self.operator(c),
        }
        true
    }

    fn sign(&mut self, token: Token, width: usize) {
        self.tokens.push(token);
        self.at += width;
    }

    fn operator(&mut self, c: char) {
        let member = ["->", "::", "?."].iter().any(|sign| self.looking_at(sign));
        if member {
            return self.sign(Token::Sign('.'), 2);
        }
        for concat in ["...", "..", "<>", "++"] {
            if self.looking_at(concat) {
                let sign = if concat == "..." { ',' } else { '+' };
                return self.sign(Token::Sign(sign), concat.len());
            }
        }
        for (compares, width) in
            [("===", 3), ("!==", 3), ("==", 2), ("!=", 2), ("<=", 2), (">=", 2), ("=~", 2)]
        {
            if self.looking_at(compares) {
                return self.sign(Token::Sign('≟'), width);
            }
        }
        for (either, width) in [("||", 2), ("??", 2), ("&&", 2)] {
            if self.looking_at(either) {
                return self.sign(Token::Sign('∨'), width);
            }
        }
        if self.looking_at("=>") {
            return self.sign(Token::Sign('→'), 2);
        }
        if self.looking_at("<-") {
            return self.sign(Token::Sign('='), 2);
        }
        if self.looking_at("+=") || self.looking_at(".=") {
            return self.sign(Token::Sign('⊕'), 2);
        }
        let calls_method = c == ':'
            && self.family == Family::Dash
            && self.peek(1).is_alphabetic()
            && matches!(self.tokens.last(), Some(Token::Name { .. } | Token::Sign(')')));
        self.sign(Token::Sign(if calls_method { '.' } else { c }), 1);
    }

    fn is_comment(&self) -> bool {
        let begins_word =
            self.at == 0 || self.chars.get(self.at - 1).is_some_and(|c| c.is_whitespace());
        match self.family {
            Family::Hash | Family::Sigil => begins_word && self.peek(0) == '#',
            Family::Slash => begins_word && self.looking_at("//"),
            Family::Dash => self.looking_at("--"),
            Family::Lisp => self.peek(0) == ';',
        }
    }

    fn number(&mut self) {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == '_' {
            self.at += 1;
        }
        let text = self.since(start).replace('_', "");
        self.tokens.push(Token::Number(text));
    }

    fn since(&self, start: usize) -> String {
        self.chars.get(start..self.at).unwrap_or_default().iter().collect()
    }

    fn name(&mut self, has_sigil: bool) {
        let start = self.at;
        let dashes = self.family == Family::Lisp;
        while self.peek(0).is_alphanumeric()
            || self.peek(0) == '_'
            || (dashes && "-/:.*".contains(self.peek(0)) && self.peek(0) != '\0')
        {
            self.at += 1;
        }
        let text = self.since(start);
        let quote = self.peek(0);
        if !has_sigil && text.len() <= 2 && ['"', '\''].contains(&quote) && is_prefix(&text) {
            return self.text(&text.to_lowercase());
        }
        if !has_sigil
            && self.family == Family::Sigil
            && ["q", "qq", "qx", "qw"].contains(&text.as_str())
        {
            let blank = usize::from(quote == ' ');
            if "([{/|!<".contains(self.peek(blank)) && self.peek(blank) != '\0' {
                self.at += blank;
                return self.delimited(&text);
            }
        }
        if ['!', '?'].contains(&quote) && ['(', ' ', '"'].contains(&self.peek(1)) {
            self.at += 1;
        }
        self.tokens.push(Token::Name { text, has_sigil });
    }

    /// `%x(…)`, `%w[…]` and their like.
    fn percent(&mut self) -> bool {
        if self.family != Family::Sigil || !"xqQwW".contains(self.peek(1)) {
            return false;
        }
        let kind = match self.peek(1) {
            'x' => "qx",
            'w' | 'W' => "qw",
            'q' => "q",
            _ => "qq",
        };
        if !"([{|!/<".contains(self.peek(2)) || self.peek(2) == '\0' {
            return false;
        }
        self.at += 2;
        self.delimited(kind);
        true
    }

    fn delimited(&mut self, kind: &str) {
        let open = self.peek(0);
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            c => c,
        };
        self.at += 1;
        let start = self.at;
        let mut depth = 0_usize;
        while self.at < self.chars.len() {
            let c = self.peek(0);
            if c == close && depth == 0 {
                break;
            }
            if c == open && open != close {
                depth += 1;
            } else if c == close {
                depth -= 1;
            }
            self.at += 1;
        }
        let text = self.since(start);
        self.at += 1;
        match kind {
            "qw" => {
                self.tokens.push(Token::Sign('['));
                for word in text.split_whitespace() {
                    self.tokens.push(Token::Text(vec![Part::Plain(word.to_owned())]));
                    self.tokens.push(Token::Sign(','));
                }
                self.tokens.push(Token::Sign(']'));
            }
            "qx" => self.tokens.push(Token::Ticked(parts(&text, &Inside::Variables))),
            "q" => self.tokens.push(Token::Text(vec![Part::Plain(text)])),
            _ => self.tokens.push(Token::Text(parts(&text, &Inside::Variables))),
        }
    }

    /// A text in quotes, of one sign or three.
    fn text(&mut self, prefix: &str) {
        let quote = self.peek(0);
        let is_triple = quote != '`' && self.peek(1) == quote && self.peek(2) == quote;
        let width = if is_triple { 3 } else { 1 };
        self.at += width;
        let start = self.at;
        while self.at < self.chars.len() {
            if self.peek(0) == '\\' && !prefix.contains('r') {
                self.at += 2;
                continue;
            }
            if self.peek(0) == quote && (0..width).all(|ahead| self.peek(ahead) == quote) {
                break;
            }
            self.at += 1;
        }
        self.at = self.at.min(self.chars.len());
        let raw = self.since(start);
        self.at += width;
        let is_literal = prefix.contains('r') || (quote == '\'' && self.family == Family::Sigil);
        let text = if is_literal { raw } else { unescape(&raw) };
        let inside = match (quote, self.family) {
            _ if prefix.contains('f') => Inside::Braces,
            ('\'', _) => Inside::Nothing,
            (_, Family::Sigil) => Inside::Variables,
            (_, Family::Hash | Family::Slash) => Inside::Dollar,
            _ => Inside::Nothing,
        };
        let parts = parts(&text, &inside);
        self.tokens.push(if quote == '`' { Token::Ticked(parts) } else { Token::Text(parts) });
    }
}

fn is_prefix(text: &str) -> bool {
    text.chars().all(|c| "rbfuRBFUcs".contains(c))
}

/// Which code may stand in a text.
enum Inside {
    Nothing,
    /// `{name}`.
    Braces,
    /// `${name}` and `#{name}`.
    Dollar,
    /// Those, and `$name`.
    Variables,
}

fn parts(text: &str, inside: &Inside) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let begins = match inside {
            Inside::Nothing => None,
            Inside::Braces if rest.starts_with("{{") => None,
            Inside::Braces => rest.strip_prefix('{'),
            _ => ["${", "#{", "{$"].iter().find_map(|open| rest.strip_prefix(open)),
        };
        if let Some(after) = begins {
            let end = after.find('}').unwrap_or(after.len());
            let code = after.get(..end).unwrap_or_default();
            parts.push(Part::Plain(std::mem::take(&mut plain)));
            parts.push(Part::Code(code.to_owned()));
            rest = after.get(end + 1..).unwrap_or_default();
            continue;
        }
        let names = matches!(inside, Inside::Variables) && (c == '$' || c == '@');
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if names && after.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let end =
                after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
            let (name, tail) = after.split_at(end);
            let index = if tail.starts_with('{') || tail.starts_with('[') {
                tail.find(['}', ']']).map_or(0, |end| end + 1)
            } else {
                0
            };
            let (index, tail) = tail.split_at(index);
            parts.push(Part::Plain(std::mem::take(&mut plain)));
            parts.push(Part::Code(format!("${name}{index}")));
            rest = tail;
            continue;
        }
        plain.push(c);
        rest = after;
    }
    parts.push(Part::Plain(plain));
    parts
}
