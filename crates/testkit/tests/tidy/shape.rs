//! The shape of Rust files: a header, a bearable length, a name that says something.

use crate::repository::Repository;

/// Lines outside tests at which a file is looked at again, and beyond which it is too long.
const LOOK_AGAIN: usize = 300;
const TOO_LONG: usize = 450;

const EMPTY_NAMES: &[&str] = &["common", "helper", "helpers", "manager", "misc", "util", "utils"];

/// Every file begins by saying what it owns.
pub(crate) fn headers(repository: &Repository) -> Vec<String> {
    let bare = repository.rust().filter(|(_, text)| !text.starts_with("//! "));
    bare.map(|(path, _)| format!("{path}: does not begin with `//!`")).collect()
}

/// No file is too long.
pub(crate) fn too_long(repository: &Repository) -> Vec<String> {
    longer_than(repository, TOO_LONG)
}

/// The files that want a second look.
pub(crate) fn long(repository: &Repository) -> Vec<String> {
    longer_than(repository, LOOK_AGAIN)
}

/// No file or folder has a name behind which anything could hide.
pub(crate) fn names(repository: &Repository) -> Vec<String> {
    let empty = |part: &str| EMPTY_NAMES.contains(&part.strip_suffix(".rs").unwrap_or(part));
    let bad = repository.rust().filter(|(path, _)| path.split('/').any(empty));
    bad.map(|(path, _)| format!("{path}: a name that says nothing")).collect()
}

fn longer_than(repository: &Repository, most: usize) -> Vec<String> {
    let lengths = repository.rust().map(|(path, text)| (path, lines_outside_tests(path, text)));
    let long = lengths.filter(|(_, lines)| *lines > most);
    long.map(|(path, lines)| format!("{path}: {lines} lines outside tests (more than {most})"))
        .collect()
}

fn lines_outside_tests(path: &str, text: &str) -> usize {
    outside_tests(path, text).lines().count()
}

/// Tests come last in a file, or have a file or folder of their own.
pub(crate) fn outside_tests<'a>(path: &str, text: &'a str) -> &'a str {
    if path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs") {
        return "";
    }
    let lines: Vec<&str> = text.lines().collect();
    let starts_tests = |at: &usize| {
        let module = lines[at + 1..].iter().find(|line| !line.starts_with("#["));
        let is_for_tests =
            lines[*at] == "#[cfg(test)]" || lines[*at].starts_with("#[cfg(all(test,");
        is_for_tests && module.is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
    };
    let end = (0..lines.len()).find(starts_tests).unwrap_or(lines.len());
    let bytes = text.split_inclusive('\n').take(end).map(str::len).sum();
    &text[..bytes]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_of(lines: usize, rest: &str) -> Repository {
        Repository::planted(&[("crates/a/src/b.rs", &("x\n".repeat(lines) + rest))])
    }

    #[test]
    fn a_file_without_a_header_is_found() {
        let planted =
            Repository::planted(&[("a.rs", "//! Owns a.\n"), ("b.rs", "fn b() {}"), ("c.rs", "")]);
        assert_eq!(headers(&planted).len(), 2);
    }

    #[test]
    fn a_file_is_too_long_by_one_line_and_its_tests_do_not_count() {
        let tests =
            "#[cfg(test)]\n#[expect(x)]\nmod tests {\n".to_owned() + &"x\n".repeat(900) + "}\n";
        assert_eq!(too_long(&file_of(450, &tests)), [""; 0]);
        assert_eq!(too_long(&file_of(451, &tests)).len(), 1);
        assert_eq!(long(&file_of(301, &tests)).len(), 1);
    }

    #[test]
    fn a_lone_test_item_does_not_end_the_count() {
        let rest = "#[cfg(test)]\nmod tests;\n".to_owned() + &"x\n".repeat(200);
        assert_eq!(too_long(&file_of(400, &rest)).len(), 1);
    }

    #[test]
    fn a_name_that_says_nothing_is_found_in_files_and_folders() {
        let planted = Repository::planted(&[
            ("crates/a/src/utils.rs", ""),
            ("crates/a/tests/common/mod.rs", ""),
            ("crates/a/src/commit.rs", ""),
        ]);
        assert_eq!(names(&planted).len(), 2);
    }
}
