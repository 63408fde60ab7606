//! Placeholder until merged.
use super::report::*;
pub enum Standing {
    Green,
    GreenFlaky,
    RedAsBefore,
    Failed { new_failures: Vec<String> },
    NoTests,
    Interrupted,
}
pub fn compare(now: &GateReport, spec: &GateSpec, _b: Option<&GateReport>) -> Standing {
    if now.end == CommandEnd::Interrupted {
        return Standing::Interrupted;
    }
    if now.end.succeeded() {
        if spec.kind == GateKind::Test && now.tests.ran == Some(0) && !spec.allow_empty {
            Standing::NoTests
        } else if now.flaky {
            Standing::GreenFlaky
        } else {
            Standing::Green
        }
    } else {
        Standing::Failed {
            new_failures: vec![],
        }
    }
}
pub fn tighten(_b: &mut [GateReport], _r: &GateResults) {}
