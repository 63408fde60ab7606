//! Doors of the kernel: namespaces, mounts, tracing interfaces, keys, privileges, and the files behind them.

use std::{
    fs::{self, OpenOptions},
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    process::Command,
};

use nix::{
    mount::{MntFlags, MsFlags, mount, umount2},
    sched::{CloneFlags, setns, unshare},
    unistd::{chroot, pivot_root, sethostname},
};

use super::{
    Alone::{self, Depends, Works, WorksAsRoot},
    Attempt, Proof, Tried, World, syscall,
};

const fn attempt(
    name: &'static str,
    with: &'static str,
    alone: Alone,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "kernel", with, proof: Proof::Word, alone, call: 1, act }
}

const KERNEL: Alone = Depends("the kernel's settings");

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("user-namespace", "", Works, user_namespace),
    attempt("user-namespace-by-clone3", "", Works, clone3),
    attempt("user-namespace-and-mount", "", Works, namespace_and_mount),
    attempt("mount-namespace", "", WorksAsRoot, mount_namespace),
    attempt("join-namespace-of-ralph", "/proc/{ralph}/ns/mnt", WorksAsRoot, join),
    attempt("join-network-of-ralph", "/proc/{ralph}/ns/net", WorksAsRoot, join),
    attempt("join-user-namespace-of-ralph", "/proc/{ralph}/ns/user", KERNEL, join),
    attempt("mount-tmpfs", "", WorksAsRoot, mount_tmpfs),
    attempt("mount-writable-again", "{outside}", WorksAsRoot, remount),
    attempt("unmount-protection", "{work}/.git", Depends("a mount to take away"), unmount),
    attempt("new-mount-calls", "tmpfs", WorksAsRoot, fsopen),
    attempt("change-root", "{folder}", WorksAsRoot, change_root),
    attempt("pivot-root", "", WorksAsRoot, pivot),
    attempt("host-name", "", WorksAsRoot, host_name),
    attempt("setuid-program", "{folder}/setuid-id", Works, setuid_program),
    attempt("setuid-made-inside", "{work}/escape/setuid-id", WorksAsRoot, own_setuid),
    attempt("sudo", "sudo", Depends("a sudo that asks nothing"), sudo),
    attempt("io-uring", "", KERNEL, |_, _| Tried::of(syscall::io_uring())),
    attempt("key-ring", "", KERNEL, |_, a| Tried::of(syscall::add_key(&a.token()))),
    attempt("key-ring-of-session", "", KERNEL, |_, _| Tried::of(syscall::join_session_keyring())),
    attempt("bpf", "", WorksAsRoot, |_, _| Tried::of(syscall::bpf_map())),
    attempt("perf-events", "", KERNEL, |_, _| Tried::of(syscall::perf_event())),
    attempt("userfaultfd", "", KERNEL, |_, _| Tried::of(syscall::userfaultfd())),
    attempt("fanotify", "", WorksAsRoot, |_, _| Tried::of(syscall::fanotify())),
    attempt("kernel-log", "", KERNEL, |_, _| Tried::of(syscall::kernel_log())),
    attempt("kernel-module", "", KERNEL, |_, _| Tried::of(syscall::load_module())),
    attempt("io-privilege", "", KERNEL, |_, _| Tried::of(syscall::io_privilege())),
    attempt("input-of-terminal", "", KERNEL, |_, _| Tried::of(syscall::push_input())),
    attempt("core-pattern", "/proc/sys/kernel/core_pattern", WorksAsRoot, open_to_write),
    attempt("magic-keys", "/proc/sysrq-trigger", KERNEL, open_to_write),
    attempt("module-loader-path", "/proc/sys/kernel/modprobe", KERNEL, open_to_write),
    attempt("event-helper", "/sys/kernel/uevent_helper", KERNEL, open_to_write),
    attempt("binary-formats", "/proc/sys/fs/binfmt_misc/register", KERNEL, open_to_write),
    attempt("memory-of-kernel", "/proc/kcore", KERNEL, open_to_read),
    attempt("control-groups", "/sys/fs/cgroup/ralph-escape", KERNEL, control_group),
    attempt("control-group-of-ralph", "/sys/fs/cgroup/cgroup.procs", KERNEL, open_to_write),
    attempt("loopback-settings", "/proc/sys/net/ipv4/ip_forward", KERNEL, open_to_write),
    attempt("out-of-memory-score", "/proc/{ralph}/oom_score_adj", Works, open_to_write),
];

fn user_namespace(_world: &World, _attempt: &Attempt) -> Tried {
    Tried::of(unshare(CloneFlags::CLONE_NEWUSER))
}

fn clone3(_world: &World, _attempt: &Attempt) -> Tried {
    Tried::of(syscall::clone3_user_namespace())
}

fn namespace_and_mount(world: &World, _attempt: &Attempt) -> Tried {
    let place = world.own("mounted");
    let _ = fs::create_dir_all(&place);
    let done = unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)
        .and_then(|()| mount(Some("x"), &place, Some("tmpfs"), MsFlags::empty(), None::<&str>));
    Tried::of(done)
}

fn mount_namespace(_world: &World, _attempt: &Attempt) -> Tried {
    Tried::of(unshare(CloneFlags::CLONE_NEWNS))
}

fn join(world: &World, attempt: &Attempt) -> Tried {
    let opened = fs::File::open(world.expand(attempt.with));
    Tried::of(opened.and_then(|file| Ok(setns(file, CloneFlags::empty())?)))
}

fn mount_tmpfs(world: &World, _attempt: &Attempt) -> Tried {
    let place = world.own("mounted");
    let _ = fs::create_dir_all(&place);
    let done = mount(Some("x"), &place, Some("tmpfs"), MsFlags::empty(), None::<&str>);
    let _ = umount2(&place, MntFlags::MNT_DETACH);
    Tried::of(done)
}

fn remount(world: &World, attempt: &Attempt) -> Tried {
    let (from, place) = (world.expand(attempt.with), world.own("mounted"));
    let _ = fs::create_dir_all(&place);
    let done = mount(Some(&from), &place, None::<&str>, MsFlags::MS_BIND, None::<&str>);
    let done = done.and_then(|()| {
        let again = MsFlags::MS_REMOUNT | MsFlags::MS_BIND;
        mount(None::<&str>, &place, None::<&str>, again, None::<&str>)
    });
    let _ = umount2(&place, MntFlags::MNT_DETACH);
    Tried::of(done)
}

fn unmount(world: &World, attempt: &Attempt) -> Tried {
    Tried::of(umount2(&world.expand(attempt.with), MntFlags::MNT_DETACH))
}

fn fsopen(_world: &World, attempt: &Attempt) -> Tried {
    Tried::of(syscall::open_filesystem(attempt.with))
}

fn change_root(world: &World, attempt: &Attempt) -> Tried {
    Tried::of(chroot(&world.expand(attempt.with)))
}

fn pivot(world: &World, _attempt: &Attempt) -> Tried {
    let place = world.own("pivot");
    let _ = fs::create_dir_all(&place);
    let done = unshare(CloneFlags::CLONE_NEWNS).and_then(|()| {
        let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
        mount(None::<&str>, "/", None::<&str>, private, None::<&str>)?;
        mount(Some("x"), &place, Some("tmpfs"), MsFlags::empty(), None::<&str>)?;
        let old = place.join("old");
        fs::create_dir(&old).map_err(|_| nix::errno::Errno::EIO)?;
        pivot_root(&place, &old)
    });
    Tried::of(done)
}

/// The same name again: whoever may do that may set any.
fn host_name(_world: &World, _attempt: &Attempt) -> Tried {
    let name = nix::unistd::gethostname().unwrap_or_default();
    Tried::of(sethostname(name))
}

/// A program of another user's that takes on their identity when it is run.
fn setuid_program(world: &World, attempt: &Attempt) -> Tried {
    identity_of(&mut Command::new(world.expand(attempt.with)))
}

/// A program of one's own that is handed to whoever runs it outside: run here by another user, if one can become one.
fn own_setuid(world: &World, attempt: &Attempt) -> Tried {
    let path = world.expand(attempt.with);
    let made = fs::copy("/usr/bin/id", &path)
        .and_then(|_| fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)));
    if let Err(error) = made {
        return Tried::Untried(error.to_string());
    }
    let tried = identity_of(Command::new(&path).uid(12_345));
    let _ = fs::remove_file(&path);
    tried
}

/// Whether `id` says that it acts as somebody else.
fn identity_of(command: &mut Command) -> Tried {
    match command.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            if said.contains("euid=") { Tried::Reached(said) } else { Tried::Refused(said) }
        }
        Err(error) => Tried::Refused(error.to_string()),
    }
}

fn sudo(_world: &World, attempt: &Attempt) -> Tried {
    if nix::unistd::Uid::current().is_root() {
        return Tried::Untried("root needs none".into());
    }
    match Command::new(attempt.with).args(["-n", "true"]).status() {
        Ok(status) if status.success() => Tried::Reached(String::new()),
        Ok(status) => Tried::Refused(status.to_string()),
        Err(error) => Tried::Untried(error.to_string()),
    }
}

/// Nothing is written: that it opens is enough.
fn open_to_write(world: &World, attempt: &Attempt) -> Tried {
    opened(OpenOptions::new().write(true), world, attempt)
}

fn open_to_read(world: &World, attempt: &Attempt) -> Tried {
    opened(OpenOptions::new().read(true), world, attempt)
}

/// Opens what the attempt names.
fn opened(options: &OpenOptions, world: &World, attempt: &Attempt) -> Tried {
    Tried::of(options.open(world.expand(attempt.with)))
}

fn control_group(world: &World, attempt: &Attempt) -> Tried {
    let folder = world.expand(attempt.with);
    let made = fs::create_dir(&folder);
    let _ = fs::remove_dir(&folder);
    Tried::of(made)
}
