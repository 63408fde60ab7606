//! Attempts on processes outside, on the supervisor inside, and on what must end with the agent.

use std::{
    fs::{self, OpenOptions},
    io::{IoSliceMut, Read as _, Seek as _, SeekFrom},
    os::unix::process::CommandExt as _,
    process::{Command, Stdio},
};

use nix::{
    sys::{
        ptrace,
        resource::{Resource, getrlimit},
        signal::{Signal, kill},
        uio::{RemoteIoVec, process_vm_readv},
        wait::waitpid,
    },
    unistd::Pid,
};

use super::{
    Alone::{self, Depends, NotShown, Works},
    Attempt, Proof, Tried, World, syscall,
};

const fn attempt(
    name: &'static str,
    with: &'static str,
    alone: Alone,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "processes", with, proof: Proof::Word, alone, call: 1, act }
}

const FIRST: Alone = NotShown("without a box process 1 is somebody else's");
const LIMIT: Alone = Depends("the caller's own limits");

pub(super) const ATTEMPTS: &[Attempt] = &[
    Attempt { proof: Proof::Mark, ..attempt("kill-a-process", "victim", Works, kill_it) },
    Attempt { proof: Proof::Mark, ..attempt("left-behind", "", Works, leave_one_behind) },
    attempt("signal-ralph", "ralph", Works, signal),
    attempt("signal-group-of-ralph", "ralph", Depends("ralph leads no group"), signal_group),
    attempt("trace-ralph", "ralph", Depends("the kernel's rule for tracing"), trace),
    attempt("trace-first-process", "1", FIRST, trace),
    attempt("memory-of-ralph", "ralph", Depends("the kernel's rule for tracing"), memory_file),
    attempt("memory-of-first-process", "1", FIRST, memory_file),
    attempt("vm-read-ralph", "ralph", Depends("the kernel's rule for tracing"), vm_read),
    attempt("vm-read-first-process", "1", FIRST, vm_read),
    attempt("descriptor-of-ralph", "ralph", Depends("the kernel's rule for tracing"), descriptor),
    attempt("limits-of-ralph", "ralph", Works, limit_other),
    attempt("priority-of-ralph", "ralph", Works, priority),
    attempt("processes-without-limit", "nproc", LIMIT, no_limit),
    attempt("fork-without-end", "9000", LIMIT, fork),
    attempt("file-size-without-limit", "fsize", LIMIT, no_limit),
    attempt("core-dumps", "core", LIMIT, no_limit),
];

fn process(world: &World, attempt: &Attempt) -> Option<Pid> {
    let number = attempt.with.parse().ok().or_else(|| world.process(attempt.with))?;
    Some(Pid::from_raw(number))
}

/// Does it to the process that the attempt names.
fn to(world: &World, attempt: &Attempt, act: impl FnOnce(Pid) -> nix::Result<()>) -> Tried {
    match process(world, attempt) {
        Some(pid) => Tried::of(act(pid)),
        None => Tried::Untried("its process is not known".into()),
    }
}

fn kill_it(world: &World, attempt: &Attempt) -> Tried {
    to(world, attempt, |pid| kill(pid, Signal::SIGKILL))
}

fn signal(world: &World, attempt: &Attempt) -> Tried {
    to(world, attempt, |pid| kill(pid, None))
}

fn signal_group(world: &World, attempt: &Attempt) -> Tried {
    to(world, attempt, |pid| kill(Pid::from_raw(-pid.as_raw()), None))
}

fn trace(world: &World, attempt: &Attempt) -> Tried {
    to(world, attempt, |pid| {
        ptrace::attach(pid)?;
        waitpid(pid, None)?;
        ptrace::detach(pid, None)
    })
}

/// Where the memory of the process begins: its first mapping.
fn first_mapping(pid: Pid) -> Option<usize> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    usize::from_str_radix(maps.split('-').next()?, 16).ok()
}

fn memory_file(world: &World, attempt: &Attempt) -> Tried {
    let Some(pid) = process(world, attempt) else {
        return Tried::Untried("its process is not known".into());
    };
    let opened = OpenOptions::new().read(true).write(true).open(format!("/proc/{pid}/mem"));
    let read = opened.and_then(|mut file| {
        file.seek(SeekFrom::Start(first_mapping(pid).unwrap_or(0) as u64))?;
        file.read_exact(&mut [0; 4])
    });
    Tried::of(read)
}

fn vm_read(world: &World, attempt: &Attempt) -> Tried {
    to(world, attempt, |pid| {
        let base = first_mapping(pid).ok_or(nix::errno::Errno::EACCES)?;
        let mut bytes = [0; 4];
        let remote = RemoteIoVec { base, len: bytes.len() };
        process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &[remote]).map(drop)
    })
}

fn descriptor(world: &World, attempt: &Attempt) -> Tried {
    match process(world, attempt) {
        Some(pid) => Tried::of(syscall::take_descriptor(pid.as_raw(), 2)),
        None => Tried::Untried("its process is not known".into()),
    }
}

fn limit_other(world: &World, attempt: &Attempt) -> Tried {
    match process(world, attempt) {
        Some(pid) => Tried::of(syscall::read_limits_of(pid.as_raw())),
        None => Tried::Untried("its process is not known".into()),
    }
}

fn priority(world: &World, attempt: &Attempt) -> Tried {
    match process(world, attempt) {
        Some(pid) => Tried::of(syscall::same_priority(pid.as_raw())),
        None => Tried::Untried("its process is not known".into()),
    }
}

/// Leads a session of its own, lets go of every pipe, and outlives its maker.
fn leave_one_behind(_world: &World, attempt: &Attempt) -> Tried {
    let mut marked = Command::new("setsid");
    let exe = std::env::current_exe().unwrap_or_default();
    marked.arg(exe).args(["linger", &attempt.token()]).process_group(0);
    marked.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Tried::of(marked.spawn())
}

/// As many threads at once as it is told: more than a box may have, fewer than hurt a machine.
fn fork(_world: &World, attempt: &Attempt) -> Tried {
    const STACK: usize = 64 << 10;
    let wanted: usize = attempt.with.parse().unwrap_or_default();
    let mut made = 0;
    while made < wanted {
        let waits = || loop {
            std::thread::park();
        };
        if let Err(error) = std::thread::Builder::new().stack_size(STACK).spawn(waits) {
            return Tried::Refused(format!("{error}, after {made}"));
        }
        made += 1;
    }
    Tried::Reached(format!("{made} at once"))
}

fn no_limit(_world: &World, attempt: &Attempt) -> Tried {
    let (resource, most) = match attempt.with {
        "nproc" => (Resource::RLIMIT_NPROC, 1 << 20),
        "fsize" => (Resource::RLIMIT_FSIZE, 1 << 50),
        _ => (Resource::RLIMIT_CORE, 0),
    };
    match getrlimit(resource) {
        Ok((_, hard)) if hard <= most => Tried::Refused(format!("at most {hard}")),
        Ok((_, hard)) => Tried::Reached(format!("up to {hard}")),
        Err(error) => Tried::Untried(error.to_string()),
    }
}
