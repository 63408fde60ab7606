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
