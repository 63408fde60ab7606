//! Programs that run the program named by their arguments, and how to find it there.

use super::{super::call::Call, unwrap::Inner};

pub(in super::super) const SHELLS: [&str; 10] =
    ["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "rbash", "csh"];

/// A program in front of another one.
struct Wrapper {
    name: &'static str,
    /// Options that take a value of their own.
    valued: &'static [&'static str],
    /// Operands in front of the inner program.
    skips: usize,
    /// Words after the name without which it is no wrapper.
    verbs: &'static [&'static str],
}

const fn plain(name: &'static str, valued: &'static [&'static str], skips: usize) -> Wrapper {
    Wrapper { name, valued, skips, verbs: &[] }
}

const fn with_verb(name: &'static str, verbs: &'static [&'static str], skips: usize) -> Wrapper {
    Wrapper { name, valued: &["-p", "-n", "--name", "-e", "--group", "--with"], skips, verbs }
}

const WRAPPERS: &[Wrapper] = &[
    plain("env", &["-u", "--unset", "-C", "--chdir"], 0),
    plain("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D", "-T", "-R"], 0),
    plain("doas", &["-u", "-C"], 0),
    plain("nice", &["-n", "--adjustment"], 0),
    plain("ionice", &["-c", "-n", "--class", "--classdata"], 0),
    plain("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    plain("gtimeout", &["-s", "-k"], 1),
    plain("nohup", &[], 0),
    plain("setsid", &[], 0),
    plain("stdbuf", &["-i", "-o", "-e"], 0),
    plain("unbuffer", &[], 0),
    plain("time", &["-f", "-o"], 0),
    plain("command", &[], 0),
    plain("builtin", &[], 0),
    plain("exec", &["-a"], 0),
    plain("noglob", &[], 0),
    plain("coproc", &[], 0),
    plain("chronic", &[], 0),
    plain("caffeinate", &["-t", "-w"], 0),
    plain("chrt", &[], 1),
    plain("taskset", &[], 1),
    plain("numactl", &[], 0),
    plain("cpulimit", &["-l", "-p"], 0),
    plain("strace", &["-o", "-e", "-p", "-s", "-E"], 0),
    plain("ltrace", &["-o", "-e", "-p"], 0),
    plain("valgrind", &[], 0),
    plain("perf", &["-o", "-e"], 1),
    plain("gdb", &["-ex", "-x"], 0),
    plain("flock", &["-w", "-E"], 1),
    plain("xvfb-run", &["-s", "-n"], 0),
    plain("dbus-run-session", &[], 0),
    plain("systemd-run", &["-p", "-u", "--unit"], 0),
    plain("systemd-inhibit", &[], 0),
    plain("chroot", &[], 1),
    plain("unshare", &[], 0),
    plain("nsenter", &["-t", "--target"], 0),
    plain("firejail", &[], 0),
    plain("fakeroot", &[], 0),
    plain("proot", &["-r", "-b", "-w"], 0),
    plain("bwrap", &["--bind", "--dev", "--proc", "--ro-bind"], 0),
    plain("pkexec", &["--user"], 0),
    plain("xargs", &["-n", "-P", "-I", "-L", "-d", "-s", "-E", "-a"], 0),
    plain("parallel", &["-j", "-I", "--jobs", "-a"], 0),
    plain("entr", &[], 0),
    plain("dotenv", &["-e", "-f"], 0),
    plain("cross-env", &[], 0),
    plain("prlimit", &[], 0),
    plain("ccache", &[], 0),
    plain("sem", &["-j"], 0),
    plain("gnice", &["-n"], 0),
    plain("genv", &["-u"], 0),
    plain("gxargs", &["-n", "-P", "-I", "-L", "-d"], 0),
    plain("gtime", &["-f", "-o"], 0),
    plain("setarch", &[], 1),
    plain("linux32", &[], 0),
    plain("linux64", &[], 0),
    plain("i386", &[], 0),
    plain("catchsegv", &[], 0),
    plain("rlwrap", &["-a", "-f", "-H"], 0),
    plain("softlimit", &["-m", "-t", "-c"], 0),
    plain("chpst", &["-u", "-e", "-n"], 0),
    plain("envdir", &[], 1),
    plain("setlock", &[], 1),
    plain("lckdo", &[], 1),
    plain("setuidgid", &[], 1),
    plain("gosu", &[], 1),
    plain("su-exec", &[], 1),
    plain("tini", &[], 0),
    plain("dumb-init", &[], 0),
    plain("torsocks", &[], 0),
    plain("torify", &[], 0),
    plain("proxychains", &["-f"], 0),
    plain("proxychains4", &["-f"], 0),
    plain("faketime", &[], 1),
    plain("eatmydata", &[], 0),
    plain("trickle", &["-u", "-d"], 0),
    plain("rr", &[], 1),
    plain("heaptrack", &[], 0),
    plain("dtach", &["-n", "-c", "-A"], 0),
    plain("abduco", &["-n", "-c"], 0),
    plain("daemonize", &["-c", "-e", "-o", "-p", "-u"], 0),
    plain("start-stop-daemon", &["-p", "-u", "--pidfile", "-d"], 0),
    plain("sshpass", &["-p", "-f"], 0),
    plain("logsave", &[], 1),
    plain("systemd-cat", &["-t", "-p"], 0),
    plain("uclampset", &["-m", "-M"], 0),
    plain("schedtool", &["-n"], 0),
    plain("cgexec", &["-g"], 0),
    plain("setpriv", &["--reuid", "--regid"], 0),
    plain("retry", &["-t", "-d", "--tries"], 0),
    plain("doppler", &["-p", "-c"], 1),
    plain("dotenvx", &["-f"], 1),
    plain("env-cmd", &["-f", "-e"], 0),
    plain("cross-env-shell", &[], 0),
    plain("shx", &[], 0),
    plain("winpty", &[], 0),
    plain("wsl", &["-d", "-u"], 0),
    plain("timelimit", &["-t", "-T", "-s", "-S"], 0),
    plain("dbus-launch", &[], 0),
    plain("ssh-agent", &["-t", "-a"], 0),
    plain("qemu-x86_64", &[], 0),
    plain("wine", &[], 0),
    plain("arch", &[], 0),
    plain("prime-run", &[], 0),
    plain("gamemoderun", &[], 0),
    with_verb("aws-vault", &["exec"], 1),
    with_verb("chamber", &["exec"], 1),
    with_verb("infisical", &["run"], 0),
    with_verb("teller", &["run"], 0),
    with_verb("foreman", &["run"], 0),
    with_verb("hatch", &["run"], 0),
    with_verb("pdm", &["run"], 0),
    with_verb("rye", &["run"], 0),
    with_verb("pixi", &["run"], 0),
    with_verb("tox", &["exec"], 0),
    with_verb("nvm", &["exec", "run"], 1),
    with_verb("fnm", &["exec"], 0),
    with_verb("volta", &["run"], 0),
    with_verb("rustup", &["run"], 1),
    with_verb("devbox", &["run"], 0),
    with_verb("guix", &["shell", "environment"], 0),
    with_verb("toolbox", &["run"], 0),
    with_verb("micromamba", &["run"], 0),
    with_verb("mamba", &["run"], 0),
    with_verb("pipx", &["run"], 0),
    with_verb("yarn", &["exec", "dlx"], 0),
    with_verb("corepack", &["yarn", "pnpm", "npm"], 0),
    with_verb("opam", &["exec"], 0),
    with_verb("stack", &["exec"], 0),
    with_verb("cabal", &["exec"], 0),
    with_verb("op", &["run"], 0),
    with_verb("snap", &["run"], 0),
    with_verb("ip", &["netns", "vrf"], 2),
    with_verb("direnv", &["exec"], 1),
    with_verb("mise", &["exec", "x"], 0),
    with_verb("asdf", &["exec"], 0),
    with_verb("rbenv", &["exec"], 0),
    with_verb("pyenv", &["exec"], 0),
    with_verb("bundle", &["exec"], 0),
    with_verb("poetry", &["run"], 0),
    with_verb("uv", &["run"], 0),
    with_verb("pipenv", &["run"], 0),
    with_verb("conda", &["run"], 0),
    with_verb("nix", &["develop", "shell"], 0),
];

/// The command behind a wrapper.
pub(super) fn unwrap(call: &Call) -> Vec<Inner> {
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == call.name) else {
        return Vec::new();
    };
    let mut args = call.args.as_slice();
    if !wrapper.verbs.is_empty() {
        match args.split_first() {
            Some((verb, rest)) if wrapper.verbs.contains(&verb.as_str()) => args = rest,
            _ => return Vec::new(),
        }
    }
    if wrapper.name == "command" && args.first().is_some_and(|arg| arg == "-v" || arg == "-V") {
        return Vec::new();
    }
    let mut env = Vec::new();
    let mut skips = wrapper.skips;
    if wrapper.name == "setarch" && args.first().is_none_or(|arg| arg.starts_with('-')) {
        skips = 0;
    }
    while let Some((arg, rest)) = args.split_first() {
        if arg == "--" {
            args = rest;
            break;
        }
        if wrapper.valued.contains(&arg.as_str()) {
            args = rest.get(1..).unwrap_or_default();
        } else if arg.len() > 1 && arg.starts_with('-') {
            args = rest;
        } else if let Some((name, value)) = assignment(arg) {
            env.push((name, value));
            args = rest;
        } else if skips > 0 {
            skips -= 1;
            args = rest;
        } else {
            break;
        }
    }
    let args = args.get(skips.min(args.len())..).unwrap_or_default();
    if args.is_empty() { Vec::new() } else { vec![Inner::Words(args.to_vec(), env)] }
}

fn assignment(arg: &str) -> Option<(String, String)> {
    let (name, value) = arg.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), value.to_owned()))
}
