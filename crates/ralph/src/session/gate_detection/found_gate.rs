//! A gate that fits the project, before it is a setting.

use ralph_core::gates::{
    kind::kind_of,
    report::{FailAction, GateKind, Severity},
};

/// A gate that fits the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundGate {
    pub(crate) name: String,
    pub(crate) command: String,
    /// Folder it runs in, relative to the project's root; empty is the root.
    pub(crate) dir: String,
    /// `test`, `lint`, `build` or `custom`.
    pub(crate) kind: &'static str,
    /// The file that names it.
    pub(crate) from: String,
    pub(crate) severity: Severity,
    /// Where a failure's text goes in the next prompt.
    pub(crate) fail_action: FailAction,
    /// For the agent when it fails.
    pub(crate) hint: String,
    /// What people should know about it, for the settings file.
    pub(crate) note: String,
}

impl FoundGate {
    pub(super) fn new(
        kind: &'static str,
        command: impl Into<String>,
        from: impl Into<String>,
    ) -> Self {
        Self {
            name: name_of(kind),
            command: command.into(),
            dir: String::new(),
            kind,
            from: from.into(),
            severity: Severity::Hard,
            fail_action: FailAction::Append,
            hint: String::new(),
            note: String::new(),
        }
    }

    /// The same as a gate of another kind.
    #[must_use]
    pub(crate) fn of_kind(self, kind: &'static str) -> Self {
        Self { name: name_of(kind), kind, ..self }
    }

    /// The same in a folder of the project.
    #[must_use]
    pub(super) fn in_folder(self, dir: &str) -> Self {
        if dir.is_empty() {
            return self;
        }
        Self { dir: dir.to_owned(), from: format!("{dir}/{}", self.from), ..self }
    }

    /// A command that a person named.
    pub(crate) fn given(command: &str) -> Self {
        let kind = match kind_of(command) {
            GateKind::Test => "test",
            GateKind::Lint => "lint",
            GateKind::Build => "build",
            GateKind::Custom => "custom",
        };
        Self::new(kind, command, "--gate")
    }

    pub(crate) fn is_test(&self) -> bool {
        self.kind == "test"
    }

    /// The command with its folder, as one types it at the root.
    pub(crate) fn line(&self) -> String {
        if self.dir.is_empty() {
            self.command.clone()
        } else {
            format!("cd {} && {}", self.dir, self.command)
        }
    }
}

fn name_of(kind: &str) -> String {
    if kind == "test" { "tests".into() } else { kind.into() }
}

/// Makes names unique, keeping the first of each; where one runs tells more than a number.
pub(crate) fn with_own_names(mut gates: Vec<FoundGate>) -> Vec<FoundGate> {
    let mut taken: Vec<String> = Vec::new();
    for gate in &mut gates {
        if taken.contains(&gate.name) && !gate.dir.is_empty() {
            gate.name = format!("{}-{}", gate.name, gate.dir.replace('/', "-"));
        }
        let base = gate.name.clone();
        let mut nth = 2;
        while taken.contains(&gate.name) {
            gate.name = format!("{base}-{nth}");
            nth += 1;
        }
        taken.push(gate.name.clone());
    }
    gates
}
