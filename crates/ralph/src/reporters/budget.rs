//! What was used of what may be used, in words: money, tokens, time. Decides nothing.

use ralph_core::{ids::TaskId, settings::Limits, time::Millis, timeline::Timeline, usage::Usage};

use super::block::dots;
use crate::words;

/// What a run or a task may use; zero is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Caps {
    pub(crate) usd: f64,
    pub(crate) tokens: u64,
    pub(crate) time: Millis,
}

impl Caps {
    /// Those of a whole run.
    pub(crate) fn of_run(limits: &Limits) -> Self {
        Self { usd: limits.max_cost_usd, tokens: limits.max_tokens, time: limits.max_duration.0 }
    }

    /// Those of one task.
    pub(crate) fn of_task(limits: &Limits) -> Self {
        Self {
            usd: limits.max_task_cost_usd,
            tokens: limits.max_task_tokens,
            time: limits.max_task_duration.0,
        }
    }

    /// `$0.31 of $5 · 60K of 200K tokens · 12m04s of 1h`: only what is limited.
    pub(crate) fn used(&self, usage: &Usage, took: Millis) -> Option<String> {
        let mut parts: Vec<String> =
            self.money(usage).filter(|_| self.usd > 0.0).into_iter().collect();
        parts.extend(self.tokens(usage));
        if !self.time.is_zero() {
            parts.push(self.time(&took.to_string()));
        }
        (!parts.is_empty()).then(|| dots(&parts))
    }

    /// `$0.93`, `$0.93 of $20`, or the tokens of an agent that tells no money; `None` where nothing was told.
    pub(crate) fn money(&self, usage: &Usage) -> Option<String> {
        match (self.usd > 0.0, usage.known_cost().is_some(), usage.tokens()) {
            (true, true, _) => Some(format!("{} of ${}", money(usage), self.usd)),
            (true, false, _) => Some(format!("cost not reported (limit ${})", self.usd)),
            (false, true, _) => Some(money(usage)),
            (false, false, 0) => None,
            (false, false, tokens) => Some(format!("{} tokens", words::short(tokens))),
        }
    }

    /// `1.2M of 5M tokens`, where tokens are limited.
    pub(crate) fn tokens(&self, usage: &Usage) -> Option<String> {
        (self.tokens > 0).then(|| {
            let (used, most) = (words::short(usage.tokens()), words::short(self.tokens));
            format!("{used} of {most} tokens")
        })
    }

    /// `41m12s` or `41m12s of 4h`.
    pub(crate) fn time(&self, took: &str) -> String {
        if self.time.is_zero() { took.into() } else { format!("{took} of {}", round(self.time)) }
    }
}

/// What the run may use.
pub(crate) fn of_run(timeline: &Timeline) -> Caps {
    timeline.start().map(|start| Caps::of_run(&start.settings.limits)).unwrap_or_default()
}

/// What a task has used of its own limits, with what is under way and not counted yet.
pub(crate) fn used_by_task(
    timeline: &Timeline,
    task: &TaskId,
    (spent, took): (Usage, Millis),
) -> Option<String> {
    let caps = Caps::of_task(&timeline.start()?.settings.limits);
    let known = timeline.detail(task).map(|detail| (detail.usage, detail.time));
    let (mut usage, worked) = known.unwrap_or_default();
    usage.add(spent);
    caps.used(&usage, worked.plus(took))
}

/// `$0.41`, or `about $0.41` where some of it is an estimate.
pub(crate) fn money(usage: &Usage) -> String {
    if usage.is_estimate { format!("about {}", usage.cost) } else { usage.cost.to_string() }
}

/// Money and tokens of a call or a run; an agent that tells no money is not said to be free.
pub(crate) fn spent(usage: &Usage, caps: &Caps) -> String {
    let money = caps.money(usage);
    let cost = match usage.known_cost() {
        Some(_) => format!("cost {}", money.unwrap_or_default()),
        None => money.filter(|_| caps.usd > 0.0).unwrap_or_else(|| "cost not reported".into()),
    };
    if usage.tokens() == 0 { cost } else { dots(&[cost, sent_and_received(usage, caps)]) }
}

/// `tokens 1.2M in (850K cached) / 45K out`
fn sent_and_received(usage: &Usage, caps: &Caps) -> String {
    let sent = usage.tokens().saturating_sub(usage.output);
    let cached = match usage.cache_read {
        0 => String::new(),
        cached => format!(" ({} cached)", words::short(cached)),
    };
    let most = match caps.tokens {
        0 => String::new(),
        most => format!(", {} of {}", words::short(usage.tokens()), words::short(most)),
    };
    format!("tokens {} in{cached} / {} out{most}", words::short(sent), words::short(usage.output))
}

/// A limit is mostly whole: `4h`, `30m`.
pub(crate) fn round(length: Millis) -> String {
    let text = length.to_string();
    let whole = text.strip_suffix("00m").or_else(|| text.strip_suffix("00s"));
    whole.map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use ralph_core::usage::MicroUsd;

    use super::*;

    fn usage(cost: u64) -> Usage {
        Usage { input: 1_000_000, output: 200_000, cost: MicroUsd(cost), ..Usage::default() }
    }

    #[test]
    fn what_is_limited_is_told_with_its_limit() {
        let caps = Caps { usd: 20.0, tokens: 5_000_000, time: Millis::secs(4 * 3600) };
        let told = caps.used(&usage(930_000), Millis::secs(41 * 60 + 5));
        let told = told.map(|told| told.replace('\u{a0}', " "));
        assert_eq!(told.as_deref(), Some("$0.93 of $20 · 1.2M of 5M tokens · 41m05s of 4h"));
        assert_eq!(Caps::default().used(&usage(930_000), Millis::secs(9)), None);
    }

    #[test]
    fn an_estimate_is_called_one_and_tokens_without_money_are_not_free() {
        let guess = Usage { is_estimate: true, ..usage(412_000) };
        assert_eq!(Caps::default().money(&guess).as_deref(), Some("about $0.41"));
        assert_eq!(Caps::default().money(&usage(0)).as_deref(), Some("1.2M tokens"));
        assert_eq!(Caps::default().money(&Usage::default()), None);
        assert!(spent(&usage(0), &Caps::default()).starts_with("cost\u{a0}not\u{a0}reported"));
    }
}
