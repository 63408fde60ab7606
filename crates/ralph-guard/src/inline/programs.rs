//! Which programs run code, where it is in a command, and their own ways to start a shell.

use super::{calls, tokens};
use crate::{
    call::{Call, Inner, one_of},
    frame::Frame,
    marks,
};

const INTERPRETERS: &str = "python pypy ipython node nodejs deno bun ts-node tsx perl ruby irb jruby php lua luajit Rscript R \
    julia elixir iex erl groovy ghc runghc emacs guile sbcl clj clojure bb racket tclsh wish expect osascript awk gawk mawk \
    nawk sed gsed vim nvim vi ex ed gdb lldb sqlite3 duckdb psql mysql octave gnuplot m4 dc swift jshell scala kotlin tcc raku \
    crystal pwsh powershell nim coffee";

/// Programs of which every argument may be code.
const ALL_ARGUMENTS: &str =
    "awk gawk mawk nawk sed gsed vim nvim vi ex gdb lldb sqlite3 duckdb psql mysql";

/// Programs that read their text line by line and know a word for starting a shell.
const ESCAPING: &str = "vim nvim vi ex ed gdb lldb sqlite3 duckdb psql mysql tclsh wish expect dc pwsh powershell sed gsed";

/// Such words with what the shell would call them, separated by bars.
const ESCAPES: &str = "!|\\! |shell |.shell |.system |system |exec |puts [exec |spawn |file delete =rm |Remove-Item =rm \
    |rm =rm |Get-Content =cat |Get-ChildItem Env:=printenv |iex =eval |e ";

const OPTIONS: &str =
    "-c -e -E -r -p -ex --eval -eval --exec --execute --expression --print --command -Command";

pub(crate) fn is_interpreter(name: &str) -> bool {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    one_of(INTERPRETERS, base) || one_of(INTERPRETERS, name)
}

/// The code that is written in the arguments.
fn in_arguments(call: &Call) -> Vec<String> {
    if call.is(ALL_ARGUMENTS) {
        return call.args.iter().map(|arg| marks::typed(arg)).collect();
    }
    let words = call.words();
    let is_all = call.has_word("timeit") || words.first() == Some(&"eval");
    let more = words.into_iter().filter(|_| is_all);
    call.values(OPTIONS).chain(call.clustered('e')).chain(more).map(marks::typed).collect()
}

/// Whether a call brings its own code along.
pub(crate) fn has_code(call: &Call) -> bool {
    is_interpreter(&call.name)
        && !call.is(ALL_ARGUMENTS)
        && (!in_arguments(call).is_empty() || call.stdin.is_some())
}

/// What the code in a call, or in a file that the command itself wrote, comes to.
pub(crate) fn commands(call: &Call, frame: &Frame) -> Vec<Inner> {
    let mut codes = in_arguments(call);
    codes.extend(call.words().into_iter().take(2).filter_map(|file| frame.known_file(file)));
    let takes_input = codes.is_empty() || call.is("ed psql mysql sqlite3 duckdb vim ex");
    codes.extend(call.stdin.clone().filter(|_| takes_input));
    let mut inner = Vec::new();
    for code in &codes {
        if call.is(ESCAPING) {
            inner.extend(code.lines().filter_map(escape));
        }
        let is_lisp = call.is("emacs guile sbcl clj clojure bb racket");
        let tokens = tokens::read(code, is_lisp, call.is("node nodejs deno bun ts-node tsx"));
        inner.extend(calls::commands(&tokens, &frame.scene.home, call.is("awk gawk mawk nawk")));
    }
    inner
}

fn escape(line: &str) -> Option<Inner> {
    let line = line
        .trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || ":%".contains(c));
    ESCAPES.split('|').find_map(|escape| {
        let (word, shell) = escape.split_once('=').unwrap_or((escape, ""));
        let rest = line.strip_prefix(word)?;
        Some(Inner::script(format!("{shell}{}", rest.trim_end_matches(']'))))
    })
}
