//! One program call as the rules see it. It must never judge.
//! Lists of names and options are texts with a blank between the words.

use crate::{marks, syntax::Way};

pub(crate) const SHELLS: &str = "sh bash zsh dash ash ksh mksh fish rbash csh tcsh";

/// Whether a list has a word.
pub(crate) fn one_of(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|one| one == word)
}

/// A command inside a command.
#[derive(Debug, Clone)]
pub(crate) enum Inner {
    /// A program and its arguments, with assignments.
    Words(Vec<String>, Vec<(String, String)>),
    /// A text for a shell, with its name and its arguments.
    Script(String, Vec<String>),
}

impl Inner {
    pub(crate) fn script(text: String) -> Self {
        Self::Script(text, Vec::new())
    }
}

/// A program with its arguments, after expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Call {
    /// Last part of the program's path.
    pub(crate) name: String,
    /// The program as it was called.
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    /// Assignments in front of it.
    pub(crate) env: Vec<(String, String)>,
    /// What it reads from a pipe or a here-document, as far as that is known.
    pub(crate) stdin: Option<String>,
    /// Files that the shell opens for it.
    pub(crate) redirects: Vec<(Way, String)>,
    /// Whether another program reads its output.
    pub(crate) is_piped: bool,
}

impl Call {
    /// A call of `words`, of which the first is the program.
    pub(crate) fn new(words: Vec<String>) -> Self {
        Self::default().with_words(words)
    }

    /// The same surroundings with another program.
    pub(crate) fn with_words(&self, words: Vec<String>) -> Self {
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default().to_owned();
        Self { name, program, args: words.collect(), ..self.clone() }
    }

    pub(crate) fn is(&self, names: &str) -> bool {
        one_of(names, &self.name)
    }

    pub(crate) fn arg(&self, index: usize) -> &str {
        self.args.get(index).map_or("", String::as_str)
    }

    /// Whether an option is given: `-x` alone or in a cluster, `--word` or an abbreviation of it.
    pub(crate) fn has(&self, options: &str) -> bool {
        let mut given = self.args.iter().take_while(|arg| *arg != "--");
        given.any(|arg| options.split_ascii_whitespace().any(|option| is_option(arg, option)))
    }

    /// Whether one of these words is an argument exactly so.
    pub(crate) fn has_word(&self, words: &str) -> bool {
        self.args.iter().any(|arg| one_of(words, arg))
    }

    /// The first value of an option.
    pub(crate) fn value<'s>(&'s self, options: &str) -> Option<&'s str> {
        self.values(options).next()
    }

    /// All values of an option: `-x value`, `-xvalue`, `--word value` or `--word=value`.
    pub(crate) fn values<'s, 'o>(
        &'s self,
        options: &'o str,
    ) -> impl Iterator<Item = &'s str> + use<'s, 'o> {
        self.args.iter().enumerate().filter_map(move |(index, arg)| {
            if one_of(options, arg) {
                return self.args.get(index + 1).map(String::as_str);
            }
            options.split_ascii_whitespace().find_map(|option| {
                let rest = arg.strip_prefix(option)?;
                if option.len() > 2 {
                    return rest.strip_prefix('=');
                }
                (!rest.is_empty()).then_some(rest)
            })
        })
    }

    /// What follows a cluster of options that ends with a letter, such as `-qc`.
    pub(crate) fn clustered(&self, letter: char) -> impl Iterator<Item = &str> {
        let is_cluster = move |arg: &str| {
            arg.len() > 2 && arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with(letter)
        };
        let pairs = self.args.iter().zip(self.args.iter().skip(1));
        pairs.filter(move |(arg, _)| is_cluster(arg)).map(|(_, value)| value.as_str())
    }

    /// Arguments that are neither options nor values of the options that take one.
    pub(crate) fn operands(&self, valued: &str) -> Vec<&str> {
        let mut operands = Vec::new();
        let mut args = self.args.iter().map(String::as_str);
        while let Some(arg) = args.next() {
            if arg == "--" {
                operands.extend(args);
                break;
            }
            if arg.len() < 2 || !arg.starts_with('-') {
                operands.push(arg);
            } else if one_of(valued, arg) {
                args.next();
            }
        }
        operands
    }

    /// The arguments that are no options, whatever the options take.
    pub(crate) fn words(&self) -> Vec<&str> {
        self.operands("")
    }

    /// Whether the call only asks what would happen, or for help.
    pub(crate) fn is_rehearsal(&self) -> bool {
        let is_dry = |arg: &String| {
            one_of("--help --dryrun --what-if --simulate", arg)
                || arg.starts_with("--dry-run") && !one_of("--dry-run=none --dry-run=false", arg)
        };
        one_of("--version help", self.arg(0))
            || self.args.iter().take_while(|arg| *arg != "--").any(is_dry)
    }

    /// All that is known of the call as one line, for words that occur anywhere.
    pub(crate) fn line(&self) -> String {
        marks::typed(&format!("{} {}", self.name, self.args.join(" ")))
    }

    /// Files that the shell writes for it.
    pub(crate) fn written(&self) -> impl Iterator<Item = &str> {
        let written = self.redirects.iter().filter(|(way, _)| *way != Way::Read);
        written.map(|(_, path)| path.as_str())
    }

    /// Variables that it sets, for itself or by `export` and the like.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let sets = self.is("export declare typeset readonly env");
        let given = self.args.iter().filter(move |_| sets).filter_map(|arg| arg.split_once('='));
        self.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain(given)
    }

    /// Whether all addresses among the arguments are on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let is_url =
            |arg: &&String| arg.contains("://") || arg.starts_with(':') || is_local(&host_of(arg));
        let mut urls = self.args.iter().filter(is_url).peekable();
        urls.peek().is_some() && urls.all(|url| is_local(&host_of(url)))
    }
}

/// Whether a host is this machine.
pub(crate) fn is_local(host: &str) -> bool {
    one_of("localhost [::1] ::1 0.0.0.0", host) || host.starts_with("127.")
}

/// The host of an address.
pub(crate) fn host_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.is_empty() || host.starts_with(':') {
        return "localhost".into();
    }
    let end = host.find(']').map_or_else(|| host.find(':'), |end| Some(end + 1));
    marks::typed(host.get(..end.unwrap_or(host.len())).unwrap_or(host))
}

fn is_option(arg: &str, option: &str) -> bool {
    if let Some(long) = option.strip_prefix("--") {
        let Some(given) = arg.strip_prefix("--") else { return false };
        let given = given.split('=').next().unwrap_or_default();
        return given == long || (given.len() >= 3 && long.starts_with(given));
    }
    let Some(letters) = option.strip_prefix('-') else { return false };
    let cluster = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    cluster.is_some_and(|cluster| cluster.contains(letters))
}
