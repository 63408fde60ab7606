//! The only text that goes into the page unescaped: ralph's own style and script, and the policy that allows just them.

use maud::{Markup, PreEscaped};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// SHA-256 of the two, as a policy wants it; a test computes them.
const STYLE_HASH: &str = "GvJXRaexSrnlBZ3PZgZ3ozEHxxKAMm/b/jSDxH1Qzq4=";
const SCRIPT_HASH: &str = "JfeJJZ2rvlDrjeGAYzIWe6cc65NYMcTzR3iVpYfxcyY=";

/// The style of the page.
pub(super) fn style() -> Markup {
    PreEscaped(STYLE.to_owned())
}

/// What makes it handier; the page can be read without.
pub(super) fn script() -> Markup {
    PreEscaped(SCRIPT.to_owned())
}

/// Nothing but these two: no request, no other script, no other style.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'sha256-{STYLE_HASH}'; script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; \
         form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use ring::digest::{SHA256, digest};

    use super::*;

    #[test]
    fn the_policy_names_the_hashes_of_style_and_script() {
        let hash = |text: &str| STANDARD.encode(digest(&SHA256, text.as_bytes()));
        assert_eq!((STYLE_HASH, SCRIPT_HASH), (&*hash(STYLE), &*hash(SCRIPT)));
    }

    #[test]
    fn neither_can_end_early_and_the_script_stays_small() {
        assert!(!STYLE.contains('<') && !SCRIPT.contains("</") && !SCRIPT.contains("<!"));
        assert!(SCRIPT.len() <= 2048, "{}", SCRIPT.len());
    }
}
