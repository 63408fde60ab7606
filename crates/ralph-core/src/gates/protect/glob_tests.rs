//! Which paths a pattern matches.

use super::*;

fn glob(text: &str) -> Result<Glob, String> {
    Glob::parse(text).map_err(|error| format!("{text} {error}"))
}

#[test]
fn patterns_match_what_they_say_and_nothing_else() -> Result<(), String> {
    let table: [(&str, &[&str], &[&str]); 24] = [
        ("*.lock", &["a.lock", "x/y/B.LOCK", "x.lock/in"], &["a.lock.txt", "lock"]),
        ("tests", &["tests", "a/tests", "tests/a.py", "a/tests/b/c"], &["test", "a/mytests/x"]),
        ("tests/", &["tests/a", "a/tests/b"], &["tests", "a/tests"]),
        ("/tests", &["tests", "tests/a"], &["a/tests"]),
        ("./tests/", &["tests/a"], &["a/tests/b", "tests"]),
        ("tests/**", &["tests/a", "tests/a/b"], &["tests", "a/tests/b"]),
        ("src/*.rs", &["src/a.rs", "src/.rs"], &["src/a/b.rs", "x/src/a.rs", "src/a.rs2"]),
        ("**/ci.yml", &["ci.yml", "a/ci.yml", "a/b/ci.yml"], &["a/ci.yaml", "xci.yml"]),
        ("a/**/z", &["a/z", "a/b/z", "a/b/c/z", "a/b/z/in"], &["z", "a/b/y", "b/a/z"]),
        ("a/**/b/**/c", &["a/b/c", "a/x/b/y/b/z/c"], &["a/c", "a/b/x"]),
        ("**", &["a", "a/b"], &[]),
        ("**/", &["a/b"], &["a"]),
        ("a?c", &["abc", "x/aüc"], &["ac", "a/c", "abbc"]),
        ("*a*a*b", &["aab", "xaxaxb"], &["ab", "aaba"]),
        ("[a-c]x", &["ax", "Cx"], &["dx", "x"]),
        ("[!a-c]x", &["dx"], &["bx", "/x"]),
        ("[^x]", &["y"], &["x"]),
        ("[]-]", &["]", "-"], &["a", "[]-]"]),
        ("{Make,Just}file", &["makefile", "a/Justfile"], &["file", "makejustfile"]),
        ("a.{js,{c,m}ts}", &["a.js", "a.cts", "a.mts"], &["a.ts", "a.{js"]),
        ("{src,lib}/**", &["src/a", "lib/b/c"], &["a/src/b", "src"]),
        (r"\*\{a,b\}", &["*{a,b}"], &["x{a,b}", "*a"]),
        (r"a\\", &["a\\"], &["a"]),
        (" .github/workflows/ ", &[".github/workflows/ci.yml"], &[".github/workflows"]),
    ];
    for (text, fits, fits_not) in table {
        let glob = glob(text)?;
        for path in fits {
            assert!(glob.matches(path), "{text} must match {path}");
        }
        for path in fits_not {
            assert!(!glob.matches(path), "{text} must not match {path}");
        }
    }
    Ok(())
}

#[test]
fn what_is_no_pattern_says_why() {
    for (text, error) in [
        ("", GlobError::Empty),
        (" / ", GlobError::Empty),
        ("{a,}", GlobError::Empty),
        ("[a", GlobError::OpenBracket),
        ("[]", GlobError::OpenBracket),
        ("{a,b", GlobError::OpenBrace),
        (r"{a,b\}", GlobError::OpenBrace),
    ] {
        assert_eq!(Glob::parse(text).err(), Some(error), "{text}");
    }
    assert_eq!(Glob::parse(&"{a,b}".repeat(9)).err(), Some(GlobError::TooMany));
    assert_eq!(Glob::parse(&"{".repeat(2_000)).err(), Some(GlobError::TooLong));
    assert_eq!(Glob::parse(&"{".repeat(900)).err(), Some(GlobError::OpenBrace));
}

#[test]
fn no_pattern_takes_long() -> Result<(), String> {
    let names = vec!["a".repeat(200); 20].join("/");
    assert!(!glob(&format!("{}b", "*a".repeat(400)))?.matches(&names));
    assert!(!glob(&format!("{}/b", vec!["**/*a*"; 100].join("/")))?.matches(&names));
    Ok(())
}
