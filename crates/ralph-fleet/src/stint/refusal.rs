//! A remote that answers and takes nothing: how often it is asked again. One that does not answer is none of this: it
//! is waited for.

use crate::truth::REJECTED;

/// So often a remote may answer and take nothing without saying that it refuses: it may be in trouble.
const UNCLEAR: u32 = 20;

/// Refusals in a row.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    clear: u32,
    all: u32,
}

impl Refusals {
    /// It answered, and this is why nothing was taken.
    pub(super) fn count(&mut self, why: &str) {
        self.clear += u32::from(why.contains(REJECTED));
        self.all += 1;
    }

    /// Whether it will not take it however often it is asked; a remote that says so is asked this often.
    pub(super) fn are_enough(&self, clear: u32) -> bool {
        self.clear >= clear || self.all >= UNCLEAR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOOK: &str = "remote: error: GH001: no big files; \
        !\tHEAD:refs/heads/x\t[remote rejected] (pre-receive hook declined); Done";

    #[test]
    fn a_remote_in_trouble_is_asked_more_often_than_one_that_refuses() {
        let after = |why: &str, times: u32| {
            let mut refusals = Refusals::default();
            (0..times).for_each(|_| refusals.count(why));
            refusals.are_enough(5)
        };
        assert!(!after(HOOK, 4) && after(HOOK, 5));
        assert!(!after("error: RPC failed; HTTP 503", 19) && after("error: RPC failed", 20));
    }
}
