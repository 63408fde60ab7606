//! What can be typed after `ralph fleet budget`. Declares it, does nothing.

use clap::Args;

/// `ralph fleet budget`.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetArgs {
    /// Tenant the budget belongs to
    #[arg(value_name = "TENANT")]
    pub(crate) tenant: String,
    /// Set the budget for the month, in dollars
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    pub(crate) usd: Option<f64>,
    /// Month, such as 2026-11 [default: the current month, in UTC]
    #[arg(long, value_name = "MONTH", value_parser = month)]
    pub(crate) month: Option<String>,
}

fn month(text: &str) -> Result<String, String> {
    let is_number =
        |part: &str, digits| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = text.split_once('-').filter(|(year, month)| {
        is_number(year, 4) && is_number(month, 2) && ("01"..="12").contains(month)
    });
    parts.map(|_| text.to_owned()).ok_or_else(|| "write a month such as 2026-11".into())
}

#[cfg(test)]
mod tests {
    use super::month;

    #[test]
    fn a_month_is_one_that_budgets_are_named_by() {
        assert_eq!(month("2026-11").as_deref(), Ok("2026-11"));
        for odd in ["2026-13", "2026-00", "2026-1", "x", "2026-11-01", "26-11", "2026/11"] {
            assert!(month(odd).is_err(), "{odd}");
        }
    }
}
