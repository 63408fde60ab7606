//! Refuses system calls that no build or test needs and that reach around the other fences.

use std::{collections::BTreeMap, io};

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Refused whatever their arguments: other processes' memory, the kernel's own programs and keys, mounts and
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

/// The numbers of the 32-bit-pointer variants of x86-64, which are calls of their own.
#[cfg(target_arch = "x86_64")]
const X32: libc::c_long = 0x4000_0000;

/// Puts the filters on this process and all it will start.
pub(super) fn install(unix_sockets: bool) -> io::Result<()> {
    for program in [refusals(unix_sockets), absences()] {
        let program = program.map_err(io::Error::other)?;
        seccompiler::apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

/// A call whose arguments no filter can see: libraries that find it missing use the older one, which is filtered.
fn absences() -> Result<BpfProgram, seccompiler::BackendError> {
    filter(in_both_numberings(BTreeMap::from([(libc::SYS_clone3, Vec::new())])), libc::ENOSYS)
}

fn refusals(unix_sockets: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        NEVER.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_ioctl, terminal_tricks()?);
    rules.insert(libc::SYS_socket, sockets(unix_sockets)?);
    rules.insert(libc::SYS_clone, vec![new_users()?]);
    filter(in_both_numberings(rules), libc::EPERM)
}

/// The same rules for the other numbers of the same calls, where there are some.
fn in_both_numberings(
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "there is one numbering"))]
    mut rules: BTreeMap<i64, Vec<SeccompRule>>,
) -> BTreeMap<i64, Vec<SeccompRule>> {
    #[cfg(target_arch = "x86_64")]
    for (call, rule) in rules.clone() {
        rules.insert(call + X32, rule);
    }
    rules
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    error: libc::c_int,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let refuse = SeccompAction::Errno(u32::try_from(error).unwrap_or_default());
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, target)?.try_into()
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

/// Matches when these arguments have these values.
fn rule(arguments: &[(u8, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = arguments.iter().map(|(index, value)| {
        SeccompCondition::new(*index, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}
