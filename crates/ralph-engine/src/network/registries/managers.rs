//! The package managers that can be asked, and how each answers.

use ralph_core::network::HostRule;

use super::read;

/// How an answer is read.
type Reader = fn(&str) -> Vec<HostRule>;

/// One question to one program.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The manager, as people know it.
    pub manager: &'static str,
    pub program: &'static str,
    pub arguments: &'static [&'static str],
    pub read: Reader,
    /// Asked only if the manager's other questions brought nothing: what it uses when nothing is set.
    pub is_fallback: bool,
}

const fn ask(
    manager: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    read: Reader,
) -> Question {
    Question { manager, program, arguments, read, is_fallback: false }
}

const fn fallback(question: Question) -> Question {
    Question { is_fallback: true, ..question }
}

/// What pip itself holds for its index and for the place of the files that this index names.
const PIP_DEFAULT: &str = "from pip._internal.models.index import PyPI as i; \
                           print(i.simple_url, 'https://' + i.file_storage_domain)";

/// Every question.
pub(super) const QUESTIONS: &[Question] = &[
    ask("npm", "npm", &["config", "list", "--json"], read::javascript),
    fallback(ask("npm", "npm", &["config", "get", "registry"], read::urls)),
    ask("pnpm", "pnpm", &["config", "list", "--json"], read::javascript),
    fallback(ask("pnpm", "pnpm", &["config", "get", "registry"], read::urls)),
    ask("yarn", "yarn", &["config", "get", "registry"], read::urls),
    ask("yarn", "yarn", &["config", "get", "npmRegistryServer"], read::urls),
    ask("pip", "pip3", &["config", "list"], |text| {
        read::lines_with(text, &["index-url", "find-links"])
    }),
    fallback(ask("pip", "python3", &["-I", "-c", PIP_DEFAULT], read::urls)),
    fallback(ask("uv", "uv", &["pip", "install", "--help"], |text| {
        read::lines_with(text, &["index", "default"])
    })),
    ask("go", "go", &["env", "GOPROXY", "GOSUMDB"], read::go),
    ask("gem", "gem", &["sources", "--list"], read::urls),
    ask("composer", "composer", &["config", "--global", "--list"], |text| {
        read::lines_with(text, &["repositories", "github-domains"])
    }),
    ask("nuget", "dotnet", &["nuget", "list", "source"], read::urls),
];

/// Files below the home folder in which a user names registries.
pub(super) const FILES: &[(&str, &str, Reader)] = &[
    ("uv", ".config/uv/uv.toml", read::urls),
    ("maven", ".m2/settings.xml", read::xml),
    ("gradle", ".gradle/init.gradle", read::urls),
    ("gradle", ".gradle/init.gradle.kts", read::urls),
    ("gradle", ".gradle/gradle.properties", read::urls),
    ("bun", ".bunfig.toml", read::urls),
];

/// Files below the home folder that a manager reads when it is asked. One that leads to what agents write would let
/// them name hosts.
pub(super) const READ_BY: &[(&str, &str)] = &[
    ("npm", ".npmrc"),
    ("pnpm", ".npmrc"),
    ("pnpm", ".config/pnpm/rc"),
    ("yarn", ".npmrc"),
    ("yarn", ".yarnrc"),
    ("yarn", ".yarnrc.yml"),
    ("pip", ".config/pip/pip.conf"),
    ("pip", ".pip/pip.conf"),
    ("go", ".config/go/env"),
    ("gem", ".gemrc"),
    ("composer", ".composer/config.json"),
    ("composer", ".config/composer/config.json"),
    ("nuget", ".nuget/NuGet/NuGet.Config"),
];

/// Variables in which a user names registries.
pub(super) const VARIABLES: &[(&str, &str)] = &[
    ("uv", "UV_DEFAULT_INDEX"),
    ("uv", "UV_INDEX"),
    ("uv", "UV_INDEX_URL"),
    ("uv", "UV_EXTRA_INDEX_URL"),
    ("npm", "npm_config_registry"),
    ("npm", "NPM_CONFIG_REGISTRY"),
    ("yarn", "YARN_NPM_REGISTRY_SERVER"),
    ("pip", "PIP_INDEX_URL"),
    ("pip", "PIP_EXTRA_INDEX_URL"),
    ("go", "GOPROXY"),
];
