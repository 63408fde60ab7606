//! What filters and the functions of their library share while one runs. Knows neither of them.

use std::cell::Cell;

use jaq_core::{DataT, Lut, data::HasLut};
use jaq_json::Val;

/// Which values and which shared state the filters work with.
pub(super) struct Data;

impl DataT for Data {
    type V<'a> = Val;
    type Data<'a> = RunData<'a>;
}

/// What one run of a filter shares.
#[derive(Clone)]
pub(super) struct RunData<'a> {
    pub(super) lut: &'a Lut<Data>,
    /// Rounds of loops that are left.
    pub(super) rounds: &'a Cell<u32>,
}

impl<'a> HasLut<'a, Data> for RunData<'a> {
    fn lut(&self) -> &'a Lut<Data> {
        self.lut
    }
}
