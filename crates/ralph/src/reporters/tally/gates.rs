//! How a gate is shown: by the same questions as the verdict asks.

use ralph_core::gates::{
    baseline::ran_no_test,
    report::{GateReport, GateSpec, Severity},
};

use super::Tally;

impl Tally {
    /// Whether a gate passed.
    pub(crate) fn passed(&self, gate: &GateReport) -> bool {
        (gate.end.succeeded() || gate.flaky) && !self.ran_no_test(gate)
    }

    /// Whether a gate succeeded, but ran no test though it must.
    pub(crate) fn ran_no_test(&self, gate: &GateReport) -> bool {
        gate.end.succeeded() && self.spec(gate).is_some_and(|spec| ran_no_test(gate, spec))
    }

    /// Whether a gate only reports.
    pub(crate) fn is_soft(&self, gate: &GateReport) -> bool {
        self.spec(gate).is_some_and(|spec| spec.severity == Severity::Soft)
    }

    fn spec(&self, gate: &GateReport) -> Option<&GateSpec> {
        self.start()?.gates.iter().find(|spec| spec.name == gate.gate)
    }
}
