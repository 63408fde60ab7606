//! What an agent's ending leads to in this run: the built-in policy, or the one that settings ask for.

use crate::{
    ending::{Ending, Reaction, long_back_off},
    event::Event,
    input::Captured,
    run::{Iteration, RunState, limits, who},
    settings::Policy,
    time::{Millis, Timestamp},
    usage::Usage,
    vocabulary::Kind,
};

/// What to do where waiting would take too long.
pub(super) const LATER: &str =
    "run ralph resume later, or raise limits.max_wait and run ralph resume --reload-settings";

/// The ending's policy, with what the task and the run have already used up.
pub(super) fn reaction(state: &RunState, at: Timestamp, iteration: &Iteration) -> Reaction {
    reaction_to(state, at, iteration, iteration.captured.as_ref())
}

/// The same for what was just captured.
pub(super) fn reaction_to(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    captured: Option<&Captured>,
) -> Reaction {
    let Some(report) = &iteration.report else {
        // Nobody was called where a person's approval is applied.
        return if iteration.kind == Kind::Apply { Reaction::Judge } else { Reaction::Retry };
    };
    let is_cut = state.stopping_now() || state.steering.ends_call;
    if is_cut && report.ending != Ending::Ok {
        return Reaction::Stop;
    }
    if matches!(report.ending, Ending::TimedOut | Ending::Budget)
        && limits::used_up(state, at, uncounted(iteration)).is_some()
    {
        return Reaction::Suspend;
    }
    let built_in = match report.ending.reaction() {
        // Nobody asked for it, or the process that was asked is gone: it must stay bounded.
        Reaction::Stop => Reaction::Retry,
        Reaction::Shrink if state.detail(iteration.task).is_some_and(|d| d.overflowed) => {
            Reaction::Judge
        }
        // Not a word, but work: the gates can tell.
        _ if report.ending == Ending::Empty && has_left_work(state, captured) => Reaction::Judge,
        reaction => reaction,
    };
    let is_limit = matches!(report.ending, Ending::UsageLimit { .. });
    let others = who::candidates(state, iteration.task, iteration.kind).len() > 1;
    // One that is gone for good need not be free at once to be waited for.
    let in_time = (!is_for_good(&report.ending)).then_some(at);
    match state.start.settings.endings.policy(&report.ending) {
        Some(Policy::Retry) => Reaction::Retry,
        Some(Policy::Wait) if matches!(built_in, Reaction::WaitUntil(_)) => built_in,
        Some(Policy::Wait) => Reaction::BackOff,
        None | Some(Policy::Fallback) if is_limit && others => Reaction::Switch,
        Some(Policy::Fallback) if who::another_can(state, iteration, in_time) => Reaction::Switch,
        None | Some(Policy::Fallback) => built_in,
        Some(Policy::Park) => Reaction::Park,
        Some(Policy::Stop) => Reaction::StopRun,
    }
}

fn has_left_work(state: &RunState, captured: Option<&Captured>) -> bool {
    let tree = captured.and_then(|captured| captured.tree.as_ref());
    tree.is_some_and(|tree| *tree != state.head_tree)
}

/// A reviewer's or planner's end is judged in the same decision that counts its usage; an attempt's was counted before.
fn uncounted(iteration: &Iteration) -> Usage {
    match &iteration.report {
        Some(report) if matches!(iteration.kind, Kind::Review | Kind::Plan) => report.usage,
        _ => Usage::default(),
    }
}

/// An allowance that is used up and when it comes back: known from here on, whatever becomes of the call.
pub(super) fn limited(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    ending: &Ending,
) -> Option<Event> {
    let Ending::UsageLimit { resets_at: Some(reset), .. } = ending else {
        return None;
    };
    let policy = state.start.settings.endings.policy(ending);
    let is_obeyed = matches!(policy, None | Some(Policy::Wait | Policy::Fallback));
    let others = who::candidates(state, iteration.task, iteration.kind).len() > 1;
    (*reset > at && is_obeyed).then(|| Event::AgentRested {
        agent: who::of(state, iteration).key(),
        until: Some(reset.plus(jitter(state.seq))),
        why: ending.describe(),
        is_waited_for: policy == Some(Policy::Wait) || !others,
    })
}

/// A pause of no known length: the agent is not called again before it is over. Its work waits for it, unless
/// another agent takes it over.
pub(super) fn rests(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    reaction: Reaction,
) -> Option<Event> {
    let ending = &iteration.report.as_ref()?.ending;
    let agent = who::of(state, iteration).key();
    let known = state.resting.get(&agent).and_then(|rest| rest.until);
    if has_known_reset(ending, at)
        || known.is_some_and(|until| until > at)
        || !matches!(reaction, Reaction::Switch | Reaction::WaitUntil(_) | Reaction::BackOff)
    {
        return None;
    }
    let for_good = is_for_good(ending) && reaction == Reaction::Switch;
    let pause = long_back_off(state.counters.back_offs_in_a_row + 1);
    Some(Event::AgentRested {
        agent,
        until: (!for_good).then(|| at.plus(pause)),
        why: ending.describe(),
        is_waited_for: reaction != Reaction::Switch,
    })
}

/// Whether pauses of no known length have lasted too long in a row, the coming one included.
pub(super) fn waited_too_long(state: &RunState, at: Timestamp, ending: &Ending) -> bool {
    let coming = state.counters.back_offs_in_a_row + 1;
    let sum = (1..=coming).fold(Millis(0), |sum, nth| sum.plus(long_back_off(nth)));
    !has_known_reset(ending, at) && sum > state.start.settings.limits.max_wait.0
}

/// Whether waiting does not help.
fn is_for_good(ending: &Ending) -> bool {
    matches!(ending, Ending::AuthFailed { .. } | Ending::NotFound { .. })
}

/// Whether the end of a usage limit is known and to come.
fn has_known_reset(ending: &Ending, at: Timestamp) -> bool {
    matches!(ending, Ending::UsageLimit { resets_at: Some(reset), .. } if *reset > at)
}

/// 1 to 15 seconds, so that many loops do not wake at the same moment.
fn jitter(seq: u64) -> Millis {
    Millis(1_000 + seq.wrapping_mul(7_919) % 14_000)
}
