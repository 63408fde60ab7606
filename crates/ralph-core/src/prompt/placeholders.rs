//! Fills in `${NAME}` in prompt files: only declared names, once, and everything else stays as it is.

use std::collections::BTreeMap;

use super::brief::Counter;
use crate::settings::PromptSettings;

/// The declared names and their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vars(BTreeMap<String, String>);

impl Vars {
    /// The user's own values, and those that ralph knows, which win.
    pub fn new(mode: &str, settings: &PromptSettings, counter: Counter) -> Self {
        let mut values = settings.vars.clone();
        values.extend([
            ("MODE".to_owned(), mode.to_owned()),
            ("SPECS_DIR".to_owned(), settings.specs_dir.clone()),
            ("RALPH_ITERATION".to_owned(), counter.iteration.to_string()),
            ("RALPH_MAX_ITERATIONS".to_owned(), counter.of.to_string()),
        ]);
        Self(values)
    }

    /// The text with every declared name filled in.
    pub fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            let value = rest.find('}').and_then(|end| Some((end, self.0.get(&rest[2..end])?)));
            let taken = if let Some((end, value)) = value {
                filled.push_str(value);
                end + 1
            } else {
                filled.push_str("${");
                2
            };
            rest = &rest[taken..];
        }
        filled.push_str(rest);
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_names_are_filled_in_and_nothing_else() {
        let own = [("WHO", "${MODE}"), ("MODE", "mine"), ("EMPTY", "")];
        let settings = PromptSettings {
            vars: own.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            ..PromptSettings::default()
        };
        let vars = Vars::new("build", &settings, Counter { iteration: 2, of: 10, is_told: false });
        for (text, filled) in [
            ("${MODE} ${RALPH_ITERATION}/${RALPH_MAX_ITERATIONS} ${SPECS_DIR}", "build 2/10 specs"),
            ("${WHO}|${EMPTY}|", "${MODE}||"),
            ("${HOME} $MODE ${MODE:-x} ${ MODE }", "${HOME} $MODE ${MODE:-x} ${ MODE }"),
            ("${", "${"),
            ("${é} ${${MODE}}", "${é} ${build}"),
            ("$${MODE}", "$build"),
            ("${MODE", "${MODE"),
        ] {
            assert_eq!(vars.fill(text), filled, "{text}");
        }
    }
}
