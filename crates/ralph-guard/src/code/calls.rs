//! What calls in code give back, and which commands they come to.

use super::{
    super::{
        marks::{self, DATA, DECODED, HOLE, INSIDE, NET, PARENT, SECRET, STAR},
        walk::host_of,
    },
    decode,
    effects::{self, Effect},
    reader::{ENVIRONMENT, Reader, Step},
    value::Value,
};

/// Whether every address in a text is one of this machine.
pub(in super::super) fn is_loopback_text(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return true };
    let host = host_of(&format!("x://{rest}"));
    is_local(&host)
}

fn is_local(host: &str) -> bool {
    ["localhost", "[::1]", "::1", "0.0.0.0", ""].contains(&host) || host.starts_with("127.")
}

impl Reader<'_> {
    /// A call of a function: its effect becomes a step, its value goes on.
    pub(super) fn call(&mut self, path: &str, owner: Option<Value>, args: &[Value]) -> Value {
        let name = effects::plain(path);
        if let Some(value) = self.environment(&name, owner.as_ref(), args) {
            return value;
        }
        let runs =
            |value: &Value| value.name.as_deref().and_then(effects::of) == Some(Effect::Evaluate);
        if let Some(given) = &owner
            && args.iter().any(runs)
        {
            self.evaluate(&given.text.clone());
        }
        match effects::of(path) {
            Some(Effect::Start) => self.start(&name, owner.as_ref(), args),
            Some(Effect::Evaluate) => {
                let text = args.first().or(owner.as_ref()).map(|value| value.text.clone());
                self.evaluate(&text.unwrap_or_default());
                if name == "exec" || name == "execute" {
                    self.start(&name, owner.as_ref(), args)
                } else {
                    Value::unknown()
                }
            }
            Some(Effect::Delete) => {
                self.delete(path, owner.as_ref(), args);
                Value::unknown()
            }
            Some(effect @ (Effect::Write | Effect::Read | Effect::Open)) => {
                self.file(effect, owner.as_ref(), args)
            }
            Some(effect @ (Effect::Move | Effect::Copy | Effect::Link | Effect::Mode)) => {
                self.change(effect, owner.as_ref(), args)
            }
            Some(Effect::Fetch) => self.fetch(owner.as_ref(), args, &name),
            Some(Effect::Connect) => self.connect(args),
            Some(Effect::Print) => {
                let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
                if self.printed.len() < 4096 {
                    self.printed.push_str(&texts.join(" "));
                    self.printed.push('\n');
                }
                if args.iter().any(|arg| arg.text.contains(SECRET)) {
                    self.push(Step::Program(vec!["echo".into(), SECRET.to_string()]));
                }
                owner.filter(|owner| owner.text.contains(NET)).unwrap_or_else(Value::unknown)
            }
            Some(Effect::Kill) => {
                let target = args
                    .iter()
                    .map(|arg| arg.text.as_str())
                    .find(|text| text.contains(PARENT) || ["1", "-1", "0"].contains(text));
                if let Some(target) = target {
                    let words = ["kill", "-9", target].map(str::to_owned);
                    self.push(Step::Program(words.to_vec()));
                }
                Value::unknown()
            }
            None => self.value_of(&name, path, owner, args),
        }
    }

    /// Functions that look into the environment.
    fn environment(&self, name: &str, owner: Option<&Value>, args: &[Value]) -> Option<Value> {
        let whole = Value { text: SECRET.to_string(), items: None, name: Some(ENVIRONMENT.into()) };
        let named = |key: &Value| {
            if key.is_unknown() { HOLE.to_string() } else { self.walker.frame_var(&key.text) }
        };
        if ["getenv", "sysgetenv", "lookupenv", "fetchenv", "env"].contains(&name) {
            return Some(args.first().map_or(whole, |key| Value::text(named(key))));
        }
        let owner = owner.filter(|owner| owner.name.as_deref() == Some(ENVIRONMENT))?;
        Some(match name {
            "get" | "fetch" | "dig" | "getordefault" => {
                Value::text(args.first().map_or_else(|| HOLE.to_string(), named))
            }
            "keys" | "has" | "haskey" | "key" | "include" | "setdefault" | "update" | "pop" => {
                Value::unknown()
            }
            _ => owner.clone(),
        })
    }

    /// A text that runs as code.
    fn evaluate(&mut self, text: &str) {
        if text.contains([NET, DECODED]) {
            self.push(Step::Program(vec!["eval".into(), marks::residue(text)]));
        } else if !marks::is_unknown(text) && !text.is_empty() {
            self.read(text);
        }
    }

    fn start(&mut self, name: &str, owner: Option<&Value>, args: &[Value]) -> Value {
        let made = Value::text(DATA);
        let Some(first) = args.first().or(owner) else { return made };
        if first.text.is_empty() || first.text.starts_with(HOLE) {
            self.starts_unknown = true;
            return made;
        }
        let rest = args.get(1..).unwrap_or_default();
        let repeats =
            ["execv", "execl", "spawnl", "spawnv"].iter().any(|family| name.starts_with(family));
        let mut words: Vec<String> = if repeats { Vec::new() } else { first.all() };
        for arg in rest {
            words.extend(arg.all());
        }
        if first.items.is_none() && (words.len() <= 1 || first.text.contains(' ')) {
            self.push(Step::Shell(first.text.clone()));
            return made;
        }
        self.push(Step::Program(words));
        made
    }

    /// A text as a path for a command, if it can be one.
    fn path(&self, text: &str) -> Option<String> {
        let is_path = !text.is_empty()
            && text.len() < 300
            && !text.contains(['\n', '\0'])
            && !text.contains("://")
            && !text.starts_with('-')
            && !text.starts_with(HOLE)
            && !text.starts_with(DATA);
        let text = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.walker.home())
            }
            _ => text.to_owned(),
        };
        is_path.then(|| text.replace('*', &STAR.to_string()))
    }

    fn delete(&mut self, function: &str, owner: Option<&Value>, args: &[Value]) {
        let sure = effects::is_about_files(function);
        let mut texts: Vec<String> = args.iter().flat_map(Value::all).collect();
        texts.extend(owner.filter(|owner| !owner.is_unknown()).map(|owner| owner.text.clone()));
        for text in texts {
            let is_far = text.len() > 2 && text.contains(['/', '~']) || text.starts_with("..");
            if let Some(path) = self.path(&text).filter(|_| sure || is_far) {
                self.push(Step::Program(vec!["rm".into(), "-rf".into(), path]));
            }
        }
    }

    /// Files that are read or written.
    fn file(&mut self, effect: Effect, owner: Option<&Value>, args: &[Value]) -> Value {
        let texts: Vec<String> = args.iter().flat_map(Value::all).collect();
        let whole = texts.first().cloned().unwrap_or_default();
        if whole.contains("://") {
            return self.fetch(owner, args, "get");
        }
        let mode = |text: &String| {
            let is_mode = text.len() <= 4 && text.chars().all(|c| "rwaxbt+<>:".contains(c));
            is_mode && text.contains(['w', 'a', 'x', '+', '>'])
        };
        let writes = effect == Effect::Write
            || effect == Effect::Open
                && (texts.iter().skip(1).any(mode)
                    || whole.starts_with('>')
                    || texts.iter().any(|text| text == ">" || text == ">>"));
        let is_pipe = effect == Effect::Open && (whole.starts_with('|') || whole.ends_with('|'));
        if is_pipe {
            self.push(Step::Shell(whole.trim_matches('|').trim().to_owned()));
            return Value::text(DATA);
        }
        if effect == Effect::Open && texts.iter().any(|text| text == "-|" || text == "|-") {
            let words = texts.into_iter().skip_while(|text| text != "-|" && text != "|-").skip(1);
            let words: Vec<String> = words.collect();
            self.push(Step::Shell(words.join(" ")));
            return Value::text(DATA);
        }
        let known = owner.filter(|owner| !owner.is_unknown() && owner.text.len() > 1);
        let candidates: Vec<String> = if let Some(owner) = known {
            vec![owner.text.clone()]
        } else {
            let names = texts.iter().filter(|text| !mode(text) && !marks::is_unknown(text));
            names.take(2).cloned().collect()
        };
        let program = if writes { "tee" } else { "cat" };
        let mut content = String::new();
        for text in candidates.iter().take(if writes { 1 } else { 2 }) {
            let text = text.trim_start_matches(['<', '>', '+', ' ']);
            let Some(path) = self.path(text) else { continue };
            content.push_str(&self.walker.content(&path));
            self.push(Step::Program(vec![program.into(), path]));
        }
        if content.is_empty() { Value::text(DATA) } else { Value::text(content) }
    }

    /// Files that are moved, copied, linked, or given a mode.
    fn change(&mut self, effect: Effect, owner: Option<&Value>, args: &[Value]) -> Value {
        let mut texts: Vec<String> = Vec::new();
        texts.extend(owner.filter(|owner| !owner.is_unknown()).map(|owner| owner.text.clone()));
        texts.extend(args.iter().flat_map(Value::all));
        let mut words: Vec<String> = match effect {
            Effect::Move => vec!["mv".into()],
            Effect::Link => vec!["ln".into(), "-s".into()],
            Effect::Mode => {
                let is_mode = |text: &String| {
                    text.trim_start_matches("0o").chars().all(|c| c.is_digit(8)) && text.len() > 2
                };
                let mode = texts.iter().find(|text| is_mode(text)).cloned().unwrap_or_default();
                texts.retain(|text| !is_mode(text));
                vec![
                    "chmod".into(),
                    mode.trim_start_matches("0o").trim_start_matches('0').to_owned(),
                ]
            }
            _ => vec!["cp".into(), "-r".into()],
        };
        let paths: Vec<String> = texts
            .iter()
            .take(2)
            .map(|text| self.path(text).unwrap_or_else(|| "unknown".into()))
            .collect();
        if !paths.is_empty() {
            words.extend(paths);
            self.push(Step::Program(words));
        }
        Value::unknown()
    }

    /// What another machine is asked, and what goes along.
    fn fetch(&mut self, owner: Option<&Value>, args: &[Value], name: &str) -> Value {
        let texts: Vec<String> = args.iter().flat_map(Value::all).collect();
        let is_loaded = |text: &String| text.contains([SECRET, DATA, INSIDE]);
        let url = texts.iter().find(|text| text.contains("://"));
        let Some(url) = url else {
            let is_socket = ["send", "sendall", "sendto"].contains(&name);
            if is_socket && texts.iter().any(|text| text.contains(SECRET)) {
                self.push(Step::Program(vec!["echo".into(), SECRET.to_string()]));
            }
            let from = owner.filter(|owner| !owner.is_unknown()).or(args.first());
            return from.cloned().unwrap_or_else(Value::unknown);
        };
        if is_loopback_text(url) {
            return Value::unknown();
        }
        if texts.iter().any(is_loaded) {
            let mut words = vec!["curl".to_owned(), url.clone()];
            for text in texts.iter().filter(|text| is_loaded(text)) {
                words.extend(["-d".to_owned(), marks::residue(text)]);
            }
            self.push(Step::Program(words));
        }
        Value::text(NET)
    }

    /// A connection: `(host, port)`.
    fn connect(&mut self, args: &[Value]) -> Value {
        let texts: Vec<String> = args.iter().flat_map(Value::all).collect();
        let port = texts.iter().find(|text| text.parse::<u16>().is_ok());
        let host = texts.iter().find(|text| {
            text.contains(['.', ':'])
                && !text.contains(['/', ' ', '='])
                && text.parse::<u16>().is_err()
        });
        if let (Some(host), Some(port)) = (host, port)
            && !is_local(host)
        {
            self.push(Step::Program(vec!["nc".into(), host.clone(), port.clone()]));
        }
        Value::unknown()
    }

    /// What a function without effects gives back.
    fn value_of(&mut self, name: &str, path: &str, owner: Option<Value>, args: &[Value]) -> Value {
        let known = owner.clone().filter(|owner| !owner.is_unknown());
        let first = args.first().cloned();
        let base = known.clone().or_else(|| first.clone()).unwrap_or_else(Value::unknown);
        match name {
            "map" if args.len() > 1 && base.name.is_some() => {
                let function = base.name.unwrap_or_default();
                self.call(&function, None, args.get(1..).unwrap_or_default())
            }
            "arraymap" | "arraywalk" | "calluserfunc" | "calluserfuncarray" if args.len() > 1 => {
                let function = base.text;
                self.call(&function, None, args.get(1..).unwrap_or_default())
            }
            "list" | "vector" | "array" if args.len() > 1 => Value::list(args.to_vec()),
            "homedir" | "home" | "userhome" | "gethomedir" | "homedirectory"
            | "gethomedirectory"
                if known.is_none() =>
            {
                Value::text(self.walker.home())
            }
            "expanduser" | "expandpath" | "expandfilename" | "pathexpand" => {
                let text = base.text.replacen('~', &self.walker.home(), 1);
                Value::text(if text.starts_with(HOLE) { self.walker.home() } else { text })
            }
            "getcwd" | "cwd" | "pwd" => Value::text(self.walker.frame_var("PWD")),
            "getppid" | "posixgetppid" => Value::text(PARENT),
            "join" | "joinpath" | "resolve" | "normalize" | "filejoin" | "append" | "child"
            | "concat" | "paste0" | "filepath" | "paste" => joined(name, path, known, args),
            "split" | "shlexsplit" | "words" => {
                let by = first.filter(|_| known.is_some()).map(|by| by.text);
                let parts: Vec<Value> = match by.as_deref() {
                    Some("") => base.text.chars().map(Value::text).collect(),
                    Some(by) if by.trim() != "" => base.text.split(by).map(Value::text).collect(),
                    _ => base.text.split_whitespace().map(Value::text).collect(),
                };
                Value::list(parts)
            }
            "reverse" | "reversed" | "strrev" => match &base.items {
                Some(items) => Value::list(items.iter().rev().map(Value::text).collect()),
                None => Value::text(decode::reversed(&base.text)),
            },
            "replace" | "replaceall" | "gsub" | "sub" => match (&known, args) {
                (Some(known), [from, to, ..]) if !from.text.is_empty() => {
                    Value::text(known.text.replace(&from.text, &to.text))
                }
                _ => base,
            },
            "glob" | "rglob" | "listdir" | "readdir" | "iterdir" | "scandir" | "walk"
            | "children" | "entries" | "eachchild" | "listfiles" | "ls" => {
                found(name, known, first)
            }
            "keys" | "len" | "bool" | "length" | "size" | "count" | "includes" | "has"
            | "exists" | "boolean" | "isfile" | "isdir" | "startswith" | "endswith"
            | "existssync" | "typeof" | "hash" | "sha256" | "md5" | "hexdigest" => Value::unknown(),
            _ => decoded(name, args, &base).unwrap_or_else(|| passed(name, owner, base)),
        }
    }
}

/// What a function that nobody knows gives back: most likely what it was given, in another shape.
fn passed(name: &str, owner: Option<Value>, base: Value) -> Value {
    if name == "require" || name == "import" {
        return Value::unknown();
    }
    match owner {
        Some(owner) if !owner.is_unknown() => Value { name: None, ..owner },
        _ => Value { name: None, ..base },
    }
}

fn joined(name: &str, path: &str, owner: Option<Value>, args: &[Value]) -> Value {
    let is_paths = path.contains("path") || path.contains("File") || path.contains("Path");
    match (owner, args) {
        (Some(owner), [list])
            if name == "join" && list.items.is_some() && owner.items.is_none() =>
        {
            Value::text(list.all().join(&owner.text))
        }
        (Some(owner), by) if name == "join" && owner.items.is_some() => {
            Value::text(owner.all().join(by.first().map_or("", |by| &by.text)))
        }
        (Some(owner), args) if name == "concat" => {
            args.iter().fold(owner, |left, right| left.joined(right))
        }
        (Some(owner), args) => args.iter().fold(owner, |left, right| left.below(&right.text)),
        (None, args) if name.starts_with("paste") => {
            let texts: Vec<String> = args.iter().flat_map(Value::all).collect();
            Value::text(texts.join(if name == "paste" { " " } else { "" }))
        }
        (None, [list, by]) if !is_paths && (list.items.is_some() || by.items.is_some()) => {
            let (list, by) = if list.items.is_some() { (list, by) } else { (by, list) };
            Value::text(list.all().join(&by.text))
        }
        (None, args) => {
            let mut parts = args.iter().flat_map(Value::all);
            let first = Value::text(parts.next().unwrap_or_default());
            parts.fold(first, |left, right| {
                if right.starts_with('/') { Value::text(right) } else { left.below(&right) }
            })
        }
    }
}

/// Files that a search finds: something below where it looks.
fn found(name: &str, owner: Option<Value>, first: Option<Value>) -> Value {
    let base = match (owner, first) {
        (Some(owner), Some(pattern)) if name.ends_with("glob") => owner.below(&pattern.text),
        (Some(owner), _) => owner,
        (None, Some(first)) => first,
        (None, None) => return Value::unknown(),
    };
    let text = base.text.trim_end_matches("/*").trim_end_matches("/**");
    if name.ends_with("glob") {
        let everything = text != base.text || text == "*";
        let root = if text == "*" { "." } else { text };
        return Value::text(if everything { format!("{root}/found") } else { text.to_owned() });
    }
    Value::text(format!("{}/found", text.trim_end_matches('/')))
}

/// Encodings that are undone.
fn decoded(name: &str, args: &[Value], base: &Value) -> Option<Value> {
    let known = |text: Option<String>| {
        let taint = if base.text.contains(NET) { NET } else { DECODED };
        Some(Value::text(text.unwrap_or_else(|| taint.to_string())))
    };
    let kind = args.iter().rev().map(|arg| arg.text.to_lowercase()).find(|text| text.len() < 8);
    let kind = kind.as_deref().unwrap_or_default();
    match name {
        "b64decode" | "decode64" | "strictdecode64" | "urlsafedecode64" | "atob"
        | "base64decode" | "decodebase64" | "urlsafeb64decode" | "frombase64string" | "b64dec" => {
            known(decode::base64(&base.text))
        }
        "decode" | "from" | "tostring" if kind == "base64" => known(decode::base64(&base.text)),
        "decode" | "from" | "tostring" if kind == "hex" => known(decode::hex(&base.text)),
        "decode" | "encode" if kind.starts_with("rot") => known(Some(decode::rot13(&base.text))),
        "unpack" | "unpack1" if kind.starts_with('m') => known(decode::base64(&base.text)),
        "unpack" | "pack" if kind.starts_with('h') => {
            let text = args.iter().map(|arg| &arg.text).find(|text| text.len() >= 8);
            known(decode::hex(text.unwrap_or(&base.text)))
        }
        "unhexlify" | "fromhex" | "hex2bin" => {
            known(decode::hex(args.first().map_or(&base.text, |arg| &arg.text)))
        }
        "strrot13" | "rot13" => known(Some(decode::rot13(&base.text))),
        "chr" | "fromcharcode" | "fromcodepoint" | "pack" | "bytes" | "bytearray" | "char"
        | "inttoutf8" => {
            let numbers: Vec<String> = if base.items.is_some()
                && args.iter().all(|arg| arg.items.is_none() && arg.text.parse::<u32>().is_err())
            {
                base.all()
            } else {
                args.iter().flat_map(Value::all).collect()
            };
            decode::characters(&numbers).map(Value::text)
        }
        "decompress" | "inflate" | "gunzip" | "gzinflate" | "gzuncompress" | "loads"
            if name != "loads" || base.text.contains(DECODED) =>
        {
            known(None)
        }
        _ => None,
    }
}
