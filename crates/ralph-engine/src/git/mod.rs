//! Git, by its command line: checkpoints, exact trees, commits, quarantine, and what is the user's left alone.
