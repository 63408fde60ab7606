//! Pins the gates of a run: settings and plan in, finished definitions out. Nothing the agent edits changes them.

use std::collections::BTreeSet;

use crate::{
    gates::{
        kind::kind_of,
        report::{FailAction, GateKind, GateSpec, Severity},
    },
    plan::Plan,
    settings::{Gate, Settings, Strategy, Timeout},
    time::Millis,
};

/// Longest slug.
const SLUG_CHARS: usize = 50;

/// Why the gates cannot be pinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    #[error("the plan has an unknown validation_strategy: `{word}`")]
    UnknownStrategy { word: String },
    #[error("gate {position} has no command")]
    NoCommand { position: usize },
    #[error("gate {position} runs in `{dir}`, which is not a folder below the project's root")]
    DirOutside { position: usize, dir: String },
}

impl PinError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::UnknownStrategy { .. } => {
                "use strict, lenient or tests_only, or remove validation_strategy"
            }
            Self::NoCommand { .. } => "give every [[gate]] a command, or remove it",
            Self::DirOutside { .. } => {
                "name the folder as the project sees it, such as dir = \"web\""
            }
        }
    }
}

/// The gates of a run: those of the settings, then the plan's verify commands.
///
/// The plan's strategy wins over the settings'. It may soften the settings' gates; the plan's own verify
/// commands are always hard.
pub fn pin(settings: &Settings, plan: &Plan) -> Result<Vec<GateSpec>, PinError> {
    let strategy = match &plan.validation_strategy {
        Some(word) => strategy(word)?,
        None => settings.gates.strategy,
    };
    let mut pins = Pins::new(settings);
    for (index, gate) in settings.gate.iter().enumerate() {
        if gate.command.trim().is_empty() {
            return Err(PinError::NoCommand { position: index + 1 });
        }
        if gate.dir.starts_with('/') || gate.dir.split('/').any(|part| part == "..") {
            return Err(PinError::DirOutside { position: index + 1, dir: gate.dir.clone() });
        }
        pins.add(gate, severity(gate, strategy));
    }
    for command in &plan.verify_commands {
        pins.add_verify_command(command);
    }
    Ok(pins.specs)
}

fn strategy(word: &str) -> Result<Strategy, PinError> {
    match word {
        "strict" => Ok(Strategy::Strict),
        "lenient" => Ok(Strategy::Lenient),
        "tests_only" => Ok(Strategy::TestsOnly),
        _ => Err(PinError::UnknownStrategy { word: word.to_owned() }),
    }
}

fn severity(gate: &Gate, strategy: Strategy) -> Severity {
    let is_softened = match strategy {
        Strategy::Strict => false,
        Strategy::Lenient => gate.kind == GateKind::Lint,
        Strategy::TestsOnly => gate.kind != GateKind::Test,
    };
    if is_softened { Severity::Soft } else { gate.severity }
}

struct Pins<'a> {
    settings: &'a Settings,
    specs: Vec<GateSpec>,
    names: BTreeSet<String>,
    /// In lower case: some file systems do not tell `Test.log` from `test.log`.
    slugs: BTreeSet<String>,
}

impl<'a> Pins<'a> {
    fn new(settings: &'a Settings) -> Self {
        Self { settings, specs: Vec::new(), names: BTreeSet::new(), slugs: BTreeSet::new() }
    }

    fn add(&mut self, gate: &Gate, severity: Severity) {
        let own = if gate.name.trim().is_empty() { &gate.command } else { &gate.name };
        let timeout = gate.timeout.unwrap_or(self.settings.timeouts.gate);
        let Timeout { soft, hard } = timeout;
        let scaled = |length: Millis| length.times(self.settings.timeouts.multiplier);
        let spec = GateSpec {
            name: self.unique_name(own.trim()),
            slug: self.unique_slug(own),
            command: gate.command.clone(),
            dir: gate.dir.trim_end_matches('/').to_owned(),
            kind: gate.kind,
            severity,
            fail_action: gate.fail_action,
            hint: gate.hint.clone(),
            allow_empty: gate.allow_empty,
            env: gate.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            soft_timeout: scaled(soft.0),
            hard_timeout: scaled(hard.0),
            network: gate.network,
        };
        self.specs.push(spec);
    }

    fn add_verify_command(&mut self, command: &str) {
        if command.trim().is_empty() {
            return;
        }
        if let Some(same) = self.specs.iter_mut().find(|s| s.line().trim() == command.trim()) {
            same.severity = Severity::Hard;
            return;
        }
        let gate = Gate {
            command: command.to_owned(),
            kind: kind_of(command),
            fail_action: FailAction::Append,
            ..Gate::default()
        };
        self.add(&gate, Severity::Hard);
    }

    /// Reports are matched by name, so no two gates share one.
    fn unique_name(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = 1;
        while !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{name} ({number})");
        }
        unique
    }

    fn unique_slug(&mut self, text: &str) -> String {
        let base = slug(text);
        let mut unique = base.clone();
        let mut number = 1;
        while !self.slugs.insert(unique.to_lowercase()) {
            number += 1;
            let ending = format!("-{number}");
            let kept: String = base.chars().take(SLUG_CHARS - ending.len()).collect();
            unique = kept + &ending;
        }
        unique
    }
}

/// A file name made of a gate's name or command: runs of other characters become one `_`.
fn slug(text: &str) -> String {
    let words: Vec<_> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let cut: String = words.join("_").chars().take(SLUG_CHARS).collect();
    match cut.trim_end_matches('_') {
        "" => "gate".to_owned(),
        // `check-<n>` is the log of a criterion's check.
        word if word.eq_ignore_ascii_case("check") => "check_gate".to_owned(),
        word => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Length;

    fn gate(command: &str, kind: GateKind) -> Gate {
        Gate { command: command.into(), kind, ..Gate::default() }
    }

    fn settings(gates: Vec<Gate>) -> Settings {
        Settings { gate: gates, ..Settings::default() }
    }

    fn pinned(settings: &Settings, plan: &Plan) -> Vec<GateSpec> {
        pin(settings, plan).unwrap_or_default()
    }

    #[test]
    fn slugs_follow_the_command_and_stay_apart() {
        let commands = [
            "./mvnw clean install -T 2C",
            "cargo test",
            "cargo  test ",
            "Cargo Test",
            "check",
            "!!",
            "&&",
            &"long words ".repeat(20),
            &"long words ".repeat(30),
        ];
        let gates = commands.iter().map(|c| gate(c, GateKind::Custom)).collect();
        let slugs: Vec<_> =
            pinned(&settings(gates), &Plan::default()).into_iter().map(|g| g.slug).collect();
        assert_eq!(
            slugs,
            [
                "mvnw_clean_install_T_2C",
                "cargo_test",
                "cargo_test-2",
                "Cargo_Test-3",
                "check_gate",
                "gate",
                "gate-2",
                "long_words_long_words_long_words_long_words_long_w",
                "long_words_long_words_long_words_long_words_long-2",
            ]
        );
    }

    #[test]
    fn a_name_comes_before_the_command_and_is_unique() {
        let named = Gate { name: "unit tests".into(), ..gate("cargo test", GateKind::Test) };
        let pins = pinned(&settings(vec![named.clone(), named]), &Plan::default());
        let shown: Vec<_> = pins.iter().map(|g| (g.name.as_str(), g.slug.as_str())).collect();
        assert_eq!(shown, [("unit tests", "unit_tests"), ("unit tests (2)", "unit_tests-2")]);
    }

    #[test]
    fn strategies_decide_what_is_hard() {
        use Severity::{Hard, Soft};
        let soft_test = Gate { severity: Soft, ..gate("t2", GateKind::Test) };
        let gates = vec![
            gate("t", GateKind::Test),
            gate("l", GateKind::Lint),
            gate("b", GateKind::Build),
            gate("c", GateKind::Custom),
            soft_test,
        ];
        for (strategy, expected) in [
            ("strict", [Hard, Hard, Hard, Hard, Soft]),
            ("lenient", [Hard, Soft, Hard, Hard, Soft]),
            ("tests_only", [Hard, Soft, Soft, Soft, Soft]),
        ] {
            let plan = Plan { validation_strategy: Some(strategy.into()), ..Plan::default() };
            let found: Vec<_> =
                pinned(&settings(gates.clone()), &plan).iter().map(|g| g.severity).collect();
            assert_eq!(found, expected, "{strategy}");
        }
    }

    #[test]
    fn without_a_word_in_the_plan_the_settings_strategy_holds() {
        let mut settings = settings(vec![gate("l", GateKind::Lint)]);
        settings.gates.strategy = Strategy::Lenient;
        assert_eq!(pinned(&settings, &Plan::default())[0].severity, Severity::Soft);
        let strict = Plan { validation_strategy: Some("strict".into()), ..Plan::default() };
        assert_eq!(pinned(&settings, &strict)[0].severity, Severity::Hard);
        let odd = Plan { validation_strategy: Some("loose".into()), ..Plan::default() };
        assert_eq!(pin(&settings, &odd), Err(PinError::UnknownStrategy { word: "loose".into() }));
    }

    #[test]
    fn verify_commands_become_hard_gates_once() {
        let soft = Gate { severity: Severity::Soft, ..gate("cargo test", GateKind::Test) };
        let plan = Plan {
            verify_commands: ["cargo test ", ".venv/bin/pytest -q", "make verify", ""]
                .map(String::from)
                .into(),
            validation_strategy: Some("tests_only".into()),
            ..Plan::default()
        };
        let pins = pinned(&settings(vec![soft]), &plan);
        let found: Vec<_> = pins.iter().map(|g| (g.command.as_str(), g.kind, g.severity)).collect();
        assert_eq!(
            found,
            [
                ("cargo test", GateKind::Test, Severity::Hard),
                (".venv/bin/pytest -q", GateKind::Test, Severity::Hard),
                ("make verify", GateKind::Custom, Severity::Hard),
            ]
        );
    }

    #[test]
    fn a_gate_without_a_command_is_refused() {
        let settings = settings(vec![gate("a", GateKind::Test), gate(" ", GateKind::Test)]);
        assert_eq!(pin(&settings, &Plan::default()), Err(PinError::NoCommand { position: 2 }));
    }

    #[test]
    fn a_gate_runs_in_a_folder_of_the_project() {
        let of = |dir: &str| {
            let gate = Gate { dir: dir.into(), ..gate("a", GateKind::Test) };
            pin(&settings(vec![gate]), &Plan::default()).map(|specs| specs[0].dir.clone())
        };
        assert_eq!(of("web/app/").as_deref(), Ok("web/app"));
        for outside in ["/etc", "../other", "web/../.."] {
            let error = PinError::DirOutside { position: 1, dir: outside.into() };
            assert_eq!(of(outside), Err(error), "{outside}");
        }
    }

    #[test]
    fn timeouts_are_the_gates_own_or_the_general_ones_scaled() {
        let own = Timeout { soft: Length(Millis::secs(1)), hard: Length(Millis::secs(2)) };
        let mut settings = settings(vec![
            gate("a", GateKind::Test),
            Gate { timeout: Some(own), ..gate("b", GateKind::Test) },
        ]);
        settings.timeouts.multiplier = 1.5;
        let pins = pinned(&settings, &Plan::default());
        let found: Vec<_> = pins.iter().map(|g| (g.soft_timeout, g.hard_timeout)).collect();
        assert_eq!(
            found,
            [(Millis::secs(450), Millis::secs(900)), (Millis(1500), Millis::secs(3))]
        );
    }
}
