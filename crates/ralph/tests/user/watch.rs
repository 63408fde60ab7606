//! `ralph watch` on a real terminal, beside a real run: attaching, leaving, being killed, and what it can do.

use std::{io, process::Child};

use testkit::{
    pty::{Pty, Size},
    test_run::TestRun,
    told::{assert_code, said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
/// Waits in the first call until it is let go, then does the task.
const HELD: &str = "touch \"$STATE/in.$N\"\n\
                    if [ \"$N\" = 1 ]; then while [ ! -e \"$STATE/go\" ]; do sleep 0.05; done; fi\n\
                    mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
const WIDE: Size = Size(120, 40);

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A run whose agent is at work.
fn going(tasks: usize) -> Result<(TestRun, Child), Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, tasks, HELD)?;
    let child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    Ok((run, child))
}

fn ends(run: &TestRun, mut child: Child, code: i32) -> io::Result<()> {
    run.write("state/go", "")?;
    assert_eq!(child.wait()?.code(), Some(code), "{}", run.read("ralph.log"));
    Ok(())
}

/// Everything that was switched on is off again, and the modes are those from before.
fn is_given_back(terminal: &Pty) -> io::Result<()> {
    let raw = terminal.raw();
    for (on, off) in [
        ("\u{1b}[?1049h", "\u{1b}[?1049l"),
        ("\u{1b}[?25l", "\u{1b}[?25h"),
        ("\u{1b}[?2004h", "\u{1b}[?2004l"),
        ("\u{1b}[?1004h", "\u{1b}[?1004l"),
    ] {
        assert!(raw.rfind(on) < raw.rfind(off), "{on:?}: {raw:?}");
    }
    assert!(terminal.is_as_before()?, "termios");
    Ok(())
}

#[test]
fn watching_a_run_and_leaving_it_leaves_terminal_and_run_as_they_were() -> Tested {
    let (run, child) = going(2)?;
    let mut terminal = run.on_terminal(&["watch"], WIDE)?;
    terminal.wait_for("going")?;
    terminal.wait_for("work/T-1")?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    is_given_back(&terminal)?;
    Ok(ends(&run, child, 0)?)
}

#[test]
fn every_way_out_gives_the_terminal_back() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?.with_env("WATCH_FALLS_OVER", "1");
    assert_code(&run.ralph(&["run"])?, 0);
    for (what, code) in [("q", 0), ("\u{3}", 0), ("TERM", 143), ("HUP", 129), ("z", 70)] {
        let mut terminal = run.on_terminal(&["watch"], WIDE)?;
        terminal.wait_for("ended")?;
        match what {
            "TERM" => terminal.signal(15)?,
            "HUP" => terminal.signal(1)?,
            keys => terminal.type_in(keys)?,
        }
        assert_eq!(terminal.finish()?, code, "{what}");
        is_given_back(&terminal)?;
    }
    Ok(())
}

#[test]
fn going_to_the_shell_and_coming_back_draws_everything_anew() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?;
    assert_code(&run.ralph(&["run"])?, 0);
    let mut terminal = run.on_terminal(&["watch"], WIDE)?;
    terminal.wait_for("ended")?;
    // A session of its own has no shell that could stop it: it comes back at once.
    terminal.type_in("\u{1a}")?;
    terminal.wait_for("ended")?;
    assert_eq!(terminal.raw().matches("\u{1b}[?1049h").count(), 2);
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    is_given_back(&terminal)?;
    Ok(())
}

#[test]
fn killing_the_watcher_leaves_the_run_alone_and_a_killed_run_is_seen() -> Tested {
    let (run, mut child) = going(2)?;
    let mut first = run.on_terminal(&["watch"], Size(80, 24))?;
    first.wait_for("going")?;
    first.signal(9)?;
    let mut second = run.on_terminal(&["watch"], Size(80, 24))?;
    second.wait_for("going")?;
    child.kill()?;
    let killed = std::time::Instant::now();
    second.wait_for("gone")?;
    let seen = killed.elapsed();
    assert!(seen < std::time::Duration::from_secs(20), "{seen:?}");
    second.wait_for("resume")?;
    child.wait()?;
    second.type_in("q")?;
    assert_eq!(second.finish()?, 0);
    is_given_back(&second)?;
    run.write("state/go", "")?;
    assert_code(&run.ralph(&["resume"])?, 0);
    Ok(())
}

#[test]
fn a_message_and_a_stop_reach_the_run() -> Tested {
    let (run, child) = going(2)?;
    let mut terminal = run.on_terminal(&["watch"], WIDE)?;
    terminal.wait_for("going")?;
    terminal.type_in("suse tabs\r")?;
    terminal.wait_for("sent")?;
    terminal.type_in("x\u{1b}[D\u{1b}[D\r")?;
    terminal.wait_for("stopping")?;
    run.write("state/go", "")?;
    terminal.wait_for("ended")?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    ends(&run, child, 1)?;
    let journal = run.only_run()?;
    let id = journal.file_name().map(|name| name.to_string_lossy().into_owned());
    let journal =
        run.read(&format!("work/.git/ralph/runs/{}/journal.jsonl", id.unwrap_or_default()));
    assert!(journal.contains("use tabs"), "{journal}");
    Ok(())
}

#[test]
fn a_question_is_answered_in_the_pane_of_asks() -> Tested {
    let body = "grep -q blue \"$PROMPT\" || handoff '{\"question\":\"Which colour?\"}'\n\
                mkdir -p work && grep -q blue \"$PROMPT\" && echo x > \"work/$TASK\"";
    let run = TestRun::new(RALPH, 1, body)?;
    assert_code(&run.ralph(&["run"])?, 3);
    let mut terminal = run.on_terminal(&["watch"], Size(80, 24))?;
    terminal.wait_for("ended")?;
    terminal.type_in("a")?;
    terminal.wait_for("colour?")?;
    terminal.type_in("\rblue\r")?;
    let inbox = run.work().join(".git/ralph/inbox");
    until("the answer is sent", || {
        std::fs::read_dir(&inbox).is_ok_and(|mut files| files.next().is_some())
    })?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    assert_code(&run.ralph(&["resume"])?, 0);
    Ok(())
}

#[test]
fn without_a_terminal_it_prints_lines_or_events_and_exits_like_the_run() -> Tested {
    let (run, child) = going(1)?;
    let lines = run.command(&["watch", "--exit"]).stdout(std::process::Stdio::piped()).spawn()?;
    run.write("state/go", "")?;
    let lines = lines.wait_with_output()?;
    assert_code(&lines, 0);
    let text = String::from_utf8_lossy(&lines.stdout).into_owned();
    assert!(text.contains("T-1") && text.contains("1 done"), "{text}");
    ends(&run, child, 0)?;
    let events = run.ralph(&["watch", "--json"])?;
    assert_code(&events, 0);
    let events = String::from_utf8_lossy(&events.stdout).into_owned();
    assert!(events.contains("\"type\":\"gate.started\""), "gates are told live: {events}");
    let refused = run.ralph(&["watch", "nope"])?;
    assert_code(&refused, 2);
    assert!(said(&refused).contains("there is no run called nope"), "{}", said(&refused));
    Ok(())
}

#[test]
fn a_detached_run_is_named_and_outlives_its_terminal() -> Tested {
    let run = TestRun::new(RALPH, 1, HELD)?;
    let mut terminal = run.on_terminal(&["run", "--detach"], WIDE)?;
    terminal.wait_for("works in the background")?;
    assert_eq!(terminal.finish()?, 0);
    drop(terminal);
    until("the agent runs", || run.path("state/in.1").exists())?;
    run.write("state/go", "")?;
    let watched = run.ralph(&["watch", "--exit"])?;
    assert_code(&watched, 0);
    assert!(run.read("work/.git/ralph/detached.log").contains("1 done"));
    let refused = run.ralph(&["run", "T-9", "--detach"])?;
    assert_code(&refused, 2);
    assert!(said(&refused).contains("T-9"), "what it said is told: {}", said(&refused));
    Ok(())
}

#[test]
fn a_second_run_in_the_background_is_refused_and_leaves_the_log_of_the_first() -> Tested {
    let run = TestRun::new(RALPH, 1, HELD)?;
    assert_code(&run.ralph(&["run", "--detach"])?, 0);
    until("the agent runs", || run.path("state/in.1").exists())?;
    for how in ["--detach", "--watch"] {
        let refused = run.ralph(&["run", how])?;
        assert_code(&refused, 6);
        assert!(said(&refused).contains("another ralph is running here (pid "), "{how}");
        assert!(said(&refused).contains("ralph stop"), "{}", said(&refused));
    }
    run.write("state/go", "")?;
    assert_code(&run.ralph(&["watch", "--exit"])?, 0);
    let log = run.read("work/.git/ralph/detached.log");
    assert!(log.contains("T-1") && log.contains("1 done"), "from its beginning to its end: {log}");
    Ok(())
}

/// `ralph run` on a terminal, its agent at work.
fn console(run: &TestRun) -> Result<Pty, Box<dyn std::error::Error>> {
    let terminal = run.on_terminal(&["run"], WIDE)?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    Ok(terminal)
}

#[test]
fn w_opens_the_watcher_and_the_consoles_lines_come_afterwards() -> Tested {
    let run = TestRun::new(RALPH, 2, HELD)?;
    let mut terminal = console(&run)?;
    terminal.wait_to_show("w watch")?;
    terminal.type_in("w")?;
    terminal.wait_to_show("q leave")?;
    terminal.type_in("q")?;
    terminal.wait_to_show("w watch")?;
    terminal.type_in("w")?;
    terminal.wait_to_show("q leave")?;
    run.write("state/go", "")?;
    terminal.wait_to_show("exit 0")?;
    let drawn = terminal.raw();
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    is_given_back(&terminal)?;
    let raw = terminal.raw();
    let later = raw.rsplit("\u{1b}[?1049l").next().unwrap_or_default();
    assert!(later.contains("2 done") && later.contains("T-2"), "{later}");
    assert!(!drawn.contains("2 done"), "the console draws over the watcher: {drawn:?}");
    Ok(())
}

#[test]
fn a_run_that_is_interrupted_under_its_watcher_gives_the_terminal_back() -> Tested {
    let run = TestRun::new(RALPH, 1, HELD)?;
    let mut terminal = console(&run)?;
    terminal.wait_to_show("w watch")?;
    terminal.type_in("w")?;
    terminal.wait_to_show("q leave")?;
    terminal.signal(15)?;
    terminal.wait_to_show("stopping")?;
    terminal.signal(15)?;
    assert_eq!(terminal.finish()?, 143);
    is_given_back(&terminal)?;
    Ok(())
}

#[test]
fn the_setting_opens_the_watcher_at_once() -> Tested {
    let run = TestRun::new(RALPH, 1, HELD)?;
    run.set("[display]\nface = \"watch\"")?;
    run.amend()?;
    let mut terminal = console(&run)?;
    terminal.wait_to_show("q leave")?;
    terminal.type_in("q")?;
    // The console has said "w watch" before the watcher opened.
    terminal.wait_to_show("attempt 1/5")?;
    // Ctrl-C means in the console what it always did.
    terminal.type_in("\u{3}\u{3}")?;
    assert_eq!(terminal.finish()?, 130);
    is_given_back(&terminal).map_err(Into::into)
}

#[test]
fn no_key_is_read_in_the_background_in_ci_or_where_stdin_is_no_terminal() -> Tested {
    for (line, ci) in
        [("$0 run < /dev/null", ""), ("set -m; $0 run & wait", ""), ("exec $0 run", "true")]
    {
        let run = TestRun::new(RALPH, 1, HELD)?;
        run.set("[display]\nface = \"watch\"")?;
        run.amend()?;
        let mut shell = run.command_of("setsid");
        shell.env("TERM", "xterm-256color").env("CI", ci).args(["--ctty", "sh", "-c", line, RALPH]);
        let mut terminal = Pty::start(&mut shell, WIDE)?;
        // It would keep the terminal open.
        drop(shell);
        until("the agent runs", || run.path("state/in.1").exists())?;
        terminal.type_in("w")?;
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert!(terminal.is_as_before()?, "{line}");
        run.write("state/go", "")?;
        terminal.wait_to_show("1 done")?;
        assert_eq!(terminal.finish()?, 0);
        assert!(!terminal.raw().contains("\u{1b}[?1049h") && !terminal.raw().contains("w watch"));
    }
    Ok(())
}
