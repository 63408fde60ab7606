//! Seatbelt: macOS's own sandbox, told what is allowed by a text that is made here. Nothing that is not named is allowed.
//!
//! There are no mounts: a path is seen where it is, and rules by name keep `.git` and `.ralph` from being changed.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{
    backend::{Sandbox, Unfit},
    profile::{Mount, Profile, Reach},
    selftest,
};
use crate::fence::{Fence, Wrapping};

const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// The system's own files, to be read. Later rules can take parts of them away.
const SYSTEM: [&str; 12] = [
    "/Applications/Xcode.app",
    "/Library/Apple",
    "/Library/Developer",
    "/Library/Frameworks",
    "/System",
    "/bin",
    "/opt",
    "/private/etc",
    "/private/var/db/timezone",
    "/private/var/select",
    "/sbin",
    "/usr",
];

/// Parts of those that no build needs.
const HIDDEN: [&str; 4] = [
    "/private/etc/krb5.keytab",
    "/private/etc/master.passwd",
    "/private/etc/ssh",
    "/private/etc/sudoers",
];

/// Devices without memory of their own.
const DEVICES: [&str; 7] =
    ["/dev/fd", "/dev/null", "/dev/ptmx", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// Services without which names of users, folders for temporary files and certificates cannot be looked up. No
/// keychain, no pasteboard, no opening of other programs.
const SERVICES: [&str; 4] = [
    "com.apple.bsd.dirhelper",
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.trustd.agent",
];

/// What `/tmp`, `/var` and `/etc` really are.
const LINKED: [&str; 3] = ["/etc", "/tmp", "/var"];

/// The default on macOS.
#[derive(Debug)]
pub(super) struct Seatbelt;

impl Sandbox for Seatbelt {
    fn name(&self) -> &'static str {
        "seatbelt"
    }

    fn probe(&self) -> Result<(), Unfit> {
        if !cfg!(target_os = "macos") {
            return Err(Unfit::OtherSystem);
        }
        if !Path::new(PROGRAM).is_file() {
            return Err(Unfit::Missing { program: "sandbox-exec" });
        }
        selftest::attempt(self, "sandbox-exec")
    }

    fn has_own_view(&self) -> bool {
        false
    }

    fn wrap(&self, profile: &Profile) -> Wrapping {
        let before = [PROGRAM, "-p", &rules(profile), "--"].map(Into::into).to_vec();
        let listen = match profile.reach {
            Reach::Gateway { port } => Some(port),
            Reach::Nowhere | Reach::Anywhere => None,
        };
        let limits = Some(profile.limits);
        let fence = Fence { listen, limits, unix_sockets: true, ..Fence::default() };
        Wrapping { before, shim: None, fence }
    }

    fn describe(&self) -> &'static str {
        "seatbelt: the agent and all it starts write only the worktree and its caches and read only listed paths, by \
         path rules of macOS's deprecated sandbox-exec; no process or network namespace, a few system services stay \
         reachable"
    }
}

/// The rules for one box, in Seatbelt's own language: what stands later wins.
fn rules(profile: &Profile) -> String {
    let mut lines: Vec<String> = vec!["(version 1)".into(), "(deny default)".into()];
    let paths = profile.mounts.iter().flat_map(Mount::paths);
    let is_plain = |path: &Path| path.to_str().is_some();
    // A rule about a name that cannot be written down would say something else: then nothing is allowed at all.
    if !paths.chain([&profile.workspace, &profile.home]).all(|path| is_plain(path)) {
        return lines.join("\n");
    }
    lines.extend(processes());
    lines.extend(system());
    lines.extend(profile.mounts.iter().flat_map(mount));
    // After the mounts: an empty home is passed through too.
    lines.push(ancestors(profile));
    lines.extend(names(profile));
    lines.extend(network(profile));
    lines.join("\n")
}

fn processes() -> Vec<String> {
    let mut lines: Vec<String> = [
        "(allow process-exec)",
        "(allow process-fork)",
        "(allow process-info* (target same-sandbox))",
        "(allow signal (target same-sandbox))",
        "(allow sysctl-read)",
        "(allow ipc-posix-sem)",
        "(allow ipc-posix-shm-read* (ipc-posix-name \"apple.shm.notification_center\"))",
        "(allow pseudo-tty)",
    ]
    .map(str::to_owned)
    .to_vec();
    let services = SERVICES.map(|name| format!("(global-name {})", quoted(name)));
    lines.push(format!("(allow mach-lookup {})", services.join(" ")));
    lines
}

fn system() -> Vec<String> {
    let all = |paths: &[&str]| {
        paths.iter().map(|path| subpath(Path::new(path))).collect::<Vec<_>>().join(" ")
    };
    vec![
        format!("(allow file-read* {})", all(&SYSTEM)),
        format!("(deny file-read* {})", all(&HIDDEN)),
        format!("(allow file-read* file-write-data file-ioctl {})", all(&DEVICES)),
        "(allow file-read* file-write* file-ioctl (regex #\"^/dev/ttys[0-9]+$\"))".into(),
    ]
}

/// Folders on the way to what is seen can be passed through and looked at, not listed.
fn ancestors(profile: &Profile) -> String {
    let seen = profile.mounts.iter().filter(|mount| !matches!(mount, Mount::Empty { .. }));
    let paths = seen.flat_map(Mount::paths).chain([&profile.workspace]);
    let above: BTreeSet<PathBuf> = paths
        .flat_map(|path| places(path))
        .flat_map(|path| path.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>())
        .collect();
    let linked = LINKED.iter().map(PathBuf::from);
    let literals: Vec<String> = above
        .into_iter()
        .chain(linked)
        .map(|path| format!("(literal {})", quoted(&path.to_string_lossy())))
        .collect();
    format!("(allow file-read-metadata {})", literals.join(" "))
}

/// What one mount would show, as rules about the path it shows.
fn mount(mount: &Mount) -> Vec<String> {
    let read = |path: &Path| format!("(allow file-read* {})", all_places(path));
    let write = |path: &Path| format!("(allow file-read* file-write* {})", all_places(path));
    match mount {
        Mount::Shown { from, .. } => {
            vec![read(from), format!("(deny file-write* {})", all_places(from))]
        }
        Mount::Lent { from, .. } => vec![write(from)],
        Mount::Empty { at } => vec![format!("(deny file-read* file-write* {})", all_places(at))],
        Mount::Link { at, .. } => {
            vec![format!("(allow file-read-metadata (literal {}))", quoted(&at.to_string_lossy()))]
        }
        Mount::Layered { below, above, .. } => {
            below.iter().map(|path| read(path)).chain([write(above)]).collect()
        }
    }
}

/// Names that must not be changed in the worktree however their letters are written: the file system is blind to case.
/// A repository inside the worktree is one that host git would trust, so none can be made.
fn names(profile: &Profile) -> Vec<String> {
    let inside = |mount: &&Mount| {
        matches!(mount, Mount::Shown { .. }) && mount.at().starts_with(&profile.workspace)
    };
    let shown = profile.mounts.iter().filter(inside).filter_map(|mount| {
        let below = mount.at().strip_prefix(&profile.workspace).ok()?;
        Some(any_case(&below.to_string_lossy())).filter(|pattern| !pattern.is_empty())
    });
    let own = [any_case(".ralph"), format!("(.*/)?{}", any_case(".git"))];
    let patterns: BTreeSet<String> = own.into_iter().chain(shown).collect();
    let mut lines = Vec::new();
    for place in places(&profile.workspace) {
        let root = literal(&place.to_string_lossy());
        for pattern in &patterns {
            lines.push(format!("(deny file-write* (regex #\"^{root}/{pattern}(/.*)?$\"))"));
        }
        // The worktree itself stays where it is.
        let itself = quoted(&place.to_string_lossy());
        lines.push(format!("(deny file-write-unlink (literal {itself}))"));
    }
    lines
}

fn network(profile: &Profile) -> Vec<String> {
    let mut lines = Vec::new();
    match profile.reach {
        Reach::Nowhere => {}
        Reach::Gateway { port } => {
            lines.push(format!("(allow network-outbound (remote ip \"localhost:{port}\"))"));
            lines.push("(allow network-bind network-inbound (local ip \"localhost:*\"))".into());
        }
        Reach::Anywhere => lines.push("(allow network* system-socket)".into()),
    }
    if profile.unix_sockets {
        let inside = all_places(&profile.workspace);
        lines.push(format!("(allow network-bind (local unix-socket {inside}))"));
        lines.push(format!("(allow network-outbound (remote unix-socket {inside}))"));
    }
    lines
}

/// A path, and what it is once the system's own links are followed.
fn places(path: &Path) -> Vec<PathBuf> {
    let is_linked = LINKED.iter().any(|link| path.starts_with(link));
    let below = path.strip_prefix("/").unwrap_or(path);
    let real = is_linked.then(|| Path::new("/private").join(below));
    std::iter::once(path.to_owned()).chain(real).collect()
}

fn all_places(path: &Path) -> String {
    places(path).iter().map(|place| subpath(place)).collect::<Vec<_>>().join(" ")
}

fn subpath(path: &Path) -> String {
    format!("(subpath {})", quoted(&path.to_string_lossy()))
}

/// A string of the language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A text as a pattern that matches only itself; what would end the pattern matches any one character.
fn literal(text: &str) -> String {
    text.chars().map(|c| pattern_of(c, c.to_string())).collect()
}

/// The same, blind to case.
fn any_case(text: &str) -> String {
    let folded = |c: char| match (c.to_ascii_lowercase(), c.to_ascii_uppercase()) {
        (low, high) if low != high => format!("[{low}{high}]"),
        // Beyond ASCII the file system has rules of its own.
        _ if !c.is_ascii() => ".".into(),
        _ => c.to_string(),
    };
    text.chars().map(|c| pattern_of(c, folded(c))).collect()
}

fn pattern_of(c: char, plain: String) -> String {
    match c {
        '"' | '\n' => ".".into(),
        '.' | '^' | '$' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '\\' => {
            format!("\\{c}")
        }
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fence::Limits;

    fn profile(reach: Reach) -> Profile {
        let path = PathBuf::from;
        Profile {
            mounts: vec![
                Mount::Empty { at: path("/Users/ann") },
                Mount::Empty { at: path("/tmp") },
                Mount::shown("/Users/ann/.rustup"),
                Mount::Layered {
                    below: vec![path("/Users/ann/.cargo")],
                    above: path("/Users/ann/state/cache/cargo"),
                    at: path("/Users/ann/.cargo"),
                    spare: true,
                },
                Mount::lent("/Users/ann/a \"b\" (c)"),
                Mount::shown("/Users/ann/a \"b\" (c)/.git"),
                Mount::shown("/Users/ann/a \"b\" (c)/.ralph"),
                Mount::shown("/var/folders/x"),
            ],
            workspace: path("/Users/ann/a \"b\" (c)"),
            home: path("/Users/ann"),
            reach,
            unix_sockets: false,
            veil: None,
            limits: Limits { processes: 1, file_bytes: 2, data_bytes: 3 },
            groups: Vec::new(),
        }
    }

    #[test]
    fn everything_is_denied_but_what_is_named() {
        insta::assert_snapshot!("seatbelt_rules", rules(&profile(Reach::Gateway { port: 61_080 })));
    }

    #[test]
    fn the_network_is_what_the_profile_says() {
        let network = |profile: &Profile| network(profile).join("\n");
        assert_eq!(network(&profile(Reach::Nowhere)), "");
        assert_eq!(network(&profile(Reach::Anywhere)), "(allow network* system-socket)");
        let sockets = Profile { unix_sockets: true, ..profile(Reach::Nowhere) };
        assert!(network(&sockets).contains("(local unix-socket (subpath \"/Users/ann/a"));
    }

    #[test]
    fn a_name_that_cannot_be_written_down_allows_nothing() {
        use std::os::unix::ffi::OsStringExt as _;
        let odd = PathBuf::from(std::ffi::OsString::from_vec(b"/Users/\xff".to_vec()));
        let mut profile = profile(Reach::Anywhere);
        profile.mounts.push(Mount::shown(odd));
        assert_eq!(rules(&profile), "(version 1)\n(deny default)");
    }

    #[test]
    fn protected_names_are_meant_in_any_case() {
        assert_eq!(any_case(".git"), r"\.[gG][iI][tT]");
        assert_eq!(literal("/a.b\"c"), r"/a\.b.c");
        let lines = names(&profile(Reach::Nowhere)).join("\n");
        assert!(lines.contains(r"/(.*/)?\.[gG][iI][tT](/.*)?$"), "{lines}");
        assert!(lines.contains(r"/\.[rR][aA][lL][pP][hH](/.*)?$"), "{lines}");
    }

    #[test]
    fn the_command_line_carries_the_rules() {
        let wrapping = Seatbelt.wrap(&profile(Reach::Nowhere));
        assert_eq!(wrapping.before.first().map(|word| word == PROGRAM), Some(true));
        assert_eq!(wrapping.before.last().map(|word| word == "--"), Some(true));
        assert_eq!((wrapping.before.len(), wrapping.shim), (4, None));
    }
}
