//! Which keys an agent finds in its box, and what is said of them.

use std::{error::Error, process::Output};

use testkit::test_run::TestRun;

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Does the work, and leaves the names of the variables that it has.
const TELLS: &str = "#!/bin/sh\ncat > /dev/null\nmkdir -p work\nenv | cut -d= -f1 > work/names\n\
                     echo T-1 > work/T-1\necho done\n";

type Tested = Result<(), Box<dyn Error>>;

/// A project whose agent is such a program, with two keys in the user's environment.
fn project(agent: &str) -> Result<TestRun, Box<dyn Error>> {
    let run = TestRun::new(RALPH, 1, "exit 1")?
        .with_env("OPENAI_API_KEY", "sk-dummy-that-opens-nothing")
        .with_env("GITHUB_TOKEN", "dummy-that-opens-nothing");
    run.program("tools/mine", TELLS)?;
    let user = format!(
        "[review]\nmode = \"off\"\n[agents.mine]\ncommand = [\"{}\"]\n",
        run.path("tools/mine").display()
    );
    run.write("home/.config/ralph/settings.toml", &user)?;
    let gate = "[[gate]]\nname = \"tests\"\ncommand = \"./gate.sh\"\nkind = \"test\"\n";
    run.write("work/.ralph/settings.toml", &format!("[agent]\ncommand = \"{agent}\"\n{gate}"))?;
    run.amend()?;
    Ok(run)
}

/// Runs ralph to its end, and gives what it said and the names that the agent found.
fn tried(run: &TestRun) -> Result<(String, String), Box<dyn Error>> {
    let output: Output = run.ralph(&["run"])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let names = run.read("work/work/names");
    assert!(names.contains("HTTPS_PROXY"), "{names}");
    Ok((said, names))
}

#[test]
fn an_agent_that_the_user_describes_has_the_keys_of_services_and_it_is_said() -> Tested {
    let (said, names) = tried(&project("mine")?)?;
    assert!(names.contains("OPENAI_API_KEY"), "{names}");
    assert!(!names.contains("GITHUB_TOKEN"), "{names}");
    assert!(said.contains("mine has OPENAI_API_KEY in its box"), "{said}");
    Ok(())
}

#[test]
fn a_bare_command_has_no_key_until_the_user_names_it() -> Tested {
    let run = project("mine")?;
    let command = run.path("tools/mine").display().to_string();
    let run = run.with_env("RALPH_AGENT_COMMAND", command);
    let (said, names) = tried(&run)?;
    assert!(!names.contains("OPENAI_API_KEY"), "{names}");
    assert!(said.contains("OPENAI_API_KEY stays outside the box"), "{said}");
    let run = run.with_env("RALPH_AGENT_ENV", "OPENAI_API_KEY");
    let again =
        run.ralph(&["run", "--fresh", "-p", "go on <promise>COMPLETE</promise>", "-n", "1"])?;
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(run.read("work/work/names").contains("OPENAI_API_KEY"), "{said}");
    Ok(())
}

#[test]
fn a_program_of_the_repository_has_no_key_whatever_it_is_called() -> Tested {
    let run = project("./opencode")?;
    run.program("work/opencode", TELLS)?;
    run.amend()?;
    let output = run.ralph(&["run", "-n", "1"])?;
    let said = String::from_utf8_lossy(&output.stderr);
    // It says nothing that opencode would say, so that what it left is put aside.
    let kept = run.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"])?;
    let kept =
        kept.lines().find(|name| name.contains("unjudged")).ok_or_else(|| said.to_string())?;
    let names = run.git(&["show", &format!("{kept}:work/names")])?;
    assert!(names.contains("HTTPS_PROXY"), "{said}");
    assert!(!names.contains("OPENAI_API_KEY"), "{names}");
    Ok(())
}
