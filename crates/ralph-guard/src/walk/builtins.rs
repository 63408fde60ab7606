//! What commands leave behind: directories, variables, aliases, files, links.

use super::{
    super::{
        call::Call,
        marks::{self, DATA, HOLE, NET},
    },
    Walker, outputs,
};

impl Walker {
    /// Remembers what a call changes for the commands after it.
    pub(super) fn effects(&mut self, call: &Call) {
        match call.name.as_str() {
            "cd" | "pushd" | "popd" => self.change_directory(call),
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                for arg in &call.args {
                    if let Some((name, value)) = arg.split_once('=') {
                        let is_reference = call.name != "export" && call.has(&["-n"]);
                        let value = value.trim_start();
                        let value =
                            if is_reference { self.frame.var(value) } else { value.to_owned() };
                        self.frame.vars.insert(name.to_owned(), value);
                    }
                }
            }
            "unset" => self.frame.unset.extend(call.args.iter().cloned()),
            "read" | "mapfile" | "readarray" => {
                let value = call.stdin.clone().unwrap_or_else(|| HOLE.to_string());
                for name in call.operands(&["-p", "-t", "-n", "-d", "-u"]) {
                    self.frame.vars.insert(name.to_owned(), value.trim_end().to_owned());
                }
            }
            "printf" if call.arg(0) == "-v" => {
                let text = outputs::printf(call.args.get(2..).unwrap_or_default());
                self.frame.vars.insert(call.arg(1).to_owned(), text);
            }
            "set" => {
                if let Some(at) = call.args.iter().position(|arg| arg == "--") {
                    self.frame.args = call.args.get(at + 1..).unwrap_or_default().to_vec();
                }
            }
            "alias" => {
                for arg in &call.args {
                    if let Some((name, text)) = arg.split_once('=') {
                        self.frame.aliases.insert(name.to_owned(), text.to_owned());
                    }
                }
            }
            "trap" => {
                let operands = call.operands(&[]);
                if let [action, _, ..] = operands.as_slice() {
                    self.called.push((*action).to_owned());
                    self.at_exit.push((*action).to_owned());
                }
            }
            "git" => self.cloned(call),
            _ => self.files_of(call),
        }
    }

    fn change_directory(&mut self, call: &Call) {
        let operands = call.words();
        let target = operands.first().copied();
        let next = match (call.name.as_str(), target) {
            ("popd", _) | (_, Some("-")) => self.frame.before.clone(),
            (_, None) => Some(self.frame.scene().home.clone()),
            (_, Some(target)) => self.frame.resolve(&self.searched(call, target)),
        };
        let next = next.unwrap_or_else(|| format!("/{HOLE}"));
        self.frame.before = Some(std::mem::replace(&mut self.frame.cwd, next));
    }

    /// Where `CDPATH` looks for a directory first.
    fn searched(&self, call: &Call, target: &str) -> String {
        let given = call.env.iter().find(|(name, _)| name == "CDPATH").map(|(_, value)| value);
        let first =
            given.or_else(|| self.frame.vars.get("CDPATH")).and_then(|path| path.split(':').next());
        match first {
            Some(first) if !first.is_empty() && !target.starts_with(['/', '.']) => {
                format!("{first}/{target}")
            }
            _ => target.to_owned(),
        }
    }

    fn cloned(&mut self, call: &Call) {
        let words = call.words();
        match words.as_slice() {
            ["clone", url, rest @ ..] => {
                let base = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                let name = rest.first().copied().unwrap_or_else(|| base.trim_end_matches(".git"));
                self.frame.fetched.extend(self.frame.resolve(name));
            }
            ["remote", "add" | "set-url", name, ..] => self.frame.remotes.push((*name).to_owned()),
            _ => {}
        }
    }

    /// Files that programs write under a name that stands in their arguments.
    fn files_of(&mut self, call: &Call) {
        let operands = call.words();
        match call.name.as_str() {
            "curl" | "wget" | "aria2c" => {
                let clustered = call.args.iter().position(|arg| ends_in_output(arg));
                let clustered = clustered.and_then(|at| call.args.get(at + 1));
                let named = call
                    .value(&["-o", "-O", "--output", "--output-document"])
                    .or(clustered.map(String::as_str).filter(|name| !name.starts_with('-')));
                let url = operands.iter().rev().find(|word| word.contains("://"));
                let last = url.and_then(|url| url.rsplit('/').next());
                let name = match named {
                    Some(name) if !name.contains("://") => Some(name),
                    _ => last,
                };
                if let Some(name) = name.filter(|_| !is_loopback(call)) {
                    self.keep_file(name, &NET.to_string(), false);
                }
            }
            "tee" => {
                let text = call.stdin.clone().unwrap_or_default();
                for path in operands {
                    self.keep_file(path, &text, call.has(&["-a", "--append"]));
                }
            }
            "cp" | "mv" | "ln" | "install" => self.copied(call),
            "tar" | "bsdtar" | "gtar" | "unzip" | "7z" | "cpio" => self.unpacked(call),
            _ => {}
        }
    }

    /// Archives from the network: what lies where they were unpacked came from there.
    fn unpacked(&mut self, call: &Call) {
        let from_net = |text: &str| text.contains(NET);
        let is_fetched = call.stdin.as_deref().is_some_and(from_net)
            || call.args.iter().any(|arg| from_net(&self.content(arg)));
        if is_fetched {
            let directory = call.value(&["-C", "--directory", "-d"]).unwrap_or(".");
            self.frame.unpacked.extend(self.frame.resolve(directory));
        }
    }

    fn copied(&mut self, call: &Call) {
        let operands = call.operands(&["-m", "-t", "-o", "-g"]);
        let [sources @ .., target] = operands.as_slice() else { return };
        for source in sources {
            let name = source.rsplit('/').next().unwrap_or_default();
            let is_program = source.contains("bin/") || !source.contains(['/', '.']);
            if is_program && super::super::rules::risky_names().any(|risky| risky == name) {
                for path in [(*target).to_owned(), format!("{target}/{name}")] {
                    if let Some(path) = self.frame.resolve(&path) {
                        self.frame.programs.insert(path, name.to_owned());
                    }
                }
            }
            if call.name == "ln" {
                let (Some(link), Some(goal)) =
                    (self.frame.resolve(target), self.frame.resolve(source))
                else {
                    continue;
                };
                self.frame.links.insert(link, goal);
                continue;
            }
            let text = self.content(source);
            if text != DATA.to_string() {
                self.keep_file(target, &text, false);
                let base = source.rsplit('/').next().unwrap_or_default();
                self.keep_file(&format!("{target}/{base}"), &text, false);
            }
        }
    }
}

/// Letters of options of which the last takes the name of a file.
fn ends_in_output(arg: &str) -> bool {
    arg.len() > 2 && arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with(['o', 'O'])
}

/// Whether a download comes from this machine.
pub(in super::super) fn is_loopback(call: &Call) -> bool {
    let mut urls = call.args.iter().filter(|arg| is_url(arg));
    let Some(first) = urls.next() else { return false };
    let is_local = |url: &str| {
        let host = host_of(url);
        host == "localhost" || host.starts_with("127.") || host == "[::1]" || host == "0.0.0.0"
    };
    is_local(first) && urls.all(|url| is_local(url))
}

fn is_url(arg: &str) -> bool {
    arg.contains("://")
        || arg.starts_with("localhost")
        || arg.starts_with("127.")
        || arg.starts_with(':')
}

/// The host of an address.
pub(in super::super) fn host_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.is_empty() || host.starts_with(':') {
        return "localhost".into();
    }
    if let Some(end) = host.find(']') {
        return host.get(..=end).unwrap_or_default().to_owned();
    }
    marks::typed(host.split(':').next().unwrap_or_default())
}
