//! Which values of a run's environment must not be written anywhere.

use std::{
    ffi::OsString,
    sync::{Mutex, PoisonError},
};

use ralph_core::settings::Settings;
use ralph_text::redact::{Redactor, looks_secret};

/// Values by name, and the redactor that knows them.
type Known = (Vec<(String, String)>, Redactor);

/// The last one that was made: several parts of a process ask for the same, and it takes longer than most texts.
static LAST: Mutex<Option<Known>> = Mutex::new(None);

/// Knows every credential of the environment, whatever `agent.env` passes on, and what gates are given by name.
pub fn redactor(environment: &[(OsString, OsString)], settings: &Settings) -> Redactor {
    let is_passed_on = |name: &str| settings.agent.env.iter().any(|passed| passed == name);
    let outside = environment.iter().filter_map(|(name, value)| {
        let name = name.to_str()?;
        (looks_secret(name) || is_passed_on(name)).then(|| (name, value.to_string_lossy()))
    });
    let outside = outside.filter(|(name, value)| looks_secret(name) || !is_setting(value));
    let gates = settings.gate.iter().flat_map(|gate| &gate.env);
    let gates = gates.filter(|(name, _)| looks_secret(name));
    let gates = gates.map(|(name, value)| (name.as_str(), value.as_str().into()));
    let values = outside.chain(gates).map(|(name, value)| (name.to_owned(), value.into_owned()));
    let values: Vec<(String, String)> = values.collect();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((known, redactor)) if *known == values => redactor.clone(),
        _ => {
            let pairs = values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let redactor = Redactor::new(pairs);
            *last = Some((values, redactor.clone()));
            redactor
        }
    }
}

/// Paths and addresses are passed on too, and are no secrets.
fn is_setting(value: &str) -> bool {
    value.starts_with('/') || value.starts_with('~') || value.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_what_is_passed_on_are_known() {
        let mut settings = Settings::default();
        settings.agent.env = vec!["CUSTOM".into(), "HTTPS_PROXY".into()];
        let environment = [
            ("GH_TOKEN", "outside-token-1"),
            ("CUSTOM", "passed-on-value-2"),
            ("HTTPS_PROXY", "http://proxy.corp:3128"),
            ("EDITOR", "some-editor-3"),
        ]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let redactor = redactor(&environment, &settings);
        let text = "outside-token-1 passed-on-value-2 http://proxy.corp:3128 some-editor-3";
        assert_eq!(
            redactor.text(text),
            "[redacted:GH_TOKEN] [redacted:CUSTOM] http://proxy.corp:3128 some-editor-3"
        );
    }
}
