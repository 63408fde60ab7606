//! What git's own configuration says about a repository, and the little of it that a git in the box gets to see.
//!
//! An allowlist: whatever could start a program, name a host or read another file is left out. Must never follow the
//! configuration into files that agents can write.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::{
    environment::GitEnv,
    error::GitError,
    files::{quoted, shown, split_nul},
};
use crate::outside::Outside;

/// Settings that change what a tree is or how fast it is found, and can do nothing else.
const HARMLESS: &[&str] = &[
    "core.abbrev",
    "core.autocrlf",
    "core.bigfilethreshold",
    "core.checkroundtripencoding",
    "core.commitgraph",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.loosecompression",
    "core.multipackindex",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.protecthfs",
    "core.protectntfs",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.untrackedcache",
    "diff.algorithm",
    "diff.renamelimit",
    "diff.renames",
    "extensions.compatobjectformat",
    "extensions.noop",
    "extensions.objectformat",
    "extensions.partialclone",
    "extensions.preciousobjects",
    "extensions.refstorage",
    "extensions.relativeworktrees",
    "feature.manyfiles",
    "index.recordendofindexentries",
    "index.recordoffsettable",
    "index.skiphash",
    "index.sparse",
    "index.threads",
    "index.version",
    "lfs.repositoryformatversion",
    "lfs.storage",
    "merge.conflictstyle",
    "merge.renamelimit",
    "merge.renames",
];

/// Largest file of ignore rules or attributes that is copied.
const LARGEST: u64 = 4 << 20;

/// One value, with the file that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting {
    scope: String,
    file: Option<PathBuf>,
    /// Section and name in lower case, what stands between them as it is.
    key: String,
    value: Option<String>,
}

/// What is known of a repository's configuration.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    settings: Vec<Setting>,
    /// The user's own ignore rules and attributes, which no repository knows.
    pub(super) ignore: Option<Vec<u8>>,
    pub(super) attributes: Option<Vec<u8>>,
    /// Every file that has a say, and what it was when it was read; nothing where none was read.
    seen: Vec<(PathBuf, Option<Seen>)>,
}

/// Device, inode, size and time of the last change.
type Seen = (u64, u64, u64, (i64, i64));

/// Folders of one repository.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folders<'a> {
    pub(super) work_tree: &'a Path,
    pub(super) git_dir: &'a Path,
    pub(super) common_dir: &'a Path,
}

impl Configuration {
    /// Reads what `git config --list -z --show-scope --show-origin` prints. A file that agents can write is refused.
    pub(super) fn read(
        listing: &[u8],
        env: &GitEnv,
        folders: Folders<'_>,
    ) -> Result<Self, GitError> {
        let mut parts = split_nul(listing);
        let mut settings = Vec::new();
        while let (Some(scope), Some(origin), Some(entry)) =
            (parts.next(), parts.next(), parts.next())
        {
            let entry = shown(entry);
            let (key, value) = match entry.split_once('\n') {
                Some((key, value)) => (key, Some(value.to_owned())),
                None => (entry.as_str(), None),
            };
            let origin = shown(origin);
            let file = origin.strip_prefix("file:").map(|file| folders.work_tree.join(file));
            settings.push(Setting { scope: shown(scope), file, key: key.to_owned(), value });
        }
        settings.retain(|setting| setting.scope != "command");
        let mut found = Self { settings, ..Self::default() };
        let files = found.files(env, folders);
        let outside = Outside::new(Vec::new(), vec![folders.work_tree.to_owned()])
            .except(&[folders.git_dir, folders.common_dir]);
        if let Some(file) = files.iter().find(|file| outside.is_agents(file)) {
            return Err(GitError::ForeignConfiguration { file: file.clone() });
        }
        // What counts may depend on the branch that is checked out.
        let more = ["HEAD", "config.worktree"].map(|name| folders.git_dir.join(name));
        found.seen =
            files.into_iter().chain(more).map(|file| (file.clone(), seen(&file))).collect();
        found.ignore = found.own_file("core.excludesfile", "ignore", env, folders.work_tree);
        found.attributes =
            found.own_file("core.attributesfile", "attributes", env, folders.work_tree);
        Ok(found)
    }

    /// What counts in a repository that was made anew, with object names of this format.
    pub(super) fn of_a_copy(&self, format: &str) -> Self {
        let is_users = |setting: &&Setting| ["system", "global"].contains(&setting.scope.as_str());
        let own = |key: &str, value: &str| Setting {
            scope: "local".into(),
            file: None,
            key: key.into(),
            value: Some(value.into()),
        };
        let mut settings: Vec<Setting> = self.settings.iter().filter(is_users).cloned().collect();
        if format == "sha1" {
            settings.push(own("core.repositoryformatversion", "0"));
        } else {
            settings.push(own("core.repositoryformatversion", "1"));
            settings.push(own("extensions.objectformat", format));
        }
        let (ignore, attributes) = (self.ignore.clone(), self.attributes.clone());
        Self { settings, ignore, attributes, seen: Vec::new() }
    }

    /// Filters that have a program, without those that may run.
    pub(super) fn unnamed_filters(&self, named: &[String]) -> BTreeSet<String> {
        let drivers = self.settings.iter().filter_map(|setting| {
            let (name, what) = filter_of(&setting.key)?;
            let has_program = setting.value.as_deref().is_some_and(|value| !value.is_empty());
            let runs = ["clean", "smudge", "process"].contains(&what) && has_program;
            (runs && !named.iter().any(|one| one == name)).then(|| name.to_owned())
        });
        drivers.collect()
    }

    /// Settings that keep those filters from running where git has no box.
    pub(super) fn switched_off(&self, named: &[String]) -> Vec<(String, String)> {
        let off = |name: &String| {
            let empty = ["clean", "smudge", "process"]
                .map(|what| (format!("filter.{name}.{what}"), String::new()));
            empty.into_iter().chain([(format!("filter.{name}.required"), "false".to_owned())])
        };
        self.unnamed_filters(named).iter().flat_map(off).collect()
    }

    /// Programs of the filters that may run, as the user's configuration writes them.
    pub(super) fn programs(&self, named: &[String]) -> Vec<&str> {
        let is_named = |key: &str| {
            filter_of(key).is_some_and(|(name, what)| {
                what != "required" && named.iter().any(|one| one == name)
            })
        };
        let settings = self.settings.iter().filter(|setting| is_named(&setting.key));
        settings.filter_map(|setting| setting.value.as_deref()).collect()
    }

    /// The last value of a setting.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let mut settings = self.settings.iter().rev();
        settings.find(|setting| setting.key == key)?.value.as_deref()
    }

    /// Every setting that has a value, with it.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().filter_map(|one| Some((one.key.as_str(), one.value.as_deref()?)))
    }

    /// The configuration of a git in the box: harmless settings, and the filters that may run.
    pub(super) fn for_the_box(&self, named: &[String]) -> String {
        let quoted = |value: &str| shown(&quoted(value.as_bytes()));
        let mut text = String::new();
        for setting in self.settings.iter().filter(|setting| is_let_in(&setting.key, named)) {
            let Some((section, name)) = setting.key.rsplit_once('.') else { continue };
            let section = match section.split_once('.') {
                Some((section, sub)) => format!("[{section} {}]", quoted(sub)),
                None => format!("[{section}]"),
            };
            let value = setting.value.as_deref().map(|value| format!(" = {}", quoted(value)));
            let _ = write!(text, "{section}\n\t{name}{}\n", value.unwrap_or_default());
        }
        text
    }

    /// Whether git would read the same again.
    pub(super) fn is_current(&self) -> bool {
        !self.seen.is_empty() && self.seen.iter().all(|(file, before)| seen(file) == *before)
    }

    /// Every file that was read or would be if it were there. None may lie where agents write: what it says could
    /// change at any time, and one that is not there yet can be made.
    fn files(&self, env: &GitEnv, folders: Folders<'_>) -> BTreeSet<PathBuf> {
        let read = self.settings.iter().filter_map(|setting| setting.file.clone());
        let included = self.settings.iter().filter_map(|setting| {
            let is_include = matches!(ends(&setting.key), ("include" | "includeif", "path"));
            let value = setting.value.as_deref().filter(|_| is_include)?;
            let base = setting.file.as_deref()?.parent()?;
            Some(base.join(env.expanded(value)))
        });
        let own = folders.common_dir.join("config");
        let places = env.global_places().into_iter().chain([own]);
        read.chain(included).chain(places).collect()
    }

    /// A file of the user's that a setting names, else the one in the usual place.
    fn own_file(&self, key: &str, name: &str, env: &GitEnv, root: &Path) -> Option<Vec<u8>> {
        let file = match self.get(key) {
            Some("") => return None,
            Some(named) => root.join(env.expanded(named)),
            None => env.configuration_home()?.join("git").join(name),
        };
        let about = fs::metadata(&file).ok()?;
        (about.is_file() && about.len() <= LARGEST).then(|| fs::read(&file).ok())?
    }
}

fn seen(file: &Path) -> Option<Seen> {
    let about = fs::metadata(file).ok()?;
    Some((about.dev(), about.ino(), about.len(), (about.ctime(), about.ctime_nsec())))
}

/// The section of a setting, and its name.
fn ends(key: &str) -> (&str, &str) {
    let section = key.split('.').next().unwrap_or_default();
    (section, key.rsplit('.').next().unwrap_or_default())
}

/// The filter that a setting is of, and what it says of it.
fn filter_of(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix("filter.")?.rsplit_once('.')
}

fn is_let_in(key: &str, named: &[String]) -> bool {
    let is_promise = matches!(ends(key), ("remote", "promisor" | "partialclonefilter"));
    let is_named = filter_of(key).is_some_and(|(name, _)| named.iter().any(|one| one == name));
    HARMLESS.contains(&key) || is_promise || is_named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(entries: &[(&str, &str, &str)]) -> Vec<u8> {
        let lines =
            entries.iter().map(|(scope, file, entry)| format!("{scope}\0file:{file}\0{entry}\0"));
        lines.collect::<String>().into_bytes()
    }

    fn read(entries: &[(&str, &str, &str)]) -> Result<Configuration, GitError> {
        let env = GitEnv::new("git", vec![("HOME".into(), "/no/home".into())]);
        let git = Path::new("/no/repo/.git");
        let folders = Folders { work_tree: Path::new("/no/repo"), git_dir: git, common_dir: git };
        Configuration::read(&listing(entries), &env, folders)
    }

    #[test]
    fn only_harmless_settings_and_named_filters_get_into_the_box() -> Result<(), GitError> {
        let own = "/no/repo/.git/config";
        let found = read(&[
            ("global", "/no/home/.gitconfig", "core.autocrlf\ninput"),
            ("local", own, "core.fsmonitor\nevil"),
            ("local", own, "core.bare"),
            ("local", own, "core.worktree\n/etc"),
            ("local", own, "filter.lfs.clean\ngit-lfs clean -- %f"),
            ("local", own, "filter.lfs.required\ntrue"),
            ("local", own, "filter.we\"ird.x.smudge\nevil"),
            ("local", own, "diff.x.textconv\nevil"),
            ("local", own, "credential.helper\n!evil"),
            ("local", own, "remote.origin.url\nhttps://user:pass@host.example"),
            ("command", "", "core.hookspath\n/dev/null"),
        ])?;
        assert_eq!(found.for_the_box(&[]), "[core]\n\tautocrlf = \"input\"\n");
        assert_eq!(
            found.for_the_box(&["lfs".into()]),
            "[core]\n\tautocrlf = \"input\"\n[filter \"lfs\"]\n\tclean = \"git-lfs clean -- %f\"\n\
             [filter \"lfs\"]\n\trequired = \"true\"\n"
        );
        let unnamed: Vec<String> = found.unnamed_filters(&["lfs".into()]).into_iter().collect();
        assert_eq!(unnamed, ["we\"ird.x"]);
        assert_eq!(found.switched_off(&["lfs".into()]).len(), 4);
        assert_eq!(found.programs(&["lfs".into()]), ["git-lfs clean -- %f"]);
        Ok(())
    }

    #[test]
    fn configuration_in_the_worktree_is_refused_whether_it_is_there_or_not() {
        let own = "/no/repo/.git/config";
        let refused = |file: &str, entry: &str| {
            matches!(read(&[("local", file, entry)]), Err(GitError::ForeignConfiguration { .. }))
        };
        assert!(refused(own, "include.path\n../.gitconfig"));
        assert!(refused(own, "include.path\n/no/repo/sub/config"));
        assert!(refused(own, "includeif.gitdir:/no/.path\n../x"));
        assert!(refused("/no/repo/.gitconfig", "user.name\nx"));
        assert!(!refused(own, "include.path\n../../team/config"));
        assert!(!refused(own, "include.path\n~/other/config"));
        assert!(!refused(own, "include.path\nmore"));
    }
}
