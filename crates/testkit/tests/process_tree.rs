//! Process trees, told apart by pid and start time: nothing survives its supervisor.
#![cfg(target_os = "linux")]

use std::{
    collections::VecDeque,
    error::Error,
    io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write},
    os::fd::{AsFd, BorrowedFd},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use ralph_core::{effect::How, ids::RunId};
use ralph_engine::process::{
    Attention, Containment, Finished, Flow, Graces, Home, Listener, Nobody, ProcessEnd,
    ProcessError, ProcessSpec, StopWhy, Stream, Supervisor, sweep,
    tree::{self, Process},
};

type Outcome = Result<(), Box<dyn Error>>;

const AGENT: &str = env!("CARGO_BIN_EXE_fake-agent");
/// Far longer than killed processes take on any machine; a test that waits so long has failed.
const LONG: Duration = Duration::from_mins(1);
const MODES: [Containment; 3] = [Containment::Auto, Containment::UserNamespace, Containment::Group];

/// A run that no other test and no earlier process uses.
fn new_run(name: &str) -> Result<RunId, Box<dyn Error>> {
    let own = Process::of(i32::try_from(std::process::id())?).ok_or("no own process")?;
    Ok(RunId(format!("test-{name}-{}-{}", own.pid, own.started)))
}

fn spec(run: &RunId, program: &str, args: &[&str]) -> ProcessSpec {
    ProcessSpec {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
        cwd: std::env::temp_dir(),
        stdin: Vec::new(),
        merge_stderr: false,
        run: run.clone(),
        enclosed: None,
    }
}

fn supervisor(containment: Containment) -> Supervisor {
    Supervisor { shim: AGENT.into(), containment, ..Supervisor::default() }
}

/// Everything alive with the run's marker in its environment, and all below it.
fn alive(run: &RunId) -> Result<Vec<Process>, Box<dyn Error>> {
    let marker = format!("RALPH_RUN_ID={run}");
    let all = tree::all()?;
    let is_marked = |it: &&Process| {
        let environ = std::fs::read(format!("/proc/{}/environ", it.pid)).unwrap_or_default();
        !it.is_zombie && environ.split(|&byte| byte == 0).any(|entry| entry == marker.as_bytes())
    };
    let found: Vec<Process> = all.iter().filter(is_marked).cloned().collect();
    let roots: Vec<i32> = found.iter().map(|it| it.pid).collect();
    Ok(found.into_iter().chain(tree::descendants(&all, &roots)).collect())
}

/// How many of these very processes still run when the time is over.
fn survivors(processes: &[Process], within: Duration) -> usize {
    let until = Instant::now() + within;
    loop {
        let count = processes.iter().filter(|it| it.is_alive()).count();
        if count == 0 || Instant::now() >= until {
            return count;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Keeps what it hears; reacts once to the line `ready`.
#[derive(Default)]
struct Ear {
    run: Option<RunId>,
    heard: Vec<u8>,
    heard_on_stderr: Vec<u8>,
    seen: Vec<Process>,
    stop: Option<StopWhy>,
    ring: Option<PipeWriter>,
    rings: usize,
}

impl Listener for Ear {
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> Flow {
        match stream {
            Stream::Stdout => self.heard.extend_from_slice(bytes),
            Stream::Stderr => self.heard_on_stderr.extend_from_slice(bytes),
        }
        if self.seen.is_empty() && self.heard.ends_with(b"ready\n") {
            self.seen = self.run.as_ref().map(alive).and_then(Result::ok).unwrap_or_default();
            if let Some(ring) = &mut self.ring {
                let _ = ring.write_all(&vec![1; self.rings]);
            }
            return self.stop.map_or(Flow::Continue, Flow::Stop);
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

/// Makes one request per byte in its pipe.
struct Requests {
    bell: PipeReader,
    requests: VecDeque<How>,
}

impl Attention for Requests {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.bell.as_fd())
    }

    fn notice(&mut self) -> Result<Option<How>, Box<dyn Error + Send + Sync>> {
        if self.requests.is_empty() || !has_rung(&self.bell)? {
            return Ok(None);
        }
        self.bell.read_exact(&mut [0])?;
        Ok(self.requests.pop_front())
    }
}

/// Fails as soon as there is something to notice.
struct Trouble {
    bell: PipeReader,
}

impl Attention for Trouble {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.bell.as_fd())
    }

    fn notice(&mut self) -> Result<Option<How>, Box<dyn Error + Send + Sync>> {
        if has_rung(&self.bell)? { Err("the disk is full".into()) } else { Ok(None) }
    }
}

fn has_rung(bell: &PipeReader) -> nix::Result<bool> {
    let mut bell = [PollFd::new(bell.as_fd(), PollFlags::POLLIN)];
    Ok(poll(&mut bell, PollTimeout::ZERO)? > 0)
}

fn hear(spec: &ProcessSpec, containment: Containment) -> Result<(Finished, Ear), Box<dyn Error>> {
    let mut ear = Ear::default();
    let finished = supervisor(containment).supervise(spec, &mut ear, &mut Nobody)?;
    Ok((finished, ear))
}

/// Runs a tree, stops it at `ready` for this reason; the ear knows the processes there were.
fn stop_at_ready(
    spec: &ProcessSpec,
    supervisor: &Supervisor,
    why: StopWhy,
) -> Result<(Finished, Ear), Box<dyn Error>> {
    let mut ear = Ear { run: Some(spec.run.clone()), stop: Some(why), ..Ear::default() };
    let finished = supervisor.supervise(spec, &mut ear, &mut Nobody)?;
    Ok((finished, ear))
}

/// Runs `spec` and makes these requests, one after the other, at `ready`.
fn request_at_ready(
    spec: &ProcessSpec,
    supervisor: &Supervisor,
    requests: &[How],
) -> Result<(Finished, Ear), Box<dyn Error>> {
    let (bell, ring) = io::pipe()?;
    let mut attention = Requests { bell, requests: requests.iter().copied().collect() };
    let mut ear = Ear {
        run: Some(spec.run.clone()),
        ring: Some(ring),
        rings: requests.len(),
        ..Ear::default()
    };
    let finished = supervisor.supervise(spec, &mut ear, &mut attention)?;
    Ok((finished, ear))
}

#[test]
fn a_stopped_tree_is_gone_with_its_session_leaders_and_daemons() -> Outcome {
    for containment in MODES {
        let run = new_run("stop")?;
        let spec = spec(&run, AGENT, &["tree"]);
        let (finished, ear) = stop_at_ready(&spec, &supervisor(containment), StopWhy::TimedOut)?;
        assert!(ear.seen.len() >= 5, "shim, agent and three more: {:?}", ear.seen);
        assert_eq!(survivors(&ear.seen, LONG), 0, "{containment:?}");
        assert_eq!(alive(&run)?, []);
        assert_eq!(finished.end, ProcessEnd::Signalled { signal: 15 });
        assert_eq!(finished.stopped, Some(StopWhy::TimedOut));
        // Two outside the group; the one inside it may be slow to die on a busy machine.
        assert!((2..=3).contains(&finished.leftovers), "{containment:?}: {finished:?}");
    }
    Ok(())
}

#[test]
fn a_process_that_ignores_being_asked_is_killed_after_the_grace() -> Outcome {
    for containment in MODES {
        let run = new_run("deaf")?;
        let spec = spec(&run, "sh", &["-c", &format!("trap '' TERM INT HUP; exec {AGENT} tree")]);
        let graces = Graces { timeout: Duration::from_millis(300), ..Graces::default() };
        let supervisor = Supervisor { graces, ..supervisor(containment) };
        let (finished, ear) = stop_at_ready(&spec, &supervisor, StopWhy::Other)?;
        assert_eq!(survivors(&ear.seen, LONG), 0, "{containment:?}");
        assert_eq!(finished.end, ProcessEnd::Signalled { signal: 9 });
        assert!(finished.took >= Duration::from_millis(300));
    }
    Ok(())
}

#[test]
fn a_second_request_kills_without_waiting_for_the_grace() -> Outcome {
    for containment in MODES {
        let run = new_run("second")?;
        let spec = spec(&run, "sh", &["-c", &format!("trap '' TERM INT HUP; exec {AGENT} tree")]);
        let graces = Graces { request: Duration::from_hours(1), ..Graces::default() };
        let supervisor = Supervisor { graces, ..supervisor(containment) };
        let (finished, ear) = request_at_ready(&spec, &supervisor, &[How::Ask, How::Kill])?;
        assert_eq!(survivors(&ear.seen, LONG), 0, "{containment:?}");
        assert_eq!(finished.end, ProcessEnd::Signalled { signal: 9 });
        assert_eq!(finished.interrupted, Some(How::Kill));
        assert_eq!(finished.stopped, None);
    }
    Ok(())
}

#[test]
fn trouble_while_attending_ends_the_tree_and_is_passed_on() -> Outcome {
    for containment in MODES {
        let run = new_run("trouble")?;
        let (bell, ring) = io::pipe()?;
        let mut attention = Trouble { bell };
        let mut ear = Ear { run: Some(run.clone()), ring: Some(ring), rings: 1, ..Ear::default() };
        let spec = spec(&run, AGENT, &["tree"]);
        let result = supervisor(containment).supervise(&spec, &mut ear, &mut attention);
        assert!(matches!(result, Err(ProcessError::Attention(_))), "{result:?}");
        assert!(ear.seen.len() >= 5, "{:?}", ear.seen);
        assert_eq!(survivors(&ear.seen, LONG), 0, "{containment:?}");
    }
    Ok(())
}

#[test]
fn an_asked_process_ends_by_the_polite_signal() -> Outcome {
    let spec = spec(&new_run("ask")?, AGENT, &["hang"]);
    let (finished, _) = request_at_ready(&spec, &supervisor(Containment::Auto), &[How::Ask])?;
    assert_eq!(finished.end, ProcessEnd::Signalled { signal: 15 });
    assert_eq!(finished.interrupted, Some(How::Ask));
    Ok(())
}

#[test]
fn a_process_that_is_done_may_leave_by_itself_and_is_ended_otherwise() -> Outcome {
    let leaves = spec(&new_run("leaves")?, "sh", &["-c", "echo ready; sleep 0.1; exit 7"]);
    let graces = Graces { linger: Duration::from_hours(1), ..Graces::default() };
    let patient = Supervisor { graces, ..supervisor(Containment::Auto) };
    let (finished, _) = stop_at_ready(&leaves, &patient, StopWhy::Done)?;
    assert_eq!(finished.end, ProcessEnd::Exited { code: 7 });
    assert_eq!(finished.stopped, Some(StopWhy::Done));

    let stays = spec(&new_run("stays")?, AGENT, &["hang"]);
    let graces = Graces { linger: Duration::from_millis(50), ..Graces::default() };
    let brisk = Supervisor { graces, ..supervisor(Containment::Auto) };
    let (finished, _) = stop_at_ready(&stays, &brisk, StopWhy::Done)?;
    assert_eq!(finished.end, ProcessEnd::Signalled { signal: 15 });
    Ok(())
}

#[test]
fn what_an_agent_leaves_behind_is_counted_and_ended() -> Outcome {
    for containment in MODES {
        let run = new_run("leave")?;
        let (finished, _) = hear(&spec(&run, AGENT, &["leave"]), containment)?;
        assert_eq!(finished.end, ProcessEnd::Exited { code: 0 });
        assert_eq!(finished.leftovers, 3, "{containment:?}");
        assert_eq!(alive(&run)?, []);
    }
    Ok(())
}

/// A process that supervises a tree and has reported it ready.
struct Helper {
    child: Child,
    run: RunId,
    stdout: BufReader<std::process::ChildStdout>,
    /// All below it: shim, agent and its children.
    below: Vec<Process>,
}

impl Helper {
    fn start(containment: &str, name: &str) -> Result<Self, Box<dyn Error>> {
        let run = new_run(name)?;
        let mut child = Command::new(AGENT)
            .args(["supervise", containment, run.as_str(), "tree"])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        assert_eq!(line, "ready\n");
        let below = tree::descendants(&tree::all()?, &[i32::try_from(child.id())?]);
        assert!(below.len() >= 5, "shim, agent and three more: {below:?}");
        Ok(Self { child, run, stdout, below })
    }

    fn shim(&self) -> Result<Pid, Box<dyn Error>> {
        let id = i32::try_from(self.child.id())?;
        let shim = self.below.iter().find(|it| it.parent == id).ok_or("no shim")?;
        Ok(Pid::from_raw(shim.pid))
    }

    fn kill(&mut self) -> Outcome {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // A failed assertion must not leave processes either.
        let _ = self.kill();
    }
}

#[test]
fn nothing_outlives_a_supervising_process_that_is_killed() -> Outcome {
    for containment in ["auto", "user", "group"] {
        let mut helper = Helper::start(containment, "orphan")?;
        helper.kill()?;
        assert_eq!(survivors(&helper.below, LONG), 0, "{containment}");
    }
    Ok(())
}

/// Kills the supervising process and its shim, neither of which can react.
fn kill_with_shim(helper: &mut Helper) -> Outcome {
    let shim = helper.shim()?;
    kill(shim, Signal::SIGSTOP)?;
    helper.kill()?;
    kill(shim, Signal::SIGKILL)?;
    let shim: Vec<_> = helper.below.iter().filter(|it| it.pid == shim.as_raw()).cloned().collect();
    assert_eq!(survivors(&shim, LONG), 0);
    Ok(())
}

fn can_have_a_namespace() -> Result<bool, Box<dyn Error>> {
    let run = new_run("probe")?;
    Ok(hear(&spec(&run, "true", &[]), Containment::UserNamespace)?.0.contained)
}

#[test]
fn in_a_namespace_the_kernel_ends_all_when_the_shim_is_killed_too() -> Outcome {
    if !can_have_a_namespace()? {
        return Ok(());
    }
    let mut helper = Helper::start("user", "both")?;
    let shim = helper.shim()?.as_raw();
    for inner in helper.below.iter().filter(|it| it.parent == shim) {
        // Stopped, process 1 of the namespace cannot do what only the kernel shall do here.
        kill(Pid::from_raw(inner.pid), Signal::SIGSTOP)?;
    }
    kill_with_shim(&mut helper)?;
    assert_eq!(survivors(&helper.below, LONG), 0);
    Ok(())
}

#[test]
fn without_a_namespace_a_sweep_ends_what_a_killed_shim_left() -> Outcome {
    let mut helper = Helper::start("group", "swept")?;
    kill_with_shim(&mut helper)?;
    let orphans = helper.below.iter().filter(|it| it.is_alive()).count();
    assert!(orphans >= 4, "the agent and three more outlive their shim, not {orphans}");

    let swept = sweep(Home::default(), &helper.run)?;

    assert_eq!((swept.found as usize, swept.left), (orphans, 0));
    assert_eq!(survivors(&helper.below, Duration::ZERO), 0);
    Ok(())
}

#[test]
fn a_supervisor_cleans_up_after_a_shim_that_is_killed() -> Outcome {
    for containment in ["auto", "user", "group"] {
        let mut helper = Helper::start(containment, "shimless")?;
        kill(helper.shim()?, Signal::SIGKILL)?;
        let mut report = String::new();
        helper.stdout.read_to_string(&mut report)?;
        helper.child.wait()?;
        assert!(report.starts_with("Signalled { signal: 9 }"), "{containment}: {report}");
        assert_eq!(survivors(&helper.below, LONG), 0, "{containment}");
    }
    Ok(())
}

#[test]
fn a_shim_that_is_asked_to_end_takes_its_tree_with_it() -> Outcome {
    for containment in ["auto", "user", "group"] {
        let mut helper = Helper::start(containment, "term")?;
        kill(helper.shim()?, Signal::SIGTERM)?;
        helper.child.wait()?;
        assert_eq!(survivors(&helper.below, LONG), 0, "{containment}");
    }
    Ok(())
}

#[test]
fn a_flood_is_heard_completely_in_constant_memory() -> Outcome {
    let run = new_run("flood")?;
    let output =
        Command::new(AGENT).args(["supervise", "auto", run.as_str(), "flood", "100"]).output()?;
    let report = String::from_utf8(output.stdout)?;
    let number = |name: &str| -> Option<u64> {
        let (_, rest) = report.split_once(name)?;
        rest.split_whitespace().next()?.parse().ok()
    };
    assert_eq!(number("bytes="), Some(100 * 1024 * 1024), "{report}");
    assert!(number("peak_kib=").is_some_and(|peak| peak < 20 * 1024), "{report}");
    Ok(())
}

#[test]
fn input_that_is_never_read_does_not_block() -> Outcome {
    let run = new_run("unread")?;
    let spec = ProcessSpec { stdin: vec![b'x'; 5_000_000], ..spec(&run, AGENT, &["hang"]) };
    let (finished, _) = stop_at_ready(&spec, &supervisor(Containment::Auto), StopWhy::TimedOut)?;
    assert_eq!(finished.end, ProcessEnd::Signalled { signal: 15 });
    Ok(())
}

#[test]
fn large_input_arrives_completely_and_ends() -> Outcome {
    let run = new_run("stdin")?;
    let spec = ProcessSpec { stdin: vec![b'x'; 5_000_000], ..spec(&run, AGENT, &["stdin"]) };
    let (finished, ear) = hear(&spec, Containment::Auto)?;
    assert_eq!(finished.end, ProcessEnd::Exited { code: 0 });
    assert_eq!(ear.heard, b"5000000\n");
    Ok(())
}

#[test]
fn input_refused_by_an_exit_does_no_harm() -> Outcome {
    let run = new_run("epipe")?;
    let spec = ProcessSpec { stdin: vec![b'x'; 5_000_000], ..spec(&run, AGENT, &["exit", "4"]) };
    assert_eq!(hear(&spec, Containment::Auto)?.0.end, ProcessEnd::Exited { code: 4 });
    Ok(())
}

#[test]
fn output_written_just_before_the_end_is_not_lost() -> Outcome {
    for containment in MODES {
        let run = new_run("late")?;
        let (finished, ear) = hear(&spec(&run, AGENT, &["garbage"]), containment)?;
        assert_eq!(finished.end, ProcessEnd::Exited { code: 0 });
        assert!(ear.heard.iter().copied().eq((0..=255).cycle().take(64 * 1024)));

        let (_, ear) = hear(&spec(&run, AGENT, &["half-line"]), containment)?;
        assert_eq!(ear.heard, b"whole\nhalf");
    }
    Ok(())
}

#[test]
fn a_process_may_close_its_output_long_before_it_ends() -> Outcome {
    let script = "echo early; exec >&- 2>&-; sleep 0.2; exit 9";
    let (finished, ear) =
        hear(&spec(&new_run("close")?, "sh", &["-c", script]), Containment::Auto)?;
    assert_eq!(finished.end, ProcessEnd::Exited { code: 9 });
    assert_eq!(ear.heard, b"early\n");
    Ok(())
}

#[test]
fn streams_are_told_apart_or_merged_in_order() -> Outcome {
    let script = "echo 1; echo 2 >&2; echo 3; echo 4 >&2";
    let apart = spec(&new_run("apart")?, "sh", &["-c", script]);
    let (_, ear) = hear(&apart, Containment::Auto)?;
    assert_eq!(
        (ear.heard.as_slice(), ear.heard_on_stderr.as_slice()),
        (&b"1\n3\n"[..], &b"2\n4\n"[..])
    );

    let (_, ear) = hear(&ProcessSpec { merge_stderr: true, ..apart }, Containment::Auto)?;
    assert_eq!(ear.heard, b"1\n2\n3\n4\n");
    Ok(())
}

#[test]
fn how_a_process_ends_is_told_as_it_was() -> Outcome {
    for containment in MODES {
        let run = new_run("end")?;
        for (program, args, end) in [
            (AGENT, ["exit", "42"], ProcessEnd::Exited { code: 42 }),
            ("sh", ["-c", "exit 0"], ProcessEnd::Exited { code: 0 }),
            ("sh", ["-c", "kill -SEGV $$"], ProcessEnd::Signalled { signal: 11 }),
        ] {
            assert_eq!(hear(&spec(&run, program, &args), containment)?.0.end, end);
        }
    }
    Ok(())
}

#[test]
fn what_cannot_be_started_is_told_with_its_reason() -> Outcome {
    for containment in MODES {
        let run = new_run("missing")?;
        let missing = spec(&run, "no-such-program-anywhere", &[]);
        let lost = ProcessSpec { cwd: "/no/such/directory".into(), ..spec(&run, "true", &[]) };
        let plain_file = spec(&run, "/etc/passwd", &[]);
        for (spec, word) in
            [(missing, "no-such-program"), (lost, "/no/such"), (plain_file, "passwd")]
        {
            let (finished, _) = hear(&spec, containment)?;
            let ProcessEnd::NotStarted { detail } = finished.end else {
                return Err(format!("{containment:?} {word}: {finished:?}").into());
            };
            assert!(detail.contains(word), "{detail}");
        }
    }
    Ok(())
}

#[test]
fn a_process_sees_its_own_world_and_nothing_of_the_shim() -> Outcome {
    for containment in MODES {
        let run = new_run("world")?;
        let (_, ear) = hear(&spec(&run, "env", &[]), containment)?;
        let heard = String::from_utf8(ear.heard)?;
        let mut names: Vec<&str> =
            heard.lines().filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["PATH", "RALPH_RUN_ID", "RALPH_TREE_ID"]);

        let script =
            "id -u; id -g; read pid rest < /proc/self/stat; test $pid = $$ && echo proc; pwd";
        // Whoever runs tests leaves descriptors open; none of them is inherited.
        let open = "for fd in /proc/$$/fd/*; do test ${fd##*/} -gt 2 && readlink $fd; done;";
        let both = format!("{open} {script}");
        let (_, ear) = hear(&spec(&run, "sh", &["-c", &both]), containment)?;
        let mut bare = Command::new("sh");
        bare.args(["-c", script]).current_dir(std::env::temp_dir());
        let expected = String::from_utf8(bare.output()?.stdout)?;
        assert!(expected.contains("proc\n"));
        assert_eq!(String::from_utf8(ear.heard)?, expected, "{containment:?}");
    }
    Ok(())
}

#[test]
fn the_tree_has_no_part_in_the_terminal_of_ralph() -> Outcome {
    let session = |pid: i32| nix::unistd::getsid(Some(Pid::from_raw(pid)));
    let own = session(0)?;
    let run = new_run("session")?;
    let mut elsewhere = Vec::new();
    for containment in MODES {
        let mut helper = Helper::start(
            match containment {
                Containment::Auto => "auto",
                Containment::UserNamespace => "user",
                Containment::Group | Containment::Enclosed => "group",
            },
            run.as_str(),
        )?;
        elsewhere.extend(helper.below.iter().map(|it| session(it.pid)));
        helper.kill()?;
        assert_eq!(survivors(&helper.below, LONG), 0);
    }
    assert!(elsewhere.iter().all(|it| it.is_ok_and(|session| session != own)));
    Ok(())
}
