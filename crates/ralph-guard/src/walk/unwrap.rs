//! Programs whose arguments are another command; most are listed in `wrappers.txt`.

use crate::{
    call::{Call, Inner, SHELLS, one_of},
    frame::Frame,
    inline,
    marks::HOLE,
    rules::found,
};

/// The commands that a call runs.
pub(super) fn unwrap(call: &Call, frame: &Frame) -> Vec<Inner> {
    if call.is(SHELLS) {
        return shell(call, frame);
    }
    let known = |path: &str| frame.known_file(path).map(Inner::script).into_iter().collect();
    let mut inner: Vec<Inner> = match call.name.as_str() {
        "eval" => vec![Inner::script(call.args.join(" "))],
        "alias" => {
            let texts = call.args.iter().filter_map(|arg| arg.split_once('='));
            texts.map(|(_, text)| Inner::script(text.to_owned())).collect()
        }
        "source" | "." if is_input(call.arg(0)) => {
            call.stdin.clone().map(Inner::script).into_iter().collect()
        }
        "source" | "." => known(call.arg(0)),
        "xargs" | "parallel" | "gxargs" => return xargs(call),
        "find" | "gfind" => after(call, "-exec -execdir -ok -okdir", &found(call, 0)),
        "fd" | "fdfind" => after(call, "-x -X --exec --exec-batch", &found(call, 1)),
        name if inline::is_interpreter(name) => return inline::commands(call, frame),
        _ if call.program.contains('/') => known(&call.program),
        _ => Vec::new(),
    };
    inner.extend(listed(call));
    inner
}

/// Whether a path is what the program reads anyway.
fn is_input(path: &str) -> bool {
    one_of("/dev/stdin /dev/fd/0 /proc/self/fd/0", path)
}

/// `sh -c text`, `sh file`, `… | sh`, `sh << text`.
fn shell(call: &Call, frame: &Frame) -> Vec<Inner> {
    let mut args = call.args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            text if !text.starts_with("--") && text.starts_with('-') && text.ends_with('c') => {
                let text = args.next().cloned().unwrap_or_default();
                return vec![Inner::Script(text, args.cloned().collect())];
            }
            "-o" | "+o" | "-O" | "--rcfile" | "--init-file" => drop(args.next()),
            "-n" => return Vec::new(),
            "-s" | "-" => break,
            file if is_input(file) => break,
            arg if arg.starts_with(['-', '+']) => {}
            file => {
                let rest = std::iter::once(arg).chain(args).cloned().collect();
                let text = frame.known_file(file);
                return text.map(|text| Inner::Script(text, rest)).into_iter().collect();
            }
        }
    }
    call.stdin.clone().map(Inner::script).into_iter().collect()
}

/// What the lines of `wrappers.txt` find in a call.
fn listed(call: &Call) -> Vec<Inner> {
    let mut inner = Vec::new();
    for line in include_str!("wrappers.txt").lines() {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (names, options) = rest.split_once(" :").unwrap_or((rest, ""));
        if one_of(names, &call.name) {
            match kind {
                "words" => inner.extend(words(call, names, options)),
                "text" => inner.extend(texts_of(call, options)),
                "texts" => inner.extend(texts(call)),
                _ => {}
            }
        }
    }
    inner
}

/// Values of options, also of a cluster such as `-qc`.
fn texts_of(call: &Call, options: &str) -> Vec<Inner> {
    let clustered = call.clustered('c').filter(|_| one_of(options, "-c"));
    let texts = call.values(options).chain(clustered);
    texts.map(|text| Inner::script(text.trim_start_matches("exec=").to_owned())).collect()
}

/// The command behind a wrapper.
fn words(call: &Call, names: &str, options: &str) -> Option<Inner> {
    let (valued, verbs) = options.split_once('/').unwrap_or((options, ""));
    let mut skips =
        names.split(' ').next().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let mut args = call.args.as_slice();
    if !verbs.is_empty() {
        let is_verb = |at: usize| {
            one_of(verbs, call.arg(at))
                || one_of(verbs, &format!("{},{}", call.arg(at - at.min(1)), call.arg(at)))
        };
        let at = (0..args.len().min(6)).find(|at| is_verb(*at))?;
        args = args.get(at + 1..).unwrap_or_default();
    }
    if call.is("command") && one_of("-v -V", call.arg(0)) {
        return None;
    }
    let mut env = Vec::new();
    while let Some((arg, rest)) = args.split_first() {
        let assigned = arg.split_once('=').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let is_option = arg.len() > 1 && arg.starts_with('-');
        if arg == "--" {
            args = rest;
            break;
        }
        if let Some((name, value)) = assigned.filter(|_| !is_option) {
            env.push((name.to_owned(), value.to_owned()));
        } else if !is_option {
            if skips == 0 {
                break;
            }
            skips -= 1;
        }
        args = rest.get(usize::from(one_of(valued, arg))..).unwrap_or_default();
    }
    match args.get(skips..).unwrap_or_default() {
        [] => None,
        [text] if text.contains(' ') => Some(Inner::script(text.clone())),
        [program, args @ ..] => {
            // A package of some version is known by its name.
            let end = program.rfind('@').filter(|at| *at > 0).unwrap_or(program.len());
            let program = program.get(..end).unwrap_or(program).to_owned();
            Some(Inner::Words(std::iter::once(program).chain(args.iter().cloned()).collect(), env))
        }
    }
}

/// Programs whose arguments, one or together, are a command.
fn texts(call: &Call) -> Vec<Inner> {
    let mut texts: Vec<String> =
        call.args.iter().filter(|arg| arg.contains(' ')).cloned().collect();
    texts.push(call.operands("-n -t -s -c -S -w -e").join(" "));
    texts.extend(call.stdin.clone().filter(|_| call.is("at batch")));
    let rest = call.args.iter().skip_while(|arg| *arg != "--").skip(1).cloned();
    texts.push(rest.collect::<Vec<_>>().join(" "));
    texts.into_iter().filter(|text| !text.is_empty()).map(Inner::script).collect()
}

/// Most inputs of `xargs` and `find` that are looked at one by one.
const MOST_INPUTS: usize = 16;

fn xargs(call: &Call) -> Vec<Inner> {
    let mut parts = call.args.split(|arg| arg == ":::");
    let cut = Call { args: parts.next().unwrap_or_default().to_vec(), ..call.clone() };
    let mut inputs: Vec<String> = parts.next().unwrap_or_default().to_vec();
    if inputs.is_empty() {
        let input = call.stdin.clone().filter(|_| call.value("-a --arg-file").is_none());
        let input = input.unwrap_or_else(|| HOLE.to_string());
        let words =
            input.split(|c: char| c.is_whitespace() || c == '\0').filter(|word| !word.is_empty());
        inputs = words.map(str::to_owned).collect();
    }
    let replaced = cut.value("-I -i --replace").unwrap_or("{}");
    let mut inner = Vec::new();
    for found in listed(&cut) {
        let (words, env) = match found {
            Inner::Words(words, env) => (words, env),
            Inner::Script(text, _) => (vec![text], Vec::new()),
        };
        if !call.is("parallel") && !words.iter().any(|word| word.contains(replaced)) {
            inner.push(Inner::Words(words.into_iter().chain(inputs.clone()).collect(), env));
            continue;
        }
        for input in inputs.iter().take(MOST_INPUTS) {
            let filled = filled(&words, replaced, input);
            let line = call.is("parallel").then(|| Inner::script(filled.join(" ")));
            inner.push(line.unwrap_or_else(|| Inner::Words(filled, env.clone())));
        }
    }
    inner
}

/// Words with an input in its place, or at their end.
fn filled(words: &[String], place: &str, input: &str) -> Vec<String> {
    let mut filled: Vec<String> = words.iter().map(|word| word.replace(place, input)).collect();
    if filled == words {
        filled.push(input.to_owned());
    }
    filled
}

/// Commands after an option of `find` or `fd`, up to `;` or `+`, with `{}` filled in.
fn after(call: &Call, options: &str, inputs: &[String]) -> Vec<Inner> {
    let mut inner = Vec::new();
    for at in (0..call.args.len()).filter(|at| one_of(options, call.arg(*at))) {
        let rest = call.args.get(at + 1..).unwrap_or_default();
        let words = rest.split(|arg| one_of("; +", arg)).next().unwrap_or_default();
        let is_place = words.iter().any(|word| word.contains("{}"));
        let inputs = inputs.iter().take(MOST_INPUTS);
        inner.extend(inputs.map(|input| {
            let is_whole = !is_place && call.is("find gfind");
            let words = if is_whole { words.to_vec() } else { filled(words, "{}", input) };
            Inner::Words(words, Vec::new())
        }));
    }
    inner
}
