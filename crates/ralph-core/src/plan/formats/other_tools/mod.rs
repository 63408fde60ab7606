//! Plans and tasks from objects of other tools: many spellings of the same fields, unknown ones kept. Used by
//! every format whose tasks are objects.

mod fields;
mod plan;
mod task;

pub(super) use fields::Fields;
pub(super) use plan::{TASK_LISTS, name_nameless, plan};
pub(super) use task::succeeds;
