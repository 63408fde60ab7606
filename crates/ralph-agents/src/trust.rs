//! Project-level agent configuration: which files of a repository coding agents load by themselves, what in them runs
//! code, and the digest that trust is bound to. Must never decide that something is trusted: the user does.

mod code;

use ralph_text::fingerprint::digest;
use serde::Serialize;

pub use code::runs;

/// A file or folder at the root of a repository, and the agents that load it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub path: &'static str,
    pub agents: &'static [&'static str],
}

/// Everything that the built-in agents load from a repository by themselves, besides plain instructions
/// (`AGENTS.md`, `CLAUDE.md` and their like), which are text.
pub const ORIGINS: [Origin; 18] = [
    Origin { path: ".agents", agents: &["codex", "gemini", "opencode", "copilot"] },
    Origin { path: ".amp", agents: &["amp"] },
    Origin { path: ".claude", agents: &["claude", "opencode", "copilot"] },
    Origin { path: ".cline", agents: &["cline"] },
    Origin { path: ".clinerules", agents: &["cline"] },
    Origin { path: ".codex", agents: &["codex"] },
    Origin { path: ".copilot", agents: &["copilot"] },
    Origin { path: ".gemini", agents: &["gemini"] },
    Origin { path: ".github/agents", agents: &["copilot"] },
    Origin { path: ".github/copilot", agents: &["copilot"] },
    Origin { path: ".github/hooks", agents: &["copilot"] },
    Origin { path: ".github/mcp.json", agents: &["copilot"] },
    Origin { path: ".github/skills", agents: &["copilot"] },
    Origin { path: ".mcp.json", agents: &["claude", "copilot"] },
    Origin { path: ".opencode", agents: &["opencode"] },
    Origin { path: ".qwen", agents: &["qwen"] },
    Origin { path: "opencode.json", agents: &["opencode"] },
    Origin { path: "opencode.jsonc", agents: &["opencode"] },
];

/// What agents keep for themselves below these folders, and what ralph never lets them load.
const LEFT_ALONE: [&str; 3] =
    [".claude/settings.local.json", ".claude/worktrees", ".qwen/worktrees"];

/// Agents that can be told by flags or variables to leave project-level configuration alone.
const HELD_BACK: [&str; 3] = ["claude", "codex", "gemini"];

/// Whether a path below an origin does not count.
pub fn is_left_alone(path: &str) -> bool {
    LEFT_ALONE.iter().any(|left| {
        path.strip_prefix(left).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether ralph can keep this agent from loading configuration that is not trusted.
pub fn is_held_back(agent: &str) -> bool {
    HELD_BACK.contains(&agent)
}

/// What must be hidden from this agent while the configuration is not trusted, since nothing else holds it back.
pub fn hidden_from(agent: &str) -> impl Iterator<Item = &'static str> {
    let loads = move |origin: &&Origin| origin.agents.contains(&agent);
    let origins: Vec<&Origin> = ORIGINS.iter().filter(loads).collect();
    origins.into_iter().map(|origin| origin.path).filter(move |_| !is_held_back(agent))
}

/// One file of a repository's agent configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigFile {
    /// Relative to the repository's root.
    pub path: String,
    /// Of what it holds.
    pub digest: String,
    /// What in it runs code, in words.
    pub runs: Vec<String>,
}

impl ConfigFile {
    /// A file with this text; `link` is where it leads to, if it is reached by one.
    pub fn new(path: &str, link: &str, text: &[u8]) -> Self {
        Self {
            path: path.to_owned(),
            digest: digest(&[link.as_bytes(), text]),
            runs: runs(path, text),
        }
    }

    /// The agents that load it by themselves.
    pub fn agents(&self) -> &'static [&'static str] {
        let inside = |origin: &&Origin| {
            let rest = self.path.strip_prefix(origin.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        ORIGINS.iter().find(inside).map_or(&[], |origin| origin.agents)
    }
}

/// All agent configuration of a repository, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ProjectConfig {
    pub files: Vec<ConfigFile>,
}

impl ProjectConfig {
    /// From files in any order.
    pub fn of(mut files: Vec<ConfigFile>) -> Self {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Self { files }
    }

    /// Whether there is nothing to trust.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// What trust is bound to: every path and every byte.
    pub fn digest(&self) -> String {
        let parts: Vec<&[u8]> = self
            .files
            .iter()
            .flat_map(|file| [file.path.as_bytes(), file.digest.as_bytes()])
            .collect();
        digest(&parts)
    }

    /// The paths that this agent would load by itself.
    pub fn loaded_by(&self, agent: &str) -> Vec<&str> {
        let files = self.files.iter().filter(|file| file.agents().contains(&agent));
        files.map(|file| file.path.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> ConfigFile {
        ConfigFile::new(path, "", text.as_bytes())
    }

    #[test]
    fn the_digest_knows_every_path_every_byte_and_every_link_and_no_order() {
        let config = |files: &[(&str, &str, &str)]| {
            let files =
                files.iter().map(|(path, link, text)| ConfigFile::new(path, link, text.as_bytes()));
            ProjectConfig::of(files.collect()).digest()
        };
        let base = config(&[(".mcp.json", "", "{}"), (".codex/config.toml", "", "x")]);
        assert_eq!(base, config(&[(".codex/config.toml", "", "x"), (".mcp.json", "", "{}")]));
        for other in [
            config(&[(".mcp.json", "", "{}")]),
            config(&[(".mcp.json", "", "{ }"), (".codex/config.toml", "", "x")]),
            config(&[(".mcp.json", "", "{}"), (".codex/config.tomlx", "", "")]),
            config(&[(".mcp.json", "other", "{}"), (".codex/config.toml", "", "x")]),
            config(&[
                (".mcp.json", "", "{}"),
                (".codex/config.toml", "", "x"),
                (".gemini/a", "", ""),
            ]),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn a_file_belongs_to_the_agents_that_load_it() {
        assert_eq!(file(".codex/config.toml", "").agents(), ["codex"]);
        assert_eq!(file(".mcp.json", "").agents(), ["claude", "copilot"]);
        assert!(file(".mcp.json.bak", "").agents().is_empty());
        let config = ProjectConfig::of(vec![file(".mcp.json", ""), file(".codex/config.toml", "")]);
        assert_eq!(config.loaded_by("claude"), [".mcp.json"]);
    }

    #[test]
    fn only_agents_that_nothing_else_holds_back_need_files_hidden() {
        assert_eq!(hidden_from("claude").count(), 0);
        assert_eq!(hidden_from("qwen").collect::<Vec<_>>(), [".qwen"]);
        assert!(hidden_from("copilot").any(|path| path == ".github/hooks"));
        for origin in ORIGINS {
            for agent in origin.agents {
                assert!(crate::find(agent).is_some(), "{agent}");
            }
        }
    }

    #[test]
    fn what_ralph_never_loads_does_not_count() {
        assert!(is_left_alone(".claude/settings.local.json"));
        assert!(is_left_alone(".claude/worktrees/a/b"));
        assert!(!is_left_alone(".claude/settings.json"));
        assert!(!is_left_alone(".claude/worktrees2"));
    }
}
