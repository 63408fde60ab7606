//! Processes and the machine itself.

use super::{
    super::{
        call::Call,
        marks::{self, CHILD, FOUND, HOLE, PARENT},
        walk::Frame,
    },
    Rule,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "kill-foreign",
        reason: "it ends processes that the command did not start",
        instead: "keep the number of what you start, `cmd & pid=$!`, and end that",
        check: kill,
        denies: &["kill -9 1", "kill -TERM $PPID", "kill -9 -1", "kill $(pgrep -f ralph)"],
        allows: &["kill %1", "sleep 9 & kill $!", "kill -0 4711", "kill -l"],
    },
    Rule {
        name: "kill-by-name",
        reason: "it ends every process of that name, the agent's and the user's too",
        instead: "keep the number of what you start, `cmd & pid=$!`, and end that",
        check: kill_by_name,
        denies: &["pkill -9 node", "killall claude", "fuser -k 22/tcp", "pkill -f ralph"],
        allows: &["pgrep -f vite", "killall -l"],
    },
    Rule {
        name: "stall",
        reason: "it waits for hours and holds up the run",
        instead: "wait for the event itself, with a limit of minutes",
        check: stall,
        denies: &["sleep 99999", "sleep infinity", "sleep 3h"],
        allows: &["sleep 5", "sleep 2m", "sleep $N"],
    },
    Rule {
        name: "power",
        reason: "it stops or restarts the machine or the user's session",
        instead: "leave the machine running",
        check: power,
        denies: &["shutdown -h now", "reboot", "systemctl poweroff", "init 0"],
        allows: &["uptime", "git init"],
    },
];

fn kill(call: &Call, _: &Frame) -> bool {
    if !call.is(&["kill", "skill", "tkill"]) || call.has_word(&["-l", "-L", "-0"]) {
        return false;
    }
    let mut args = call.args.iter().map(String::as_str).peekable();
    let mut targets = Vec::new();
    let mut is_first = true;
    while let Some(arg) = args.next() {
        match arg {
            "-s" | "-n" | "--signal" => {
                args.next();
            }
            "--" => is_first = false,
            option if option.starts_with('-') && is_first => {}
            target => targets.push(target),
        }
        if !arg.starts_with('-') {
            is_first = false;
        }
    }
    if targets.is_empty() && call.args.len() > 1 {
        return call.args.last().is_some_and(|arg| arg == "-1");
    }
    targets.iter().any(|target| is_foreign(target))
}

fn is_foreign(target: &str) -> bool {
    let core = [
        "ralph", "claude", "codex", "gemini", "opencode", "agent", "sshd", "systemd", "node",
        "python",
    ];
    if target.contains(FOUND) {
        return core.iter().any(|name| target.contains(name))
            || marks::typed(target).trim_start_matches(FOUND).is_empty();
    }
    if target.contains([PARENT]) {
        return true;
    }
    if target.contains([CHILD]) || target.starts_with('%') {
        return false;
    }
    if target.contains(HOLE) {
        return false;
    }
    ["1", "0", "-1"].contains(&target)
}

fn kill_by_name(call: &Call, _: &Frame) -> bool {
    match call.name.as_str() {
        "pkill" | "killall" | "killall5" | "xkill" | "slay" => {
            let words = call.operands(&["-u", "-U", "-s", "-g", "-P", "-t", "--signal"]);
            let own = call
                .value(&["-P", "--parent"])
                .is_some_and(|parent| parent == "4711" || parent.contains(CHILD));
            !own && !call.has_word(&["-l", "--list", "-0", "--help", "--version", "-V"])
                && (!words.is_empty() || call.has(&["-u", "-U"]) || call.name == "killall5")
        }
        "fuser" => call.has(&["-k", "--kill"]),
        "taskkill" | "tskill" => true,
        _ => false,
    }
}

fn stall(call: &Call, _: &Frame) -> bool {
    let seconds = |arg: &String| {
        if arg == "infinity" || arg == "inf" {
            return true;
        }
        let number = arg.trim_end_matches(['s', 'm', 'h', 'd']).parse::<f64>().unwrap_or(0.0);
        let unit = match arg.chars().last() {
            Some('m') => 60.0,
            Some('h') => 3600.0,
            Some('d') => 86400.0,
            _ => 1.0,
        };
        number * unit > 7200.0
    };
    let waits = call.is(&["tail"])
        && call.has(&["-f", "-F", "--follow"])
        && call.args.iter().any(|arg| arg == "/dev/null");
    waits || call.is(&["sleep"]) && call.args.iter().any(seconds)
}

fn power(call: &Call, _: &Frame) -> bool {
    if call.is(&["shutdown", "reboot", "halt", "poweroff"]) {
        return !call.is_rehearsal();
    }
    if call.is(&["systemctl", "loginctl"]) {
        return call.words().first().is_some_and(|word| {
            [
                "poweroff",
                "reboot",
                "halt",
                "suspend",
                "hibernate",
                "kexec",
                "rescue",
                "emergency",
                "isolate",
                "terminate-user",
                "kill-session",
                "terminate-session",
                "kill-user",
            ]
            .contains(word)
        });
    }
    if call.is(&["init", "telinit"]) {
        return ["0", "1", "6"].contains(&call.arg(0));
    }
    call.is(&["pmset"]) && call.has_word(&["sleepnow", "restart"])
}
