//! Every environment variable that ralph reads, one constant each, and nothing but reading them.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use ralph_core::settings::PREFIX;

/// Home folder of the user; `~/.config` is looked for below it.
pub(crate) const HOME: &str = "HOME";

/// Folder of the user's settings files, if it is not `~/.config`. Counts only if absolute.
pub(crate) const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// File that tells a hook of the agent call it belongs to.
pub(crate) const CALL: &str = ralph_core::settings::CALL_VARIABLE;

/// Tokens of the context window, for hooks, in the place of what the agent reports.
pub(crate) const CONTEXT_WINDOW: &str = "CLAUDE_CONTEXT_WINDOW";

/// Editors that a person prefers, the first one that is set; `vi` where none is.
pub(crate) const EDITORS: [&str; 2] = ["VISUAL", "EDITOR"];

/// All variables that may be settings: `RALPH_<TABLE>_<KEY>`.
///
/// Bytes that are no text are replaced, so that such a value is told in an error rather than passed over.
pub(crate) fn settings() -> Vec<(String, String)> {
    let lossy = |text: OsString| text.to_string_lossy().into_owned();
    std::env::vars_os()
        .map(|(name, value)| (lossy(name), lossy(value)))
        .filter(|(name, _)| name.starts_with(PREFIX))
        .collect()
}

/// The folder of the user's own settings of ralph, if the user has a home.
pub(crate) fn user_settings_dir(read: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    read(XDG_CONFIG_HOME)
        .map(PathBuf::from)
        .and_then(absolute)
        .or_else(|| {
            read(HOME).map(PathBuf::from).and_then(absolute).map(|home| home.join(".config"))
        })
        .map(|config| config.join(Path::new("ralph")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_variables_are_taken_for_settings() {
        assert!(settings().iter().all(|(name, _)| name.starts_with(PREFIX)));
    }

    #[test]
    fn the_users_folder_follows_xdg_where_it_is_absolute() {
        let with = |xdg: &'static str, home: &'static str| {
            user_settings_dir(|name| {
                let value = if name == HOME { home } else { xdg };
                (!value.is_empty()).then(|| value.into())
            })
        };
        assert_eq!(with("/x", "/h"), Some("/x/ralph".into()));
        assert_eq!(with("x", "/h"), Some("/h/.config/ralph".into()));
        assert_eq!(with("", "/h"), Some("/h/.config/ralph".into()));
        assert_eq!(with("", ""), None);
    }
}
