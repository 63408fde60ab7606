//! The agent that does nothing but try to get out: as the agent, as a gate or without a box, each attempt in a process
//! of its own. What it saw it leaves in the worktree.
#![expect(clippy::print_stdout, reason = "its output is what whoever started it reads")]

use std::{
    error::Error,
    fmt::Write as _,
    fs,
    io::{self, Read as _},
    os::unix::process::ExitStatusExt as _,
    process::{Command, Stdio},
    time::Duration,
};

use super::{Attempt, Tried, WELCOME, World, all};

/// Calls in which traps are laid; from the next on it behaves.
const LAST_TRAPS: u32 = 4;

type Done = Result<(), Box<dyn Error>>;

/// Does what the arguments say; no arguments are those of an agent.
pub fn perform(args: &[&str]) -> Done {
    match args {
        ["try", name] => Ok(try_one(name)?),
        ["linger", ..] => {
            // Longer than any test: one that ended by itself would pass for one that was killed.
            std::thread::sleep(Duration::from_hours(1));
            Ok(())
        }
        ["gate"] => gate(),
        ["call", number] => attempts_of(number.parse()?, "agent"),
        _ => agent(),
    }
}

/// One attempt, in one line of output.
fn try_one(name: &str) -> io::Result<()> {
    let world = World::around()?;
    let attempts = all().into_iter().chain(WELCOME);
    let tried = match attempts.into_iter().find(|attempt| attempt.name == name) {
        Some(attempt) => attempt.make(&world),
        None => Tried::Untried("there is no such attempt".into()),
    };
    println!("{}", tried.line());
    Ok(())
}

/// The agent: each call makes its attempts, then does the task unless the call laid traps.
fn agent() -> Done {
    let mut prompt = String::new();
    io::stdin().read_to_string(&mut prompt)?;
    let world = World::around()?;
    let counter = world.own("calls");
    let number = fs::read_to_string(&counter).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let number: u32 = number + 1;
    fs::write(&counter, number.to_string())?;
    if number <= LAST_TRAPS {
        attempts_of(number, "agent")?;
    }
    // Sequences that would set a clipboard and a title, if they reached a terminal.
    println!("\x1b]52;c;bWFyaw==\x07\x1b]0;mark-of-title\x07 done");
    if number == 1 || number > LAST_TRAPS {
        let task = prompt.split_whitespace().find(|word| word.starts_with("T-"));
        let task = task.unwrap_or("T-1").trim_end_matches(|c: char| !c.is_ascii_digit());
        fs::create_dir_all("work")?;
        fs::write(format!("work/{task}"), "done\n")?;
    }
    Ok(())
}

/// A gate makes the first call's attempts once, and runs what the agent planted for it.
fn gate() -> Done {
    let world = World::around()?;
    if !world.told("gate").exists() {
        attempts_of(1, "gate")?;
    }
    let planted = world.own("planted.sh");
    if planted.exists() {
        let _ = Command::new(planted).stdin(Stdio::null()).stdout(Stdio::null()).status();
    }
    Ok(())
}

fn attempts_of(call: u32, whose: &str) -> Done {
    let world = World::around()?;
    wait_for(&world)?;
    let welcome = WELCOME.iter().filter(|_| call == 1);
    let mut lines = String::new();
    for attempt in all().into_iter().filter(|attempt| attempt.call == call).chain(welcome) {
        let tried = apart(attempt)?;
        writeln!(lines, "{}\t{}", attempt.name, tried.line())?;
        fs::write(world.told(whose), &lines)?;
    }
    fs::write(world.told(&format!("{whose}.{call}")), lines)?;
    Ok(())
}

/// Whoever started ralph says which process it is as soon as that is known.
fn wait_for(world: &World) -> Done {
    for _ in 0..6000 {
        if world.process("ralph").is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err("nobody said which process ralph is".into())
}

/// The attempt in a process of its own, which may be killed for it.
fn apart(attempt: &Attempt) -> Result<Tried, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["try", attempt.name]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output()?;
    if let Some(signal) = output.status.signal() {
        return Ok(Tried::Refused(format!("ended by signal {signal}")));
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Tried::from_line(said.lines().next().unwrap_or_default()))
}
