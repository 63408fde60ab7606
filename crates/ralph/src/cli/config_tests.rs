//! What `config show` prints can be read back, and the committed schema and reference are up to date.

use std::{fs, path::Path};

use ralph_core::settings::{
    Flag, Format, Layer, LayerText, Settings, SettingsFile, Trust, resolve,
};

use super::*;

const PROJECT: &str = r#"
[limits]
max_cost_usd = 12.5
[timeouts]
implement.hard = "90m"
[[gate]]
name = "tests"
command = "cargo test -- 'a \"b\"'"
kind = "test"
timeout = { soft = "1m", hard = "2m" }
env = { "odd key" = "multi\nline", PLAIN = "\u007f" }
[[gate]]
command = "lint"
[prompt.vars]
NAME = "value # not a comment"
[agents.mine]
command = ["mine", "--say=a b"]
response_filter = '.text // "\(.kind)"'
endings = { usage_limit = "quota \\d" }
[prices."gpt-4.1"]
input = 2
"#;

fn file(text: &str) -> LayerText {
    LayerText::File(SettingsFile {
        layer: Layer::Local,
        name: ".ralph/settings.local.toml".into(),
        format: Format::Toml,
        trust: Trust::MayLoosen,
        text: text.into(),
    })
}

fn resolved() -> Resolved {
    let flag = Flag { name: "--agent".into(), key: "agent.command".into(), value: "text".into() };
    resolve(vec![file(PROJECT), LayerText::Flags(vec![flag])], &[]).unwrap()
}

#[test]
fn what_is_shown_reads_back_as_the_same_settings() {
    for resolved in [resolved(), resolve(Vec::new(), &[]).unwrap()] {
        for origins in [Origins::Hidden, Origins::Shown] {
            let text = show(&resolved, origins, Style::Toml);
            let back = resolve(vec![file(&text)], &[]).unwrap();
            assert_eq!(back.settings, resolved.settings, "{text}");
        }
    }
}

#[test]
fn shown_origins_say_layer_file_and_line() {
    insta::assert_snapshot!(show(&resolved(), Origins::Shown, Style::Toml));
}

#[test]
fn json_holds_settings_and_on_request_origins() {
    let resolved = resolved();
    let parsed =
        |origins| -> Json { serde_json::from_str(&show(&resolved, origins, Style::Json)).unwrap() };
    let settings = parsed(Origins::Hidden).get("settings").cloned().unwrap();
    assert_eq!(serde_json::from_value::<Settings>(settings).unwrap(), resolved.settings);
    assert_eq!(parsed(Origins::Hidden).get("origins"), None);
    let origin = parsed(Origins::Shown).pointer("/origins/agent.command").cloned();
    assert_eq!(origin, Some(json!({ "layer": "flags", "file": "--agent" })));
}

/// Set `RALPH_UPDATE=1` to write the file anew.
fn assert_up_to_date(file: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(file);
    if std::env::var_os("RALPH_UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, wanted).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, wanted, "docs/{file} is out of date; run this test with RALPH_UPDATE=1");
}

#[test]
fn the_committed_schema_is_up_to_date() {
    assert_up_to_date("settings.schema.json", &settings::schema());
}

#[test]
fn the_settings_that_init_does_not_ask_for_are_documented_with_examples_that_work() {
    let page = include_str!("../../../../docs/commands.md");
    let section = page.split("### What it does not ask").nth(1).unwrap_or_default();
    let blocks: Vec<&str> = section.split("```toml\n").skip(1).take(2).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let text = block.split("```").next().unwrap_or_default().to_owned();
        let file = SettingsFile {
            layer: Layer::User,
            name: "settings.toml".into(),
            format: Format::Toml,
            trust: Trust::MayLoosen,
            text,
        };
        let read = resolve(vec![LayerText::File(file)], &[]);
        assert!(read.is_ok(), "{read:?}");
    }
}

#[test]
fn the_committed_reference_is_up_to_date() {
    assert_up_to_date("settings.md", &settings::reference());
}

#[test]
fn templates_are_written_once_and_replaced_only_by_force() -> Result<(), Box<dyn std::error::Error>>
{
    let folder = tempfile::tempdir()?;
    let prompts = folder.path().join("prompts");
    let told = eject(&prompts, Existing::Keep)?;
    assert!(told.iter().all(|line| line.starts_with("wrote")), "{told:?}");
    let fix = prompts.join("fix.md");
    assert_eq!(ralph_core::prompt::check_template(&fs::read_to_string(&fix)?), Ok(()));
    assert!(fs::read_to_string(&fix)?.contains("  criteria        the task's criteria alone"));
    fs::write(&fix, "mine")?;
    let told = eject(&prompts, Existing::Keep)?;
    assert!(told.iter().all(|line| line.starts_with("kept")), "{told:?}");
    assert_eq!(fs::read_to_string(&fix)?, "mine");
    eject(&prompts, Existing::Replace)?;
    assert_ne!(fs::read_to_string(&fix)?, "mine");
    Ok(())
}
