//! What code comes to: one way of harm in the spellings of many languages, and harmless neighbours.

use crate::{judge, verdict::Scene};

fn is_allowed(command: &str) -> bool {
    judge(command, &Scene::at_root("/home/user/proj", "/home/user")).is_allowed()
}

#[test]
fn harm_is_found_in_most_languages_and_spellings() {
    let text = include_str!("../../tests/data/guard-code-block.txt");
    let all = text.lines().count();
    let missed: Vec<&str> =
        text.lines().filter(|line| is_allowed(&line.replace('⏎', "\n"))).collect();
    assert!(missed.len() * 100 <= all * 15, "{} of {all}:\n{}", missed.len(), missed.join("\n"));
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
    let units = [
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
        "rm(",
        "run(rm(",
        "x='{x}';",
    ];
    for unit in units {
        let code = unit.repeat(2_000);
        for program in ["python3 -c", "node -e", "ruby -e", "emacs --eval", "lua -e", "perl -e"] {
            let _ = is_allowed(&format!("{program} '{}'", code.replace('\'', "\"")));
        }
    }
}
