//! Which settings open the box, and who may set them: a cloned repository must not be able to.

use super::{
    Gate, Layer, Settings,
    error::{Fault, SettingsError},
    layers::Trust,
    node::{Node, Value},
};

/// A setting and the values of it that loosen.
type Rule = (&'static str, fn(&Value) -> bool);

const RULES: [Rule; 16] = [
    ("sandbox.mode", |value| is_word(value, &["off"])),
    ("gates.room", |value| is_word(value, &["worktree"])),
    ("sandbox.network", is_open),
    ("sandbox.gate_network", is_open),
    ("sandbox.allow_hosts", has_entries),
    ("sandbox.unix_sockets", |value| *value == Value::Truth(true)),
    ("sandbox.readable", has_entries),
    ("sandbox.writable", has_entries),
    ("agent.env", has_entries),
    ("guard.allow", has_entries),
    ("secrets.allow", has_entries),
    ("git.filters", has_entries),
    // It speaks for the user.
    ("git.sign", |value| *value == Value::Truth(true)),
    ("claims.trust_agent", |value| *value == Value::Truth(true)),
    // These run outside the box.
    ("scm.command", |value| !is_word(value, &["git"])),
    ("scm.tasks", has_other_tasks),
];

/// Tables that loosen whatever they say: descriptions of agents are commands to run, and notifications tell somebody
/// outside what a run does.
const TABLES: [&str; 2] = ["agents", "notify"];

/// Every value of this layer that loosens what the layer may only tighten.
pub(super) fn check(layer: &Node, trust: Trust) -> Vec<SettingsError> {
    if trust == Trust::MayLoosen {
        return Vec::new();
    }
    let loose = RULES.iter().filter_map(|(key, loosens)| {
        let node = layer.find(key).filter(|node| loosens(&node.value))?;
        let variable = format!("RALPH_{}", key.replace('.', "_").to_ascii_uppercase());
        Some(error(key, node, &format!(", or set {variable}")))
    });
    let gates = match layer.find("gate").map(|node| &node.value) {
        Some(Value::List(gates)) => gates.as_slice(),
        _ => &[],
    };
    let gates = gates.iter().enumerate().filter_map(|(index, gate)| {
        let node = gate.find("network").filter(|node| is_open(&node.value))?;
        Some(error(&format!("gate[{index}].network"), node, ""))
    });
    let tables = TABLES.iter().flat_map(|table| {
        let entries = match layer.find(table).map(|node| &node.value) {
            Some(Value::Table(entries)) => entries.iter().collect(),
            _ => Vec::new(),
        };
        entries.into_iter().map(move |(name, node)| error(&format!("{table}.{name}"), node, ""))
    });
    loose.chain(gates).chain(tables).collect()
}

/// The settings of a run that came from elsewhere, whose journal anybody may have written: what opens the box is as this
/// machine's own layers say.
pub fn kept_in(pinned: &Settings, own: &Settings) -> Settings {
    let mut settings = pinned.clone();
    let own = own.clone();
    (settings.sandbox, settings.agents) = (own.sandbox, own.agents);
    (settings.scm, settings.notify, settings.secrets) = (own.scm, own.notify, own.secrets);
    (settings.agent.env, settings.guard.allow) = (own.agent.env, own.guard.allow);
    (settings.git.filters, settings.git.sign) = (own.git.filters, own.git.sign);
    settings.gates.room = own.gates.room;
    settings.claims.trust_agent = own.claims.trust_agent;
    for gate in &mut settings.gate {
        let is_own = |one: &Gate| one.name == gate.name && one.network == gate.network;
        if !own.gate.iter().any(is_own) {
            gate.network = None;
        }
    }
    settings
}

/// Whether some values of a setting loosen.
pub(super) fn is_guarded(key: &str) -> bool {
    RULES.iter().any(|(guarded, _)| *guarded == key)
        || key.split('.').next().is_some_and(|table| TABLES.contains(&table))
}

fn error(key: &str, node: &Node, or: &str) -> SettingsError {
    let file = &node.origin.file;
    let (who, way) = if node.origin.layer == Layer::Local {
        ("a local file that git tracks", format!("run `git rm --cached {file}`, put the setting"))
    } else {
        (
            "a project file",
            "put it into .ralph/settings.local.toml (which git must not track) or".into(),
        )
    };
    SettingsError {
        at: node.origin.clone(),
        fault: Fault::Loosens { key: key.to_owned(), who },
        help: format!("{way} into your user settings (~/.config/ralph/settings.toml){or}"),
    }
}

fn is_word(value: &Value, words: &[&str]) -> bool {
    matches!(value, Value::Text(text) if words.contains(&text.as_str()))
}

/// Wider than the default.
fn is_open(value: &Value) -> bool {
    is_word(value, &["open"])
}

/// More than ralph itself knows how to do.
fn has_other_tasks(value: &Value) -> bool {
    matches!(value, Value::List(tasks) if tasks.iter().any(|task| !is_word(&task.value, &["commit", "push"])))
}

fn has_entries(value: &Value) -> bool {
    matches!(value, Value::List(list) if !list.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Format, LayerText, Origin, SettingsFile, resolve};

    /// Everything that opens the box.
    const LOOSE: &str = r#"
        [sandbox]
        mode = "off"
        network = "open"
        gate_network = "open"
        allow_hosts = ["example.com"]
        unix_sockets = true
        readable = ["/"]
        writable = ["/"]
        [gates]
        room = "worktree"
        [agent]
        env = ["TOKEN"]
        [[guard.allow]]
        command = ["rm", "-r"]
        examples = ["rm -r /x"]
        [secrets]
        allow = ["**"]
        [git]
        filters = ["lfs"]
        sign = true
        [claims]
        trust_agent = true
        [scm]
        command = "sh"
        tasks = ["-c evil"]
        [[gate]]
        name = "tests"
        command = "true"
        network = "open"
        [agents.evil]
        command = ["sh"]
        [[notify.channel]]
        kind = "command"
        command = "sh"
    "#;

    fn loosened(settings: &Settings) -> Vec<SettingsError> {
        let json = serde_json::to_value(settings).unwrap();
        check(&Node::from_json(&json, &Origin::built_in()), Trust::OnlyTighten)
    }

    #[test]
    fn nothing_of_a_journal_opens_the_box_that_the_machine_itself_does_not_open() {
        let file = LayerText::File(SettingsFile {
            layer: Layer::User,
            name: "settings.toml".into(),
            format: Format::Toml,
            trust: Trust::MayLoosen,
            text: LOOSE.into(),
        });
        let loose = resolve(vec![file], &[]).unwrap().settings;
        let found: Vec<String> =
            loosened(&loose).iter().map(|error| format!("{:?}", error.fault)).collect();
        for (key, _) in RULES {
            assert!(found.iter().any(|one| one.contains(&format!("\"{key}\""))), "{key}");
        }
        let own = Settings::default();
        let kept = kept_in(&loose, &own);
        let left = |settings: &Settings| loosened(settings).len();
        assert_eq!(left(&kept), left(&own), "{:?}", loosened(&kept));
        assert_eq!((kept.gate.len(), &kept.gate[0].network), (1, &None));
        assert_eq!(kept_in(&loose, &loose), loose, "the operator's own openings hold");
    }
}
