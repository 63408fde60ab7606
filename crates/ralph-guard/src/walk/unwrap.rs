//! Programs whose arguments are another command; most are listed in `wrappers.txt`.

use crate::{
    call::{Call, SHELLS, one_of},
    frame::Frame,
    inline::{self, Step},
    marks::{self, HOLE},
    rules::found,
};

/// A command inside a command.
#[derive(Debug, Clone)]
pub(super) enum Inner {
    /// A program and its arguments, with assignments.
    Words(Vec<String>, Vec<(String, String)>),
    /// A text for a shell, with its name and its arguments.
    Script(String, Vec<String>),
}

/// The commands that a call runs.
pub(super) fn unwrap(call: &Call, frame: &Frame) -> Vec<Inner> {
    if call.is(SHELLS) {
        return shell(call, frame);
    }
    let mut inner = match call.name.as_str() {
        "eval" => vec![script(&call.args.join(" "))],
        "source" | "." if is_input(call.arg(0)) => {
            call.stdin.iter().map(|text| script(text)).collect()
        }
        "source" | "." => known(call.arg(0), frame),
        "xargs" | "parallel" | "gxargs" => return xargs(call),
        "find" | "gfind" => after(call, "-exec -execdir -ok -okdir", &found(call, 0)),
        "fd" | "fdfind" => after(call, "-x -X --exec --exec-batch", &found(call, 1)),
        "ssh" => {
            let words = call.operands("-p -i -o -l -F -J -L -R -D -b -c -E -W");
            words
                .get(1..)
                .filter(|words| !words.is_empty())
                .map(|words| script(&words.join(" ")))
                .into_iter()
                .collect()
        }
        "git" => git(call),
        "npx" | "bunx" | "pnpx" | "npm" | "pnpm" | "bun" => node_runner(call),
        "make" | "gmake" => recipes(call),
        _ if inline::is_interpreter(&call.name) => code(call, frame),
        _ if call.program.contains('/') => known(&call.program, frame),
        _ => Vec::new(),
    };
    if !inline::is_interpreter(&call.name) || call.is("gdb") {
        inner.extend(listed(call));
    }
    inner
}

fn script(text: &str) -> Inner {
    Inner::Script(text.to_owned(), Vec::new())
}

/// Whether a path is what the program reads anyway.
fn is_input(path: &str) -> bool {
    one_of("/dev/stdin /dev/fd/0 /proc/self/fd/0", path)
}

/// A script that the command itself wrote or fetched.
fn known(path: &str, frame: &Frame) -> Vec<Inner> {
    frame.known_file(path).iter().map(|text| script(text)).collect()
}

/// What code of another language comes to.
fn code(call: &Call, frame: &Frame) -> Vec<Inner> {
    let steps = inline::steps(call, frame).into_iter();
    steps
        .map(|step| match step {
            Step::Shell(text) => script(&text),
            Step::Words(words) => Inner::Words(words, Vec::new()),
        })
        .collect()
}

/// `sh -c text`, `sh file`, `… | sh`, `sh << text`.
fn shell(call: &Call, frame: &Frame) -> Vec<Inner> {
    let mut args = call.args.iter();
    while let Some(arg) = args.next() {
        if arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c') {
            let text = args.next().cloned().unwrap_or_default();
            return vec![Inner::Script(text, args.cloned().collect())];
        }
        match arg.as_str() {
            "-o" | "+o" | "-O" | "--rcfile" | "--init-file" => drop(args.next()),
            "-n" => return Vec::new(),
            "-s" | "-" => break,
            file if is_input(file) => break,
            arg if arg.starts_with(['-', '+']) => {}
            file => {
                let rest = std::iter::once(arg).chain(args).cloned().collect();
                return frame
                    .known_file(file)
                    .map(|text| Inner::Script(text, rest))
                    .into_iter()
                    .collect();
            }
        }
    }
    call.stdin.iter().map(|text| script(text)).collect()
}

/// What a line of `wrappers.txt` finds in a call.
fn listed(call: &Call) -> Vec<Inner> {
    let mut inner = Vec::new();
    for line in include_str!("wrappers.txt").lines() {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (names, options) = rest.split_once(" :").unwrap_or((rest, ""));
        if !one_of(names, &call.name) {
            continue;
        }
        match kind {
            "words" => inner.extend(words(call, names, options)),
            "text" => inner.extend(
                texts_of(call, options).map(|text| script(text.trim_start_matches("exec="))),
            ),
            "texts" => inner.extend(texts(call)),
            _ => {}
        }
    }
    inner
}

/// Values of options, also of a cluster such as `-qc`.
fn texts_of<'a>(call: &'a Call, options: &'a str) -> impl Iterator<Item = &'a str> {
    let is_cluster = move |arg: &String| {
        one_of(options, "-c")
            && arg.len() > 2
            && arg.starts_with('-')
            && !arg.starts_with("--")
            && arg.ends_with('c')
    };
    let clustered = call.args.windows(2).filter(move |pair| pair.first().is_some_and(is_cluster));
    call.values(options).chain(clustered.filter_map(|pair| pair.get(1).map(String::as_str)))
}

/// The command behind a wrapper.
fn words(call: &Call, names: &str, options: &str) -> Option<Inner> {
    let (valued, verbs) = options.split_once('/').unwrap_or((options, ""));
    let mut skips =
        names.split(' ').next().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let mut args = call.args.as_slice();
    if !verbs.is_empty() {
        args = args.split_first().filter(|(verb, _)| one_of(verbs, verb))?.1;
    }
    if call.is("command") && one_of("-v -V", call.arg(0)) {
        return None;
    }
    let mut env = Vec::new();
    while let Some((arg, rest)) = args.split_first() {
        let assigned = arg.split_once('=').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        args = if arg == "--" {
            args = rest;
            break;
        } else if one_of(valued, arg) {
            rest.get(1..).unwrap_or_default()
        } else if arg.len() > 1 && arg.starts_with('-') {
            rest
        } else if let Some((name, value)) = assigned {
            env.push((name.to_owned(), value.to_owned()));
            rest
        } else if skips > 0 {
            skips -= 1;
            rest
        } else {
            break;
        };
    }
    let inner = args.get(skips..).filter(|words| !words.is_empty())?;
    if call.is("env") && call.has("-S") {
        return Some(script(&call.args.join(" ").replacen("-S", "", 1)));
    }
    Some(Inner::Words(inner.to_vec(), env))
}

/// Programs whose arguments, one or together, are a command.
fn texts(call: &Call) -> Vec<Inner> {
    let mut texts: Vec<String> =
        call.args.iter().filter(|arg| arg.contains(' ')).cloned().collect();
    texts.push(call.operands("-n -t -s -c -S -w -e").join(" "));
    texts.extend(call.stdin.clone().filter(|_| call.is("at batch")));
    if let Some(at) = call.args.iter().position(|arg| arg == "--") {
        texts.push(call.args.get(at + 1..).unwrap_or_default().join(" "));
    }
    texts.iter().filter(|text| !text.is_empty()).map(|text| script(text)).collect()
}

/// Most inputs of `xargs` and `find` that are looked at one by one.
const MOST_INPUTS: usize = 16;

fn xargs(call: &Call) -> Vec<Inner> {
    let after = call.args.iter().skip_while(|arg| *arg != ":::").skip(1).cloned();
    let mut inputs: Vec<String> = after.collect();
    if inputs.is_empty() {
        inputs = match call.stdin.as_deref().filter(|_| call.value("-a --arg-file").is_none()) {
            Some(text) if marks::is_unknown(text) || marks::has_glob(text) => {
                text.split_whitespace().map(str::to_owned).collect()
            }
            Some(text) => text
                .split(|c: char| c.is_whitespace() || c == '\0')
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect(),
            None => vec![HOLE.to_string()],
        };
    }
    let head = call.args.iter().take_while(|arg| *arg != ":::").cloned().collect();
    let cut = Call { args: head, ..call.clone() };
    let replaced = cut.value("-I -i --replace").unwrap_or("{}").to_owned();
    let mut inner = Vec::new();
    for found in listed(&cut) {
        let Inner::Words(words, env) = found else { continue };
        let is_filled = words.iter().any(|word| word.contains(&replaced));
        for input in inputs.iter().take(MOST_INPUTS).filter(|_| is_filled || call.is("parallel")) {
            let mut filled: Vec<String> =
                words.iter().map(|word| word.replace(&replaced, input)).collect();
            filled.extend((!is_filled).then(|| input.clone()));
            inner.push(if call.is("parallel") {
                script(&filled.join(" "))
            } else {
                Inner::Words(filled, env.clone())
            });
        }
        if !is_filled && !call.is("parallel") {
            inner.push(Inner::Words(words.into_iter().chain(inputs.clone()).collect(), env));
        }
    }
    inner
}

/// Commands after an option of `find` or `fd`, up to `;` or `+`, with `{}` filled in.
fn after(call: &Call, options: &str, inputs: &[String]) -> Vec<Inner> {
    let mut inner = Vec::new();
    for at in (0..call.args.len()).filter(|at| one_of(options, call.arg(*at))) {
        let words = call.args.iter().skip(at + 1).take_while(|arg| !one_of("; +", arg));
        let words: Vec<&String> = words.collect();
        for input in inputs.iter().take(MOST_INPUTS) {
            let mut filled: Vec<String> =
                words.iter().map(|word| word.replace("{}", input)).collect();
            if call.is("fd fdfind") && !words.iter().any(|word| word.contains("{}")) {
                filled.push(input.clone());
            }
            inner.push(Inner::Words(filled, Vec::new()));
        }
    }
    inner
}

fn git(call: &Call) -> Vec<Inner> {
    let starts = [["bisect", "run"], ["submodule", "foreach"]];
    let at = call.args.windows(2).position(|pair| starts.iter().any(|start| pair == start));
    let rest =
        at.map(|at| call.args.iter().skip(at + 2).skip_while(|arg| arg.starts_with("--")).cloned());
    let rest: Vec<String> = rest.into_iter().flatten().collect();
    match rest.as_slice() {
        [] => Vec::new(),
        [text] => vec![script(text)],
        _ => vec![Inner::Words(rest, Vec::new())],
    }
}

fn node_runner(call: &Call) -> Vec<Inner> {
    let is_runner = call.is("npx bunx pnpx");
    if !is_runner && !one_of("exec x dlx", call.arg(0)) {
        return Vec::new();
    }
    let words = call.operands("-p --package -c --call");
    let Some(first) = words.get(usize::from(!is_runner)) else { return Vec::new() };
    let at = call.args.iter().position(|arg| arg == first).unwrap_or(0);
    let rest = call.args.get(at..).unwrap_or_default().to_vec();
    vec![if first.contains(' ') { script(first) } else { Inner::Words(rest, Vec::new()) }]
}

/// The commands of a makefile that make reads from its input.
fn recipes(call: &Call) -> Vec<Inner> {
    let text =
        call.stdin.as_deref().filter(|_| call.has_word("- -f- /dev/stdin")).unwrap_or_default();
    let recipe = |line: &str| {
        let recipe =
            line.strip_prefix('\t').or_else(|| line.split_once(';').map(|(_, recipe)| recipe));
        recipe.map(|recipe| script(recipe.trim_start_matches(['@', '-'])))
    };
    text.lines().filter_map(recipe).collect()
}
