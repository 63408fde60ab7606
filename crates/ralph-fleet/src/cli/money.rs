//! What can be typed after `ralph fleet budget` and `ralph fleet __bench`. Declares it, does nothing.

use clap::Args;

/// `ralph fleet budget`.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetArgs {
    /// Tenant whose budget it is
    #[arg(value_name = "TENANT")]
    pub(crate) tenant: String,
    /// Set what it may spend in the month, in dollars
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) usd: Option<f64>,
    /// The month, such as 2026-11 [default: this one, in UTC]
    #[arg(long, value_name = "MONTH")]
    pub(crate) month: Option<String>,
}

/// `ralph fleet __bench`.
#[derive(Debug, Clone, Args)]
pub(crate) struct BenchArgs {
    /// How many of each kind, twice
    #[arg(long, default_value_t = 200)]
    pub(crate) loops: u32,
    /// How many at once
    #[arg(long, default_value_t = 20)]
    pub(crate) at_once: usize,
}
