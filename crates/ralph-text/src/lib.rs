//! Text from anywhere: cleaned, cut, redacted, compared, counted.
//!
//! Must never know a type of ralph's domain, read a file or keep anything: text in, text out.

pub mod cut;
pub mod fingerprint;
pub mod lines;
pub mod markdown;
pub mod redact;
pub mod sanitise;
pub mod tokens;
