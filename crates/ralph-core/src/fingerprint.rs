//! Placeholder until merged.
pub struct FailurePart<'a> {
    pub gate: &'a str,
    pub failing: &'a [String],
    pub output: &'a str,
}
pub fn fingerprint(parts: &[FailurePart<'_>]) -> String {
    parts
        .iter()
        .map(|p| format!("{}{}{}", p.gate, p.failing.join(","), p.output))
        .collect()
}
