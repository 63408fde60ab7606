//! What `ralph watch` looks like on terminals: on one that is read cell by cell, under tmux, and for a background.

use std::process::{Command, Output, Stdio};

use testkit::{
    pty::Size,
    test_run::TestRun,
    told::{assert_code, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn ended() -> Result<TestRun, Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    assert_code(&run.ralph(&["run"])?, 0);
    Ok(run)
}

#[test]
fn every_pane_is_drawn_where_it_belongs() -> Tested {
    let run = ended()?;
    let mut terminal = run.on_terminal(&["watch"], Size(80, 24))?;
    for (key, shown) in [
        ("1", "[1 Stream]"),
        ("2", "[2 Gates]"),
        ("3", "[3 Diff]"),
        ("4", "[4 Proof]"),
        ("5", "[5 Time]"),
        ("6", "[6 Cost]"),
        ("7", "nothing waits for you"),
    ] {
        terminal.type_in(key)?;
        terminal.wait_to_show(shown)?;
        let rows: Vec<String> = terminal.shown().lines().map(str::to_owned).collect();
        assert!(rows[0].contains("ended") && rows[1].contains("exit 0"), "{rows:?}");
        assert!(
            rows[23].contains("q leave") && rows[23].trim_end().ends_with("? keys"),
            "{rows:?}"
        );
    }
    terminal.resize(Size(120, 40))?;
    terminal.wait_to("list and pane are beside each other", |shown| {
        shown.lines().any(|row| row.contains("T-1") && row.contains('│'))
    })?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    Ok(())
}

#[test]
fn a_background_that_is_named_chooses_the_colours() -> Tested {
    for (colours, index) in [("0;15", 22), ("15;0", 78)] {
        let run = ended()?.with_env("NO_COLOR", "").with_env("COLORFGBG", colours);
        let mut terminal = run.on_terminal(&["watch"], Size(80, 24))?;
        terminal.wait_to_show("ended")?;
        terminal.type_in("q")?;
        assert_eq!(terminal.finish()?, 0);
        assert!(terminal.raw().contains(&format!("38;5;{index}")), "{colours}");
        assert!(terminal.is_as_before()?);
    }
    Ok(())
}

#[test]
fn a_run_on_another_machine_is_said_to_be_there() -> Tested {
    let run = ended()?;
    let folder = run.only_run()?;
    let id = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let owner = format!(
        "{{\"pid\":1,\"host\":\"elsewhere.invalid\",\"run\":\"{}\",\"since\":\"7ms\"}}",
        id.unwrap_or_default()
    );
    run.write("work/.git/ralph/lock", &owner)?;
    let said = "on elsewhere.invalid, cannot be checked from here";
    let status = run.ralph(&["status"])?;
    assert!(String::from_utf8_lossy(&status.stderr).contains(said), "{status:?}");
    let mut terminal = run.on_terminal(&["watch"], Size(80, 24))?;
    terminal.wait_to_show(said)?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    Ok(())
}

/// A tmux of this test alone.
struct Tmux<'a>(&'a TestRun);

impl Tmux<'_> {
    fn run(&self, words: &[&str]) -> std::io::Result<Output> {
        let mut tmux = self.0.command_of("tmux");
        tmux.env("TMUX_TMPDIR", self.0.path("tmp")).env("LANG", "C.UTF-8").env("TERM", "xterm");
        tmux.args(["-L", "watch", "-f", "/dev/null"]).args(words).output()
    }

    fn shown(&self) -> String {
        let shown = self.run(&["capture-pane", "-pe"]).map(|output| output.stdout);
        String::from_utf8_lossy(&shown.unwrap_or_default()).into_owned()
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let _ = self.run(&["kill-server"]);
    }
}

#[test]
fn tmux_shows_it_and_gets_its_screen_back() -> Tested {
    if Command::new("tmux").arg("-V").stdout(Stdio::null()).status().is_err() {
        return Ok(());
    }
    let run = ended()?;
    let tmux = Tmux(&run);
    let opened = tmux.run(&["new-session", "-d", "-x", "100", "-y", "30", "sh"])?;
    assert!(opened.status.success(), "{opened:?}");
    tmux.run(&["send-keys", &format!("{RALPH} watch"), "Enter"])?;
    until("it is drawn", || tmux.shown().contains("leave"))?;
    let shown = tmux.shown();
    assert!(shown.contains("ended") && shown.contains("T-2") && shown.contains('│'), "{shown}");
    assert!(shown.contains("\u{1b}["), "styles: {shown:?}");
    tmux.run(&["send-keys", "q"])?;
    until("the shell is back", || tmux.shown().contains("ralph watch"))?;
    tmux.run(&["send-keys", "echo back-$((1+1))", "Enter"])?;
    until("it echoes", || tmux.shown().contains("back-2"))?;
    Ok(())
}
