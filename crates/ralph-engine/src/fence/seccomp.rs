//! Lets the system calls through that builds and tests need, and no other.
//!
//! Two filters: what is not named is missing, so that programs try something else; what reaches around the other
//! fences is refused.

use std::{collections::BTreeMap, io};

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{
    system_calls::{ALLOWED, NEWER, OLDER},
    terms::Fence,
};

/// Refused in so many words, whatever their arguments: other processes' memory, the kernel's own programs and keys, mounts and
/// namespaces, the machine itself.
const NEVER: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

/// Puts the filters on this process and all it will start. Of two refusals the one that came last is told.
pub(super) fn install(fence: &Fence) -> io::Result<()> {
    for program in [needed(), refusals(fence)] {
        let program = program.map_err(io::Error::other)?;
        seccompiler::apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Everything else is missing: newer calls that nobody has looked at, the other numberings of the same calls, and
/// `clone3`, whose arguments no filter can see. Libraries that find one missing use an older one, which is filtered.
fn needed() -> Result<BpfProgram, seccompiler::BackendError> {
    let calls = ALLOWED.iter().chain(NEWER).chain(OLDER).chain(&[libc::SYS_ptrace]);
    let rules = calls.map(|call| (*call, Vec::new())).collect();
    filter(rules, errno(libc::ENOSYS), SeccompAction::Allow)
}

fn refusals(fence: &Fence) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        NEVER.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_ioctl, terminal_tricks()?);
    rules.insert(libc::SYS_socket, sockets(fence.unix_sockets)?);
    // All that can be stopped is in the box: it has its own processes, and the shim cannot be traced.
    rules.insert(libc::SYS_ptrace, vec![all_but_stopping()?]);
    if !fence.unix_sockets {
        rules.insert(libc::SYS_socketpair, pairs()?);
    }
    rules.insert(libc::SYS_clone, vec![new_users()?]);
    filter(rules, SeccompAction::Allow, errno(libc::EPERM))
}

fn errno(number: libc::c_int) -> SeccompAction {
    SeccompAction::Errno(u32::try_from(number).unwrap_or_default())
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    fitting: SeccompAction,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, otherwise, fitting, target)?.try_into()
}

/// Whoever is root in a namespace of its own reaches much more of the kernel.
fn new_users() -> Result<SeccompRule, seccompiler::BackendError> {
    let flag = u64::try_from(libc::CLONE_NEWUSER).unwrap_or_default();
    let condition = SeccompCmpOp::MaskedEq(flag);
    SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Dword, condition, flag)?])
}

/// Typing into the terminal of whoever started us.
fn terminal_tricks() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    const TIOCSTI: u64 = 0x5412;
    const TIOCLINUX: u64 = 0x541c;
    [TIOCSTI, TIOCLINUX].into_iter().map(|request| rule(&[(1, request)])).collect()
}

/// All requests but those that stop a process, look at its registers and let it go on. What reads or writes memory, sets
/// registers or follows what a process does is refused.
fn all_but_stopping() -> Result<SeccompRule, seccompiler::BackendError> {
    const STOPPING: [libc::c_uint; 6] = [
        libc::PTRACE_ATTACH,
        libc::PTRACE_CONT,
        libc::PTRACE_DETACH,
        libc::PTRACE_GETREGS,
        libc::PTRACE_GETREGSET,
        libc::PTRACE_KILL,
    ];
    let is_other = |request: libc::c_uint| {
        SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, request.into())
    };
    SeccompRule::new(STOPPING.into_iter().map(is_other).collect::<Result<_, _>>()?)
}

/// Only the internet's families, and asking the kernel for addresses, which getifaddrs does.
fn sockets(unix_sockets: bool) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    const FAMILIES: u64 = 46;
    const PROTOCOLS: u64 = 23;
    let number = |constant: libc::c_int| u64::try_from(constant).unwrap_or_default();
    let (unix, netlink) = (number(libc::AF_UNIX), number(libc::AF_NETLINK));
    let internet = [number(libc::AF_INET), number(libc::AF_INET6)];
    let mut rules = Vec::new();
    for family in 0..FAMILIES {
        if internet.contains(&family) || (unix_sockets && family == unix) {
            continue;
        }
        if family == netlink {
            for protocol in 1..PROTOCOLS {
                rules.push(rule(&[(0, netlink), (2, protocol)])?);
            }
            continue;
        }
        rules.push(rule(&[(0, family)])?);
    }
    Ok(rules)
}

/// A pair is as good as a socket if either end can still speak to others: one for datagrams takes an address with every
/// message. For Unix sockets the kernel makes a raw one the same. Streams and packets in order have their one partner.
fn pairs() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    /// The flags of a socket are above it.
    const KIND: u64 = 0xf;
    let number = |constant: libc::c_int| u64::try_from(constant).unwrap_or_default();
    let dword = || SeccompCmpArgLen::Dword;
    let is_other = SeccompCondition::new(0, dword(), SeccompCmpOp::Ne, number(libc::AF_UNIX))?;
    let mut rules = vec![SeccompRule::new(vec![is_other])?];
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        let is_kind =
            SeccompCondition::new(1, dword(), SeccompCmpOp::MaskedEq(KIND), number(kind))?;
        rules.push(SeccompRule::new(vec![is_kind])?);
    }
    Ok(rules)
}

/// Matches when these arguments have these values.
fn rule(arguments: &[(u8, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = arguments.iter().map(|(index, value)| {
        SeccompCondition::new(*index, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}
