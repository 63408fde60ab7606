//! The parser reads what a shell reads, and never fails to end.

use super::parse;

const SCRIPTS: [&str; 40] = [
    "a",
    "a; b & c",
    "a && b || c",
    "! a | b |& c",
    "a >b 2>&1 <c >>d &>e 3<>f",
    "A=1 B=\"$x y\" cmd",
    "a=(1 2 \"3 4\") b+=x c[1]=2",
    "( a; b ) > c",
    "{ a; b; } | c",
    "if a; then b; elif c; then d; else e; fi",
    "while a; do b; done < c",
    "until a\ndo\nb\ndone",
    "for x in 1 2 3; do echo $x; done",
    "for ((i=0;i<3;i++)); do a; done",
    "for x; do a; done",
    "case $x in a|b) c;; (d) e;; *) ;; esac",
    "f() { a; }",
    "function g { a; }; g",
    "f() ( a )",
    "[[ $a == b* && -f c || ! ( $d =~ ^(x|y)$ ) ]]",
    "(( a = 1 + 2 ))",
    "echo $((1 + (2 * 3)))",
    "echo $(a $(b) `c \\`d\\``)",
    "echo ${a} ${a:-b} ${a:=c d} ${a:+e} ${a:?f} ${#a} ${!a} ${a%%.*} ${a##*/} ${a/b/c} ${a:0:2} ${a^^}",
    "echo 'a' \"b $c `d` $(e \"f\")\" $'\\x41' $\"g\"",
    "cat <<EOF\na $b\nEOF",
    "cat <<'EOF' | sh\nrm\nEOF\necho done",
    "cat <<-EOF\n\ta\n\tEOF",
    "cat <<A <<B\n1\nA\n2\nB",
    "diff <(a) <(b)",
    "tee >(a) < b",
    "a # comment",
    "# only a comment\na",
    "a \\\n b",
    "echo a#b",
    "echo {a,b}{1..3}",
    ":(){ :|:& };:",
    "time -p a",
    "echo \"${x:-\"y\"}\"",
    "exec 3<>/dev/tcp/h/1; cat <&3",
];

#[test]
fn everything_that_a_shell_reads_is_read() {
    for script in SCRIPTS {
        assert!(parse(script).is_ok(), "{script}");
    }
}

#[test]
fn what_no_shell_reads_is_refused() {
    for script in [
        "a (",
        "echo 'x",
        "echo \"x",
        "if a; then b",
        "case x in",
        "a | ",
        "${",
        "$(",
        "( a",
        "a ) b",
        "> ",
    ] {
        assert!(parse(script).is_err(), "{script}");
    }
}

#[test]
fn nesting_without_end_is_refused_before_the_stack_is() {
    for open in ["$(", "\"$(", "${a:-", "<("] {
        let text = format!("echo {}", open.repeat(5_000));
        assert!(parse(&text).is_err(), "{open}");
    }
    for open in ["(", "{ ", "if ", "f() ", "! ( "] {
        assert!(parse(&open.repeat(20_000)).is_err(), "{open}");
    }
}
