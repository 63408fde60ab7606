//! What a shell remembers between commands.

use std::{collections::BTreeMap, rc::Rc};

use super::super::{
    Scene,
    marks::{CHILD, HOLE, PARENT, SECRET},
    paths::{self, Zone},
    syntax::Command,
};

/// Variables, functions, the current directory, and files that the command itself wrote.
#[derive(Debug, Clone)]
pub(in super::super) struct Frame {
    pub(super) scene: Rc<Scene>,
    pub(in super::super) cwd: String,
    pub(super) before: Option<String>,
    pub(super) vars: BTreeMap<String, String>,
    pub(super) args: Vec<String>,
    pub(super) functions: BTreeMap<String, Rc<Command>>,
    pub(super) aliases: BTreeMap<String, String>,
    /// Contents of files that the command wrote, by their path.
    pub(in super::super) files: BTreeMap<String, String>,
    /// Symbolic links that the command made.
    pub(super) links: BTreeMap<String, String>,
    /// Programs that the command copied or linked to another name.
    pub(super) programs: BTreeMap<String, String>,
    /// Directories into which the command unpacked what it fetched.
    pub(super) unpacked: Vec<String>,
    /// Directories that the command fetched from elsewhere.
    pub(super) fetched: Vec<String>,
    /// Remotes of git that the command added.
    pub(in super::super) remotes: Vec<String>,
    /// Variables that the command took out of the environment.
    pub(in super::super) unset: Vec<String>,
}

impl Frame {
    pub(super) fn new(scene: &Scene) -> Self {
        Self {
            scene: Rc::new(placed(scene)),
            cwd: scene.cwd.clone(),
            before: None,
            vars: BTreeMap::new(),
            args: Vec::new(),
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            programs: BTreeMap::new(),
            unpacked: Vec::new(),
            fetched: Vec::new(),
            remotes: Vec::new(),
            unset: Vec::new(),
        }
    }

    /// The value of a variable.
    pub(super) fn var(&self, name: &str) -> String {
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
            "SHELL" | "BASH" => "/bin/bash".into(),
            "PATH" => "/usr/local/bin:/usr/bin:/bin".into(),
            "XDG_CONFIG_HOME" => format!("{home}/.config"),
            "XDG_CACHE_HOME" => format!("{home}/.cache"),
            "XDG_DATA_HOME" => format!("{home}/.local/share"),
            "PPID" => PARENT.to_string(),
            "!" => CHILD.to_string(),
            "$" => "4711".into(),
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
    pub(in super::super) fn resolve(&self, path: &str) -> Option<String> {
        let full = paths::resolve(path, &self.cwd)?;
        let goes_through = path.ends_with('/');
        for (link, target) in &self.links {
            if let Some(rest) = paths::below(&full, link)
                && (!rest.is_empty() || goes_through)
            {
                return paths::resolve(&format!("{target}/{rest}"), "/");
            }
        }
        Some(full)
    }

    /// What a path is.
    pub(in super::super) fn zone(&self, path: &str) -> Zone {
        let Some(full) = self.resolve(path) else { return Zone::Inside };
        let zone = paths::zone(&full, &self.scene);
        let root = self.scene.worktree.trim_end_matches('/');
        let leaves = !path.starts_with('/') && paths::below(&self.cwd, root).is_some();
        if zone == Zone::Temp && leaves { Zone::Outside } else { zone }
    }

    /// A path relative to the home, if it is there.
    pub(in super::super) fn in_home(&self, path: &str) -> Option<String> {
        let full = self.resolve(path)?;
        if paths::below(&full, self.scene.worktree.trim_end_matches('/')).is_some() {
            return None;
        }
        if let Some(rest) = paths::below(&full, self.scene.home.trim_end_matches('/')) {
            return Some(rest.to_owned());
        }
        for homes in ["/home/", "/Users/"] {
            if let Some(rest) = full.strip_prefix(homes) {
                return Some(rest.split_once('/').map_or("", |(_, rest)| rest).to_owned());
            }
        }
        paths::below(&full, "/root").map(str::to_owned)
    }

    /// The rules and exceptions of the user.
    pub(in super::super) fn scene(&self) -> &Scene {
        &self.scene
    }
}

/// A scene in which the home is a place: one that is unknown or everything must not swallow all paths.
fn placed(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    if scene.home.trim_matches('/').is_empty() {
        scene.home = "/home/user".into();
    }
    scene
}

/// Whether a variable of this name holds a secret.
pub(in super::super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends =
        ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "CREDENTIALS", "PAT", "PWD"];
    let parts: Vec<&str> = name.split('_').collect();
    if name == "PWD" || name == "OLDPWD" || name.contains("PUBLIC") {
        return false;
    }
    parts
        .iter()
        .any(|part| ends.contains(part) || part.ends_with("TOKEN") || part.ends_with("APIKEY"))
        || name == "DATABASE_URL"
}
