//! Which paths a call deletes and writes, read from `targets.txt`. It must never judge them.

use std::sync::LazyLock;

use super::pattern::Pattern;
use crate::{
    call::{Call, one_of},
    marks::STAR,
};

static TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| read(include_str!("targets.txt")));

#[derive(Debug)]
struct Target {
    deletes: bool,
    choice: &'static str,
    pattern: Pattern,
}

/// Options of these programs that take a value.
const VALUED: &str = "-t -S -m -o -g -s -l -r -d --target-directory --suffix --mode --size --reference --owner --group";

fn read(text: &'static str) -> Vec<Target> {
    let line = |line: &'static str| {
        let (kind, rest) = line.split_once(' ').filter(|(kind, _)| *kind != "#")?;
        let (programs, rest) = rest.split_once(" : ")?;
        let (choice, parts) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(Target { deletes: kind == "deletes", choice, pattern: Pattern::read(programs, parts) })
    };
    text.lines().filter_map(line).collect()
}

fn of(call: &Call, deletes: bool) -> Vec<String> {
    let targets = TARGETS.iter().filter(|target| target.deletes == deletes);
    let chosen = targets.filter(|target| target.pattern.fits(call));
    chosen.flat_map(|target| chosen_by(target.choice, call)).collect()
}

fn chosen_by(choice: &str, call: &Call) -> Vec<String> {
    let is_plain = call.is("rm rmdir unlink tee cp mv ln gzip xz ed ex");
    let operands =
        call.operands(if is_plain { "-t -S --target-directory --suffix" } else { VALUED });
    let most = operands.len().saturating_sub(1);
    let has_directory =
        call.is("cp mv ln install") && call.value("-t --target-directory").is_some();
    let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    match choice {
        "all" => owned(&operands),
        "most" if has_directory => owned(&operands),
        "most" => owned(operands.get(..most).unwrap_or_default()),
        "last" if has_directory || most == 0 => Vec::new(),
        "last" => owned(operands.get(most..).unwrap_or_default()),
        "after-1" => owned(operands.get(1..).unwrap_or_default()),
        "after-2" => owned(operands.get(2..).unwrap_or_default()),
        _ => {
            let options = choice.trim_start_matches("of-").replace(',', " ");
            call.values(&options).map(str::to_owned).collect()
        }
    }
}

/// Paths that a call deletes or moves away.
pub(super) fn deleted(call: &Call) -> Vec<String> {
    if call.is("find") && call.has_word("-delete") { found(call, 0) } else { of(call, true) }
}

/// Paths that a call writes.
pub(super) fn written(call: &Call) -> Vec<String> {
    let args = || call.args.iter().map(String::as_str);
    let is_in_place = |arg: &str| {
        arg.starts_with("--in-place")
            || !arg.starts_with("--") && arg.starts_with('-') && arg.len() < 8 && arg.contains('i')
    };
    let takes_away = |arg: &str| {
        arg.strip_prefix('-').is_some_and(|mode| mode.chars().all(|c| "rwxXst".contains(c)))
    };
    let special: Vec<&str> = match call.name.as_str() {
        "dd" => args().filter_map(|arg| arg.strip_prefix("of=")).collect(),
        "sed" | "gsed" | "perl" | "ruby" if args().any(is_in_place) => {
            let skip = usize::from(!call.has("-e --expression"));
            call.operands("-e -f").into_iter().skip(skip).collect()
        }
        "sed" | "gsed" => {
            let starts = |script: &str| script.find("w /").or_else(|| script.find("w ~"));
            args().filter_map(|script| script.get(starts(script)? + 2..)).collect()
        }
        "chmod" if args().any(takes_away) => call.words(),
        _ => Vec::new(),
    };
    let special = special.into_iter().chain(call.written()).map(str::to_owned);
    special.chain(of(call, false)).collect()
}

/// Tests of `find` that choose a part of the files.
const NARROW: &str = "-path -ipath -wholename -regex -iregex -mtime -mmin -newer -size -empty -user -links -xtype -perm -atime -inum";

/// What `{}` stands for in `find` and `fd`: something below each root.
pub(crate) fn found(call: &Call, skip: usize) -> Vec<String> {
    let is_find = call.is("find gfind");
    let args = call.args.iter().map(String::as_str);
    let mut roots: Vec<&str> = if is_find {
        let args = args.skip_while(|arg| one_of("-L -H -P", arg));
        args.take_while(|arg| !arg.starts_with(['-', '(', '!'])).collect()
    } else {
        call.words().into_iter().skip(skip).take_while(|word| *word != "rm").collect()
    };
    if roots.is_empty() {
        roots.push(".");
    }
    let is_meant = |at: &usize| *at == 0 || !one_of("! -not", call.arg(at - 1));
    let tests = || (0..call.args.len()).filter(is_meant);
    let mut names = tests().filter(|at| one_of("-name -iname", call.arg(*at)));
    let name = names.by_ref().map(|at| call.arg(at + 1)).find(|name| *name != "*");
    let is_narrow = !is_find || tests().any(|at| one_of(NARROW, call.arg(at)));
    let leaf = match name {
        Some(name) => name.replace('*', &STAR.to_string()),
        None if is_narrow => "match".into(),
        None => STAR.to_string(),
    };
    roots.iter().map(|root| format!("{}/{leaf}", root.trim_end_matches('/'))).collect()
}
