//! Files that would be deleted or written where the work has no business.

use super::targets::{deleted, written};
use crate::{
    call::{Call, one_of},
    frame::Frame,
    marks,
    paths::{self, Zone},
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    if call.is_rehearsal() {
        return None;
    }
    let (deleted, written) = (deleted(call), written(call));
    let zones = |paths: &[String]| paths.iter().map(|path| frame.zone(path)).collect::<Vec<_>>();
    let (lost, changed) = (zones(&deleted), zones(&written));
    let touches = |zone: Zone| lost.contains(&zone) || changed.contains(&zone);
    let is_unknown = !call.is("mv rmdir") && lost.contains(&Zone::Unknown);
    let starts_editor =
        |path: &String| path.ends_with(".vscode/tasks.json") || path.ends_with(".idea/startup.xml");
    if touches(Zone::Git) {
        Some("git-internals")
    } else if touches(Zone::Guarded) && !call.is("mkdir") {
        Some("guard-state")
    } else if lost.iter().any(|zone| is_off_limits(*zone) || *zone == Zone::Worktree)
        || deleted.iter().any(|path| path == marks::CHANGED)
    {
        Some("delete-outside")
    } else if is_unknown {
        Some("delete-unknown")
    } else if changed.contains(&Zone::Device) || puts_on_disk(call) {
        Some("write-device")
    } else if written.iter().any(|path| is_written_outside(call, path, frame)) {
        Some("write-outside")
    } else if written.iter().any(starts_editor) {
        Some("editor-start")
    } else {
        fills(call, frame).then_some("fill-disk")
    }
}

fn is_off_limits(zone: Zone) -> bool {
    matches!(zone, Zone::Outside | Zone::Device | Zone::Cache)
}

fn is_written_outside(call: &Call, path: &str, frame: &Frame) -> bool {
    if path.contains(':') && call.is("rsync scp") {
        return false;
    }
    let is_temporary = || frame.resolve(path).is_some_and(|full| paths::is_temporary(&full));
    frame.zone(path) == Zone::Outside && !call.is("mkdir touch") && !is_temporary()
}

/// Programs that only look at a disk, or say its name.
const LOOKERS: &str = "ls stat file lsblk blkid df du smartctl udevadm findmnt test [ echo printf grep rg fdisk \
    parted sfdisk hdparm nvme dumpe2fs realpath readlink git gh lvdisplay man cryptsetup";

/// Whether a disk is the last argument of a program, or where an option sends its output.
fn puts_on_disk(call: &Call) -> bool {
    let kinds =
        ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "mapper/", "md"];
    let is_disk = |path: &str| {
        let device = path.strip_prefix("/dev/");
        device.is_some_and(|rest| kinds.iter().any(|kind| rest.starts_with(kind)))
    };
    let outputs = call.values("-o -O --output --out --overwrite --target");
    let last = call.args.last().filter(|_| !call.is(LOOKERS)).map(String::as_str);
    outputs.chain(last).any(is_disk)
}

fn fills(call: &Call, frame: &Frame) -> bool {
    let is_endless = |path: &str| one_of("/dev/zero /dev/urandom /dev/random", path);
    let reads_endless = call.args.iter().any(|arg| is_endless(arg.trim_start_matches("if=")));
    let to_file = call.written().any(|path| frame.zone(path) != Zone::Sink);
    match call.name.as_str() {
        "yes" => to_file,
        "cat" | "tee" => reads_endless && to_file,
        "cp" => reads_endless,
        "dd" => reads_endless && call.line().contains(" of=") && !is_bounded(call),
        "head" => to_file && reads_endless && call.value("-c --bytes").is_some_and(is_huge),
        "fallocate" | "truncate" => call.value("-l --length -s --size").is_some_and(is_huge),
        _ => false,
    }
}

/// Whether `dd` copies a number of blocks that a disk has room for.
fn is_bounded(call: &Call) -> bool {
    let value = |name: &str| call.args.iter().find_map(|arg| arg.strip_prefix(name));
    let count = value("count=").unwrap_or("T");
    let unit = value("bs=").unwrap_or("512");
    let is_large = unit.ends_with(['M', 'G']) && count.len() > 4;
    !is_large && !is_huge(count) && !is_huge(unit)
}

/// Whether a size has so many digits or such a unit that it is hundreds of gigabytes.
fn is_huge(size: &str) -> bool {
    let unit = size.trim_end_matches(['B', 'i']).chars().last().unwrap_or_default();
    let digits = size.chars().filter(char::is_ascii_digit).count();
    ['T', 'P', 'E'].contains(&unit) || unit == 'G' && digits > 2 || digits > 11
}
