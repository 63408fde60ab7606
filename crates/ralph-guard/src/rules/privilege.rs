//! More rights than the agent has: other users, the kernel, other processes' memory.

use super::{
    super::{call::Call, marks::PARENT, walk::Frame},
    Rule,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "other-user",
        reason: "it runs something as another user",
        instead: "do it as the user you are, or name it to a person as needed",
        check: other_user,
        denies: &["sudo ls", "su -c id root", "doas sh", "pkexec bash", "echo pw | sudo -S id"],
        allows: &["sudo --version", "sudo -V", "id", "grep sudo docs/a.md"],
    },
    Rule {
        name: "kernel",
        reason: "it changes mounts, namespaces, the kernel or its settings",
        instead: "do without: work on files inside the worktree",
        check: kernel,
        denies: &[
            "mount -o remount,rw /",
            "umount x",
            "nsenter -t 1 sh",
            "chroot / sh",
            "modprobe x",
            "sysctl -w a=1",
            "unshare -r sh",
        ],
        allows: &["mount", "capsh --print", "sysctl kernel.pid_max", "findmnt"],
    },
    Rule {
        name: "accounts",
        reason: "it changes users, groups or passwords of the machine",
        instead: "leave accounts to a person",
        check: accounts,
        denies: &["useradd x", "usermod -aG docker me", "passwd root", "visudo"],
        allows: &["groups", "whoami"],
    },
    Rule {
        name: "attach",
        reason: "it attaches to a process that is not its own",
        instead: "debug a program that you start yourself",
        check: attach,
        denies: &["strace -p 1", "gdb -p 42", "gcore 42", "gdb attach 42"],
        allows: &["strace -f ./a.out", "gdb --batch -ex run ./a.out"],
    },
];

fn other_user(call: &Call, _: &Frame) -> bool {
    match call.name.as_str() {
        "sudo" | "doas" | "sudoedit" => {
            !call.args.iter().all(|arg| ["-V", "--version", "-h", "--help"].contains(&arg.as_str()))
                || call.args.is_empty()
        }
        "su" | "pkexec" | "runuser" | "gosu" | "setpriv" | "su-exec" | "newgrp" | "sg"
        | "machinectl" | "run0" => !call.is_rehearsal(),
        "osascript" => call.line().contains("administrator privileges"),
        "runas" | "gsudo" => true,
        _ => false,
    }
}

fn kernel(call: &Call, _: &Frame) -> bool {
    match call.name.as_str() {
        "mount" => !call.args.is_empty() && !call.has_word(&["-l", "--version", "-V", "--help"]),
        "umount" | "nsenter" | "chroot" | "unshare" | "modprobe" | "insmod" | "rmmod" | "kexec"
        | "swapoff" | "swapon" | "pivot_root" | "losetup" | "bpftool" | "keyctl" | "setenforce"
        | "aa-teardown" | "apparmor_parser" | "bwrap" | "fusermount" | "debugfs" => {
            !call.is_rehearsal() && !call.args.is_empty()
        }
        "capsh" => {
            !call.args.iter().all(|arg| ["--print", "--current", "--help"].contains(&arg.as_str()))
        }
        "sysctl" => {
            call.has(&["-w", "--write", "-p", "--system"])
                || call.args.iter().any(|arg| arg.contains('='))
        }
        "ip" => call.has_word(&["netns"]) && call.has_word(&["exec", "add", "del"]),
        _ => false,
    }
}

fn accounts(call: &Call, _: &Frame) -> bool {
    call.is(&[
        "useradd",
        "adduser",
        "usermod",
        "userdel",
        "deluser",
        "groupadd",
        "groupmod",
        "groupdel",
        "gpasswd",
        "passwd",
        "chpasswd",
        "visudo",
        "vipw",
        "chsh",
        "chfn",
        "dseditgroup",
        "sysadminctl",
        "addgroup",
    ]) && !call.is_rehearsal()
}

fn attach(call: &Call, _: &Frame) -> bool {
    match call.name.as_str() {
        "strace" | "ltrace" | "gdb" | "lldb" | "perf" | "rbspy" | "py-spy" | "dtruss" => {
            call.has_word(&["-p", "--pid", "attach"])
                || call.args.iter().any(|arg| {
                    arg.starts_with("-p") && arg.len() > 2 && !arg.contains("print")
                        || arg.contains(PARENT)
                })
        }
        "gcore" | "reptyr" | "jmap" => !call.args.is_empty(),
        _ => false,
    }
}
