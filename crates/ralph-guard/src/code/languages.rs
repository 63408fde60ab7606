//! Which programs run code, in which language, and where in a call that code stands.

use super::{super::call::Call, lexer::Family};

/// Programs that run code which may stand in their arguments or their input.
const INTERPRETERS: [(&str, Family); 76] = [
    ("python", Family::Hash),
    ("pypy", Family::Hash),
    ("ipython", Family::Hash),
    ("bpython", Family::Hash),
    ("micropython", Family::Hash),
    ("xonsh", Family::Hash),
    ("sage", Family::Hash),
    ("Rscript", Family::Hash),
    ("R", Family::Hash),
    ("littler", Family::Hash),
    ("julia", Family::Hash),
    ("elixir", Family::Hash),
    ("iex", Family::Hash),
    ("mix", Family::Hash),
    ("octave", Family::Hash),
    ("gnuplot", Family::Hash),
    ("m4", Family::Hash),
    ("tclsh", Family::Hash),
    ("wish", Family::Hash),
    ("expect", Family::Hash),
    ("pwsh", Family::Hash),
    ("powershell", Family::Hash),
    ("awk", Family::Hash),
    ("gawk", Family::Hash),
    ("mawk", Family::Hash),
    ("nawk", Family::Hash),
    ("sed", Family::Hash),
    ("gsed", Family::Hash),
    ("nim", Family::Hash),
    ("lldb", Family::Hash),
    ("perl", Family::Sigil),
    ("raku", Family::Sigil),
    ("ruby", Family::Sigil),
    ("irb", Family::Sigil),
    ("jruby", Family::Sigil),
    ("truffleruby", Family::Sigil),
    ("crystal", Family::Sigil),
    ("php", Family::Sigil),
    ("node", Family::Slash),
    ("nodejs", Family::Slash),
    ("deno", Family::Slash),
    ("bun", Family::Slash),
    ("tsx", Family::Slash),
    ("ts-node", Family::Slash),
    ("zx", Family::Slash),
    ("qjs", Family::Slash),
    ("d8", Family::Slash),
    ("jjs", Family::Slash),
    ("mongosh", Family::Slash),
    ("mongo", Family::Slash),
    ("electron", Family::Slash),
    ("osascript", Family::Dash),
    ("groovy", Family::Slash),
    ("jshell", Family::Slash),
    ("scala", Family::Slash),
    ("kotlin", Family::Slash),
    ("kotlinc", Family::Slash),
    ("swift", Family::Slash),
    ("tcc", Family::Slash),
    ("cling", Family::Slash),
    ("lua", Family::Dash),
    ("luajit", Family::Dash),
    ("erl", Family::Dash),
    ("escript", Family::Dash),
    ("ghci", Family::Dash),
    ("ghc", Family::Dash),
    ("runghc", Family::Dash),
    ("ocaml", Family::Dash),
    ("emacs", Family::Lisp),
    ("emacsclient", Family::Lisp),
    ("guile", Family::Lisp),
    ("racket", Family::Lisp),
    ("sbcl", Family::Lisp),
    ("clj", Family::Lisp),
    ("clojure", Family::Lisp),
    ("bb", Family::Lisp),
];

/// Editors, clients and debuggers with commands of their own.
const OTHERS: [&str; 16] = [
    "vim", "nvim", "vi", "ex", "view", "ed", "red", "sqlite3", "psql", "mysql", "mariadb",
    "duckdb", "gdb", "cmd", "dc", "ftp",
];

fn entry(name: &str) -> Option<Family> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let find = |wanted: &str| {
        INTERPRETERS.iter().find(|(known, _)| *known == wanted).map(|(_, family)| *family)
    };
    find(name).or_else(|| find(plain))
}

/// Whether a program runs code that may stand in its arguments.
pub(in super::super) fn is_interpreter(name: &str) -> bool {
    OTHERS.contains(&name) || entry(name).is_some()
}

/// How the code of a program is read.
pub(super) fn family(name: &str) -> Family {
    entry(name).unwrap_or(Family::Hash)
}

/// More code is not looked at.
const LONGEST: usize = 16 * 1024;

/// The code of a call, cut to a length that can be looked at.
pub(in super::super) fn of(call: &Call) -> Vec<String> {
    let cut = |code: String| match code.char_indices().nth(LONGEST) {
        Some((end, _)) => code.get(..end).unwrap_or_default().to_owned(),
        None => code,
    };
    all_of(call).into_iter().map(cut).collect()
}

const OPTIONS: [&str; 27] = [
    "-c",
    "-e",
    "-E",
    "-r",
    "-R",
    "-B",
    "-p",
    "-pe",
    "-ne",
    "-i",
    "-x",
    "-ex",
    "-s",
    "-o",
    "--eval",
    "-eval",
    "--print",
    "--exec",
    "--command",
    "--execute",
    "-batch",
    "--cmd",
    "-Command",
    "-EncodedCommand",
    "-enc",
    "eval",
    "--one-line",
];

/// Values of its code options, its script argument, or what it reads.
fn all_of(call: &Call) -> Vec<String> {
    let name = call.name.as_str();
    let mut code: Vec<String> = Vec::new();
    if ["awk", "gawk", "mawk", "nawk", "sed", "gsed", "sqlite3", "duckdb", "expect"].contains(&name)
    {
        code.extend(call.args.iter().cloned());
    } else if name == "cmd" {
        code.push(call.args.join(" "));
    } else {
        code.extend(call.values(&OPTIONS).map(str::to_owned));
        if call.is(&["node", "nodejs", "bun", "tsx", "ts-node"]) && call.has(&["-p", "--print"]) {
            code = code.into_iter().map(|code| format!("console.log({code})")).collect();
        }
        let clusters = call.args.windows(2).filter_map(|pair| match pair {
            [option, value] if is_cluster(option) => Some(value.clone()),
            _ => None,
        });
        code.extend(clusters);
        code.extend(
            call.args.iter().filter(|arg| arg.starts_with('+') || arg.starts_with("-c")).cloned(),
        );
        if call.is(&["pwsh", "powershell", "iex", "osascript"]) && code.is_empty() {
            code.push(call.words().join(" "));
        }
    }
    let reads_input = call
        .is(&["ed", "ex", "gdb", "tclsh", "psql", "mysql", "sqlite3", "duckdb", "m4"])
        || !call.args.iter().any(|arg| !arg.starts_with('-'))
        || call.has_word(&["-", "/dev/stdin"]);
    if reads_input {
        code.extend(call.stdin.clone());
    }
    code.dedup();
    code
}

fn is_cluster(option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-') else { return false };
    letters.len() < 8
        && letters.ends_with(['c', 'e', 'r', 'E'])
        && letters.chars().all(|c| c.is_ascii_alphanumeric())
}
