//! Modes, owners and attributes of files.

use super::{
    super::{call::Call, marks, paths::Zone, walk::Frame},
    Rule,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "setuid",
        reason: "it makes a program run with its owner's rights",
        instead: "do without: nothing in a repository needs it",
        check: setuid,
        denies: &["chmod u+s x", "chmod 4755 x", "install -m 4755 a b", "setcap cap_net_raw+ep x"],
        allows: &["chmod 755 x", "chmod +x x", "install -m 755 a b"],
    },
    Rule {
        name: "open-permissions",
        reason: "it lets everybody write, or takes rights away from a whole tree",
        instead: "set the mode that is needed, on the files that need it",
        check: open,
        denies: &["chmod -R 777 .", "chmod 777 /tmp/x/y -R", "chmod -R 000 .", "chown -R nobody ."],
        allows: &["chmod -R u+w target", "chmod 644 src/a.rs", "chmod 755 x"],
    },
];

fn mode(call: &Call) -> &str {
    if call.name == "install" {
        return call.value(&["-m", "--mode"]).unwrap_or_default();
    }
    call.args
        .iter()
        .map(String::as_str)
        .find(|arg| !arg.starts_with("--") && !["-R", "-v", "-f", "-c"].contains(arg))
        .unwrap_or_default()
}

fn setuid(call: &Call, _: &Frame) -> bool {
    if call.is(&["setcap"]) {
        return !call.has(&["-h", "--help"]);
    }
    if !call.is(&["chmod", "install"]) {
        return false;
    }
    let mode = mode(call);
    let is_octal = !mode.is_empty() && mode.chars().all(|c| c.is_digit(8));
    let special = mode.len() == 4 && matches!(mode.chars().next(), Some('2' | '4' | '6' | '7'));
    let special = special || (mode.len() == 5 && !mode.starts_with("00"));
    (is_octal && special) || (mode.contains(['+', '=']) && mode.contains('s'))
}

fn open(call: &Call, frame: &Frame) -> bool {
    let recursive = call.has(&["-R", "--recursive"])
        || (call.is(&["chmod"]) && call.has(&["-r"]) && !call.has(&["-x"]));
    if call.is(&["chown", "chgrp"]) {
        let everything = |path: &&str| frame.zone(path) == Zone::Worktree;
        let to_root = mode(call).starts_with("root") || mode(call).starts_with("0:");
        return to_root
            || (recursive && call.words().iter().skip(1).any(everything))
            || call.words().iter().skip(1).any(|path| outside(path, frame));
    }
    if call.is(&["chattr", "chflags"]) {
        return call.args.iter().any(|arg| {
            arg.contains("+i") || arg.contains("-i") || arg.contains("chg") || arg.contains("+a")
        });
    }
    if call.is(&["umask"]) {
        return ["000", "0", "0000"].contains(&call.arg(0));
    }
    if call.is(&["setfacl", "xattr"]) && call.words().iter().any(|path| outside(path, frame)) {
        return !call.has(&["-l", "-p"]);
    }
    if call.is(&["setfacl"]) {
        return call.args.iter().any(|arg| arg.starts_with("o:") || arg.contains("other"));
    }
    if !call.is(&["chmod"]) {
        return false;
    }
    if call.has_exact(&["--reference"]) {
        return call.words().iter().any(|path| outside(path, frame));
    }
    let mode = mode(call);
    let wide = matches!(mode.trim_start_matches('0'), "777" | "666")
        || ["a+rwx", "ugo+rwx", "a=rwx", "o+w", "a+w", "+w"].contains(&mode)
            && recursive
            && mode != "+w"
            && mode != "a+w"
        || mode.contains("o+w")
        || mode.contains("o+rw");
    let closed = recursive
        && (mode.chars().all(|c| c == '0') || ["a-rwx", "-r", "ugo-rwx", "a-w"].contains(&mode));
    let everything = call
        .words()
        .iter()
        .skip(1)
        .any(|path| matches!(frame.zone(path), Zone::Worktree) || marks::has_glob(path));
    (wide
        && (recursive
            || everything
            || call.words().iter().skip(1).any(|path| !is_small(path, frame))))
        || closed
        || call.words().iter().skip(1).any(|path| outside(path, frame))
}

fn is_small(path: &str, frame: &Frame) -> bool {
    frame.zone(path) == Zone::Temp
}

fn outside(path: &str, frame: &Frame) -> bool {
    matches!(frame.zone(path), Zone::Home | Zone::Outside | Zone::System | Zone::Device)
}
