//! What a loop has hands do, by name: the workflow asks for these, and hands do them under the same names. Neither needs
//! to know the other.

use temporalio_common::ActivityDefinition;

use crate::wire::{Attendance, Delivery, StintInput, StintReport};

/// An activity's type, its name, what it is given and what it gives.
macro_rules! activity {
    ($(#[$about:meta])* $kind:ident, $name:literal, $input:ty => $output:ty) => {
        $(#[$about])*
        pub(crate) struct $kind;

        impl ActivityDefinition for $kind {
            type Input = $input;
            type Output = $output;

            fn name(&self) -> &str {
                $name
            }
        }
    };
}

activity!(
    /// Works on a branch until there is something to report.
    Work, "ralph.stint.v1", StintInput => StintReport
);
activity!(
    /// The report of a stint that its own activity could not give, or nothing.
    Attend, "ralph.attend.v1", Attendance => Option<StintReport>
);
activity!(
    /// Puts a wish into the inbox of a run; whether there was one.
    Deliver, "ralph.deliver.v1", Delivery => bool
);
