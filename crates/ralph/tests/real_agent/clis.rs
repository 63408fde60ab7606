//! The agent CLIs that are driven: where `just agents` and `just agents-all` put them, and what each needs to
//! talk to the scripted model and to nobody else.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

/// Where the CLIs are installed, each in a folder of its own, from the repository's root.
const INSTALLED: &str = ".cache/agents";
/// The node that runs the CLIs that are scripts, below [`INSTALLED`].
const NODE: &str = "node/node_modules/node/bin/node";

/// One CLI.
pub(crate) struct Cli {
    pub(crate) name: &'static str,
    /// Folder that holds everything it needs, below its own `node_modules`.
    home: &'static str,
    /// Program below `home`.
    program: &'static str,
    /// Whether node runs it.
    is_script: bool,
    /// Whether it can be told of its model only by its own files: in a box it goes there by a tunnel.
    pub(crate) is_tunnelled: bool,
    /// Variables, given the model's address.
    pub(crate) env: fn(&str) -> Vec<(&'static str, String)>,
    /// Files below the user's home, given the model's address.
    pub(crate) files: fn(&str) -> Vec<(&'static str, String)>,
}

pub(crate) static CLAUDE: Cli = Cli {
    name: "claude",
    home: "@anthropic-ai/claude-code-linux-x64",
    program: "claude",
    is_script: false,
    is_tunnelled: false,
    env: |url| vec![("ANTHROPIC_BASE_URL", url.into())],
    files: |_| Vec::new(),
};

/// Claude that asks its own service.
pub(crate) static CLAUDE_AT_HOME: Cli = Cli { is_tunnelled: true, env: |_| Vec::new(), ..CLAUDE };

/// The knowledge-graph server of memory iterations: no agent, installed by the same recipe.
pub(crate) static MEMORY_SERVER: Cli = Cli {
    name: "mcp-memory",
    home: ".",
    program: ".bin/mcp-server-memory",
    is_script: true,
    is_tunnelled: false,
    env: |_| Vec::new(),
    files: |_| Vec::new(),
};

pub(crate) static CODEX: Cli = Cli {
    name: "codex",
    home: "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl",
    program: "bin/codex",
    is_script: false,
    is_tunnelled: true,
    env: |_| vec![("SCRIPTED_KEY", "dummy".into())],
    files: |url| vec![(".codex/config.toml", codex(url, "gpt-scripted"))],
};

/// Codex that is told of its model's address by a variable: in a box its key stays outside.
pub(crate) static RELAYED_CODEX: Cli = Cli {
    is_tunnelled: false,
    env: |url| vec![("OPENAI_BASE_URL", format!("{url}/v1"))],
    files: |_| {
        let text = "model = \"gpt-scripted\"\ncheck_for_update_on_startup = false\n";
        vec![(".codex/config.toml", text.into())]
    },
    ..CODEX
};

pub(crate) static GEMINI: Cli = Cli {
    name: "gemini",
    home: ".",
    program: ".bin/gemini",
    is_script: true,
    is_tunnelled: false,
    env: |url| vec![("GEMINI_API_KEY", "dummy".into()), ("GOOGLE_GEMINI_BASE_URL", url.into())],
    files: |_| {
        // Left to itself it asks another model first which model is to work.
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"disableAutoUpdate": true, "maxAttempts": 3},
            "model": {"name": "gemini-2.5-pro"}, "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false},
        });
        vec![(".gemini/settings.json", settings.to_string())]
    },
};

pub(crate) static QWEN: Cli = Cli {
    name: "qwen",
    home: ".",
    program: ".bin/qwen",
    is_script: true,
    is_tunnelled: false,
    env: |url| {
        vec![
            ("OPENAI_API_KEY", "dummy".into()),
            ("OPENAI_BASE_URL", format!("{url}/v1")),
            ("OPENAI_MODEL", "scripted".into()),
        ]
    },
    files: |_| {
        let settings = json!({
            "security": {"auth": {"selectedType": "openai"}}, "general": {"disableAutoUpdate": true},
            "privacy": {"usageStatisticsEnabled": false},
        });
        vec![(".qwen/settings.json", settings.to_string())]
    },
};

pub(crate) static OPENCODE: Cli = Cli {
    name: "opencode",
    home: "opencode-linux-x64",
    program: "bin/opencode",
    is_script: false,
    is_tunnelled: true,
    env: |_| {
        vec![
            ("OPENCODE_DISABLE_AUTOUPDATE", "1".into()),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1".into()),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".into()),
        ]
    },
    files: |url| vec![(".config/opencode/opencode.json", opencode(url).to_string())],
};

pub(crate) static COPILOT: Cli = Cli {
    name: "copilot",
    home: "@github/copilot-linux-x64",
    program: "copilot",
    is_script: false,
    is_tunnelled: false,
    env: |url| {
        vec![
            ("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1")),
            ("COPILOT_PROVIDER_TYPE", "openai".into()),
            ("COPILOT_PROVIDER_API_KEY", "dummy".into()),
            ("COPILOT_MODEL", "scripted".into()),
            ("COPILOT_OFFLINE", "true".into()),
        ]
    },
    files: |_| Vec::new(),
};

pub(crate) static CLINE: Cli = Cli {
    name: "cline",
    home: "@cline/cli-linux-x64",
    program: "bin/cline",
    is_script: false,
    is_tunnelled: true,
    env: |_| vec![("CLINE_TELEMETRY_DISABLED", "1".into())],
    files: |url| {
        let login = json!({
            "provider": "openai-compatible", "apiKey": "dummy", "model": "scripted", "baseUrl": format!("{url}/v1"),
        });
        let provider = json!({
            "settings": login, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
        });
        let providers = json!({
            "version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
            "providers": {"openai-compatible": provider},
        });
        vec![(".cline/data/settings/providers.json", providers.to_string())]
    },
};

/// The configuration of codex for a model of this name.
pub(crate) fn codex(url: &str, model: &str) -> String {
    format!(
        "model = \"{model}\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{url}/v1\"\nenv_key = \"SCRIPTED_KEY\"\n\
         wire_api = \"responses\"\nrequest_max_retries = 2\nstream_max_retries = 2\n"
    )
}

fn opencode(url: &str) -> Value {
    let model = json!({"name": "scripted", "limit": {"context": 200_000, "output": 8_000}, "tool_call": true});
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "scripted",
        "options": {"baseURL": format!("{url}/v1"), "apiKey": "dummy"}, "models": {"scripted": model},
    });
    json!({
        "autoupdate": false, "share": "disabled", "permission": "allow", "model": "scripted/scripted",
        "small_model": "scripted/scripted", "provider": {"scripted": provider},
    })
}

impl Cli {
    /// Whether it is there.
    pub(crate) fn is_installed(&self) -> bool {
        self.folder().join(self.program).exists() && (!self.is_script || node().exists())
    }

    /// The command that starts it as an ordinary user. What such a user cannot reach is put into `spare`.
    pub(crate) fn command(&self, spare: &Path) -> io::Result<PathBuf> {
        if !self.is_installed() {
            let (name, place) = (self.name, self.folder());
            let place = place.display();
            return Err(io::Error::other(format!(
                "the real {name} CLI is not in {place}: `just agents` installs claude and codex, \
                 `just agents-all` the others"
            )));
        }
        let folder = within_reach(&self.folder().canonicalize()?, &spare.join("cli"))?;
        Ok(folder.join(self.program))
    }

    fn folder(&self) -> PathBuf {
        installed().join(self.name).join("node_modules").join(self.home)
    }
}

fn installed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(INSTALLED)
}

/// The folder of the node that runs scripts, for an ordinary user's `PATH`; none where it is not installed.
pub(crate) fn node_folder(spare: &Path) -> io::Result<Option<PathBuf>> {
    let Ok(node) = node().canonicalize() else { return Ok(None) };
    within_reach(node.parent().unwrap_or(&node), &spare.join("node")).map(Some)
}

fn node() -> PathBuf {
    installed().join(NODE)
}

/// The folder, or a copy of it if an ordinary user cannot get there.
fn within_reach(folder: &Path, copy: &Path) -> io::Result<PathBuf> {
    let is_open = |path: &Path| fs::metadata(path).is_ok_and(|m| m.permissions().mode() & 1 == 1);
    if folder.ancestors().all(is_open) {
        return Ok(folder.into());
    }
    same(folder, copy)?;
    Ok(copy.into())
}

/// Makes `copy` the same tree, without taking room where that is possible.
fn same(original: &Path, copy: &Path) -> io::Result<()> {
    if !original.is_dir() {
        return fs::hard_link(original, copy).or_else(|_| fs::copy(original, copy).map(drop));
    }
    fs::create_dir_all(copy)?;
    fs::read_dir(original)?.try_for_each(|entry| {
        let entry = entry?;
        same(&entry.path(), &copy.join(entry.file_name()))
    })
}
