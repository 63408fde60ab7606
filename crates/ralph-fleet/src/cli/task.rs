//! What names a loop, and a task of it that waits for a person. Declares it, does nothing.

use clap::Args;

/// A loop.
#[derive(Debug, Clone, Args)]
pub(crate) struct LoopArg {
    /// Loop, as shown by `ralph fleet list`
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

/// `ralph fleet approve` and `ralph fleet retry`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TaskArgs {
    #[command(flatten)]
    pub(crate) which: LoopArg,
    /// Task that waits for you, as shown by `ralph fleet status`
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
}

/// `ralph fleet answer`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) about: TaskArgs,
    /// The answer, in quotes
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
}

/// `ralph fleet skip`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SkipArgs {
    #[command(flatten)]
    pub(crate) about: TaskArgs,
    /// Reason, shown in the report and to the agents of later tasks
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) why: String,
}
