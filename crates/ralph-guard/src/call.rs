//! One program call as the rules see it.

use super::{marks, syntax::Way};

/// A program with its arguments, after expansion.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    /// Last part of the program's path.
    pub(super) name: String,
    /// The program as it was called.
    pub(super) program: String,
    pub(super) args: Vec<String>,
    /// Assignments in front of it.
    pub(super) env: Vec<(String, String)>,
    /// What it reads from a pipe or a here-document, as far as that is known.
    pub(super) stdin: Option<String>,
    /// Files that the shell opens for it.
    pub(super) redirects: Vec<(Way, String)>,
    /// Whether another program reads its output.
    pub(super) is_piped: bool,
}

impl Call {
    /// A call of `words`, of which the first is the program.
    pub(super) fn new(words: Vec<String>) -> Self {
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default().to_owned();
        Self { name, program, args: words.collect(), ..Self::default() }
    }

    /// The same surroundings with another program.
    pub(super) fn with_words(&self, words: Vec<String>) -> Self {
        let inner = Self::new(words);
        Self { name: inner.name, program: inner.program, args: inner.args, ..self.clone() }
    }

    pub(super) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    pub(super) fn arg(&self, index: usize) -> &str {
        self.args.get(index).map_or("", String::as_str)
    }

    /// Whether an option is given: `-x` alone or in a cluster, `--word` or an abbreviation of it.
    pub(super) fn has(&self, options: &[&str]) -> bool {
        self.options().any(|arg| options.iter().any(|option| is_option(arg, option)))
    }

    /// Whether one of these words stands among the arguments exactly so.
    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        self.args.iter().any(|arg| words.contains(&arg.as_str()))
    }

    /// Whether an option with one dash and many letters, or its form with `=`, is given.
    pub(super) fn has_exact(&self, options: &[&str]) -> bool {
        self.args.iter().any(|arg| options.contains(&arg.split('=').next().unwrap_or_default()))
    }

    /// Arguments in front of `--` that begin with a dash.
    fn options(&self) -> impl Iterator<Item = &str> {
        self.args.iter().map(String::as_str).take_while(|arg| *arg != "--").filter(is_dashed)
    }

    /// The value of an option, `-x value`, `-xvalue`, `--word value` or `--word=value`.
    pub(super) fn value(&self, options: &[&str]) -> Option<&str> {
        self.values(options).next()
    }

    /// All values of an option.
    pub(super) fn values<'s, 'o>(
        &'s self,
        options: &'o [&'o str],
    ) -> impl Iterator<Item = &'s str> + use<'s, 'o> {
        self.args.iter().enumerate().filter_map(move |(index, arg)| {
            if options.contains(&arg.as_str()) {
                return self.args.get(index + 1).map(String::as_str);
            }
            options.iter().find_map(|option| {
                let rest = arg.strip_prefix(option)?;
                if option.starts_with("--") || option.len() > 2 {
                    return rest.strip_prefix('=');
                }
                (!rest.is_empty()).then_some(rest)
            })
        })
    }

    /// Arguments that are neither options nor values of the options that take one.
    pub(super) fn operands(&self, valued: &[&str]) -> Vec<&str> {
        let mut operands = Vec::new();
        let mut args = self.args.iter().map(String::as_str);
        while let Some(arg) = args.next() {
            if arg == "--" {
                operands.extend(args);
                break;
            }
            if !is_dashed(&arg) {
                operands.push(arg);
            } else if valued.contains(&arg) {
                args.next();
            }
        }
        operands
    }

    /// The arguments that are no options, whatever the options take.
    pub(super) fn words(&self) -> Vec<&str> {
        self.operands(&[])
    }

    /// Whether the call only asks what would happen, or for help.
    pub(super) fn is_rehearsal(&self) -> bool {
        let is_dry = |arg: &&str| {
            matches!(*arg, "--help" | "--dryrun" | "--what-if" | "--simulate")
                || (arg.starts_with("--dry-run")
                    && !matches!(*arg, "--dry-run=none" | "--dry-run=false"))
        };
        let asks_version = self.args.first().is_some_and(|arg| arg == "--version");
        asks_version
            || self.options().any(|arg| is_dry(&arg))
            || self.args.first().is_some_and(|arg| arg == "help")
    }

    /// All that is known of the call as one line, for words that occur anywhere.
    pub(super) fn line(&self) -> String {
        let mut line = self.name.clone();
        for arg in &self.args {
            line.push(' ');
            line.push_str(&marks::typed(arg));
        }
        line
    }

    /// Files that the shell writes for it.
    pub(super) fn written(&self) -> impl Iterator<Item = &str> {
        self.redirects
            .iter()
            .filter(|(way, _)| matches!(way, Way::Write | Way::Append | Way::ReadWrite))
            .map(|(_, path)| path.as_str())
    }
}

fn is_dashed(arg: &&str) -> bool {
    arg.len() > 1 && arg.starts_with('-')
}

fn is_option(arg: &str, option: &str) -> bool {
    if let Some(long) = option.strip_prefix("--") {
        let Some(given) = arg.strip_prefix("--") else { return false };
        let given = given.split('=').next().unwrap_or_default();
        return given == long || (given.len() >= 3 && long.starts_with(given));
    }
    let Some(letter) = option.strip_prefix('-') else { return false };
    !arg.starts_with("--") && arg.get(1..).is_some_and(|cluster| cluster.contains(letter))
}
