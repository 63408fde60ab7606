//! What commands leave behind: directories, variables, aliases, files, links.

use super::walker::Walker;
use crate::{
    call::Call,
    marks::{HOLE, NET},
};

impl Walker {
    /// Remembers what a call changes for the commands after it.
    pub(super) fn effects(&mut self, call: &Call) {
        let frame = &mut self.frame;
        match call.name.as_str() {
            "cd" | "pushd" | "popd" => self.change_directory(call),
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                let assigned = call.args.iter().filter_map(|arg| arg.split_once('='));
                let assigned =
                    assigned.map(|(name, value)| (name.to_owned(), value.trim_start().to_owned()));
                frame.vars.extend(assigned);
            }
            "read" | "mapfile" | "readarray" => {
                let value = call.stdin.clone().unwrap_or_else(|| HOLE.to_string());
                for name in call.operands("-p -t -n -d -u") {
                    frame.vars.insert(name.to_owned(), value.trim_end().to_owned());
                }
            }
            "trap" => {
                if let [action, _, ..] = call.words().as_slice() {
                    self.called.push((*action).to_owned());
                    self.at_exit.push((*action).to_owned());
                }
            }
            "git" => match call.words().as_slice() {
                ["clone", url, rest @ ..] => {
                    let base = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                    let name =
                        rest.first().copied().unwrap_or_else(|| base.trim_end_matches(".git"));
                    frame.fetched.extend(frame.resolve(name));
                }
                ["remote", "add" | "set-url", name, ..] => frame.remotes.push((*name).to_owned()),
                _ => {}
            },
            "curl" | "wget" | "aria2c" if !call.is_loopback() => self.downloaded(call),
            "tee" => {
                let text = call.stdin.clone().unwrap_or_default();
                for path in call.words() {
                    frame.keep_file(path, &text, call.has("-a --append"));
                }
            }
            "ln" => self.linked(call),
            "tar" | "bsdtar" | "gtar" | "unzip" | "7z" | "cpio" => self.unpacked(call),
            _ => {}
        }
    }

    fn change_directory(&mut self, call: &Call) {
        let next = match call.words().first().copied() {
            Some("-") => self.frame.before.clone(),
            None if call.is("popd") => self.frame.before.clone(),
            None => Some(self.frame.scene.home.clone()),
            Some(target) => self.frame.resolve(target),
        };
        let next = next.unwrap_or_else(|| format!("/{HOLE}"));
        self.frame.before = Some(std::mem::replace(&mut self.frame.cwd, next));
    }

    /// The file into which a download goes.
    fn downloaded(&mut self, call: &Call) {
        let is_output = |arg: &String| {
            arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with(['o', 'O'])
        };
        let at = call.args.iter().position(is_output);
        let clustered = at.and_then(|at| call.args.get(at + 1)).map(String::as_str);
        let named = call.value("--output --output-document").or(clustered);
        let named = named.filter(|name| !name.contains("://") && !name.starts_with('-'));
        let url = call.args.iter().rev().find(|word| word.contains("://"));
        let last = url.and_then(|url| url.rsplit('/').next());
        if let Some(name) = named.or(last).map(str::to_owned) {
            self.frame.keep_file(&name, &NET.to_string(), false);
        }
    }

    /// Archives from the network: what lies where they were unpacked came from there.
    fn unpacked(&mut self, call: &Call) {
        let is_fetched = call.stdin.as_deref().is_some_and(|text| text.contains(NET))
            || call.args.iter().any(|arg| self.content(arg).contains(NET));
        if is_fetched {
            let directory = call.value("-C --directory -d").unwrap_or(".");
            self.frame.fetched.extend(self.frame.resolve(directory));
        }
    }

    fn linked(&mut self, call: &Call) {
        let [sources @ .., target] = &*call.words() else { return };
        for source in sources {
            let link = self.frame.resolve(target).zip(self.frame.resolve(source));
            self.frame.links.extend(link);
        }
    }
}
