//! The files that tell a CLI which events to send to `ralph hook`.

use ralph_core::vocabulary::Kind;
use serde_json::{Map, Value, json};

use super::event::HookEvent;

/// Seconds after which a CLI gives a hook up; a busy machine needs a few.
const PATIENCE: u32 = 60;

/// Who reads the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Claude Code, for a call of this kind.
    Claude(Kind),
    /// Codex, for a call of this kind.
    Codex(Kind),
    /// Claude Code, for every session of a person.
    Plugin,
}

impl Host {
    fn hears(self, event: HookEvent) -> bool {
        match self {
            Self::Plugin => true,
            Self::Claude(kind) => event.matters_to(kind),
            // A tool that failed has run, too.
            Self::Codex(kind) => event != HookEvent::PostToolUseFailure && event.matters_to(kind),
        }
    }
}

/// The text of a hooks file in which this program answers; `None` without a program, or if nothing is to be heard.
pub fn wiring(host: Host, ralph: &str) -> Option<Value> {
    if ralph.is_empty() {
        return None;
    }
    let option = if host == Host::Plugin { " --plugin" } else { "" };
    let program = shell_words::quote(ralph);
    let entry = |event: HookEvent| {
        let command = format!("{program} hook {}{option}", event.word());
        let mut entry = Map::new();
        if event.is_about_a_tool() {
            entry.insert("matcher".into(), ".*".into());
        }
        entry.insert(
            "hooks".into(),
            json!([{"type": "command", "command": command, "timeout": PATIENCE}]),
        );
        (event.name().to_owned(), json!([entry]))
    };
    let heard = HookEvent::ALL.into_iter().filter(|event| host.hears(*event));
    let hooks: Map<String, Value> = heard.map(entry).collect();
    if hooks.is_empty() { None } else { Some(json!({ "hooks": hooks })) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(host: Host) -> Vec<String> {
        let file = wiring(host, "/opt/my tools/ralph").unwrap_or_default();
        file["hooks"].as_object().into_iter().flat_map(|hooks| hooks.keys().cloned()).collect()
    }

    #[test]
    fn each_host_hears_what_makes_sense_for_its_calls() {
        let all = ["SessionStart", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"];
        assert_eq!(events(Host::Claude(Kind::Implement)), all);
        assert_eq!(events(Host::Plugin), all);
        assert_eq!(events(Host::Claude(Kind::Prompt)), all[..4]);
        assert_eq!(events(Host::Codex(Kind::Review)), [all[0], all[1], all[2], all[4]]);
        assert_eq!(wiring(Host::Codex(Kind::Compact), "ralph"), None);
    }

    #[test]
    fn the_program_is_quoted_for_a_shell() {
        let file = wiring(Host::Claude(Kind::Fix), "/opt/my tools/ralph").unwrap_or_default();
        let hook = &file["hooks"]["PreToolUse"][0];
        assert_eq!(hook["matcher"], ".*");
        assert_eq!(hook["hooks"][0]["command"], "'/opt/my tools/ralph' hook pre-tool-use");
        assert_eq!(file["hooks"]["Stop"][0].get("matcher"), None);
    }
}
