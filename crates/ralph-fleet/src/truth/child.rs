//! A child process with an end to every wait: its outputs are drained, and past its deadline, or once it says more than
//! it may, its whole group is killed.

use std::{
    io::{self, Read, Write as _},
    os::{fd::AsFd, unix::process::CommandExt as _},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

/// What a process left.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) status: ExitStatus,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

/// How long an ended process's outputs may stay open because somebody else still has them.
const LINGERS: u16 = 200;

/// Feeds the process and waits for its end; `None` if it took longer than it may, an error if one of its outputs is longer
/// than `most`.
pub(crate) fn finish(
    command: &mut Command,
    input: &[u8],
    patience: Duration,
    most: usize,
) -> io::Result<Option<Left>> {
    let until = Instant::now() + patience;
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let mut child = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let stdin = child.stdin.take();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    // Beside the reading: it may answer before it has read everything.
    thread::scope(|scope| {
        let fed = scope.spawn(|| stdin.map_or(Ok(()), |mut stdin| stdin.write_all(input)));
        let pipes = (child.stdout.take(), child.stderr.take());
        let is_over = || Ok(child.try_wait()?.is_some());
        let drained = drain(pipes, (&mut out, &mut err, most), until, is_over);
        if !matches!(drained, Ok(true)) {
            kill_group(&mut child)?;
            return drained.map(|_| None);
        }
        match fed.join() {
            // It ended before it read everything: its exit code says why.
            Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
        Ok(Some(child.wait()?))
    })
    .map(|status| status.map(|status| Left { status, out, err }))
}

/// Reads both outputs until they end, or until the process is over and nothing of it is left in them; false if its time
/// was over first.
fn drain(
    (mut from_out, mut from_err): (Option<impl Read + AsFd>, Option<impl Read + AsFd>),
    (out, err, most): (&mut Vec<u8>, &mut Vec<u8>, usize),
    until: Instant,
    mut is_over: impl FnMut() -> io::Result<bool>,
) -> io::Result<bool> {
    let mut has_ended = false;
    while from_out.is_some() || from_err.is_some() {
        let mut fds = Vec::new();
        fds.extend(from_out.as_ref().map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)));
        fds.extend(from_err.as_ref().map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)));
        let longest = if has_ended { PollTimeout::ZERO } else { PollTimeout::from(LINGERS) };
        let ready = poll(&mut fds, longest)?;
        let mut has_news = fds.iter().map(|fd| fd.any().unwrap_or(false)).collect::<Vec<_>>();
        if ready == 0 && has_ended {
            return Ok(true);
        }
        // It may have written between that silence and its end: once more, without waiting.
        has_ended = has_ended || ready == 0 && is_over()?;
        if Instant::now() >= until {
            return Ok(has_ended);
        }
        if from_out.is_some() && has_news.remove(0) {
            read_some(&mut from_out, out, most)?;
        }
        if from_err.is_some() && has_news.last() == Some(&true) {
            read_some(&mut from_err, err, most)?;
        }
    }
    Ok(true)
}

fn read_some(pipe: &mut Option<impl Read>, into: &mut Vec<u8>, most: usize) -> io::Result<()> {
    let mut buffer = [0; 16_384];
    let Some(open) = pipe else { return Ok(()) };
    match open.read(&mut buffer) {
        Ok(0) => *pipe = None,
        Ok(read) if into.len() + read > most => {
            return Err(io::Error::other(format!("it said more than {most} bytes")));
        }
        Ok(read) => into.extend_from_slice(buffer.get(..read).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn kill_group(child: &mut Child) -> io::Result<()> {
    let group = i32::try_from(child.id()).map_err(io::Error::other)?;
    // It may be gone by now.
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    child.wait().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_says_is_read_however_long_it_is() -> io::Result<()> {
        let input = vec![b'x'; 300_000];
        let patience = Duration::from_secs(20);
        let left = finish(Command::new("cat").arg("-"), &input, patience, 300_000)?;
        assert_eq!(left.map(|left| left.out), Some(input));
        let loud = "head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; exit 3";
        let left = finish(Command::new("sh").args(["-c", loud]), b"", patience, 300_000)?;
        let left = left.ok_or(io::ErrorKind::TimedOut)?;
        assert_eq!((left.out.len(), left.err.len()), (300_000, 200_000));
        assert_eq!(left.status.code(), Some(3));
        Ok(())
    }

    #[test]
    fn who_says_too_much_is_ended_with_its_whole_group() {
        let began = Instant::now();
        let zeros = "head -c 300000 /dev/zero";
        for loud in [zeros, &format!("{zeros} & sleep 60"), &format!("{zeros} >&2 & sleep 60")] {
            let mut command = Command::new("sh");
            let left = finish(command.args(["-c", loud]), b"", Duration::from_secs(20), 100_000);
            let why = left.map(|_| ()).err().map(|error| error.to_string());
            assert_eq!(why.as_deref(), Some("it said more than 100000 bytes"), "{loud}");
        }
        assert!(began.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_it_writes_between_a_silence_and_its_end_is_read() -> io::Result<()> {
        let (from_out, mut its_end) = io::pipe()?;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let until = Instant::now() + Duration::from_secs(20);
        // Its end stays open, as by somebody else who has it.
        let is_over = || its_end.write_all(b"the last word").map(|()| true);
        let pipes = (Some(from_out), None::<io::PipeReader>);
        assert!(drain(pipes, (&mut out, &mut err, 100), until, is_over)?);
        assert_eq!(out, b"the last word");
        Ok(())
    }

    #[test]
    fn past_its_time_the_whole_group_is_gone() -> io::Result<()> {
        let began = Instant::now();
        let left = finish(
            Command::new("sh").args(["-c", "sleep 60 & wait"]),
            b"",
            Duration::from_millis(300),
            100,
        )?;
        assert!(left.is_none());
        assert!(began.elapsed() < Duration::from_secs(20));
        Ok(())
    }

    #[test]
    fn an_output_that_somebody_keeps_open_is_not_waited_for() -> io::Result<()> {
        let began = Instant::now();
        let mut command = Command::new("sh");
        let left = finish(command.args(["-c", "sleep 30 &"]), b"", Duration::from_secs(25), 100)?;
        assert!(left.is_some_and(|left| left.status.success()));
        assert!(began.elapsed() < Duration::from_secs(20));
        Ok(())
    }
}
