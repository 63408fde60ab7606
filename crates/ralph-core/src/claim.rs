//! Reads claims of completion from an agent's own last words. A claim is never a verdict.
