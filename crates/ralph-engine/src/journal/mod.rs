//! The journal: one line per decision, checked and synced; the only truth of a run.
