//! What people do in `ralph watch` to a run that works: a wish is seen until the run has taken it, and no other key changes
//! anything.

use std::process::Child;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use testkit::{
    pty::{Pty, Size},
    test_run::{Because, TestRun},
    told::until,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Waits in each call until it is let go.
const HELD: &str = "touch \"$STATE/in.$N\"\n\
                    while [ ! -e \"$STATE/go.$N\" ]; do sleep 0.05; done\n\
                    mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn going(agent: &str) -> Result<(TestRun, Child, Pty), Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 2, agent)?.without_review(Because::ItCountsCalls)?;
    let child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    let mut terminal = run.on_terminal(&["watch"], Size(120, 40))?;
    terminal.wait_to_show("going")?;
    Ok((run, child, terminal))
}

/// Lets a run stand still, or continue.
fn send(child: &Child, signal: Signal) -> Tested {
    Ok(kill(Pid::from_raw(i32::try_from(child.id())?), signal)?)
}

fn journal(run: &TestRun) -> Result<String, Box<dyn std::error::Error>> {
    let folder = run.only_run()?;
    let id = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(run.read(&format!("work/.git/ralph/runs/{}/journal.jsonl", id.unwrap_or_default())))
}

#[test]
fn a_wish_is_seen_as_sent_until_the_run_has_taken_it() -> Tested {
    let (run, mut child, mut terminal) = going(HELD)?;
    for (keys, sent, taken) in [
        ("suse tabs\r", "~ sent: steer T-1: use tabs", "\"steered\""),
        ("p", "~ sent: pause", "\"pause_requested\""),
        ("x\u{1b}[D\u{1b}[D\r", "~ sent: stop after this iteration", "\"stop_requested\""),
    ] {
        send(&child, Signal::SIGSTOP)?;
        terminal.type_in(keys)?;
        terminal.wait_to_show(sent)?;
        assert!(!journal(&run)?.contains(taken), "{keys}");
        send(&child, Signal::SIGCONT)?;
        terminal.wait_to("no wish is left", |shown| !shown.contains("~ sent"))?;
        assert!(journal(&run)?.contains(taken), "{keys}: {}", journal(&run)?);
    }
    run.write("state/go.1", "")?;
    terminal.wait_to_show("ended")?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    assert_eq!(child.wait()?.code(), Some(1));
    Ok(())
}

#[test]
fn a_question_is_answered_while_the_run_works() -> Tested {
    let asks = "touch \"$STATE/in.$N\"\n\
                if [ \"$TASK\" = T-1 ] && ! grep -q blue \"$PROMPT\"; then\n\
                  handoff '{\"question\":\"Which colour?\"}'\n\
                else while [ ! -e \"$STATE/go\" ]; do sleep 0.05; done\n\
                  mkdir -p work && echo x > \"work/$TASK\"; fi";
    let (run, mut child, mut terminal) = going(asks)?;
    until("the second task runs", || run.path("state/in.2").exists())?;
    terminal.type_in("a")?;
    terminal.wait_to_show("Which colour?")?;
    send(&child, Signal::SIGSTOP)?;
    terminal.type_in("\rblue\r")?;
    terminal.wait_to_show("~ sent: answer T-1")?;
    send(&child, Signal::SIGCONT)?;
    run.write("state/go", "")?;
    terminal.wait_to_show("exit 0")?;
    assert!(journal(&run)?.contains("\"answer_given\""));
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    assert_eq!(child.wait()?.code(), Some(0), "{}", run.read("ralph.log"));
    Ok(())
}

#[test]
fn no_other_key_changes_anything() -> Tested {
    let (run, mut child, mut terminal) = going(HELD)?;
    // Everything that can be typed but the keys that send, leave or open another program; and what is no key.
    let harmless: String = (' '..='~').filter(|key| !"spxqoym/\\".contains(*key)).collect();
    let odd = "\u{1b}OP\u{1b}[15~\u{1b}[1;5A\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\\u{1b}[<0;10;10M\u{1}\u{7}é日";
    for keys in
        [&harmless, odd, "\u{1b}\u{1b}xnyzq\u{1b}", "sabc\u{1b}", "a\r\r\u{1b}", "x\r", "x\u{3}"]
    {
        terminal.type_in(keys)?;
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    terminal.type_in("\u{1b}")?;
    terminal.wait_to_show("going")?;
    let inbox = run.work().join(".git/ralph/inbox");
    assert!(std::fs::read_dir(inbox).map_or(true, |mut files| files.next().is_none()));
    for event in ["steered", "pause_requested", "stop_requested", "plan_changed", "answer_given"] {
        assert!(!journal(&run)?.contains(&format!("\"{event}\"")), "{event}");
    }
    run.write("state/go.1", "")?;
    run.write("state/go.2", "")?;
    terminal.wait_to_show("exit 0")?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    assert_eq!(child.wait()?.code(), Some(0), "{}", run.read("ralph.log"));
    Ok(())
}

#[test]
fn a_proposal_is_declined_and_another_one_accepted() -> Tested {
    let proposes = "touch \"$STATE/in.$N\"\n\
                    while [ ! -e \"$STATE/go.$N\" ]; do sleep 0.05; done\n\
                    mkdir -p work && echo x > \"work/$TASK\"\n\
                    [ \"$TASK\" = T-1 ] && handoff '{\"plan_amendments\":[\
                    {\"action\":\"remove\",\"task_id\":\"T-2\",\"reason\":\"first\"},\
                    {\"action\":\"remove\",\"task_id\":\"T-3\",\"reason\":\"second\"}]}'";
    let run = TestRun::new(RALPH, 3, proposes)?;
    let mut child = run.spawn(&["run"])?;
    run.write("state/go.1", "")?;
    until("the second task runs", || run.path("state/in.3").exists())?;
    let mut terminal = run.on_terminal(&["watch"], Size(80, 24))?;
    terminal.wait_to_show("2 proposals wait for you")?;
    terminal.type_in("a")?;
    terminal.wait_to_show("proposal 1: remove T-2")?;
    send(&child, Signal::SIGSTOP)?;
    terminal.type_in("\r")?;
    terminal.wait_to_show("[not now]")?;
    terminal.type_in("\u{1b}[D")?;
    terminal.wait_to_show("= ralph task proposals --decline 1")?;
    terminal.type_in("\r")?;
    terminal.wait_to_show("~ sent: decline proposal 1")?;
    terminal.type_in("j\r\u{1b}[D\u{1b}[D")?;
    terminal.wait_to_show("= ralph task proposals --accept 2")?;
    terminal.type_in("\r")?;
    terminal.wait_to_show("decline proposal 1, accept proposal 2")?;
    send(&child, Signal::SIGCONT)?;
    run.write("state/go.3", "")?;
    terminal.wait_to_show("exit 0")?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    assert_eq!(child.wait()?.code(), Some(0), "{}", run.read("ralph.log"));
    assert!(run.path("work/work/T-2").exists() && !run.path("work/work/T-3").exists());
    Ok(())
}

#[test]
fn a_watcher_without_a_terminal_ends_and_the_run_goes_on() -> Tested {
    let (run, mut child, mut terminal) = going(HELD)?;
    assert_eq!(terminal.hang_up()?, 129);
    run.write("state/go.1", "")?;
    run.write("state/go.2", "")?;
    assert_eq!(child.wait()?.code(), Some(0));
    Ok(())
}

#[test]
fn a_prompt_about_a_run_that_has_ended_does_nothing_to_the_next() -> Tested {
    let (run, mut first, mut terminal) = going(HELD)?;
    terminal.type_in("x\u{1b}[D")?;
    terminal.wait_to_show("ralph stop --now")?;
    run.write("state/go.1", "")?;
    run.write("state/go.2", "")?;
    assert_eq!(first.wait()?.code(), Some(0));
    terminal.wait_to_show("ended")?;
    let mut second = run.spawn(&["run", "-p", "say hello", "-n", "1", "--ok-on-limit"])?;
    until("the next agent runs", || run.path("state/in.3").exists())?;
    terminal.type_in("\r")?;
    terminal.wait_to_show("! ")?;
    run.write("state/go.3", "")?;
    assert_eq!(second.wait()?.code(), Some(0), "nobody stopped it");
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    Ok(())
}

#[test]
fn the_pager_is_not_found_where_agents_write_and_gets_harmless_text() -> Tested {
    let plants = "mkdir -p bin work\n\
                  printf '#!/bin/sh\\ntouch \"$HOME/../state/taken\"\\n' > bin/mine; chmod +x bin/mine\n\
                  printf 'a\\033]0;title\\007b\\n' > \"work/$TASK\"";
    let run = TestRun::new(RALPH, 1, plants)?;
    assert!(run.ralph(&["run"])?.status.success());
    run.program("tools/shows", "#!/bin/sh\ncat > \"$HOME/../state/paged\"\n")?;
    let path = std::env::var("PATH")?;
    let bin = run.work().join("bin");
    let tools = run.path("tools");
    let run = run.with_env("PATH", format!("{}:{}:{path}", bin.display(), tools.display()));
    let run = run.with_env("PAGER", "mine");
    let mut terminal = run.on_terminal(&["watch"], Size(120, 40))?;
    terminal.wait_to_show("ended")?;
    terminal.type_in("3o")?;
    terminal.wait_to_show("! mine")?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    let run = run.with_env("PAGER", "shows");
    let mut terminal = run.on_terminal(&["watch"], Size(120, 40))?;
    terminal.wait_to_show("ended")?;
    terminal.type_in("3o")?;
    until("the pager is fed", || run.read("state/paged").contains("+ab"))?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 0);
    assert!(!run.path("state/taken").exists(), "a planted program ran");
    assert!(!run.read("state/paged").contains(['\u{1b}', '\u{7}']));
    Ok(())
}
