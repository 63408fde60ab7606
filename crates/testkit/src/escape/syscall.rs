//! System calls that no safe wrapper makes. Each is made only to see whether the kernel takes it, with arguments
//! that do no harm where it does.

use std::{
    ffi::CString,
    fs::File,
    io,
    os::{
        fd::{AsRawFd as _, FromRawFd as _, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::Path,
};

use nix::libc::{self, c_long};

/// An argument: a number, or the place of bytes that outlive the call.
enum Argument<'a> {
    Number(u64),
    Bytes(&'a mut [u8]),
}

use Argument::{Bytes, Number};

fn call<const N: usize>(number: c_long, arguments: [Argument<'_>; N]) -> io::Result<c_long> {
    let mut words = [0_u64; 6];
    for (word, argument) in words.iter_mut().zip(arguments) {
        *word = match argument {
            Number(number) => number,
            Bytes(bytes) => bytes.as_mut_ptr() as u64,
        };
    }
    let [first, second, third, fourth, fifth, sixth] = words;
    // SAFETY: every pointer among the words is that of a slice which is borrowed until the call returns, and each
    // caller below passes slices at least as long as what its call reads or writes.
    #[expect(unsafe_code, reason = "these calls have no safe wrapper")]
    let result = unsafe { libc::syscall(number, first, second, third, fourth, fifth, sixth) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// The same for calls that give a descriptor, which is closed when it is dropped.
fn open<const N: usize>(number: c_long, arguments: [Argument<'_>; N]) -> io::Result<OwnedFd> {
    let fd = call(number, arguments)?;
    let fd = i32::try_from(fd).map_err(io::Error::other)?;
    // SAFETY: the kernel just made this descriptor for this process, and nothing else knows it.
    #[expect(unsafe_code, reason = "a descriptor from a raw call has no owner yet")]
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn text(text: impl AsRef<[u8]>) -> io::Result<Vec<u8>> {
    Ok(CString::new(text.as_ref())?.into_bytes_with_nul())
}

/// `-1` as these calls take it.
const NONE: u64 = u64::MAX;

pub(super) fn set_attribute(path: &Path, value: &str) -> io::Result<()> {
    let (mut path, mut name) = (text(path.as_os_str().as_bytes())?, text("user.planted")?);
    let (mut value, length) = (text(value)?, value.len() as u64);
    let arguments =
        [Bytes(&mut path), Bytes(&mut name), Bytes(&mut value), Number(length), Number(0)];
    call(libc::SYS_setxattr, arguments).map(drop)
}

/// Opens a file to write by its handle, through the mount of another.
pub(super) fn open_by_handle(mount: &Path, file: &Path) -> io::Result<File> {
    let mut path = text(file.as_os_str().as_bytes())?;
    let mut handle = [0_u8; 8 + 128];
    handle[..4].copy_from_slice(&128_u32.to_ne_bytes());
    let mut mount_id = [0_u8; 8];
    let at = Number(libc::AT_FDCWD.cast_unsigned().into());
    let named = [at, Bytes(&mut path), Bytes(&mut handle), Bytes(&mut mount_id), Number(0)];
    call(libc::SYS_name_to_handle_at, named)?;
    let mount = File::open(mount)?;
    let fd = Number(u64::from(mount.as_raw_fd().cast_unsigned()));
    let flags = Number(u64::from(libc::O_WRONLY.cast_unsigned()));
    open(libc::SYS_open_by_handle_at, [fd, Bytes(&mut handle), flags]).map(File::from)
}

/// Takes a copy of another process's descriptor.
pub(super) fn take_descriptor(process: i32, number: u64) -> io::Result<OwnedFd> {
    let process = open(libc::SYS_pidfd_open, [Number(pid(process)), Number(0)])?;
    let fd = u64::from(process.as_raw_fd().cast_unsigned());
    open(libc::SYS_pidfd_getfd, [Number(fd), Number(number), Number(0)])
}

fn pid(process: i32) -> u64 {
    u64::from(process.cast_unsigned())
}

pub(super) fn read_limits_of(process: i32) -> io::Result<()> {
    let mut limits = [0_u8; 16];
    let resource = Number(u64::from(libc::RLIMIT_NOFILE));
    let arguments = [Number(pid(process)), resource, Number(0), Bytes(&mut limits)];
    call(libc::SYS_prlimit64, arguments).map(drop)
}

/// Sets the priority of a process to what it is.
pub(super) fn same_priority(process: i32) -> io::Result<()> {
    // The kernel gives twenty less the priority.
    let priority = 20 - call(libc::SYS_getpriority, [Number(0), Number(pid(process))])?;
    let arguments = [Number(0), Number(pid(process)), Number(priority.cast_unsigned())];
    call(libc::SYS_setpriority, arguments).map(drop)
}

pub(super) fn open_filesystem(name: &str) -> io::Result<OwnedFd> {
    open(libc::SYS_fsopen, [Bytes(&mut text(name)?), Number(0)])
}

pub(super) fn clone3_user_namespace() -> io::Result<()> {
    let mut arguments = [0_u8; 64];
    arguments[..8].copy_from_slice(&u64::from(libc::CLONE_NEWUSER.cast_unsigned()).to_ne_bytes());
    arguments[32..40].copy_from_slice(&u64::from(libc::SIGCHLD.cast_unsigned()).to_ne_bytes());
    // Without a stack of its own the child goes on as after fork; it has nothing to do.
    if call(libc::SYS_clone3, [Bytes(&mut arguments), Number(64)])? == 0 {
        call(libc::SYS_exit_group, [Number(0)])?;
    }
    Ok(())
}

pub(super) fn io_uring() -> io::Result<OwnedFd> {
    open(libc::SYS_io_uring_setup, [Number(4), Bytes(&mut [0; 120])])
}

pub(super) fn add_key(name: &str) -> io::Result<()> {
    let (mut kind, mut name, mut payload) = (text("user")?, text(name)?, *b"planted");
    // The keyring of the process alone.
    let ring = Number((-2_i64).cast_unsigned());
    let arguments = [Bytes(&mut kind), Bytes(&mut name), Bytes(&mut payload), Number(7), ring];
    call(libc::SYS_add_key, arguments).map(drop)
}

pub(super) fn join_session_keyring() -> io::Result<()> {
    call(libc::SYS_keyctl, [Number(1), Number(0)]).map(drop)
}

/// An array of one element.
pub(super) fn bpf_map() -> io::Result<OwnedFd> {
    let mut attributes = [0_u8; 128];
    for (place, value) in [2_u32, 4, 4, 1].into_iter().enumerate() {
        attributes[place * 4..place * 4 + 4].copy_from_slice(&value.to_ne_bytes());
    }
    open(libc::SYS_bpf, [Number(0), Bytes(&mut attributes), Number(16)])
}

/// Counts this process's own instructions.
pub(super) fn perf_event() -> io::Result<OwnedFd> {
    let mut attributes = [0_u8; 128];
    // A counter of the system's own (type 1), of this size, of task clock (1), that does not look into the kernel.
    attributes[..4].copy_from_slice(&1_u32.to_ne_bytes());
    attributes[4..8].copy_from_slice(&112_u32.to_ne_bytes());
    attributes[8..16].copy_from_slice(&1_u64.to_ne_bytes());
    attributes[40..48].copy_from_slice(&0b110_0000_u64.to_ne_bytes());
    let whom = [Bytes(&mut attributes), Number(0), Number(NONE), Number(NONE), Number(0)];
    open(libc::SYS_perf_event_open, whom)
}

/// One that sees faults of user space only, which needs no privilege.
pub(super) fn userfaultfd() -> io::Result<OwnedFd> {
    open(libc::SYS_userfaultfd, [Number(1)])
}

pub(super) fn fanotify() -> io::Result<OwnedFd> {
    open(libc::SYS_fanotify_init, [Number(0), Number(0)])
}

/// The last words of the kernel.
pub(super) fn kernel_log() -> io::Result<()> {
    let mut buffer = [0_u8; 256];
    call(libc::SYS_syslog, [Number(3), Bytes(&mut buffer), Number(256)]).map(drop)
}

/// No module at all: whoever may load one is told so by another error.
pub(super) fn load_module() -> io::Result<()> {
    let done = call(libc::SYS_init_module, [Bytes(&mut [0; 64]), Number(64), Bytes(&mut [0])]);
    match done {
        Err(error) if error.raw_os_error() == Some(libc::ENOEXEC) => Ok(()),
        other => other.map(drop),
    }
}

pub(super) fn io_privilege() -> io::Result<()> {
    #[cfg(target_arch = "x86_64")]
    return call(libc::SYS_iopl, [Number(3)]).map(drop);
    #[cfg(not(target_arch = "x86_64"))]
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Types a letter into a terminal of its own, as if somebody had.
pub(super) fn push_input() -> io::Result<()> {
    let terminal = nix::pty::openpty(None, None)?;
    nix::unistd::setsid()?;
    let fd = || Number(u64::from(terminal.slave.as_raw_fd().cast_unsigned()));
    call(libc::SYS_ioctl, [fd(), Number(libc::TIOCSCTTY), Number(0)])?;
    call(libc::SYS_ioctl, [fd(), Number(libc::TIOCSTI), Bytes(&mut [b'x'])]).map(drop)
}
