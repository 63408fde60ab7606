//! An agent that only settings describe, through the real binary: filters, endings, and the documented examples.

use std::process::Output;

use testkit::test_run::TestRun;

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const GUIDE: &str = include_str!("../../../../docs/custom-agents.md");

/// Prints lines of a form that nobody else has. The first call runs into a limit that ends in thirty days.
const AGENT: &str = r#"
prompt=$(cat "$1")
calls="$2"
echo x >> "$calls"
echo 'starting up'
printf '{"kind":"echo","text":"<promise>COMPLETE</promise>"}\n'
if [ "$(wc -l < "$calls")" -eq 1 ]; then
  printf '{"kind":"error","text":"quota used up|%s"}\n' "$(($(date +%s) + 2592000))"
  exit 0
fi
case "$prompt" in *T-1*) mkdir -p work && echo done > work/T-1;; esac
printf '{"kind":"tool","name":"touch","path":"work/T-1"}\n'
printf '{"kind":"answer","text":"made the file with %s"}\n' "$3"
"#;

type Tested = Result<(), Box<dyn std::error::Error>>;

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&text).into_owned()
}

fn described(run: &TestRun) -> String {
    let (agent, calls) = (run.path("own.sh"), run.path("state/own-calls"));
    format!(
        r#"
[review]
mode = "off"

[agents.own]
command = ["{}", "{{prompt}}", "{}", "--with={{model}}"]
prompt = "file"
response_filter = 'select(.kind == "answer") | .text'
display_filter = 'if .kind == "tool" then "using \(.name) on \(.path)" else .text end'
endings = {{ usage_limit = 'quota used up' }}
"#,
        agent.display(),
        calls.display()
    )
}

#[test]
fn an_agent_of_the_users_own_hits_its_limit_and_then_finishes() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    run.program("own.sh", &format!("#!/bin/sh\n{AGENT}"))?;
    run.write("home/.config/ralph/settings.toml", &described(&run))?;
    let limited = run.ralph(&["run", "--agent", "own", "--model", "large"])?;
    assert_eq!(limited.status.code(), Some(4), "{}", said(&limited));
    assert!(said(&limited).contains("limits.max_wait"), "the reset was read: {}", said(&limited));
    let output = run.ralph(&["run", "--resume"])?;
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(run.statuses(), ["done"]);
    assert_eq!(run.read("state/own-calls").lines().count(), 2, "{said}");
    for shown in ["starting up", "using touch on work/T-1", "made the file with --with=large"] {
        assert!(said.contains(shown), "{shown}\n{said}");
    }
    assert!(!said.contains("\"kind\""), "{said}");
    Ok(())
}

#[test]
fn a_project_file_cannot_bring_its_own_agent() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    run.set("[agents.own]\ncommand = [\"touch\", \"/tmp/never\"]\n")?;
    run.amend()?;
    let output = run.ralph(&["run", "--agent", "own"])?;
    assert_eq!(output.status.code(), Some(7));
    assert!(said(&output).contains("`agents.own` loosens the protection"), "{}", said(&output));
    Ok(())
}

#[test]
fn looking_for_agents_starts_none_that_only_settings_describe() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    run.program("own.sh", &format!("#!/bin/sh\ntouch {}\n", run.path("started").display()))?;
    let own = format!("[agents.own]\ncommand = [\"{}\"]\n", run.path("own.sh").display());
    run.write("home/.config/ralph/settings.toml", &own)?;
    for args in [&["agents"][..], &["agents", "--json"], &["doctor"], &["init", "--yes"]] {
        let output = run.ralph(args)?;
        assert!(!run.path("started").exists(), "{args:?}: {}", said(&output));
    }
    let told = said(&run.ralph(&["agents"])?);
    assert!(told.lines().any(|line| line.contains("own ") && line.contains("found")), "{told}");
    Ok(())
}

#[test]
fn the_examples_of_the_guide_can_be_used() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    let examples: Vec<&str> = GUIDE
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```").map(|(example, _)| example))
        .collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        run.write("home/.config/ralph/settings.toml", example)?;
        let output = run.ralph(&["config", "show", "--origin"])?;
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(said(&output).contains("\n[agents."), "{}", said(&output));
    }
    Ok(())
}
