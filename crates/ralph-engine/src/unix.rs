//! The only unsafe code of the engine: what std and nix cannot express safely. Each function is as
//! small as its system call; none decides anything.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
    os::unix::process::CommandExt,
    process::Command,
};

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};

/// Starts `command` in a session of its own and with these descriptors open under their numbers, and no others.
pub(crate) fn start_apart_with(command: &mut Command, fds: Vec<OwnedFd>) {
    let prepare = move || {
        // A session of its own keeps a terminal's Ctrl-C away from the shim and the agent.
        nix::unistd::setsid()?;
        close_on_exec();
        for fd in &fds {
            fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure only makes the async-signal-safe calls setsid,
    // close_range and fcntl; it neither allocates nor takes a lock, and an `Errno` converts without
    // allocating.
    #[expect(unsafe_code, reason = "pre_exec is the only race-free way to hand over descriptors")]
    unsafe {
        command.pre_exec(prepare);
    }
}

/// Closes every descriptor but the standard streams in whatever this process starts. Allocates nothing.
pub(crate) fn close_on_exec() {
    /// Looked at one by one where the kernel cannot do all at once; nobody hands over more.
    const FEW: RawFd = 4096;
    #[cfg(target_os = "linux")]
    {
        use nix::libc;
        const REST: libc::c_uint = libc::c_uint::MAX;
        const FIRST: libc::c_uint = 3;
        // SAFETY: the call only marks descriptors of this process; it reads and writes no memory.
        #[expect(unsafe_code, reason = "no safe wrapper marks a range of descriptors")]
        let done =
            unsafe { libc::syscall(libc::SYS_close_range, FIRST, REST, libc::CLOSE_RANGE_CLOEXEC) };
        if done == 0 {
            return;
        }
    }
    for number in 3..FEW {
        // SAFETY: borrowed for the length of one fcntl, which fails harmlessly where nothing is open.
        #[expect(unsafe_code, reason = "inherited descriptors have numbers and no owners")]
        let fd = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC));
    }
}

/// Whether somebody has a file open to write, where the kernel can tell: it leases no such file for reading.
pub(crate) fn has_writer(file: &std::fs::File) -> bool {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;

        use nix::{errno::Errno, libc};
        // SAFETY: the call takes an open descriptor and two numbers; the lease ends when the descriptor is closed.
        #[expect(unsafe_code, reason = "no safe wrapper asks for a lease")]
        let lent = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) };
        lent != 0 && Errno::last() == Errno::EAGAIN
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        false
    }
}

/// For a pipe's end: reading and writing take what there is and never wait.
pub(super) fn set_nonblocking(fd: impl AsFd) -> io::Result<()> {
    fcntl(fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok(())
}

/// Takes over a descriptor that ralph passed by number, and keeps it from the agent.
pub(crate) fn adopt(number: RawFd) -> io::Result<OwnedFd> {
    if number <= 2 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    // SAFETY: the number comes from the process that started this shim with exactly this
    // descriptor open for it; nothing else in this process knows or owns it. Whether it is open at
    // all is checked by the next call.
    #[expect(unsafe_code, reason = "a descriptor that was inherited by number has no owner yet")]
    let fd = unsafe { OwnedFd::from_raw_fd(number) };
    match fcntl(&fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)) {
        Ok(_) => Ok(fd),
        Err(errno) => {
            // Not open: closing it would be an error of its own.
            std::mem::forget(fd);
            Err(errno.into())
        }
    }
}

/// Like fork, with the child in new namespaces. `None` in the child.
#[cfg(target_os = "linux")]
pub(super) fn fork_into(
    namespaces: nix::sched::CloneFlags,
) -> nix::Result<Option<nix::unistd::Pid>> {
    use nix::libc;

    let flags = libc::c_long::from(namespaces.bits() | libc::SIGCHLD);
    // SAFETY: without CLONE_VM and with a null stack the child continues on its own copy of this
    // stack, exactly as after fork. The shim has one thread, so no lock can be held by another.
    #[expect(unsafe_code, reason = "no safe wrapper forks into new namespaces")]
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match nix::errno::Errno::result(pid)? {
        0 => Ok(None),
        pid => Ok(i32::try_from(pid).ok().map(nix::unistd::Pid::from_raw)),
    }
}

/// Makes the mount whose root this descriptor is, and the mounts below it, read-only for whoever sees them here.
#[cfg(target_os = "linux")]
pub(crate) fn make_readonly(root: &OwnedFd) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use nix::libc;

    /// As the kernel reads it: what to set, what to clear, propagation, a user namespace.
    #[repr(C)]
    struct Change {
        set: u64,
        clear: u64,
        propagation: u64,
        namespace: u64,
    }
    const READONLY: u64 = 1;
    let change = Change { set: READONLY, clear: 0, propagation: 0, namespace: 0 };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    // SAFETY: the path is empty and ends with its NUL, the structure is as long as is said, and both
    // outlive the call, which writes to neither.
    #[expect(unsafe_code, reason = "no safe wrapper changes a mount by descriptor")]
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            root.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const change,
            size_of::<Change>(),
        )
    };
    nix::errno::Errno::result(done)?;
    Ok(())
}
