//! Project-level agent configuration, end to end: what is shown, what is trusted, and what a call is given.

use std::{io, process::Output};

use serde_json::Value;
use testkit::test_run::{Because, TestRun};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A repository that brings a hook and a server.
fn with_config(tasks: usize) -> io::Result<TestRun> {
    let run = TestRun::new(RALPH, tasks, "exit 1")?;
    run.write(
        "work/.claude/settings.json",
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./own.sh"}]}]}}"#,
    )?;
    run.write("work/.mcp.json", r#"{"mcpServers":{"docs":{"command":"docs-server"}}}"#)?;
    run.git(&["add", "-A"])?;
    run.git(&["commit", "-q", "-m", "agent configuration"])?;
    Ok(run)
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&text).into_owned()
}

#[track_caller]
fn assert_says(output: &Output, code: i32, words: &[&str]) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn trust_is_given_by_the_user_lost_by_a_change_and_taken_back() -> Tested {
    let run = with_config(1)?;
    let shown = ["hook Stop: ./own.sh", "server docs: docs-server", "not trusted: no run loads it"];
    assert_says(&run.ralph(&["trust", "--show"])?, 0, &shown);
    assert_says(&run.ralph(&["trust"])?, 2, &["confirmation needed", "add --yes"]);
    let dry = ["run", "--dry-run", "--agent", "claude"];
    let shut = ["--setting-sources user --strict-mcp-config", "not loaded (ralph trust)"];
    assert_says(&run.ralph(&dry)?, 0, &shut);
    assert_says(&run.ralph(&["trust", "--yes"])?, 0, &["trusted as it is now"]);
    let open = ["--setting-sources user,project", "--mcp-config .mcp.json", "trusted, loaded"];
    assert_says(&run.ralph(&dry)?, 0, &open);
    let doctor = said(&run.ralph(&["doctor"])?);
    assert!(doctor.contains("trusted, loaded"), "{doctor}");
    let json: Value = serde_json::from_slice(&run.ralph(&["trust", "--json"])?.stdout)?;
    assert_eq!(
        (&json["standing"], json["files"].as_array().map(Vec::len)),
        (&"trusted".into(), Some(2))
    );
    run.write("work/.mcp.json", "{}")?;
    assert_says(&run.ralph(&["trust", "--show"])?, 0, &[".mcp.json (claude and copilot, changed)"]);
    assert_says(
        &run.ralph(&dry)?,
        0,
        &["--setting-sources user --strict", "it changed since you trusted it"],
    );
    assert_says(&run.ralph(&["trust", "--yes"])?, 0, &["trusted as it is now"]);
    assert_says(&run.ralph(&["trust", "--revoke"])?, 0, &["no longer trusted"]);
    assert_says(&run.ralph(&dry)?, 0, &["--setting-sources user --strict"]);
    Ok(())
}

#[test]
fn an_agent_that_changes_the_configuration_loses_it_at_the_next_call() -> Tested {
    let run = with_config(2)?.without_review(Because::ItCountsCalls)?;
    let calls = run.path("state/asked");
    let claude = format!(
        "#!/bin/sh\ncat > /dev/null\necho \"$@\" | grep -o 'setting-sources [a-z,]*' >> {calls}\n\
         n=$(wc -l < {calls})\nmkdir -p work\ntouch work/T-$n\n\
         echo '{{\"hooks\":{{}}}}' > .claude/settings.json\n\
         echo '{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\"}}'\n",
        calls = calls.display()
    );
    run.program("bin/claude", &claude)?;
    assert_says(&run.ralph(&["trust", "--yes"])?, 0, &[]);
    let agent = run.path("bin/claude").display().to_string();
    let output = run.ralph(&["run", "--agent", &agent])?;
    assert_says(&output, 0, &["it changed since you trusted it"]);
    assert_eq!(run.read("state/asked"), "setting-sources user,project\nsetting-sources user\n");
    let report = said(&run.ralph(&["report"])?);
    assert!(report.contains(".claude/settings.json"), "{report}");
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn the_box_hides_configuration_from_an_agent_that_cannot_be_told_to_leave_it_alone() -> Tested {
    let run = TestRun::new(RALPH, 2, "exit 9")?.without_review(Because::ItCountsCalls)?;
    run.write("work/.qwen/settings.json", "{\"hooks\":{}}")?;
    run.amend()?;
    let qwen = "#!/bin/sh\ncat > /dev/null\nn=$(ls work 2>/dev/null | grep -c T-)\nmkdir -p work\n\
                test -s .qwen/settings.json && touch work/seen-$((n + 1))\ntouch work/T-$((n + 1))\n\
                echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\"}'\n";
    run.program("bin/qwen", qwen)?;
    let agent = run.path("bin/qwen").display().to_string();
    assert_says(&run.ralph(&["run", "--agent", &agent, "-n", "1"])?, 1, &["T-1", "bubblewrap"]);
    assert_says(&run.ralph(&["trust", "--yes"])?, 0, &[]);
    assert_says(&run.ralph(&["resume", "-n", "2"])?, 0, &["T-2"]);
    assert!(!run.path("work/work/seen-1").exists(), "it was not trusted");
    assert!(run.path("work/work/seen-2").exists(), "it was trusted");
    assert_eq!(run.read("work/.qwen/settings.json"), "{\"hooks\":{}}");
    Ok(())
}

#[test]
fn a_repository_without_agent_configuration_is_not_spoken_of() -> Tested {
    let run = TestRun::new(RALPH, 1, "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"")?;
    assert_says(&run.ralph(&["trust"])?, 0, &["no agent configuration in this repository"]);
    let output = run.ralph(&["run"])?;
    assert_says(&output, 0, &[]);
    assert!(!said(&output).contains("agent configuration"), "{}", said(&output));
    Ok(())
}
