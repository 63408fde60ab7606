//! Work that the remote refuses: it is set aside on this host, where nobody deletes it, and a person is told. Whoever
//! comes next goes on from what was published last.

use super::{holding::Stint, host::Lost, publisher::Out, ralph::Said};
use crate::wire::{StintEnd, StintReport};

/// Work that could not be published, and why.
pub(super) struct Refused<'a> {
    pub(super) run: Option<&'a str>,
    /// What the remote said.
    pub(super) said: &'a str,
    /// What ralph said at its end.
    pub(super) ralph: Option<&'a Said>,
}

impl Stint<'_> {
    /// Keeps the work, gives the lease back and reports that a person must put the remote right.
    pub(super) fn set_aside(
        &self,
        out: &mut Out,
        refused: &Refused<'_>,
    ) -> Result<StintReport, Lost> {
        self.line.phase("setting its work aside");
        let published = self.published(out, refused.run);
        let kept = self.folder.keep(self.claimed.lease.epoch)?;
        // What was published of it is still to be written from there.
        self.repository.lead_way_out(&self.folder.way_out(), &kept)?;
        // If it fails in another way, the next stint takes the branch over: the loop must wait for its person anyway.
        if let Err(Lost::Fenced(why)) = self.hand_over(out, None) {
            return Err(Lost::Fenced(why));
        }
        let why = format!(
            "the remote refuses this run's work: {}; the work is kept on host {} in {} and is never deleted; \
             fix the remote, then `ralph fleet resume {}`: the loop continues from what was published last",
            refused.said,
            self.host.name,
            kept.display(),
            self.input.key
        );
        let (end, truth) = (StintEnd::NeedsPerson { why }, out.ledger.head().to_owned());
        let mut report = self.report_of(published.as_ref(), end, truth);
        // It was paid, published or not.
        let paid = refused.ralph.map_or(0, |said| said.cost_micro_usd);
        report.cost_micro_usd = report.cost_micro_usd.max(paid);
        let taken = published.map(|state| state.taken).unwrap_or_default();
        report.delivered = self.delivered(out, &taken, |file| self.line.has_kept(file));
        Ok(report)
    }
}
