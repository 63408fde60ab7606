//! Files that would be deleted or written where the work has no business.

use super::{
    super::{call::Call, paths::Zone, walk::Frame},
    Rule,
    targets::{deleted, written},
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "git-internals",
        reason: "it changes git's own files, which git on the user's machine obeys",
        instead: "use git's commands; leave .git alone",
        check: git_internals,
        denies: &[
            "cp x .git/hooks/pre-commit",
            "echo a >> .git/config",
            "rm -rf .git",
            "rm -rf sub/.git",
        ],
        allows: &["cat .git/config", "rm -rf .github/old", "touch .gitignore"],
    },
    Rule {
        name: "guard-state",
        reason: "it changes state or settings by which ralph or the agent is controlled",
        instead: "work on the task; claims and notes go into the answer",
        check: guarded,
        denies: &["rm .ralph-active", "echo '{}' > .claude/settings.json", "rm -rf .ralph"],
        allows: &["cat .claude/settings.json", "ls .ralph", "echo x >> notes.md"],
    },
    Rule {
        name: "delete-outside",
        reason: "it deletes or moves away files outside the worktree, or the whole worktree",
        instead: "delete single paths inside the worktree or below /tmp, by name",
        check: delete_outside,
        denies: &[
            "rm -rf ~",
            "rm -rf /",
            "rm -rf ../x",
            "rm -rf *",
            "cd .. && rm -rf y",
            "find . -delete",
            "mv /etc/passwd /tmp/",
            "rm -rf /tmp",
        ],
        allows: &[
            "rm -rf target",
            "rm -rf /tmp/mine",
            "rm *.log",
            "find . -name '*.pyc' -delete",
            "mv a b",
        ],
    },
    Rule {
        name: "delete-unknown",
        reason: "it deletes something whose path cannot be known beforehand",
        instead: "write the paths out, or keep them below a directory that is written out",
        check: delete_unknown,
        denies: &["rm -rf \"$UNSET\"", "rm -rf $X/build", "cat list | xargs rm -rf"],
        allows: &["rm -rf build/$X", "D=$(mktemp -d); rm -rf \"$D\"", "git ls-files -o | xargs rm"],
    },
    Rule {
        name: "write-device",
        reason: "it writes to a device",
        instead: "write to a file inside the worktree",
        check: device,
        denies: &[
            "dd if=x of=/dev/sda",
            "echo x > /dev/sdb",
            "mkfs.ext4 /dev/sda1",
            "wipefs -a /dev/sda",
        ],
        allows: &["echo x > /dev/null", "dd if=a of=b.img", "lsblk"],
    },
    Rule {
        name: "write-outside",
        reason: "it writes outside the worktree",
        instead: "write inside the worktree or below /tmp",
        check: write_outside,
        denies: &[
            "echo x >> ~/.bashrc",
            ": > /etc/hosts",
            "cp x /usr/local/bin/x",
            "tee /etc/motd < x",
        ],
        allows: &["echo x > out.txt", "cp a /tmp/b", "mkdir -p src/a", "cat /etc/hosts"],
    },
    Rule {
        name: "fill-disk",
        reason: "it writes without end",
        instead: "bound it: `head -c`, or `count=` with dd",
        check: fill,
        denies: &["yes > big", "cat /dev/urandom > big.bin", "dd if=/dev/zero of=big"],
        allows: &[
            "yes | head -5",
            "head -c 100 /dev/urandom > key",
            "dd if=/dev/zero of=x count=1",
            "dd if=a of=b",
        ],
    },
];

fn git_internals(call: &Call, frame: &Frame) -> bool {
    let mut paths = written(call);
    paths.extend(deleted(call));
    paths.iter().any(|path| frame.zone(path) == Zone::Git && !path.ends_with(".gitmodules"))
}

fn guarded(call: &Call, frame: &Frame) -> bool {
    let mut paths = written(call);
    paths.extend(deleted(call));
    !call.is(&["mkdir"]) && paths.iter().any(|path| frame.zone(path) == Zone::Guarded)
}

fn delete_outside(call: &Call, frame: &Frame) -> bool {
    deleted(call).iter().any(|path| {
        let zone = frame.zone(path);
        matches!(
            zone,
            Zone::Worktree | Zone::Home | Zone::Outside | Zone::System | Zone::Device | Zone::Cache
        )
    })
}

fn delete_unknown(call: &Call, frame: &Frame) -> bool {
    !call.is(&["mv", "rmdir"]) && deleted(call).iter().any(|path| frame.zone(path) == Zone::Unknown)
}

fn device(call: &Call, frame: &Frame) -> bool {
    let is_tool = (call.name.starts_with("mk") && call.name.contains("fs"))
        || call.is(&[
            "wipefs",
            "fdisk",
            "sfdisk",
            "gdisk",
            "sgdisk",
            "parted",
            "cryptsetup",
            "mkswap",
            "blkdiscard",
            "hdparm",
            "nvme",
            "badblocks",
            "lvremove",
            "vgremove",
            "pvremove",
            "mdadm",
            "zpool",
            "newfs",
            "mkntfs",
            "partx",
            "gparted",
            "sg_format",
            "zfs",
            "btrfs",
            "lvreduce",
            "vgreduce",
            "ddrescue",
            "hdiutil",
            "format",
        ]);
    let reads = call.has_word(&[
        "-l",
        "--list",
        "-p",
        "print",
        "status",
        "list",
        "info",
        "create",
        "attach",
        "isLuks",
        "luksDump",
        "-I",
        "--version",
    ]);
    let changes_disks = call.is(&["diskutil"])
        && call.args.iter().any(|arg| {
            ["erase", "partition", "reformat", "zero", "secure"]
                .iter()
                .any(|verb| arg.to_lowercase().contains(verb))
        });
    let names_volumes = call
        .is(&["lvremove", "vgremove", "pvremove", "lvreduce", "vgreduce", "zpool", "zfs", "mdadm"]);
    let on_image = !names_volumes
        && call.words().last().is_some_and(|path| {
            path.contains(['/', '.']) && matches!(frame.zone(path), Zone::Inside | Zone::Temp)
        });
    (is_tool && !reads && !on_image && !call.args.is_empty())
        || changes_disks
        || (call.is(&["flashrom"]) && call.has(&["-w", "--write", "-E", "--erase"]))
        || puts_on_disk(call)
        || written(call).iter().any(|path| frame.zone(path) == Zone::Device)
        || (call.is(&["shred"]) && call.args.iter().any(|path| frame.zone(path) == Zone::Device))
}

/// Programs that only look at a disk, or say its name.
const LOOKERS: [&str; 28] = [
    "ls",
    "stat",
    "file",
    "lsblk",
    "blkid",
    "df",
    "du",
    "smartctl",
    "udevadm",
    "findmnt",
    "test",
    "[",
    "echo",
    "printf",
    "grep",
    "rg",
    "fdisk",
    "parted",
    "sfdisk",
    "hdparm",
    "nvme",
    "dumpe2fs",
    "realpath",
    "readlink",
    "git",
    "gh",
    "lvdisplay",
    "man",
];

/// Whether a disk is the last operand of a program, or the value of an option for its output.
fn puts_on_disk(call: &Call) -> bool {
    let kinds =
        ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "mapper/", "md"];
    let is_disk = |path: &str| {
        path.strip_prefix("/dev/")
            .is_some_and(|rest| kinds.iter().any(|kind| rest.starts_with(kind)))
    };
    let outputs = call.values(&["-o", "-O", "--output", "--out", "--overwrite", "--target"]);
    let last =
        call.args.last().map(String::as_str).filter(|_| !LOOKERS.contains(&call.name.as_str()));
    outputs.chain(last).any(is_disk)
}

fn write_outside(call: &Call, frame: &Frame) -> bool {
    let makes_only = call.is(&["mkdir", "touch"]);
    written(call).iter().any(|path| {
        if path.contains(':') && call.is(&["rsync", "scp"]) {
            return false;
        }
        match frame.zone(path) {
            Zone::System => !is_temporary_root(path, frame),
            Zone::Home | Zone::Outside => !makes_only,
            _ => false,
        }
    })
}

/// Writing into a temporary directory is fine, only removing it is not.
fn is_temporary_root(path: &str, frame: &Frame) -> bool {
    let full = frame.resolve(path).unwrap_or_default();
    ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"].iter().any(|temp| full.starts_with(temp))
}

fn fill(call: &Call, frame: &Frame) -> bool {
    let endless = |path: &str| ["/dev/zero", "/dev/urandom", "/dev/random"].contains(&path);
    let to_file = call.written().any(|path| frame.zone(path) != Zone::Sink);
    match call.name.as_str() {
        "yes" => to_file,
        "cat" | "tee" | "cp" => {
            call.args.iter().any(|arg| endless(arg)) && (to_file || call.name == "cp")
        }
        "dd" => {
            let from = call.args.iter().filter_map(|arg| arg.strip_prefix("if=")).any(endless);
            from && !is_bounded(call) && call.args.iter().any(|arg| arg.starts_with("of="))
        }
        "head" => {
            to_file
                && call.args.iter().any(|arg| endless(arg))
                && call.value(&["-c", "--bytes"]).is_some_and(is_huge)
        }
        "fallocate" => call.value(&["-l", "--length"]).is_some_and(is_huge),
        "truncate" => call.value(&["-s", "--size"]).is_some_and(is_huge),
        _ => false,
    }
}

/// Whether `dd` copies a number of blocks that a disk has room for.
fn is_bounded(call: &Call) -> bool {
    let value = |name: &str| call.args.iter().find_map(|arg| arg.strip_prefix(name));
    let Some(count) = value("count=") else { return false };
    let size = value("bs=").unwrap_or("512");
    match (count.parse::<u64>(), size.trim_end_matches(char::is_alphabetic).parse::<u64>()) {
        (Ok(count), Ok(number)) => {
            let digits = size.trim_start_matches(|c: char| c.is_ascii_digit());
            let total = count.saturating_mul(number);
            let is_many_megabytes = digits.starts_with('M') && total >= 50_000;
            !is_many_megabytes && !is_huge(&format!("{total}{digits}"))
        }
        _ => true,
    }
}

fn is_huge(size: &str) -> bool {
    let digits: String = size.chars().filter(char::is_ascii_digit).collect();
    let number = digits.parse::<u64>().unwrap_or(u64::MAX);
    match size.trim_end_matches(['B', 'i']).chars().last() {
        Some('T' | 'P' | 'E') => true,
        Some('G') => number >= 50,
        _ => number >= 50_000_000_000,
    }
}
