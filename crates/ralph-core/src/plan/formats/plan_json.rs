//! `plan.json`: ralph's own format.
