//! Programs whose arguments are another command.

use super::{
    super::{
        call::Call,
        code,
        marks::{self, DATA, HOLE, STAR},
    },
    Walker,
    wrappers::{self, SHELLS},
};

/// A command inside a command.
#[derive(Debug, Clone)]
pub(super) enum Inner {
    /// A program and its arguments, with assignments.
    Words(Vec<String>, Vec<(String, String)>),
    /// The same in another directory.
    In(String, Vec<String>, Vec<(String, String)>),
    /// A text for a shell, with its name and its arguments.
    Script(String, Vec<String>),
}

/// The commands that a call runs.
pub(super) fn unwrap(call: &Call, walker: &Walker) -> Vec<Inner> {
    let name = call.name.as_str();
    if SHELLS.contains(&name) {
        return shell(call, walker);
    }
    match name {
        "eval" => vec![script(call.args.join(" "))],
        "source" | "." if is_input(call.arg(0)) => call.stdin.iter().cloned().map(script).collect(),
        "source" | "." => vec![script(known_file(walker, call.arg(0)))],
        "su" | "runuser" | "script" | "nix-shell" | "ts-node-shell" | "flock" | "sg" | "newgrp"
        | "vagrant" | "just" | "kitty" | "xterm" | "alacritty" | "gnome-terminal" | "konsole" => {
            let options = ["-c", "--command", "--run"];
            let is_cluster = |arg: &String| {
                arg.starts_with('-')
                    && !arg.starts_with("--")
                    && arg.len() > 2
                    && arg.ends_with('c')
            };
            let clustered = call.args.iter().position(is_cluster);
            let clustered = clustered.and_then(|at| call.args.get(at + 1)).map(String::as_str);
            match call.value(&options).or(clustered) {
                Some(text) => vec![script(text.to_owned())],
                None => wrappers::unwrap(call),
            }
        }
        "busybox" | "toybox" => words(call.args.clone()),
        "xargs" | "parallel" => xargs(call),
        "find" => find(call),
        "fd" | "fdfind" => after(call, &["-x", "-X", "--exec", "--exec-batch"], &found(call, 1)),
        "entr"
        | "watch"
        | "tmux"
        | "screen"
        | "watchexec"
        | "nodemon"
        | "hyperfine"
        | "at"
        | "batch"
        | "concurrently"
        | "reflex"
        | "viddy"
        | "run-p"
        | "run-s"
        | "start-server-and-test"
        | "watchman-make"
        | "cargo-watch"
        | "air"
        | "zellij"
        | "byobu" => texts(call),
        "ssh" => ssh(call),
        "git" => git(call),
        "npx" | "bunx" | "pnpx" | "npm" | "pnpm" | "yarn" => node_runner(call),
        "env" => env(call),
        "sudo" | "doas" => moved(call, wrappers::unwrap(call), &["-D", "--chdir"]),
        "systemd-run" => moved(call, wrappers::unwrap(call), &["--working-directory"]),
        "curl" => configured(call, walker),
        "make" | "gmake" => recipes(call, walker),
        "mapfile" | "readarray" | "less" | "more" | "most" | "tar" | "gtar" | "zip" | "man"
        | "rg" | "rsync" => by_option(call),
        "docker" | "podman" | "kubectl" | "docker-compose" => Vec::new(),
        _ if code::is_interpreter(name) => foreign(call, walker),
        _ => {
            if call.program.contains('/') {
                let text = known_file(walker, &call.program);
                if !text.is_empty() {
                    return vec![script(text)];
                }
            }
            wrappers::unwrap(call)
        }
    }
}

/// Programs of which one option is a command.
fn by_option(call: &Call) -> Vec<Inner> {
    match call.name.as_str() {
        "mapfile" | "readarray" => call.values(&["-C"]).map(|text| script(text.into())).collect(),
        "less" | "more" | "most" => {
            let texts = call.args.iter().filter_map(|arg| arg.strip_prefix("+!"));
            texts.map(|text| script(text.into())).collect()
        }
        "tar" | "gtar" => call
            .values(&["--to-command", "--checkpoint-action", "-I", "--use-compress-program"])
            .map(|text| script(text.trim_start_matches("exec=").to_owned()))
            .collect(),
        "zip" => call.values(&["-TT", "--unzip-command"]).map(|text| script(text.into())).collect(),
        "man" => call.values(&["-P", "--pager"]).map(|text| script(text.into())).collect(),
        "rg" => call.values(&["--pre"]).map(|text| script(text.into())).collect(),
        "rsync" => call.values(&["-e", "--rsh"]).map(|text| script(text.into())).collect(),
        _ => Vec::new(),
    }
}

fn script(text: String) -> Inner {
    Inner::Script(text, Vec::new())
}

fn words(words: Vec<String>) -> Vec<Inner> {
    if words.is_empty() { Vec::new() } else { vec![Inner::Words(words, Vec::new())] }
}

/// Whether a path is what the program reads anyway.
fn is_input(path: &str) -> bool {
    ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(&path)
}

fn known_file(walker: &Walker, path: &str) -> String {
    let text = walker.content(path);
    if text == DATA.to_string() { String::new() } else { text }
}

/// What code of another language comes to.
fn foreign(call: &Call, walker: &Walker) -> Vec<Inner> {
    let mut codes = code::of(call);
    codes.extend(call.words().into_iter().take(2).map(|file| known_file(walker, file)));
    if call.args.windows(2).any(|pair| pair == ["-m", "timeit"]) {
        codes.extend(call.words().into_iter().skip(1).take(8).map(str::to_owned));
    }
    let codes = codes.iter().filter(|code| !code.is_empty());
    let steps = codes.flat_map(|code| code::commands(code, &call.name, walker));
    let inner = |step| match step {
        code::Step::Shell(text) => script(text),
        code::Step::Program(words) => Inner::Words(words, Vec::new()),
    };
    steps.map(inner).collect()
}

/// `sh -c text`, `sh file`, `… | sh`, `sh << text`.
fn shell(call: &Call, walker: &Walker) -> Vec<Inner> {
    let mut args = call.args.iter();
    while let Some(arg) = args.next() {
        let is_command = arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c');
        if is_command {
            let text = args.next().cloned().unwrap_or_default();
            let rest = args.cloned().collect();
            return vec![Inner::Script(text, rest)];
        }
        match arg.as_str() {
            "-o" | "+o" | "-O" | "--rcfile" | "--init-file" => {
                args.next();
            }
            "-n" => return Vec::new(),
            "-s" | "-" => break,
            file if is_input(file) => break,
            arg if arg.starts_with(['-', '+']) => {}
            file => {
                let rest = std::iter::once(arg).chain(args).cloned().collect();
                return vec![Inner::Script(known_file(walker, file), rest)];
            }
        }
    }
    match &call.stdin {
        Some(text) => vec![script(text.clone())],
        None => Vec::new(),
    }
}

/// Recipes of a makefile that the command itself brings along.
fn recipes(call: &Call, walker: &Walker) -> Vec<Inner> {
    let mut texts: Vec<String> = call.values(&["--eval"]).map(str::to_owned).collect();
    for file in call.values(&["-f", "--file", "--makefile"]) {
        texts.push(if file == "-" {
            call.stdin.clone().unwrap_or_default()
        } else {
            known_file(walker, file)
        });
    }
    if texts.is_empty() {
        texts.extend(["GNUmakefile", "makefile", "Makefile"].map(|file| known_file(walker, file)));
    }
    let lines = texts.iter().flat_map(|text| text.lines());
    let recipe = |line: &str| match line.split_once(';') {
        Some((_, recipe)) => recipe.to_owned(),
        None => line.trim_start_matches(['\t', '@', '-', '+']).to_owned(),
    };
    lines
        .filter(|line| line.starts_with('\t') || line.contains(';'))
        .map(|line| script(recipe(line)))
        .collect()
}

/// Options that `curl` reads from a file or from its input.
fn configured(call: &Call, walker: &Walker) -> Vec<Inner> {
    let Some(file) = call.value(&["-K", "--config"]) else { return Vec::new() };
    let text = if file == "-" || is_input(file) {
        call.stdin.clone().unwrap_or_default()
    } else {
        known_file(walker, file)
    };
    let mut args = vec![call.program.clone()];
    args.extend(call.args.iter().filter(|arg| arg.contains("://")).cloned());
    for line in text.lines().take(64) {
        let (key, value) = line.trim().split_once(['=', ' ', ':']).unwrap_or((line.trim(), ""));
        let value = value.trim_start_matches(['=', ' ', ':']).trim_matches('"');
        args.push(format!("--{}", key.trim().trim_start_matches('-')));
        args.extend((!value.is_empty()).then(|| value.to_owned()));
    }
    words(args)
}

fn env(call: &Call) -> Vec<Inner> {
    if let Some(text) = call.value(&["-S", "--split-string"]) {
        return vec![script(text.to_owned())];
    }
    moved(call, wrappers::unwrap(call), &["-C", "--chdir"])
}

/// The commands of a wrapper that changes the directory first.
fn moved(call: &Call, inner: Vec<Inner>, options: &[&str]) -> Vec<Inner> {
    let Some(directory) = call.value(options).map(str::to_owned) else { return inner };
    let place = |inner| match inner {
        Inner::Words(words, env) => Inner::In(directory.clone(), words, env),
        other => other,
    };
    inner.into_iter().map(place).collect()
}

/// `xargs` and `parallel`: what they read becomes arguments.
fn xargs(call: &Call) -> Vec<Inner> {
    let inputs = match call.args.iter().position(|arg| arg == ":::") {
        Some(at) => call.args.get(at + 1..).unwrap_or_default().to_vec(),
        None => match &call.stdin {
            Some(text) if text.starts_with(marks::FOUND) || text.starts_with(marks::CHANGED) => {
                vec![text.trim_end().to_owned()]
            }
            Some(text) if marks::is_unknown(text) => vec![marks::residue(text)],
            Some(text) => text.split_whitespace().map(str::to_owned).collect(),
            None => vec![HOLE.to_string()],
        },
    };
    let head: Vec<String> = call.args.iter().take_while(|arg| *arg != ":::").cloned().collect();
    let cut = Call { args: head, ..call.clone() };
    let replaced = cut.value(&["-I", "-i", "--replace"]).unwrap_or("{}").to_owned();
    let mut inner = Vec::new();
    for found in wrappers::unwrap(&cut) {
        let Inner::Words(words, env) = found else { continue };
        if call.name == "parallel" {
            inner.extend(inputs.iter().take(16).map(|input| template(&words, &replaced, input)));
            continue;
        }
        if words.iter().any(|word| word.contains(&replaced)) {
            for input in inputs.iter().take(16) {
                let words = words.iter().map(|word| word.replace(&replaced, input)).collect();
                inner.push(Inner::Words(words, env.clone()));
            }
        } else {
            inner.push(Inner::Words(words.into_iter().chain(inputs.clone()).collect(), env));
        }
    }
    inner
}

/// A line of `parallel`, which a shell runs.
fn template(words: &[String], replaced: &str, input: &str) -> Inner {
    let line = words.join(" ");
    script(if line.contains(replaced) {
        line.replace(replaced, input)
    } else {
        format!("{line} {input}")
    })
}

/// What `{}` stands for in `find` and `fd`: something below each root.
pub(in super::super) fn found(call: &Call, skip: usize) -> Vec<String> {
    let is_find = call.name == "find";
    let mut roots: Vec<String> = if is_find {
        let args = call.args.iter().skip_while(|arg| ["-L", "-H", "-P"].contains(&arg.as_str()));
        args.take_while(|arg| !arg.starts_with(['-', '(', '!'])).cloned().collect()
    } else {
        call.words()
            .into_iter()
            .skip(skip)
            .take_while(|word| *word != "rm")
            .map(str::to_owned)
            .collect()
    };
    if roots.is_empty() {
        roots.push(".".into());
    }
    let is_meant = |at: usize| {
        at.checked_sub(1)
            .and_then(|at| call.args.get(at))
            .is_none_or(|arg| arg != "!" && arg != "-not")
    };
    let args = call.args.iter().enumerate().filter(|(at, _)| is_meant(*at));
    let names: Vec<&String> = args
        .clone()
        .filter(|(_, arg)| ["-name", "-iname"].contains(&arg.as_str()))
        .filter_map(|(at, _)| call.args.get(at + 1))
        .collect();
    let narrow = [
        "-path",
        "-ipath",
        "-regex",
        "-mtime",
        "-mmin",
        "-newer",
        "-size",
        "-empty",
        "-user",
        "-links",
        "-maxdepth0",
        "-xtype",
        "-perm",
    ];
    let is_narrow = !is_find || args.clone().any(|(_, arg)| narrow.contains(&arg.as_str()));
    let leaf = match names.iter().find(|name| name.as_str() != "*") {
        Some(name) => name.replace('*', &STAR.to_string()),
        None if is_narrow => "match".into(),
        None => STAR.to_string(),
    };
    roots.iter().map(|root| format!("{}/{leaf}", root.trim_end_matches('/'))).collect()
}

fn find(call: &Call) -> Vec<Inner> {
    after(call, &["-exec", "-execdir", "-ok", "-okdir"], &found(call, 0))
}

/// Commands after an option, up to `;` or `+`, with `{}` filled in.
fn after(call: &Call, options: &[&str], inputs: &[String]) -> Vec<Inner> {
    let mut inner = Vec::new();
    for (at, _) in call.args.iter().enumerate().filter(|(_, arg)| options.contains(&arg.as_str())) {
        let words: Vec<String> = call
            .args
            .iter()
            .skip(at + 1)
            .take_while(|arg| *arg != ";" && *arg != "+")
            .cloned()
            .collect();
        for input in inputs.iter().take(16) {
            let mut filled: Vec<String> =
                words.iter().map(|word| word.replace("{}", input)).collect();
            if call.name != "find" && !words.iter().any(|word| word.contains("{}")) {
                filled.push(input.clone());
            }
            let words = filled;
            inner.push(Inner::Words(words, Vec::new()));
        }
    }
    inner
}

/// Programs whose arguments, one or together, are a command.
fn texts(call: &Call) -> Vec<Inner> {
    let mut texts: Vec<String> =
        call.args.iter().filter(|arg| arg.contains(' ')).cloned().collect();
    texts.push(call.operands(&["-n", "-t", "-s", "-c", "-S", "-w", "-e"]).join(" "));
    if call.is(&["at", "batch"]) {
        texts.extend(call.stdin.clone());
    }
    if let Some(at) = call.args.iter().position(|arg| arg == "--") {
        texts.push(call.args.get(at + 1..).unwrap_or_default().join(" "));
    }
    texts.into_iter().filter(|text| !text.is_empty()).map(script).collect()
}

fn ssh(call: &Call) -> Vec<Inner> {
    let valued = ["-p", "-i", "-o", "-l", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-W"];
    let operands = call.operands(&valued);
    let text = operands.get(1..).unwrap_or_default().join(" ");
    if text.is_empty() { Vec::new() } else { vec![script(text)] }
}

fn git(call: &Call) -> Vec<Inner> {
    let mut inner: Vec<Inner> = call
        .values(&["-x", "--exec", "--extcmd", "--upload-pack", "--receive-pack"])
        .map(|text| script(text.to_owned()))
        .collect();
    for (first, second) in [("bisect", "run"), ("submodule", "foreach")] {
        let at = call.args.windows(2).position(|pair| pair == [first, second]);
        if let Some(at) = at {
            let rest = call.args.iter().skip(at + 2).skip_while(|arg| arg.starts_with("--"));
            let rest: Vec<String> = rest.cloned().collect();
            inner.push(if rest.len() == 1 {
                script(rest.concat())
            } else {
                Inner::Words(rest, Vec::new())
            });
        }
    }
    inner
}

fn node_runner(call: &Call) -> Vec<Inner> {
    let is_exec = call.is(&["npx", "bunx", "pnpx"]) || matches!(call.arg(0), "exec" | "x" | "dlx");
    if !is_exec {
        return Vec::new();
    }
    if let Some(text) = call.value(&["-c", "--call"]) {
        return vec![script(text.to_owned())];
    }
    let skip = usize::from(!call.is(&["npx", "bunx", "pnpx"]));
    let args: Vec<&str> = call.operands(&["-p", "--package"]).into_iter().skip(skip).collect();
    let Some(first) = args.first() else { return Vec::new() };
    if args.len() == 1 && first.contains(' ') {
        return vec![script((*first).to_owned())];
    }
    let at = call.args.iter().position(|arg| arg == first).unwrap_or(0);
    words(call.args.get(at..).unwrap_or_default().to_vec())
}
