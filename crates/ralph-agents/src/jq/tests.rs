//! Filters: what they give, what they refuse, and that every one ends.

use super::*;

fn outputs(filter: &str, line: &str) -> Vec<String> {
    let line = Line::read(line.as_bytes()).expect("a line of JSON");
    match Filter::compile(filter) {
        Ok(filter) => filter.outputs(&line),
        Err(problem) => vec![format!("refused: {problem}")],
    }
}

#[test]
fn filters_pick_texts_out_of_a_line() {
    let line =
        r#"{"type":"say","parts":[{"text":"one"},{"n":2},{"text":"two"}],"n":[1,2.5],"none":null}"#;
    for (filter, expected) in [
        (".parts[].text", &["one", "two"][..]),
        ("select(.type == \"say\") | .parts[0].text", &["one"]),
        ("select(.type == \"other\") | .parts[0].text", &[]),
        (".none, \"\", .missing.deeper // empty", &[]),
        (".n, .type, true", &["[1,2.5]", "say", "true"]),
        ("\"\\(.type): \\(.parts | length)\"", &["say: 3"]),
        ("[.parts[] | .text // \"-\"] | join(\" \")", &["one - two"]),
        (".type | ascii_upcase, .[:2], (. * 2)", &["SAY", "sa", "saysay"]),
        ("if .n | any(. > 2) then \"big\" else \"small\" end", &["big"]),
        ("[range(3)] | map(. + 1) | @json", &["[1,2,3]"]),
        ("[.. | strings] | first, last", &["say", "two"]),
        ("\"{\\\"a\\\": 7}\" | fromjson.a", &["7"]),
        ("[limit(3; repeat(\"x\"))] | add", &["xxx"]),
        ("[1 | while(. < 9; . * 2)], (1 | until(. > 9; . * 2))", &["[1,2,4,8]", "16"]),
        ("reduce .n[] as $x (0; . + $x)", &["3.5"]),
        ("[to_entries[].key] | join(\",\")", &["type,parts,n,none"]),
    ] {
        assert_eq!(outputs(filter, line), expected, "{filter}");
    }
}

#[test]
fn expressions_are_jqs() {
    let line = r#"{"text":"Fehler 12: zu groß, 34 frei"}"#;
    for (filter, expected) in [
        (".text | test(\"fehler\"), test(\"FEHLER\"; \"i\")", &["false", "true"][..]),
        (".text | [scan(\"[0-9]+\")] | join(\"+\")", &["12+34"]),
        (".text | sub(\"(?<n>[0-9]+)\"; \"<\\(.n)>\")", &["Fehler <12>: zu groß, 34 frei"]),
        (".text | gsub(\"[0-9]\"; \"#\")", &["Fehler ##: zu groß, ## frei"]),
        (".text | capture(\"(?<word>gro.)\").word", &["groß"]),
        (".text | [splits(\", *\")] | length", &["2"]),
        (".text | match(\"34\").offset", &["20"]),
        (".text | test(\"(\")", &[]),
    ] {
        assert_eq!(outputs(filter, line), expected, "{filter}");
    }
}

#[test]
fn a_failure_says_nothing_and_loses_nothing_before_it() {
    assert_eq!(outputs(".a.b", r#"{"a":1}"#), [""; 0]);
    assert_eq!(outputs("\"kept\", error(\"no\"), \"lost\"", "{}"), ["kept"]);
    assert_eq!(outputs(".a.b?", r#"{"a":1}"#), [""; 0]);
}

#[test]
fn a_filter_that_would_never_end_ends() {
    for endless in [
        "repeat(1)",
        "last(repeat(1))",
        "[repeat(1)]",
        "until(false; .)",
        "[recurse(.)] | length",
        "last(range(0; infinite))",
        "[limit(1e9; range(1e9))] | length",
        "last(1 | while(true; . + 1))",
        "reduce repeat(1) as $x (.; [.])",
        "reduce range(1e9) as $x (.; {a: .}) | tojson",
        "try last(repeat(1)) catch \"caught\"",
        "first(repeat(empty))",
        "last(.. | repeat(1))",
    ] {
        assert!(outputs(endless, "{}").len() <= OUTPUTS, "{endless}");
    }
}

#[test]
fn outputs_are_bounded_in_number_and_in_bytes() {
    assert_eq!(outputs("range(1e6)", "{}").len(), OUTPUTS);
    let long = outputs("(\"ä\" * 1000000), \"more\"", "{}");
    assert_eq!(long.len(), 1);
    assert!(long.iter().map(String::len).sum::<usize>() <= BYTES);
}

#[test]
fn a_line_of_any_depth_is_survived() {
    let deep = "[".repeat(100_000);
    assert!(Line::read(deep.as_bytes()).is_none());
    let quoted = format!("{{\"a\":\"{deep}\"}}");
    assert_eq!(outputs(".a | fromjson", &quoted), [""; 0]);
    assert!(Line::read(b"null").is_none());
    assert!(Line::read(b"  ").is_none());
    assert!(Line::read(b"{\"a\": \"\xff\"}").is_some());
}

#[test]
fn what_is_wrong_with_a_filter_is_told() {
    for (filter, expected) in [
        (".a[", "refused: expects closing bracket at its end"),
        ("select(.a", "refused: expects closing parenthesis at its end"),
        (".a ] .b", "refused: expects token at \"] .b\""),
        (".a |", "refused: expects term at its end"),
        ("", "refused: expects term at its end"),
        ("if .a then 1", "refused: expects else or end at its end"),
        ("choose(.a)", "refused: uses the unknown filter \"choose\""),
        ("$ENV.HOME", "refused: uses the unknown variable \"$ENV\""),
        ("env.HOME, now, input, halt, debug", "refused: uses the unknown filter \"env\""),
        ("def f: f; f", "refused: uses `def`, which filters here may not"),
        ("[\"\\(def f: f; f)\"]", "refused: uses `def`, which filters here may not"),
        ("import \"a\" as a; 1", "refused: uses `import`, which filters here may not"),
    ] {
        assert_eq!(outputs(filter, "{}"), [expected], "{filter}");
    }
    assert_eq!(outputs(".def, .\"import\"", r#"{"def":"x","import":"y"}"#), ["x", "y"]);
}

#[test]
fn nothing_is_left_out_of_the_library_that_is_not_in_it() {
    let library = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let known: Vec<_> = library.map(|def| (def.name, def.args.len())).collect();
    for left_out in library::LEFT_OUT {
        assert!(known.contains(&left_out), "{left_out:?}");
    }
}
