//! Changes that people make to the plan through `ralph task`. The same legal moves hold for them as for agents.

mod rule;
mod wish;
mod write;

pub use rule::{NotPossible, as_amendment, path, rule};
pub use wish::TaskWish;
pub use write::apply_wish;
