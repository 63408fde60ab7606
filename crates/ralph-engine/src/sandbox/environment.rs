//! What of the caller's environment comes into the box: it starts from empty, and few variables are let in.

use std::ffi::{OsStr, OsString};

use super::{logins::without_users, tools::CERTIFICATES};

/// Let in as they are.
const NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "CI",
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "MAKEFLAGS",
    "PKG_CONFIG_PATH",
    "RUSTFLAGS",
    "NODE_ENV",
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "DOTNET_ROOT",
    "FNM_DIR",
    "MISE_DATA_DIR",
    "RBENV_ROOT",
    "SDKMAN_DIR",
    "VIRTUAL_ENV",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUST_BACKTRACE",
    "CARGO_TERM_COLOR",
    "GOPATH",
    "GOROOT",
    "GOFLAGS",
    "GOTOOLCHAIN",
    "JAVA_HOME",
    "NVM_DIR",
    "PNPM_HOME",
    "VOLTA_HOME",
    "PYENV_ROOT",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
    "SOURCE_DATE_EPOCH",
];

/// Where packages come from: let in without the logins in their addresses.
const REGISTRIES: &[&str] = &[
    "BUN_CONFIG_REGISTRY",
    "CARGO_REGISTRY_DEFAULT",
    "COREPACK_NPM_REGISTRY",
    "GONOPROXY",
    "GONOSUMDB",
    "GOPRIVATE",
    "GOPROXY",
    "GOSUMDB",
    "NPM_CONFIG_REGISTRY",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_INDEX",
    "UV_INDEX_URL",
    "YARN_NPM_REGISTRY_SERVER",
    "YARN_REGISTRY",
    "npm_config_registry",
];

/// Set in every box. The second one is how an agent that runs as root is told that it is in one; with the last one rustup
/// says what is not installed, and does not fail to install it where it cannot write.
const OURS: [(&str, &str); 3] =
    [("TMPDIR", "/tmp"), ("IS_SANDBOX", "1"), ("RUSTUP_AUTO_INSTALL", "0")];

/// Bends other programs or leads out of the box: not even let in by name.
const NEVER: &[&str] = &[
    "NODE_OPTIONS",
    "PYTHONSTARTUP",
    "BASH_ENV",
    "ENV",
    "PERL5OPT",
    "RUBYOPT",
    "SSH_AUTH_SOCK",
    "DOCKER_HOST",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// The caller's variables that are let in: the harmless ones, and those that `asked` names.
pub(super) fn let_in(
    caller: &[(OsString, OsString)],
    asked: impl Fn(&str) -> bool,
) -> Vec<(OsString, OsString)> {
    let wanted = |name: &OsStr| {
        let Some(name) = name.to_str() else {
            return false;
        };
        let harmless =
            NAMES.contains(&name) || CERTIFICATES.contains(&name) || name.starts_with("LC_");
        !is_never(name) && (harmless || asked(name))
    };
    let (registries, others): (Vec<_>, Vec<_>) =
        caller.iter().partition(|(name, _)| names_registry(name));
    let registries = registries
        .into_iter()
        .map(|(name, value)| (name.clone(), without_users(&value.to_string_lossy()).into()));
    others
        .into_iter()
        .filter(|(name, value)| wanted(name) && !carries_login(value))
        .cloned()
        .chain(registries)
        .chain(OURS.map(|(name, value)| (name.into(), value.into())))
        .collect()
}

/// Whether a variable says where packages come from.
fn names_registry(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let is_index = name.starts_with("CARGO_REGISTRIES_") && name.ends_with("_INDEX");
    is_index || REGISTRIES.contains(&name)
}

/// How programs find the gateway of their box, in all the spellings that are read.
pub(super) fn proxy(port: u16) -> Vec<(OsString, OsString)> {
    let gateway = format!("http://127.0.0.1:{port}");
    let near = "127.0.0.1,localhost,::1";
    let names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"];
    let value = |name: &str| if name == "NO_PROXY" { near } else { &*gateway };
    let both = names.iter().flat_map(|name| {
        [(*name).to_owned(), name.to_ascii_lowercase()].map(|spelling| (spelling, value(name)))
    });
    both.map(|(name, value)| (name.into(), value.into())).collect()
}

/// Whether a variable bends other programs or leads them elsewhere.
pub(crate) fn is_never(name: &str) -> bool {
    NEVER.contains(&name) || ["LD_", "DYLD_", "GIT_"].iter().any(|start| name.starts_with(start))
}

/// An address with a name and a password in it, as registries of companies are given.
fn carries_login(value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    let Some((_, rest)) = value.split_once("://") else {
        return false;
    };
    rest.split('/').next().is_some_and(|authority| authority.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_harmless_or_asked_for_comes_in() {
        let caller = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("ANTHROPIC_API_KEY", "x"),
            ("LD_PRELOAD", "x"),
            ("PIP_INDEX_URL", "https://me:secret@pypi.example/simple"),
            ("DATABASE_URL", "postgres://me:secret@db.example/x"),
            ("CARGO_REGISTRIES_OWN_INDEX", "sparse+https://cargo.example/"),
            ("CARGO_REGISTRIES_OWN_TOKEN", "secret"),
        ]
        .map(|(name, value)| (name.into(), value.into()));
        let asked =
            |name: &str| ["ANTHROPIC_API_KEY", "DATABASE_URL", "LD_PRELOAD"].contains(&name);
        let inside = let_in(&caller, asked);
        let names: Vec<_> = inside.iter().map(|(name, _)| name.to_string_lossy()).collect();
        let (own, ours) = (
            ["PATH", "LC_ALL", "ANTHROPIC_API_KEY"],
            ["TMPDIR", "IS_SANDBOX", "RUSTUP_AUTO_INSTALL"],
        );
        let registries = ["PIP_INDEX_URL", "CARGO_REGISTRIES_OWN_INDEX"];
        assert_eq!(names, [&own[..], &registries, &ours].concat());
        assert_eq!(inside[3].1, "https://pypi.example/simple");
    }
}
