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
    /// A text for a shell, with its arguments.
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
        "source" | "." => vec![script(known_file(walker, call.arg(0)))],
        "su" | "runuser" | "script" | "nix-shell" | "ts-node-shell" | "flock" => {
            let options = ["-c", "--command", "--run"];
            match call.value(&options) {
                Some(text) => vec![script(text.to_owned())],
                None => wrappers::unwrap(call),
            }
        }
        "busybox" | "toybox" => words(call.args.clone()),
        "xargs" | "parallel" => xargs(call),
        "find" => find(call),
        "fd" | "fdfind" => after(call, &["-x", "-X", "--exec", "--exec-batch"], &found(call, 1)),
        "entr" | "watch" | "tmux" | "screen" | "watchexec" | "nodemon" | "hyperfine" | "at"
        | "batch" => texts(call),
        "ssh" => ssh(call),
        "git" => git(call),
        "npx" | "bunx" | "pnpx" | "npm" | "pnpm" | "yarn" => node_runner(call),
        "env" => env(call),
        "make" | "gmake" => recipes(call, walker),
        "tar" | "gtar" => call
            .values(&["--to-command", "--checkpoint-action", "-I", "--use-compress-program"])
            .map(|text| script(text.trim_start_matches("exec=").to_owned()))
            .collect(),
        "zip" => call.values(&["-TT", "--unzip-command"]).map(|text| script(text.into())).collect(),
        "man" => call.values(&["-P", "--pager"]).map(|text| script(text.into())).collect(),
        "rg" => call.values(&["--pre"]).map(|text| script(text.into())).collect(),
        "rsync" => call.values(&["-e", "--rsh"]).map(|text| script(text.into())).collect(),
        "docker" | "podman" | "kubectl" | "docker-compose" => Vec::new(),
        _ if code::is_interpreter(name) => code::commands(call).into_iter().map(script).collect(),
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

fn script(text: String) -> Inner {
    Inner::Script(text, Vec::new())
}

fn words(words: Vec<String>) -> Vec<Inner> {
    if words.is_empty() { Vec::new() } else { vec![Inner::Words(words, Vec::new())] }
}

fn known_file(walker: &Walker, path: &str) -> String {
    let text = walker.content(path);
    if text == DATA.to_string() { String::new() } else { text }
}

/// `sh -c text`, `sh file`, `… | sh`, `sh << text`.
fn shell(call: &Call, walker: &Walker) -> Vec<Inner> {
    let mut args = call.args.iter();
    while let Some(arg) = args.next() {
        let is_command = arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c');
        if is_command {
            let text = args.next().cloned().unwrap_or_default();
            let rest = args.skip(1).cloned().collect();
            return vec![Inner::Script(text, rest)];
        }
        match arg.as_str() {
            "-o" | "+o" | "-O" | "--rcfile" | "--init-file" => {
                args.next();
            }
            "-s" | "-" => break,
            arg if arg.starts_with(['-', '+']) => {}
            file => {
                let rest = args.cloned().collect();
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

fn env(call: &Call) -> Vec<Inner> {
    if let Some(text) = call.value(&["-S", "--split-string"]) {
        return vec![script(text.to_owned())];
    }
    wrappers::unwrap(call)
}

/// `xargs` and `parallel`: what they read becomes arguments.
fn xargs(call: &Call) -> Vec<Inner> {
    let inputs = match call.args.iter().position(|arg| arg == ":::") {
        Some(at) => call.args.get(at + 1..).unwrap_or_default().to_vec(),
        None => match &call.stdin {
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
    let names = call.values(&["-name", "-iname"]).collect::<Vec<_>>();
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
    let is_narrow = !is_find || call.has_exact(&narrow);
    let leaf = match names.iter().find(|name| **name != "*") {
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
            let words: Vec<String> = words.iter().map(|word| word.replace("{}", input)).collect();
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
    let at = call.args.iter().position(|arg| arg == first).unwrap_or(0);
    words(call.args.get(at..).unwrap_or_default().to_vec())
}
