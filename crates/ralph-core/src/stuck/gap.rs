//! Information gaps: what a failure's output says is missing. Looks for known phrases of compilers,
//! interpreters and shells; the names it hands on are untrusted, but bounded and of harmless characters.

use ralph_text::cut::head;
use serde::{Deserialize, Serialize};

/// Most names of one gap.
const MOST_NAMES: usize = 8;
/// Longest name in bytes.
const LONGEST: usize = 160;
/// How much of a line is read: phrases stand at its beginning.
const LINE: usize = 1_000;
/// The phrases by which tools say that something is missing; explained there.
const SIGNS: &str = include_str!("signs.txt");
/// Words that stand before a phrase where others put the name.
const NOT_NAMES: [&str; 7] = ["error", "err", "fatal", "oserror", "ioerror", "enoent", "failed"];

/// What is missing, by name: modules, symbols, files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Gap {
    pub names: Vec<String>,
}

/// What a failure's output says is missing; `None` if the failure is something else.
pub fn gap(output: &str) -> Option<Gap> {
    let mut names: Vec<String> = Vec::new();
    for line in output.lines() {
        let line = head(line, LINE).replace(['`', '"', '‘', '’', '“', '”'], "'");
        let lower = line.to_ascii_lowercase();
        let found = signs().find_map(|sign| names_in(&line, &lower, sign));
        for name in found.into_iter().flatten() {
            if names.len() < MOST_NAMES && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    (!names.is_empty()).then_some(Gap { names })
}

fn signs() -> impl Iterator<Item = &'static str> {
    SIGNS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The names that a line gives where the sign has its stars; `None` if it does not fit.
fn names_in<'a>(line: &'a str, lower: &str, sign: &str) -> Option<Vec<&'a str>> {
    let mut names = Vec::new();
    let mut at = 0;
    // What the sign has before the text that is looked for next.
    let mut mark = '…';
    let mut begins = true;
    let mut rest = sign;
    while let Some(end) = rest.find(['*', '…']).or((!rest.is_empty()).then_some(rest.len())) {
        let (text, after) = rest.split_at(end);
        if !text.is_empty() {
            let found = at + lower.get(at..)?.find(text)?;
            if mark == '*' {
                names.push(name_before(line.get(at..found)?, begins)?);
            }
            (at, begins) = (found + text.len(), false);
        }
        let mut marks = after.chars();
        mark = marks.next().unwrap_or(' ');
        begins |= mark == '…';
        rest = marks.as_str();
    }
    if mark == '*' {
        names.push(name_after(line.get(at..)?)?);
    }
    names.retain(|name| is_name(name));
    Some(names)
}

/// What a text begins with, quoted or one word.
fn name_after(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let name = match text.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next()?,
        None => text.split(|c| !is_name_char(c)).next()?.trim_end_matches(['.', ':', '-']),
    };
    (!name.is_empty()).then_some(name)
}

/// What a text ends with, quoted or one word. Unless more may stand before it (`open`), it is all of the text.
fn name_before(text: &str, open: bool) -> Option<&str> {
    let text = text.trim();
    let name = match text.strip_suffix('\'') {
        _ if !open => text.trim_matches('\''),
        Some(quoted) => quoted.rsplit('\'').next()?,
        None => text.rsplit(|c| !is_name_char(c)).next()?,
    };
    (!name.is_empty()).then_some(name)
}

fn is_name(text: &str) -> bool {
    text.len() <= LONGEST
        && text.chars().all(is_name_char)
        && text.contains(|c: char| c.is_alphabetic())
        && !NOT_NAMES.contains(&text.to_ascii_lowercase().as_str())
}

pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || "_./:@$+~#-\\".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(output: &str) -> Vec<String> {
        gap(output).map(|gap| gap.names).unwrap_or_default()
    }

    #[test]
    fn python_names_what_it_misses() {
        for (output, expected) in [
            ("ModuleNotFoundError: No module named 'not_there'", vec!["not_there"]),
            ("E   ModuleNotFoundError: No module named 'app.db'", vec!["app.db"]),
            ("/usr/bin/python3: No module named pytest", vec!["pytest"]),
            (
                "ImportError: cannot import name 'connect' from 'app.db' (/srv/app/db.py)",
                vec!["connect", "app.db"],
            ),
            ("NameError: name 'foo' is not defined", vec!["foo"]),
            (
                "FileNotFoundError: [Errno 2] No such file or directory: 'data/x.json'",
                vec!["data/x.json"],
            ),
            (
                "AttributeError: module 'os' has no attribute 'nope'. Did you mean: 'popen'?",
                vec!["os", "nope"],
            ),
            (
                "python3: can't open file '/srv/zz.py': [Errno 2] No such file or directory",
                vec!["/srv/zz.py"],
            ),
            ("E       fixture 'db' not found", vec!["db"]),
            ("ERROR: file or directory not found: tests/none.py", vec!["tests/none.py"]),
        ] {
            assert_eq!(names(output), expected, "{output}");
        }
    }

    #[test]
    fn node_and_typescript_name_what_they_miss() {
        for (output, expected) in [
            ("Error: Cannot find module './missing'\nRequire stack:", vec!["./missing"]),
            ("    Cannot find module './gone' from 'sum.test.js'", vec!["./gone"]),
            (
                "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-padx' imported from /s/c.mjs",
                vec!["left-padx"],
            ),
            (
                "SyntaxError: The requested module './m.mjs' does not provide an export named 'b'",
                vec!["./m.mjs", "b"],
            ),
            ("ReferenceError: foo is not defined", vec!["foo"]),
            ("Error: ENOENT: no such file or directory, open 'conf/x.json'", vec!["conf/x.json"]),
            ("npm error Missing script: \"lint\"", vec!["lint"]),
            (
                "Error: Failed to resolve import \"./gone\" from \"src/a.ts\". Does the file exist?",
                vec!["./gone"],
            ),
            (
                "a.ts(1,19): error TS2307: Cannot find module './x' or its corresponding type declarations.",
                vec!["./x"],
            ),
            (
                "a.ts(2,10): error TS2305: Module '\"./b\"' has no exported member 'nothere'.",
                vec!["./b", "nothere"],
            ),
            ("a.ts(3,10): error TS2304: Cannot find name 'Foo'.", vec!["Foo"]),
            (
                "a.ts(4,23): error TS2339: Property 'zed' does not exist on type '{ a: number; }'.",
                vec!["zed"],
            ),
            ("error TS6053: File 'nofile.ts' not found.", vec!["nofile.ts"]),
        ] {
            assert_eq!(names(output), expected, "{output}");
        }
    }

    #[test]
    fn rustc_and_cargo_name_what_they_miss() {
        for (output, expected) in [
            ("error[E0583]: file not found for module `missing`", vec!["missing"]),
            (
                "error: couldn't read `no.txt`: No such file or directory (os error 2)",
                vec!["no.txt"],
            ),
            ("error[E0432]: unresolved import `crate::foo`", vec!["crate::foo"]),
            ("error[E0432]: unresolved imports `a::B`, `a::C`", vec!["a::B", "a::C"]),
            ("error: cannot find macro `println2` in this scope", vec!["println2"]),
            ("error[E0433]: cannot find `fs2` in `std`", vec!["fs2", "std"]),
            ("error[E0425]: cannot find type `Quux` in this scope", vec!["Quux"]),
            (
                "error[E0425]: cannot find function `nothing` in module `std::mem`",
                vec!["nothing", "std::mem"],
            ),
            ("error[E0433]: failed to resolve: use of undeclared type `HashMap`", vec!["HashMap"]),
            (
                "error[E0599]: no method named `go` found for struct `Vec<T>` in the current scope",
                vec!["go"],
            ),
            ("error[E0609]: no field `size` on type `Bucket`", vec!["size", "Bucket"]),
            ("error[E0463]: can't find crate for `serde_x`", vec!["serde_x"]),
            ("error: no matching package named `not-a-crate` found", vec!["not-a-crate"]),
            ("error: no test target named `nope` in default-run packages", vec!["nope"]),
            (
                "Caused by:\n  failed to read `/srv/other/Cargo.toml`\n\nCaused by:\n  No such file or directory (os error 2)",
                vec!["/srv/other/Cargo.toml"],
            ),
        ] {
            assert_eq!(names(output), expected, "{output}");
        }
    }

    #[test]
    fn go_gcc_javac_and_the_shell_name_what_they_miss() {
        for (output, expected) in [
            ("a/a.go:2:23: undefined: undefinedThing", vec!["undefinedThing"]),
            ("./a.go:4:17: t.Foo undefined (type T has no field or method Foo)", vec!["t.Foo"]),
            ("b.go:2:8: package foo/bar is not in GOROOT (/usr/lib/go/src)", vec!["foo/bar"]),
            (
                "c.go:2:8: no required module provides package example.com/x/y; to add it:",
                vec!["example.com/x/y"],
            ),
            (
                "    x_test.go:9: open testdata/in.txt: no such file or directory",
                vec!["testdata/in.txt"],
            ),
            ("stat /srv/zzz: directory not found", vec!["/srv/zzz"]),
            ("a.c:1:10: fatal error: foo.h: No such file or directory", vec!["foo.h"]),
            ("a.c:1:10: fatal error: 'foo.h' file not found", vec!["foo.h"]),
            ("b.c:1:48: error: unknown type name ‘foo_t’", vec!["foo_t"]),
            ("b.c:1:64: error: ‘bar’ undeclared (first use in this function)", vec!["bar"]),
            ("b.c:1:42: error: ‘struct s’ has no member named ‘b’", vec!["b"]),
            ("d.cpp:1:19: error: ‘bar’ was not declared in this scope", vec!["bar"]),
            ("c.c:(.text+0xa): undefined reference to `frob'", vec!["frob"]),
            ("/usr/bin/ld: cannot find -lnothere: No such file or directory", vec!["nothere"]),
            ("A.java:1: error: package foo does not exist", vec!["foo"]),
            ("A.java:2: error: cannot find symbol\n  symbol:   method qux()", vec!["qux"]),
            ("Caused by: java.lang.ClassNotFoundException: app.Main", vec!["app.Main"]),
            ("sh: 1: frobnicate: not found", vec!["frobnicate"]),
            ("/bin/sh: frobnicate: not found", vec!["frobnicate"]),
            ("bash: line 1: frobnicate: command not found", vec!["frobnicate"]),
            ("bash: line 1: ./x.sh: No such file or directory", vec!["./x.sh"]),
            ("ls: cannot access 'nope': No such file or directory", vec!["nope"]),
            ("make: *** No rule to make target 'nope'.  Stop.", vec!["nope"]),
        ] {
            assert_eq!(names(output), expected, "{output}");
        }
    }

    #[test]
    fn whole_outputs_of_broken_builds_are_gaps() {
        for (output, expected) in [
            (include_str!("../gates/runners/fixtures/cargo-broken.txt"), ["c"]),
            (include_str!("../gates/runners/fixtures/nextest-broken.txt"), ["c"]),
            (include_str!("../gates/runners/fixtures/pytest-broken.txt"), ["not_there"]),
            (include_str!("../gates/runners/fixtures/jest-fail.txt"), ["./missing"]),
            (include_str!("../gates/runners/fixtures/go-fail.txt"), ["x"]),
            (include_str!("../gates/runners/fixtures/vitest-fail.txt"), ["./missing.js"]),
        ] {
            assert_eq!(names(output), expected);
        }
    }

    #[test]
    fn failing_tests_are_no_gap() {
        for output in [
            include_str!("../gates/runners/fixtures/cargo-fail.txt"),
            include_str!("../gates/runners/fixtures/cargo-crash.txt"),
            include_str!("../gates/runners/fixtures/nextest-fail.txt"),
            include_str!("../gates/runners/fixtures/pytest-fail.txt"),
            include_str!("../gates/runners/fixtures/jest-bail.txt"),
            include_str!("../gates/runners/fixtures/vitest-bail.txt"),
            include_str!("../gates/runners/fixtures/go-panic.txt"),
        ] {
            assert_eq!(gap(output), None, "{output}");
        }
    }

    #[test]
    fn other_failures_are_no_gap() {
        for output in [
            "",
            "error[E0308]: mismatched types",
            "error[E0382]: borrow of moved value: `x`",
            "a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.",
            "TypeError: Cannot read properties of undefined (reading 'x')",
            "AttributeError: 'NoneType' object has no attribute 'close'",
            "ReferenceError: Cannot access 'x' before initialization",
            "expected: 200\n received: 404: not found",
            "the user could not be found in the database",
            "b.c: note: each undeclared identifier is reported only once for each function",
            "Error: No such file or directory (os error 2)",
            "value: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }",
            "FAIL: could not find the answer in time",
        ] {
            assert_eq!(gap(output), None, "{output}");
        }
    }

    #[test]
    fn a_gap_is_bounded_and_harmless() {
        let many: Vec<_> = (0..50).map(|n| format!("No module named 'm{n}'")).collect();
        assert_eq!(names(&many.join("\n")).len(), MOST_NAMES);
        assert_eq!(names("No module named 'a'\nNo module named 'a'"), ["a"]);
        for hostile in [
            format!("No module named '{}'", "x".repeat(LONGEST + 1)),
            "No module named 'a b; rm -rf ~'".into(),
            "No module named 'a\u{1b}[31m'".into(),
            "No module named ''".into(),
            "No module named".into(),
            "cannot find '".into(),
            "é".repeat(LINE) + ": No such file or directory",
        ] {
            assert_eq!(gap(&hostile), None, "{hostile}");
        }
    }

    #[test]
    fn signs_are_written_as_they_are_read() {
        for sign in signs() {
            assert!(sign.contains('*'), "{sign} names nothing");
            assert_eq!(sign, sign.to_ascii_lowercase());
            assert!(!sign.contains(['`', '"']), "{sign}");
        }
    }
}
