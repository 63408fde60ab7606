//! Devices: the ones that are there, and ones that are made.

use std::{fs::OpenOptions, path::Path};

use nix::sys::stat::{Mode, SFlag, makedev, mknod};

use super::{
    Alone::{self, Depends, WorksAsRoot},
    Attempt, Proof, Tried, World,
};

const fn attempt(
    name: &'static str,
    with: &'static str,
    alone: Alone,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "devices", with, proof: Proof::Word, alone, call: 1, act }
}

const MACHINE: Alone = Depends("the machine's devices");

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("make-disk", "b 8 0", WorksAsRoot, make),
    attempt("make-memory", "c 1 1", WorksAsRoot, make),
    attempt("make-kernel-log", "c 1 11", WorksAsRoot, make),
    attempt("open-disk", "sda vda xvda nvme0n1 dm-0 loop0", MACHINE, open_any),
    attempt("open-memory", "mem", MACHINE, open_any),
    attempt("open-kernel-log", "kmsg", MACHINE, open_any),
    attempt("open-virtual-machines", "kvm", MACHINE, open_any),
    attempt("open-filesystem-device", "fuse", MACHINE, open_any),
    attempt("open-network-device", "net/tun", MACHINE, open_any),
    attempt("open-loop-control", "loop-control", MACHINE, open_any),
    attempt("open-console", "console tty0 tty1 ttyS0", MACHINE, open_any),
    attempt("open-graphics", "dri/card0 dri/renderD128 fb0", MACHINE, open_any),
    attempt("open-input", "input/event0 uinput", MACHINE, open_any),
];

fn make(world: &World, attempt: &Attempt) -> Tried {
    let mut words = attempt.with.split(' ');
    let kind = if words.next() == Some("b") { SFlag::S_IFBLK } else { SFlag::S_IFCHR };
    let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let path = world.own("device");
    let made = mknod(&path, kind, Mode::from_bits_truncate(0o600), makedev(number(), number()));
    let _ = std::fs::remove_file(&path);
    Tried::of(made)
}

fn open_any(_world: &World, attempt: &Attempt) -> Tried {
    let mut last = Tried::Refused("not there".into());
    for name in attempt.with.split(' ') {
        let path = Path::new("/dev").join(name);
        if path.exists() {
            last = Tried::of(OpenOptions::new().read(true).open(path));
        }
        if matches!(last, Tried::Reached(_)) {
            break;
        }
    }
    last
}
