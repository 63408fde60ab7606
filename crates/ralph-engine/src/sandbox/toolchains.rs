//! What is known of toolchains and version managers: which of their parts hold programs, and how an installation is told
//! from somebody's folder. Only what is named here is seen of them: the rest can hold logins.

/// A version manager: its folder below the home, the variable that moves it, and its parts to show.
pub(super) struct Manager {
    pub(super) folder: &'static str,
    pub(super) variable: &'static str,
    pub(super) parts: &'static [&'static str],
}

const fn manager(
    folder: &'static str,
    variable: &'static str,
    parts: &'static [&'static str],
) -> Manager {
    Manager { folder, variable, parts }
}

/// Parts of the managers that are made after rbenv.
const OF_RBENV: &[&str] = &[
    "bin",
    "completions",
    "libexec",
    "plugins",
    "pyenv.d",
    "rbenv.d",
    "shims",
    "version",
    "versions",
];
const OF_FNM: &[&str] = &["aliases", "node-versions"];
const OF_PIPX: &[&str] = &["py", "shared", "venvs"];

/// All that are known. A part `.` stands for the folder itself.
pub(super) const MANAGERS: &[Manager] = &[
    manager(
        ".asdf",
        "ASDF_DATA_DIR",
        &["asdf.sh", "bin", "completions", "installs", "lib", "plugins", "shims"],
    ),
    manager(".asdf", "ASDF_DIR", &["asdf.sh", "bin", "completions", "lib"]),
    manager(".bun/bin", "", &["."]),
    // Its settings are shown as a copy without tokens.
    manager(".cargo", "CARGO_HOME", &["bin", "env"]),
    manager(".deno/bin", "", &["."]),
    manager(
        ".dotnet",
        "DOTNET_ROOT",
        &[
            "dotnet",
            "host",
            "library-packs",
            "metadata",
            "packs",
            "sdk",
            "sdk-manifests",
            "shared",
            "store",
            "templates",
            "tools",
        ],
    ),
    manager(".fnm", "FNM_DIR", OF_FNM),
    manager(".gem/ruby", "", &["."]),
    manager(".ghcup", "", &["bin", "env", "ghc", "hls", "lib", "share"]),
    manager(".goenv", "", OF_RBENV),
    manager(".jenv", "", OF_RBENV),
    manager(".julia/juliaup", "", &["."]),
    manager(".juliaup", "", &["bin"]),
    manager(".local/lib", "", &["."]),
    manager(".local/pipx", "", OF_PIPX),
    manager(".local/share/fnm", "", OF_FNM),
    manager(".local/share/gem/ruby", "", &["."]),
    manager(".local/share/hatch", "", &["env", "pythons"]),
    manager(".local/share/mise", "MISE_DATA_DIR", &["installs", "plugins", "shims"]),
    manager(".local/share/pipx", "", OF_PIPX),
    manager(".local/share/pnpm", "PNPM_HOME", &[".tools", "global", "nodejs"]),
    manager(".local/share/uv", "", &["python", "tools"]),
    manager(".local/share/virtualenvs", "", &["."]),
    manager(".nix-profile", "", &["."]),
    manager(".nodenv", "", OF_RBENV),
    manager(".nvm", "NVM_DIR", &["alias", "bash_completion", "nvm-exec", "nvm.sh", "versions"]),
    manager(".opam", "", &["config", "opam-init", "plugins", "*/.opam-switch"]),
    manager(".pixi", "", &["bin", "envs"]),
    manager(".proto", "", &["bin", "plugins", "shims", "tools"]),
    manager(".pyenv", "PYENV_ROOT", OF_RBENV),
    manager(".rbenv", "RBENV_ROOT", OF_RBENV),
    // It wants to find its other folders, too, before it starts anything.
    manager(
        ".rustup",
        "RUSTUP_HOME",
        &["downloads", "settings.toml", "tmp", "toolchains", "update-hashes"],
    ),
    manager(
        ".rvm",
        "",
        &[
            "VERSION",
            "bin",
            "config",
            "environments",
            "gems",
            "lib",
            "rubies",
            "scripts",
            "wrappers",
        ],
    ),
    manager(
        ".sdkman",
        "SDKMAN_DIR",
        &["bin", "candidates", "etc/config", "libexec", "src", "var/candidates"],
    ),
    manager(".tool-versions", "", &["."]),
    manager(".virtualenvs", "", &["."]),
    manager(
        ".volta",
        "VOLTA_HOME",
        &["bin", "layout.v1", "layout.v2", "layout.v3", "layout.v4", "tools"],
    ),
    manager("go/bin", "", &["."]),
    manager(
        "/home/linuxbrew/.linuxbrew",
        "HOMEBREW_PREFIX",
        &["Cellar", "bin", "include", "lib", "libexec", "opt", "sbin", "share"],
    ),
];

/// Variables that name an installation.
pub(super) const INSTALLATIONS: &[&str] = &["CONDA_PREFIX", "GOROOT", "JAVA_HOME", "VIRTUAL_ENV"];

/// What only an installation has at its top, of node, python, conda, go, java, rust, ruby, perl, flutter, dart, .NET,
/// maven, gradle, llvm, gcc, zig, julia, R, OCaml, erlang, elixir and of parts of the Android kit.
pub(super) const MARKS: &[&str] = &[
    "bin/cache/dart-sdk",
    "bin/m2.conf",
    "conda-meta",
    "host/fxr",
    "include/node",
    "init.d/readme.txt",
    "jre/lib/rt.jar",
    "lib/R",
    "lib/clang",
    "lib/elixir/ebin",
    "lib/erlang",
    "lib/gcc",
    "lib/libraries.json",
    "lib/modules",
    "lib/ocaml",
    "lib/perl5",
    "lib/ruby",
    "lib/rustlib",
    "lib/std/std.zig",
    "pkg/tool",
    "pyvenv.cfg",
    "share/julia",
    "source.properties",
];
