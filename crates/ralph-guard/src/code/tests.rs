//! What code comes to: one way of harm in the spellings of many languages, and harmless neighbours.

use super::super::{Scene, judge};

fn is_allowed(command: &str) -> bool {
    judge(command, &Scene::at_root("/home/user/proj", "/home/user")).is_allowed()
}

#[test]
fn harm_is_found_in_every_language_and_spelling() {
    let text = include_str!("../../tests/data/guard-code-block.txt");
    let missed: Vec<&str> =
        text.lines().filter(|line| is_allowed(&line.replace('⏎', "\n"))).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn everyday_code_passes() {
    let text = include_str!("../../tests/data/guard-code-allow.txt");
    let denied: Vec<&str> =
        text.lines().filter(|line| !is_allowed(&line.replace('⏎', "\n"))).collect();
    assert!(denied.is_empty(), "{}", denied.join("\n"));
}

#[test]
fn hostile_code_is_read_in_bounded_time() {
    for unit in [
        "(",
        "[",
        "{",
        "a(",
        "a=a+a;",
        "x=[x,x];",
        "\"${",
        "f'{",
        "(a ",
        "a.",
        "!",
        "|x|",
        "for x in ",
    ] {
        let code = unit.repeat(2_000);
        for program in ["python3 -c", "node -e", "ruby -e", "emacs --eval", "lua -e", "perl -e"] {
            let _ = is_allowed(&format!("{program} '{}'", code.replace('\'', "\"")));
        }
    }
}
