//! The answer to each event.

use ralph_guard::{Scene, Verdict};

use super::{
    call::{Call, Memo},
    context::{self, Fill},
    event::{Answer, HookEvent},
    finish::{Handover, complaint},
    input::HookInput,
    target::{self, Ground},
    tool::{self, Wants},
};

/// Judges a tool call before it is made. `real` tells where a path leads once links are followed.
pub fn pre_tool_use(
    input: &HookInput,
    call: &Call,
    memo: &mut Memo,
    real: &dyn Fn(&str) -> String,
) -> Answer {
    let wants = tool::wants(&input.tool, &input.tool_input);
    let cwd = if input.cwd.is_empty() { &call.worktree } else { &input.cwd };
    let refusal = commands(&wants, call, cwd).or_else(|| files(&wants, call, cwd, real));
    if let Some(reason) = refusal {
        return Answer::Deny { reason };
    }
    let report = wants.report.as_ref().zip(call.kind);
    match report.and_then(|(report, kind)| complaint(kind, &Handover::Report(report))) {
        Some(reason) if memo.objects(&reason, false) => Answer::Deny { reason },
        _ => Answer::Nothing,
    }
}

/// The answer to a tool call that cannot be read: within a run nothing passes unread; a person at a session decides for
/// themselves.
pub fn unreadable(call: &Call) -> Answer {
    if call.kind.is_none() {
        return Answer::Nothing;
    }
    let reason = "ralph cannot read this tool call, so it is denied. Write it differently: shorter, and in plain characters.";
    Answer::Deny { reason: reason.into() }
}

/// Tells how full the context is, where that is news.
pub fn post_tool_use(event: HookEvent, fill: Option<Fill>, call: &Call, memo: &mut Memo) -> Answer {
    match fill.and_then(|fill| context::notice(fill, call.kind, &mut memo.announced)) {
        Some(text) => Answer::Context { event, text },
        None => Answer::Nothing,
    }
}

/// Looks at what is handed over before the agent ends.
pub fn stop(input: &HookInput, call: &Call, memo: &mut Memo) -> Answer {
    let (Some(kind), Some(message)) = (call.kind, &input.last_message) else {
        return Answer::Nothing;
    };
    if call.reports_by_tool() {
        // Its report was looked at when it was made, and its CLI asks for one itself.
        return Answer::Nothing;
    }
    match complaint(kind, &Handover::Message(message)) {
        Some(reason) if memo.objects(&reason, input.is_held) => Answer::Block { reason },
        _ => Answer::Nothing,
    }
}

/// The check of a session outside a run: work that is not committed holds it once.
pub fn uncommitted(files: &[String], input: &HookInput, memo: &mut Memo) -> Answer {
    if files.is_empty() || input.is_held {
        return Answer::Nothing;
    }
    let named = files.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match files.len() {
        ..=5 => String::new(),
        all => format!(" and {} more", all - 5),
    };
    let reason = format!(
        "These changes are not committed: {named}{more}. Record what was done and learned where this project keeps it, \
         then commit what belongs together. If something must stay uncommitted, say what and why."
    );
    if memo.objects(&reason, input.is_held) { Answer::Block { reason } } else { Answer::Nothing }
}

/// A session begins, or its context was emptied.
pub fn session_start(memo: &mut Memo) {
    memo.rearm();
}

fn commands(wants: &Wants, call: &Call, cwd: &str) -> Option<String> {
    let scene = Scene {
        worktree: call.worktree.clone(),
        cwd: cwd.to_owned(),
        home: call.home.clone(),
        rules: call.guard.clone(),
    };
    wants.commands.iter().find_map(|command| match ralph_guard::judge(command, &scene) {
        Verdict::Allow => None,
        Verdict::Deny { rule, reason, instead } if instead.is_empty() => {
            Some(format!("ralph's guard ({rule}): {reason}."))
        }
        Verdict::Deny { rule, reason, instead } => {
            Some(format!("ralph's guard ({rule}): {reason}. Instead: {instead}."))
        }
    })
}

fn files(wants: &Wants, call: &Call, cwd: &str, real: &dyn Fn(&str) -> String) -> Option<String> {
    // A person at a session decides where it writes.
    call.kind?;
    let ground =
        Ground { worktree: &call.worktree, cwd, home: &call.home, scratch: &call.scratch, real };
    wants.files.iter().find_map(|file| target::objection(file, &ground))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use ralph_core::vocabulary::Kind;

    fn call(agent: &str, kind: Option<Kind>) -> Call {
        let (agent, worktree) = (agent.into(), "/w".into());
        Call { kind, agent, worktree, home: "/home/u".into(), ..Call::default() }
    }

    fn before(tool: &str, tool_input: Value, call: &Call, memo: &mut Memo) -> Answer {
        let input =
            HookInput { tool: tool.into(), tool_input, cwd: "/w".into(), ..HookInput::default() };
        pre_tool_use(&input, call, memo, &str::to_owned)
    }

    fn stopping(message: Option<&str>, is_held: bool) -> HookInput {
        HookInput { last_message: message.map(str::to_owned), is_held, ..HookInput::default() }
    }

    #[test]
    fn a_file_that_is_not_the_agents_is_denied_within_a_run_only() {
        let path = json!({"file_path": "/w/.ralph/plan.json"});
        let of = |kind| before("Write", path.clone(), &call("claude", kind), &mut Memo::default());
        assert!(matches!(of(Some(Kind::Implement)), Answer::Deny { .. }));
        assert_eq!(of(None), Answer::Nothing);
    }

    #[test]
    fn a_wrong_report_is_sent_back_twice_at_most() {
        let (claude, mut memo) = (call("claude", Some(Kind::Implement)), Memo::default());
        for is_denied in [true, true, false] {
            let answer = before("StructuredOutput", json!({}), &claude, &mut memo);
            assert_eq!(matches!(answer, Answer::Deny { .. }), is_denied);
        }
    }

    #[test]
    fn an_end_without_a_handoff_is_held_once_for_the_same_reason() {
        let (codex, mut memo) = (call("codex", Some(Kind::Implement)), Memo::default());
        assert!(matches!(
            stop(&stopping(Some("done"), false), &codex, &mut memo),
            Answer::Block { .. }
        ));
        assert_eq!(stop(&stopping(Some("done"), true), &codex, &mut memo), Answer::Nothing);
        for (agent, kind, message) in [
            ("claude", Some(Kind::Implement), Some("done")),
            ("codex", Some(Kind::Prompt), Some("done")),
            ("codex", Some(Kind::Implement), None),
            ("codex", None, Some("done")),
        ] {
            let answer = stop(&stopping(message, false), &call(agent, kind), &mut Memo::default());
            assert_eq!(answer, Answer::Nothing, "{agent} {kind:?} {message:?}");
        }
    }

    #[test]
    fn a_session_with_uncommitted_changes_is_held_once() {
        let mut memo = Memo::default();
        let files: Vec<String> = (0..7).map(|n| format!("f{n}")).collect();
        let Answer::Block { reason } = uncommitted(&files, &stopping(None, false), &mut memo)
        else {
            panic!("not held")
        };
        assert!(reason.contains("f0, f1, f2, f3, f4 and 2 more"), "{reason}");
        assert_eq!(uncommitted(&files, &stopping(None, true), &mut memo), Answer::Nothing);
        assert_eq!(uncommitted(&[], &stopping(None, false), &mut memo), Answer::Nothing);
    }

    #[test]
    fn a_tool_call_that_cannot_be_read_passes_only_where_a_person_looks() {
        assert!(matches!(unreadable(&call("claude", Some(Kind::Review))), Answer::Deny { .. }));
        assert_eq!(unreadable(&call("claude", None)), Answer::Nothing);
    }

    #[test]
    fn a_new_start_lets_the_thresholds_count_anew() {
        let (codex, mut memo) = (call("codex", Some(Kind::Fix)), Memo::default());
        let fill = Some(Fill { used: 60, window: 100, is_guess: false });
        let mut told = || post_tool_use(HookEvent::PostToolUse, fill, &codex, &mut memo);
        assert!(matches!(told(), Answer::Context { .. }));
        assert_eq!(told(), Answer::Nothing);
        session_start(&mut memo);
        let again = post_tool_use(HookEvent::PostToolUse, fill, &codex, &mut memo);
        assert!(matches!(again, Answer::Context { .. }));
    }
}
