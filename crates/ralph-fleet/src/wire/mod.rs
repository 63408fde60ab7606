//! What crosses the wire between people, the engine and the workers: small, with references instead of contents. Every
//! field that is added later needs a default, because histories outlive versions.

mod loops;
mod money;
mod names;
mod spec;
mod stint;
mod wish;

pub(crate) use self::names::REFUSED;
pub use self::{
    loops::{Carry, LoopEnd, LoopInput, Status},
    money::{BrakeOrder, GrantAsk, Settlement},
    names::{BRAIN_QUEUE, LOOP, account_queue, host_queue},
    spec::{LONGEST_GRACE, Limits, LoopSpec, Times},
    stint::{
        Ask, Attendance, Delivery, MOST_ASKS, PAUSED, Placed, Progress, StintEnd, StintInput,
        StintReport,
    },
    wish::Wish,
};
