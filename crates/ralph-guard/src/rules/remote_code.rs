//! Programs from the network that would run without anybody having read them.

use super::{book, user};
use crate::{
    call::{Call, SHELLS, one_of},
    frame::Frame,
    inline,
    marks::{DECODED, NET},
    verdict::Walk,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    runs_unread(call, frame).then_some("remote-code")
}

/// Judges a text that a shell is about to run, by where it came from.
pub(crate) fn check_program_text(text: &str, call: &Call, frame: &Frame) -> Walk<()> {
    let is_shell = call.is(SHELLS) || call.is("eval source .") || call.program.contains('/');
    let is_command = |mark: char| {
        let mut commands = text.split(['\n', ';', '|', '&']);
        text.trim_start().starts_with(mark)
            || is_shell && commands.any(|part| part.trim_start().starts_with(mark))
    };
    let id = if is_command(NET) { "remote-code" } else { "hidden-code" };
    if !(is_command(NET) || is_command(DECODED)) || user::is_excepted(call, frame) {
        return Ok(());
    }
    book::deny(id)
}

/// Programs that do what a file says.
const RUNNERS: &str = "make gmake ninja just task rake ant gradle scons deno bun cmake tclsh terraform java dpkg rpm \
    installer msiexec wasmtime go";

/// Programs that read files as data, although they have a language of their own.
const READERS: &str =
    "vim nvim vi view ed sqlite3 duckdb psql mysql sed gsed awk gawk mawk nawk jq gdb";

/// Whether a program's text is a download or was decoded.
fn runs_unread(call: &Call, frame: &Frame) -> bool {
    let unread = [NET, DECODED];
    if call.program.starts_with(unread) {
        return true;
    }
    let is_interpreter = inline::is_interpreter(&call.name) && !call.is(READERS);
    if !is_interpreter && !call.is(RUNNERS) {
        return false;
    }
    if call.args.iter().any(|arg| arg.starts_with(unread)) {
        return true;
    }
    let has_code = |arg: &String| arg.starts_with('-') && one_of("-m -c -e -p -n -pe -ne", arg);
    let files = call.operands("-m -c -e -p -W -X -I").into_iter().take(2);
    let is_download = |file: &str| frame.known_file(file).is_some_and(|text| text.contains(NET));
    if !call.args.iter().any(has_code) && files.into_iter().any(is_download) {
        return true;
    }
    let reads = call.stdin.as_deref().is_some_and(|text| text.contains(unread));
    let takes_input = if is_interpreter {
        let is_other = |arg: &String| arg.len() > 1 && !arg.starts_with('-');
        !call.args.iter().any(|arg| is_other(arg) || has_code(arg))
    } else {
        call.has_word("- -f- /dev/stdin")
    };
    reads && takes_input
}
