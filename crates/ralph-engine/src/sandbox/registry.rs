//! Every backend there is. A new one is a file of its own and a line here.

use super::{backend::Sandbox, bubblewrap::Bubblewrap, off::Off, seatbelt::Seatbelt};

/// The default on Linux.
pub static BUBBLEWRAP: Bubblewrap = Bubblewrap;
/// No isolation.
pub static OFF: Off = Off;

/// In the order in which people are told of them.
pub static BACKENDS: [&dyn Sandbox; 3] = [&BUBBLEWRAP, &Seatbelt, &OFF];

#[cfg(test)]
mod tests {
    use ralph_core::settings::SandboxMode;

    use super::*;

    #[test]
    fn every_mode_of_the_settings_but_auto_is_one_backend() {
        let modes = [SandboxMode::Bubblewrap, SandboxMode::Seatbelt, SandboxMode::Off];
        let names: Vec<&str> = BACKENDS.iter().map(|one| one.name()).collect();
        assert_eq!(names, modes.map(SandboxMode::as_str));
    }

    #[test]
    fn nobody_promises_in_a_way_that_needs_more_than_a_line() {
        for backend in BACKENDS {
            let words = backend.describe();
            assert!(!words.contains('\n') && !words.contains("  ") && words.len() < 260, "{words}");
        }
    }
}
