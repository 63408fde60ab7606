//! Calls of known names in code, and what they are given.

use std::collections::BTreeMap;

use super::{steps::Step, tokens::Token};
use crate::{
    call::{Call, one_of},
    frame::is_secret_name,
    marks::{DECODED, HOLE, NET, PARENT},
};

const DELETES: &str = "rmtree remove_tree rm_rf rm_r rm_f unlink unlinkSync rmSync rmdirSync rm rmdir remove removeSync \
    remove_dir_all removedirs rimraf removeItem delete-directory delete-file deleteDirectory deleteDir deleteRecursively \
    remove_entry_secure delete removeDirectory";
const WRITES: &str = "writeFileSync writeFile appendFileSync appendFile write_text write_bytes file_put_contents spit \
    writeTextFile writeTextFileSync writefile chmod chmodSync File.write IO.write";
const COPIES: &str =
    "symlink symlinkSync copyfile copyFile copyFileSync copy copytree copy2 rename renameSync move";
const READS: &str = "readFileSync readFile read_text read_bytes File.read IO.read file_get_contents readTextFile \
    readTextFileSync slurp readlines readfile";
const RUNS: &str = "system popen popen2 exec execSync spawn spawnSync execFile execFileSync run call check_call check_output \
    Popen getoutput getstatusoutput shell_exec passthru proc_open execute callCommand shell-command call-process \
    create_subprocess_shell create_subprocess_exec cmd syscmd esyscmd doShellScript sh execv execve execvp execvpe execl \
    execlp spawnlp spawnvp posix_spawn run-program shell Command script program";
const SENDS: &str = "post put urlopen fetch request send sendall upload";
const FETCHES: &str =
    "urlopen fetch get file_get_contents open iwr Invoke-WebRequest request urlretrieve";
const EVALUATES: &str = "eval exec iex Function instance_eval execfile system";
const DECODES: &str = "b64decode decode_base64 atob fromhex unhexlify decompress base64_decode decode64 urlsafe_b64decode";
const SOURCES: &str =
    "open readFileSync read read_text environ env file_get_contents ENV read_bytes";

/// More arguments of one call are not read, so that nested calls cost no more than others.
const MOST: usize = 96;

struct Code<'a> {
    tokens: &'a [Token],
    home: &'a str,
    vars: BTreeMap<&'a str, String>,
}

/// The commands that code comes to.
pub(super) fn steps(tokens: &[Token], home: &str, is_awk: bool) -> Vec<Step> {
    let mut code = Code { tokens, home, vars: BTreeMap::new() };
    let mut steps: Vec<Step> = code.hidden().into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Command(text) => steps.push(Step::Shell(code.filled(text))),
            Token::Text(text) if is_awk => steps.extend(code.awk(at, text)),
            Token::Text(text)
                if tokens.get(at + 1..at + 3) == Some(&[Token::Sign('.'), Token::Sign('!')]) =>
            {
                steps.push(Step::Shell(text.clone()));
            }
            Token::Name(name) => {
                steps.extend(code.named(at, name));
                code.assign(at, name);
            }
            _ => {}
        }
    }
    steps
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

impl<'a> Code<'a> {
    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Sign(c)) => Some(*c),
            _ => None,
        }
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.tokens.iter().filter_map(|token| match token {
            Token::Name(name) => Some(last(name)),
            _ => None,
        })
    }

    fn texts(tokens: &'a [Token]) -> impl Iterator<Item = &'a str> {
        tokens.iter().filter_map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Code that runs what it fetched or decoded.
    fn hidden(&self) -> Option<Step> {
        let has = |list: &str| self.names().any(|name| one_of(list, name));
        let is_far = |text: &str| text.contains("://") && !is_near(text);
        if !has(EVALUATES) {
            return None;
        }
        if has(DECODES)
            || has("Buffer.from from") && Self::texts(self.tokens).any(|text| text == "base64")
        {
            return Some(Step::words(&["sh", "-c", &DECODED.to_string()]));
        }
        let fetches = has(FETCHES) && Self::texts(self.tokens).any(is_far);
        let in_names = self.names().any(|name| one_of("iwr Invoke-WebRequest", name));
        (fetches || in_names).then(|| Step::words(&["sh", "-c", &NET.to_string()]))
    }

    /// A text that awk pipes to or from a command, or the file it prints to.
    fn awk(&self, at: usize, text: &str) -> Option<Step> {
        let before = at.checked_sub(1).and_then(|at| self.sign(at));
        if before == Some('|') || self.sign(at + 1) == Some('|') {
            return Some(Step::Shell(text.to_owned()));
        }
        (before == Some('>')).then(|| Step::words(&["tee", text]))
    }

    /// The arguments of a call, between parentheses or up to the end of the statement.
    fn arguments(&self, at: usize) -> &'a [Token] {
        let has_parenthesis = self.sign(at + 1) == Some('(');
        let start = at + 1 + usize::from(has_parenthesis);
        let mut open = 0_usize;
        let rest = self.tokens.get(start..).unwrap_or_default();
        let length = rest.iter().take(MOST).position(|token| match token {
            Token::Sign('(' | '[' | '{') => {
                open += 1;
                false
            }
            Token::Sign(')' | ']' | '}') if open == 0 => true,
            Token::Sign(')' | ']' | '}') => {
                open -= 1;
                false
            }
            Token::End => !has_parenthesis,
            _ => false,
        });
        rest.get(..length.unwrap_or(rest.len().min(MOST))).unwrap_or_default()
    }

    /// What stands in front of a method in its statement.
    fn receiver(&self, at: usize) -> &'a [Token] {
        let least = at.saturating_sub(MOST);
        let start = self
            .tokens
            .get(least..at)
            .unwrap_or_default()
            .iter()
            .rposition(|token| matches!(token, Token::End | Token::Sign('=' | '{' | '}')));
        self.tokens.get(start.map_or(least, |start| least + start + 1)..at).unwrap_or_default()
    }

    /// The first value that a call is given, or what it is a method of.
    fn first(&self, at: usize) -> String {
        let arguments = self.arguments(at);
        let first = arguments.split(|token| *token == Token::Sign(',')).next().unwrap_or_default();
        let is_method = at.checked_sub(1).and_then(|at| self.sign(at)) == Some('.');
        let nested = self.value(arguments);
        let own = if first.len() == arguments.len() { nested } else { self.value(first) };
        if own.is_empty() && is_method { self.value(self.receiver(at)) } else { own }
    }

    fn named(&self, at: usize, name: &'a str) -> Vec<Step> {
        let short = last(name);
        let is = |list: &str| one_of(list, short) || one_of(list, name);
        let arguments = self.arguments(at);
        let names = || {
            arguments.iter().filter_map(|token| match token {
                Token::Name(name) => Some(last(name)),
                _ => None,
            })
        };
        if let Some(step) = self.environment(at, name) {
            return vec![step];
        }
        if is("kill") && names().any(|name| one_of("ppid getppid", name)) {
            return vec![Step::words(&["kill", &PARENT.to_string()])];
        }
        if is("connect") && self.names().any(|name| one_of("dup2 spawn open environ", name)) {
            return Self::texts(arguments)
                .filter(|host| !is_near(host))
                .map(|host| Step::words(&["nc", host, "1"]))
                .collect();
        }
        if is(SENDS) && names().any(|name| one_of(SOURCES, name)) {
            let urls = Self::texts(arguments).filter(|text| text.contains("://"));
            return urls.map(|url| Step::words(&["curl", "-d", "@data", url])).collect();
        }
        if is(DELETES) {
            return self.deleted(self.first(at));
        }
        let first = || self.first(at);
        let second = || {
            arguments
                .split(|token| *token == Token::Sign(','))
                .nth(1)
                .map(|value| self.value(value))
        };
        if is(RUNS) {
            self.started(arguments, first())
        } else if is(WRITES) {
            vec![Step::words(&["tee", &first()])]
        } else if is(COPIES) {
            second()
                .map(|to| {
                    Step::words(&[
                        if is("rename renameSync move") { "mv" } else { "cp" },
                        &first(),
                        &to,
                    ])
                })
                .into_iter()
                .collect()
        } else if is(READS) {
            vec![Step::words(&["cat", &first()])]
        } else if is("open fopen") {
            let mode = second().unwrap_or_default();
            let third = arguments.split(|token| *token == Token::Sign(',')).nth(2);
            let path =
                third.filter(|_| mode.contains('>')).map_or_else(first, |path| self.value(path));
            let is_written = mode.len() < 4 && mode.contains(['w', 'a', 'x', '+', '>']);
            vec![Step::words(&[if is_written { "tee" } else { "cat" }, &path])]
        } else {
            Vec::new()
        }
    }

    /// A deletion; where its path is not known, every path of the code that leads outside is meant.
    fn deleted(&self, path: String) -> Vec<Step> {
        if path.len() > 1 && !path.starts_with(HOLE) {
            return vec![Step::Words(vec!["rm".into(), "-r".into(), path])];
        }
        let is_path = |text: &&str| {
            let mut chars = text.chars();
            chars.next() == Some('~')
                || text.starts_with('/') && chars.next().is_some_and(char::is_alphabetic)
        };
        let paths = Self::texts(self.tokens).filter(is_path).take(16);
        paths.map(|path| Step::words(&["rm", "-r", &self.path(path)])).collect()
    }

    /// A program that code starts: one text for a shell, or its words.
    fn started(&self, arguments: &'a [Token], first: String) -> Vec<Step> {
        if first.trim().contains(' ') {
            return vec![Step::Shell(first)];
        }
        let mut open = 0_usize;
        let words = arguments.iter().filter_map(|token| match token {
            Token::Text(text) => Some(self.path(&self.filled(text))),
            Token::Name(name) => {
                let value = self.vars.get(name.as_str()).cloned();
                value.or_else(|| (open > 0).then(|| HOLE.to_string()))
            }
            Token::Sign('[') => {
                open += 1;
                None
            }
            Token::Sign(']') => {
                open = open.saturating_sub(1);
                None
            }
            _ => None,
        });
        let words: Vec<String> = words.collect();
        let is_program = words.first().is_some_and(|word| !word.starts_with(HOLE));
        if is_program { vec![Step::Words(words)] } else { Vec::new() }
    }

    /// The whole environment, or a secret variable that is printed.
    fn environment(&self, at: usize, name: &str) -> Option<Step> {
        let base = name.strip_suffix(".items").unwrap_or(name);
        let before = at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let outer = at.checked_sub(2).and_then(|at| self.tokens.get(at));
        let prints = |token: Option<&Token>| matches!(token, Some(Token::Name(name)) if one_of("print log puts echo p write println", last(name)));
        let is_printed = prints(before) || before == Some(&Token::Sign('(')) && prints(outer);
        let key = match base.rsplit_once('.') {
            Some(("process.env" | "Deno.env", key)) => Some(key),
            _ => Self::texts(self.arguments(at)).next(),
        };
        if is_printed
            && base.contains("env") | base.contains("ENV")
            && key.is_some_and(is_secret_name)
        {
            return Some(Step::words(&["printenv", key.unwrap_or_default()]));
        }
        let is_whole =
            one_of("environ ENV ENVIRON", last(base)) || one_of("process.env os.environ", base);
        let asks_all = last(base) == "getenv"
            && self.sign(at + 1) == Some('(')
            && self.sign(at + 2) == Some(')');
        let is_passed = matches!(before, Some(Token::Sign(':' | '=' | '*' | '.')))
            && outer != Some(&Token::Sign(')'))
            || matches!(outer, Some(Token::Name(name)) if last(name) == "keys" && before == Some(&Token::Sign('(')));
        let is_indexed = matches!(self.sign(at + 1), Some('[' | '{' | '?'));
        (is_whole && !is_passed && !is_indexed || asks_all).then(|| Step::words(&["printenv"]))
    }

    /// Remembers `name = value`.
    fn assign(&mut self, at: usize, name: &'a str) {
        if self.sign(at + 1) != Some('=') || self.sign(at + 2) == Some('=') {
            return;
        }
        let rest = self.tokens.get(at + 2..).unwrap_or_default();
        let length = rest
            .iter()
            .take(MOST)
            .position(|token| *token == Token::End)
            .unwrap_or(rest.len().min(MOST));
        let value = self.value(rest.get(..length).unwrap_or_default());
        if value.len() < 4096 {
            self.vars.insert(name, value);
        }
    }

    /// Texts and known variables, joined; `HOLE` for what is not known.
    fn value(&self, tokens: &[Token]) -> String {
        let mut value = String::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Text(text) if at > 0 && tokens.get(at - 1) == Some(&Token::Sign('%')) => {
                    value = value.replacen("%s", text, 1);
                }
                Token::Text(text) if text == "HOME" => value.push_str(self.home),
                Token::Text(text) => value.push_str(&self.filled(text)),
                Token::Sign('/' | ',') if !value.is_empty() && !value.ends_with('/') => {
                    value.push('/');
                }
                Token::Name(name) if one_of("homedir home HOME", last(name)) && name != "home" => {
                    self.home.clone_into(&mut value);
                }
                Token::Name(name) => match self.vars.get(name.as_str()) {
                    Some(known) => value.push_str(known),
                    None if is_variable(name, tokens.get(at + 1)) => value.push(HOLE),
                    None => {}
                },
                _ => {}
            }
        }
        self.path(&value)
    }

    fn path(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.home)
            }
            _ => text.to_owned(),
        }
    }

    /// A text with the known variables in it.
    fn filled(&self, text: &str) -> String {
        let mut text = text.replace("$ENV{HOME}", self.home);
        if text.len() < 2_000 && text.contains(['{', '$']) {
            for (name, value) in self.vars.iter().take(16) {
                for form in [
                    format!("#{{{name}}}"),
                    format!("${{{name}}}"),
                    format!("{{{name}}}"),
                    format!("${name}"),
                ] {
                    text = text.replace(&form, value);
                }
            }
        }
        text
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

fn is_near(address: &str) -> bool {
    Call { args: vec![address.to_owned()], ..Call::default() }.is_loopback()
}
