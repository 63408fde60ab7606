//! A process that behaves as badly as agents do, one way per mode; also the shim and a small
//! supervising process, so that process trees can be tested without the product's binary.
#![expect(clippy::print_stdout, reason = "its output is what tests look at")]

use std::{
    error::Error,
    ffi::OsString,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, Command, ExitCode, Stdio},
    time::Instant,
};

use ralph_core::ids::RunId;
use ralph_engine::process::{Containment, Flow, Listener, Nobody, ProcessSpec, Stream, Supervisor};

type Outcome = Result<ExitCode, Box<dyn Error>>;

fn main() -> Outcome {
    if let Some(code) = ralph_engine::hidden_commands::main() {
        return Ok(ExitCode::from(u8::try_from(code)?));
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["hang"] => hang(),
        ["sleeper"] => sleeper(),
        ["daemonise"] => daemonise(),
        ["tree"] => grow_a_tree().and_then(|()| hang()),
        ["leave"] => grow_a_tree().map(|()| ExitCode::SUCCESS),
        ["flood", megabytes] => flood(megabytes.parse()?),
        ["half-line"] => say("whole\nhalf"),
        ["garbage"] => say((0..=255).cycle().take(64 * 1024).collect::<Vec<u8>>()),
        ["exit", code] => Ok(ExitCode::from(code.parse::<u8>()?)),
        ["stdin"] => count_stdin(),
        ["supervise", containment, run, rest @ ..] => supervise(containment, run, rest),
        other => Err(format!("no such mode: {other:?}").into()),
    }
}

fn say(bytes: impl AsRef<[u8]>) -> Outcome {
    let mut stdout = io::stdout();
    stdout.write_all(bytes.as_ref())?;
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn hang() -> Outcome {
    say("ready\n")?;
    sleep_forever()
}

fn sleep_forever() -> Outcome {
    loop {
        std::thread::park();
    }
}

fn sleeper() -> Outcome {
    say("up\n")?;
    sleep_forever()
}

/// Leaves a sleeper in a session of its own to whoever adopts orphans.
fn daemonise() -> Outcome {
    Command::new("setsid").arg(std::env::current_exe()?).arg("sleeper").spawn()?;
    Ok(ExitCode::SUCCESS)
}

/// A plain child, one in a session of its own, and a double-forked daemon; all of them up.
fn grow_a_tree() -> Result<(), Box<dyn Error>> {
    let own = std::env::current_exe()?;
    start_and_hear(Command::new(&own).arg("sleeper"))?;
    start_and_hear(Command::new("setsid").arg(&own).arg("sleeper"))?;
    // Its maker must be gone too, or whoever counts now would count one that is about to leave.
    start_and_hear(Command::new(&own).arg("daemonise"))?.wait()?;
    Ok(())
}

fn start_and_hear(command: &mut Command) -> Result<Child, Box<dyn Error>> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().ok_or("no stdout")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    if line == "up\n" { Ok(child) } else { Err(format!("heard {line:?}").into()) }
}

fn flood(megabytes: usize) -> Outcome {
    let line = [[b'x'; 1023].as_slice(), b"\n"].concat();
    let megabyte = line.repeat(1024);
    for _ in 0..megabytes {
        say(&megabyte)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn count_stdin() -> Outcome {
    let mut all = Vec::new();
    io::stdin().read_to_end(&mut all)?;
    say(format!("{}\n", all.len()))
}

/// Supervises this program in another mode, passes its output on, and says how it ended.
fn supervise(containment: &str, run: &str, mode: &[&str]) -> Outcome {
    let containment = match containment {
        "auto" => Containment::Auto,
        "user" => Containment::UserNamespace,
        "group" => Containment::Group,
        other => return Err(format!("no such containment: {other}").into()),
    };
    let own = std::env::current_exe()?;
    let spec = ProcessSpec {
        program: own.clone().into(),
        args: mode.iter().map(OsString::from).collect(),
        env: std::env::vars_os().collect(),
        cwd: std::env::current_dir()?,
        stdin: Vec::new(),
        merge_stderr: false,
        run: RunId::from(run),
        enclosed: None,
    };
    let supervisor = Supervisor { shim: own, containment, ..Supervisor::default() };
    let mut relay = Relay { is_counting: mode.first() == Some(&"flood"), bytes: 0 };
    let finished = supervisor.supervise(&spec, &mut relay, &mut Nobody)?;
    println!("{:?} bytes={} peak_kib={}", finished.end, relay.bytes, peak_kib()?);
    Ok(ExitCode::SUCCESS)
}

struct Relay {
    is_counting: bool,
    bytes: usize,
}

impl Listener for Relay {
    fn output(&mut self, _stream: Stream, bytes: &[u8]) -> Flow {
        self.bytes += bytes.len();
        if !self.is_counting && say(bytes).is_err() {
            // Whoever listened is gone; the test looks at processes only.
            self.is_counting = true;
        }
        Flow::Continue
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn tick(&mut self, _now: Instant) -> Flow {
        Flow::Continue
    }
}

/// The most memory this process ever had resident.
fn peak_kib() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
