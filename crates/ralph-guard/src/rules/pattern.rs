//! Patterns of calls, read from a text: programs, and what their arguments must have.
//! The signs are explained at the top of `rules.txt`. It must never know a single rule.

use crate::{
    call::{Call, one_of},
    marks::FOUND,
};

/// Options that take a value in most tools.
const VALUED: &str = "-c -C -n -p -F -w -R -H -f -a -s -u -e -m --namespace --context --profile --region \
    --project --prefix --filter --workspace --manifest-path --repo --host --file --app --kubeconfig --cluster \
    --stack --subscription --cwd --dir --config --git-dir --work-tree --config-env --toolchain --directory";

#[derive(Debug)]
pub(super) struct Pattern {
    programs: Vec<&'static str>,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    kind: Kind,
    is_negated: bool,
    any: Vec<&'static str>,
}

#[derive(Debug)]
enum Kind {
    Word(usize),
    FirstWords,
    Says,
    Argument,
    Last,
    Option,
    Program,
    Variable,
    Text,
    Args(usize),
    Found,
    Test,
    Input,
}

impl Pattern {
    pub(super) fn read(programs: &'static str, parts: &'static str) -> Self {
        let mut position = 0;
        let parts = parts.split_ascii_whitespace().map(|part| Part::read(part, &mut position));
        Self { programs: programs.split_ascii_whitespace().collect(), parts: parts.collect() }
    }

    /// Whether a call is meant; what an option takes may look like a word, so both readings are tried.
    pub(super) fn fits(&self, call: &Call) -> bool {
        if !self.programs.iter().any(|name| is_like(&call.name, name)) || call.is_rehearsal() {
            return false;
        }
        let fit = |words: Vec<&str>| self.parts.iter().all(|part| part.holds(call, &words));
        fit(call.words()) || fit(call.operands(VALUED))
    }
}

impl Part {
    fn read(text: &'static str, position: &mut usize) -> Self {
        let (is_negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (kind, rest) = match text.chars().next() {
            Some('~') => (Kind::Says, 1),
            Some('@') => (Kind::Argument, 1),
            Some('$') => (Kind::Last, 1),
            Some('&') => (Kind::Variable, 1),
            Some('=') => (Kind::Text, 1),
            Some('-') => (Kind::Option, 0),
            Some('>') => (Kind::Program, 1),
            Some('+') => (Kind::Args(text.len()), 0),
            Some('%') if text == "%found" => (Kind::Found, 0),
            Some('%') if text == "%test" => (Kind::Test, 0),
            Some('%') => (Kind::Input, 0),
            _ if is_negated => (Kind::FirstWords, 0),
            _ => {
                *position += 1;
                (Kind::Word(*position - 1), 0)
            }
        };
        let mut any: Vec<&str> = text.get(rest..).unwrap_or_default().split('|').collect();
        if matches!(kind, Kind::Text) {
            any.iter_mut().skip(1).for_each(|text| *text = text.trim_start_matches('='));
        }
        Self { kind, is_negated, any }
    }

    fn holds(&self, call: &Call, words: &[&str]) -> bool {
        let is_one = |word: &str| self.any.iter().any(|one| is_like(word, one));
        let found = match self.kind {
            Kind::Word(at) => words.get(at).is_some_and(|word| is_one(word)),
            Kind::FirstWords => words.iter().take(2).any(|word| is_one(word)),
            Kind::Says => words.iter().take(4).any(|word| {
                let begins = word.split(['-', ':', '_']).next().is_some_and(is_one);
                begins || is_one(word) || word.split(':').any(is_one)
            }),
            Kind::Argument => call.args.iter().any(|arg| is_one(arg)),
            Kind::Last => call.args.last().is_some_and(|arg| is_one(arg)),
            Kind::Option => self.any.iter().any(|option| call.has(option)),
            Kind::Program => {
                let mut values = self.any.iter().flat_map(|option| call.values(option));
                values.any(|value| !is_harmless(value))
            }
            Kind::Variable => {
                call.variables().any(|(name, value)| is_one(name) && !is_harmless(value))
            }
            Kind::Text => {
                self.any.iter().any(|text| call.args.iter().any(|arg| arg.contains(text)))
            }
            Kind::Args(1) => !call.args.is_empty(),
            Kind::Args(least) => words.len() >= least,
            Kind::Found => call.args.iter().any(|arg| arg.contains(FOUND)),
            Kind::Test => is_for_tests(call),
            Kind::Input => call.stdin.is_some(),
        };
        found != self.is_negated
    }
}

/// Whether a word is meant by a name that may have one `*`.
fn is_like(word: &str, name: &str) -> bool {
    match name.split_once('*') {
        Some((beginning, end)) => word.starts_with(beginning) && word.ends_with(end),
        None => word == name,
    }
}

fn is_for_tests(call: &Call) -> bool {
    let is_env = |(name, value): &(String, String)| name.ends_with("_ENV") && value == "test";
    call.env.iter().any(is_env) || call.args.iter().any(|arg| is_throwaway(arg))
}

/// Whether a name says that nothing of value is inside.
pub(super) fn is_throwaway(name: &str) -> bool {
    name.split(['_', '-', '/', '.', '=']).any(|part| one_of("test tests tmp scratch testdb", part))
}

/// Programs that do no harm where a tool is told to start one: pagers, editors, caches of compilers, packers.
const HARMLESS: &str = "bat cat col delta head less more most tail code ed emacs nano nvim vi vim ccache cachepot \
    sccache lesspipe lesspipe.sh rustc rustdoc clippy-driver echo none : false true gzip pigz bzip2 xz zstd lz4 ssh \
    pdftotext dot /dev/null .git .";

/// Whether a value is a harmless program, found where the system keeps them, with nothing behind it but options.
pub(super) fn is_harmless(value: &str) -> bool {
    let mut words = value.trim_start_matches(['|', '-']).split_whitespace();
    let program = words.next().unwrap_or_default();
    let name = program.strip_prefix("/usr/bin/").unwrap_or(program);
    let is_plain = |word: &str| {
        !word.contains([';', '|', '&', '$', '`', '\n', '!'])
            && !word.to_lowercase().contains("command=")
    };
    (name.is_empty() || one_of(HARMLESS, name)) && words.all(is_plain)
}
