//! What a shell remembers between commands: variables, functions, its directory, files that the command itself wrote.
//! It must never judge.

use std::{collections::BTreeMap, rc::Rc};

use crate::{
    call::one_of,
    marks::{self, CHILD, HOLE, NET, PARENT, SECRET},
    paths::{self, Zone, below},
    syntax::Command,
    verdict::Scene,
};

#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub(crate) scene: Rc<Scene>,
    pub(crate) cwd: String,
    pub(crate) before: Option<String>,
    pub(crate) vars: BTreeMap<String, String>,
    pub(crate) args: Vec<String>,
    pub(crate) functions: BTreeMap<String, Rc<Command>>,
    /// Contents of files that the command wrote, by their path.
    pub(crate) files: BTreeMap<String, String>,
    /// Symbolic links that the command made.
    pub(crate) links: BTreeMap<String, String>,
    /// Directories that the command fetched from elsewhere.
    pub(crate) fetched: Vec<String>,
    /// Remotes of git that the command added.
    pub(crate) remotes: Vec<String>,
}

impl Frame {
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut scene = scene.clone();
        // A home that is unknown or everything must not swallow all paths.
        if scene.home.trim_matches('/').is_empty() {
            scene.home = "/home/user".into();
        }
        Self { cwd: scene.cwd.clone(), scene: Rc::new(scene), ..Self::default() }
    }

    /// The value of a variable.
    pub(crate) fn var(&self, name: &str) -> String {
        if let Some(value) = self.vars.get(name) {
            return value.clone();
        }
        let home = self.scene.home.as_str();
        match name {
            "HOME" => home.to_owned(),
            "PWD" => self.cwd.clone(),
            "OLDPWD" => self.before.clone().unwrap_or_else(|| HOLE.to_string()),
            "IFS" => " ".into(),
            "TMPDIR" | "TMP" | "TEMP" => "/tmp".into(),
            "PATH" => "/usr/local/bin:/usr/bin:/bin".into(),
            "XDG_CONFIG_HOME" => format!("{home}/.config"),
            "XDG_CACHE_HOME" => format!("{home}/.cache"),
            "XDG_DATA_HOME" => format!("{home}/.local/share"),
            "PPID" => PARENT.to_string(),
            "!" | "$" => CHILD.to_string(),
            "?" | "#" => "0".into(),
            "0" => format!("{}/script.sh", self.cwd),
            "@" | "*" if !self.args.is_empty() => self.args.join(" "),
            _ => match name.parse::<usize>() {
                Ok(index) if index > 0 => {
                    self.args.get(index - 1).cloned().unwrap_or_else(|| HOLE.to_string())
                }
                _ if is_secret_name(name) => SECRET.to_string(),
                _ => HOLE.to_string(),
            },
        }
    }

    /// Where a path leads, through the links that the command made.
    pub(crate) fn resolve(&self, path: &str) -> Option<String> {
        let full = paths::resolve(path, &self.cwd)?;
        for (link, target) in &self.links {
            if let Some(rest) = below(&full, link)
                && (!rest.is_empty() || path.ends_with('/'))
            {
                return paths::resolve(&format!("{target}/{rest}"), "/");
            }
        }
        Some(full)
    }

    /// What a path is.
    pub(crate) fn zone(&self, path: &str) -> Zone {
        let Some(full) = self.resolve(path) else { return Zone::Inside };
        let zone = paths::zone(&full, &self.scene);
        let leaves = !path.starts_with('/') && below(&self.cwd, self.root()).is_some();
        if zone == Zone::Temp && leaves { Zone::Outside } else { zone }
    }

    fn root(&self) -> &str {
        self.scene.worktree.trim_end_matches('/')
    }

    /// A path relative to a home, if it is there.
    pub(crate) fn in_home(&self, path: &str) -> Option<String> {
        let full = self.resolve(path)?;
        if below(&full, self.root()).is_some() {
            return None;
        }
        if let Some(rest) = below(&full, self.scene.home.trim_end_matches('/')) {
            return Some(rest.to_owned());
        }
        if let Some(rest) = full.strip_prefix("/home/").or_else(|| full.strip_prefix("/Users/")) {
            return Some(rest.split_once('/').map_or("", |(_, rest)| rest).to_owned());
        }
        below(&full, "/root").map(str::to_owned)
    }

    /// What the command itself wrote into a file or fetched.
    pub(crate) fn known_file(&self, path: &str) -> Option<String> {
        if path.contains([NET, marks::DECODED]) {
            return Some(marks::residue(path));
        }
        let full = self.resolve(path)?;
        if let Some(text) = self.files.get(&full) {
            return Some(text.clone());
        }
        let is_fetched = self.fetched.iter().any(|directory| self.came_with(&full, directory));
        (is_fetched || path.contains("/dev/tcp/")).then(|| NET.to_string())
    }

    /// Whether a file is below a fetched directory; what was unpacked into the worktree itself is not told apart from
    /// the directories that projects have.
    fn came_with(&self, full: &str, directory: &str) -> bool {
        let own = "node_modules scripts bin target build dist .venv venv tools ci tests test src";
        let Some(rest) = below(full, directory).filter(|rest| !rest.is_empty()) else {
            return false;
        };
        let first = rest.split_once('/').map(|(first, _)| first);
        directory != self.root() || first.is_some_and(|first| !one_of(own, first))
    }

    /// Remembers what was written into a file.
    pub(crate) fn keep_file(&mut self, path: &str, text: &str, appends: bool) {
        if let Some(path) = self.resolve(path) {
            let file = self.files.entry(path).or_default();
            if !appends {
                file.clear();
            }
            file.push_str(text);
            *file = marks::bounded(std::mem::take(file));
        }
    }
}

/// Whether a variable of this name holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends = "KEY TOKEN SECRET SECRETS PASSWORD PASSWD PASS PASSPHRASE CREDENTIALS CREDS PAT PWD";
    if one_of("PWD OLDPWD", &name) || name.contains("PUBLIC") {
        return false;
    }
    let mut parts = name.split('_');
    parts.any(|part| one_of(ends, part) || part.ends_with("TOKEN") || part.ends_with("APIKEY"))
        || name == "DATABASE_URL"
}
