//! What an agent could work with, as `ralph agents` and `ralph doctor` tell it.

use testkit::test_run::TestRun;

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const CLAUDE: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo 2.1.325\nexit 0\n";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn asked(run: &TestRun, command: &str) -> Result<String, Box<dyn std::error::Error>> {
    let path = format!("{}:/usr/bin:/bin", run.path("bin").display());
    let output = run.command(&[command]).env("PATH", path).env("LANG", "C.UTF-8").output()?;
    Ok(String::from_utf8(output.stdout)?)
}

#[test]
fn an_expired_login_and_a_key_are_told_apart_from_a_login_that_works() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    run.program("bin/claude", CLAUDE)?;
    let login = |until: i64| {
        let text = serde_json::json!({"claudeAiOauth": {"accessToken": "a", "refreshToken": "r", "expiresAt": until}});
        run.write("home/.claude/.credentials.json", &text.to_string())
    };
    login(4_000_000_000_000)?;
    assert!(asked(&run, "agents")?.contains("2.1.325 · logged in"), "{}", asked(&run, "agents")?);
    login(1_000)?;
    let shown = asked(&run, "agents")?;
    assert!(shown.contains("login expired") && shown.contains("claude setup-token"), "{shown}");
    assert!(asked(&run, "doctor")?.contains("claude: login expired"));
    let run = run.with_env("ANTHROPIC_API_KEY", "sk-ant-x");
    let shown = asked(&run, "agents")?;
    assert!(shown.contains("key in ANTHROPIC_API_KEY") && !shown.contains("sk-ant-x"), "{shown}");
    Ok(())
}

#[test]
fn a_run_without_a_named_agent_calls_the_one_that_is_installed() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    let begins = |args: &[&str]| -> Result<String, Box<dyn std::error::Error>> {
        let path = format!("{}:/usr/bin:/bin", run.path("bin").display());
        let output = run.command(args).env("PATH", path).output()?;
        Ok(format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ))
    };
    let set = |agent: &str| {
        let gate = "[[gate]]\nname = \"tests\"\ncommand = \"./gate.sh\"\n";
        run.write("work/.ralph/settings.toml", &format!("{gate}{agent}"))?;
        run.amend()
    };
    set("")?;
    let none = begins(&["run"])?;
    assert!(none.contains("claude is not on PATH"), "{none}");
    run.program("bin/gemini", CLAUDE)?;
    run.program("bin/codex", CLAUDE)?;
    let shown = begins(&["run", "--dry-run"])?;
    assert!(shown.contains("codex exec"), "{shown}");
    assert!(!begins(&["run", "-n", "1"])?.contains("claude"), "{shown}");
    // What is set for one agent fits no other.
    set("[agent]\nmodel = \"opus\"\n")?;
    let refused = begins(&["run", "--fresh"])?;
    assert!(refused.contains("claude is not on PATH"), "{refused}");
    Ok(())
}
