//! A box that stays: put up once, and one git after the other is started in it by a part of ralph that waits inside.
//!
//! The fence is the one that a single git would get. What a git left running is ended before the next one starts.

use std::{
    cell::RefCell,
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, IoSlice, IoSliceMut, Read as _, Write as _},
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::{ffi::OsStrExt as _, net::UnixStream},
    },
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use nix::{
    sys::{
        signal::{Signal, kill, killpg},
        socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg},
    },
    unistd::Pid,
};

use super::enclosed::Line;
use crate::unix;

/// The hidden subcommand of the part that waits inside.
pub(crate) const SUBCOMMAND: &str = "__git-room";

/// So many rooms are kept. A run looks at few places, and each with one or two indexes.
const KEPT: usize = 4;

/// Whoever waits in a box is its second process; anywhere else nobody may be killed.
const INSIDE: u32 = 2;

/// So long the kernel may take to end those in a room.
const DYING: Duration = Duration::from_secs(10);

/// Longest request: a git's words and variables.
const LONGEST: u32 = 8 << 20;

thread_local! {
    /// Of this thread: a box ends with the thread that made it.
    static ROOMS: RefCell<Vec<Room>> = const { RefCell::new(Vec::new()) };
}

/// Whether this program does the work of hidden subcommands: a test's own program does not.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// From now on rooms can be made: the part that waits in one is this program.
pub(crate) fn answers() {
    ANSWERS.store(true, Ordering::Relaxed);
}

/// Ralph's ends of a git's pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: Option<File>,
    pub(super) stdout: File,
    pub(super) stderr: File,
}

/// One box and who waits in it.
#[derive(Debug)]
pub(super) struct Room {
    /// What it was made of: another box is another room.
    made_of: Vec<OsString>,
    door: UnixStream,
    outer: Child,
}

impl Room {
    /// The room that such a box is, kept from before or new; `None` where none can be made.
    pub(super) fn enter(line: &Line) -> Option<Self> {
        if !ANSWERS.load(Ordering::Relaxed) {
            return None;
        }
        let made_of = line.made_of();
        let kept = ROOMS.with_borrow_mut(|rooms| {
            let at = rooms.iter().position(|room| room.made_of == made_of)?;
            Some(rooms.remove(at))
        });
        kept.or_else(|| Self::make(line, made_of).ok())
    }

    fn make(line: &Line, made_of: Vec<OsString>) -> io::Result<Self> {
        let (door, inner) = UnixStream::pair()?;
        let inner = OwnedFd::from(inner);
        let number = inner.as_raw_fd().to_string();
        let mut command = line.command_for_ralph(inner)?;
        command.arg(SUBCOMMAND).arg(number).env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let outer = command.spawn()?;
        // It holds the other end of the door: with it open, a box that comes to nothing would be waited for.
        drop(command);
        let mut room = Self { made_of, door, outer };
        // Who waits inside says so: a box that cannot be made is found here.
        room.end()?;
        Ok(room)
    }

    /// Starts a program; what it says comes through the pipes.
    pub(super) fn start(&mut self, command: &Command) -> io::Result<Pipes> {
        let (of_stdin, stdin) = io::pipe()?;
        let (stdout, of_stdout) = io::pipe()?;
        let (stderr, of_stderr) = io::pipe()?;
        let mut request = Vec::new();
        let words = [command.get_program()].into_iter().chain(command.get_args());
        put_all(&mut request, words.map(OsStr::to_owned));
        let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        put_all(&mut request, set.flat_map(|(name, value)| [name.to_owned(), value.to_owned()]));
        let length = u32::try_from(request.len()).map_err(io::Error::other)?.to_le_bytes();
        let fds = [of_stdin.as_raw_fd(), of_stdout.as_raw_fd(), of_stderr.as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&fds)];
        let parts = [IoSlice::new(&length)];
        sendmsg::<()>(self.door.as_raw_fd(), &parts, &rights, MsgFlags::MSG_NOSIGNAL, None)?;
        self.door.write_all(&request)?;
        Ok(Pipes {
            stdin: Some(OwnedFd::from(stdin).into()),
            stdout: OwnedFd::from(stdout).into(),
            stderr: OwnedFd::from(stderr).into(),
        })
    }

    /// Waits for what was started, and gives its exit code.
    pub(super) fn end(&mut self) -> io::Result<i32> {
        let mut code = [0; 4];
        self.door.read_exact(&mut code)?;
        Ok(i32::from_le_bytes(code))
    }

    /// The group by which the whole box is ended.
    pub(super) fn group(&self) -> u32 {
        self.outer.id()
    }

    /// Leaves it for the next git.
    pub(super) fn leave(self) {
        ROOMS.with_borrow_mut(|rooms| {
            if rooms.len() >= KEPT {
                rooms.remove(0);
            }
            rooms.push(self);
        });
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Ok(group) = i32::try_from(self.outer.id()) {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.outer.wait();
        // Those inside are of another session and die after it; the last of them lets go of the door.
        let _ = self.door.set_read_timeout(Some(DYING));
        while self.door.read(&mut [0; 4]).is_ok_and(|read| read > 0) {}
    }
}

/// The part that waits inside: starts what it is told to, until nobody is outside any more.
pub(crate) fn main() -> i32 {
    let door = std::env::args().nth(2).and_then(|number| number.parse().ok());
    let Some(door) = door.and_then(|number| unix::adopt(number).ok()) else { return 2 };
    let mut door = UnixStream::from(door);
    let mut code: i32 = 0;
    while door.write_all(&code.to_le_bytes()).is_ok() {
        let Ok((mut command, pipes)) = receive(&mut door) else { break };
        let started = pipes.and_then(|[stdin, stdout, stderr]| {
            command.stdin(stdin).stdout(stdout).stderr(stderr).spawn()
        });
        // The pipes are open in the command as well.
        drop(command);
        let ended = started.and_then(|mut child| child.wait());
        code = ended.ok().and_then(|status| status.code()).unwrap_or(-1);
        // Everything but this process: nothing else may be in here when the next git starts.
        if std::process::id() == INSIDE {
            let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        }
    }
    0
}

/// What to start next, and the pipes for it.
fn receive(door: &mut UnixStream) -> io::Result<(Command, io::Result<[File; 3]>)> {
    let mut length = [0; 4];
    let mut space = nix::cmsg_space!([i32; 3]);
    let mut parts = [IoSliceMut::new(&mut length)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC | MsgFlags::MSG_WAITALL;
    let message = recvmsg::<()>(door.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    let rights = message.cmsgs()?.find_map(|part| match part {
        ControlMessageOwned::ScmRights(fds) => <[i32; 3]>::try_from(fds).ok(),
        _ => None,
    });
    let is_whole = message.bytes == length.len();
    let length = u32::from_le_bytes(length);
    if !is_whole || length > LONGEST {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut request = vec![0; length as usize];
    door.read_exact(&mut request)?;
    let mut rest = request.as_slice();
    let words = take_all(&mut rest)?;
    let (program, args) = words.split_first().ok_or(io::ErrorKind::InvalidData)?;
    let mut command = Command::new(program);
    command.args(args).env_clear();
    for pair in take_all(&mut rest)?.chunks_exact(2) {
        command.env(pair[0], pair[1]);
    }
    let fds = rights.ok_or(io::ErrorKind::InvalidData)?;
    let [stdin, stdout, stderr] = fds.map(|fd| unix::adopt(fd).map(File::from));
    Ok((command, stdin.and_then(|stdin| Ok([stdin, stdout?, stderr?]))))
}

/// A list of words: how many, then each with its length.
fn put_all(to: &mut Vec<u8>, words: impl Iterator<Item = OsString>) {
    let words: Vec<OsString> = words.collect();
    let mut put = |number: usize| to.extend((number as u64).to_le_bytes());
    put(words.len());
    for word in words {
        to.extend((word.len() as u64).to_le_bytes());
        to.extend(word.as_bytes());
    }
}

fn take_all<'a>(from: &mut &'a [u8]) -> io::Result<Vec<&'a OsStr>> {
    let count = take_number(from)?;
    (0..count)
        .map(|_| {
            let length = take_number(from)?;
            let (word, rest) = from.split_at_checked(length).ok_or(io::ErrorKind::InvalidData)?;
            *from = rest;
            Ok(OsStr::from_bytes(word))
        })
        .collect()
}

fn take_number(from: &mut &[u8]) -> io::Result<usize> {
    let (number, rest) = from.split_first_chunk::<8>().ok_or(io::ErrorKind::InvalidData)?;
    *from = rest;
    usize::try_from(u64::from_le_bytes(*number)).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use super::*;

    #[test]
    fn words_arrive_as_they_were_sent() -> io::Result<()> {
        let words = ["git", "", "a b\n", "\u{e9}"].map(OsString::from);
        let mut sent = Vec::new();
        put_all(&mut sent, words.iter().cloned());
        put_all(&mut sent, std::iter::empty());
        let mut rest = sent.as_slice();
        assert_eq!(take_all(&mut rest)?, words.iter().map(OsString::as_os_str).collect::<Vec<_>>());
        assert!(take_all(&mut rest)?.is_empty());
        assert!(take_all(&mut rest).is_err());
        assert!(take_all(&mut &sent[..20]).is_err());
        Ok(())
    }

    #[test]
    fn a_box_that_comes_to_nothing_is_an_error_and_not_waited_for() {
        let (over, is_over) = mpsc::channel();
        thread::spawn(move || over.send(Room::make(&Line::unmakeable(), Vec::new()).is_err()));
        assert_eq!(is_over.recv_timeout(Duration::from_secs(20)), Ok(true));
    }
}
