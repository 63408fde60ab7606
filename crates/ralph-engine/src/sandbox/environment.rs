//! What of the caller's environment comes into the box: it starts from empty, and few variables are let in.

use std::ffi::{OsStr, OsString};

use super::tools::CERTIFICATES;

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
    "GOPROXY",
    "GOTOOLCHAIN",
    "JAVA_HOME",
    "NVM_DIR",
    "PNPM_HOME",
    "VOLTA_HOME",
    "PYENV_ROOT",
    "UV_INDEX",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
    "UV_DEFAULT_INDEX",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "SOURCE_DATE_EPOCH",
];

/// Set in every box. The second one is how an agent that runs as root is told that it is in one.
const OURS: [(&str, &str); 2] = [("TMPDIR", "/tmp"), ("IS_SANDBOX", "1")];

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
    caller
        .iter()
        .filter(|(name, value)| wanted(name) && !carries_login(value))
        .cloned()
        .chain(OURS.map(|(name, value)| (name.into(), value.into())))
        .collect()
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
        ]
        .map(|(name, value)| (name.into(), value.into()));
        let names: Vec<_> =
            let_in(&caller, |name| ["ANTHROPIC_API_KEY", "LD_PRELOAD"].contains(&name))
                .into_iter()
                .map(|(name, _)| name)
                .collect();
        assert_eq!(names, ["PATH", "LC_ALL", "ANTHROPIC_API_KEY", "TMPDIR", "IS_SANDBOX"]);
    }
}
