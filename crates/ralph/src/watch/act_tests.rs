//! What keys and the mouse change of what is shown.

use crossterm::event::{MouseButton, MouseEventKind};
use ralph_agents::{
    event::AgentEvent,
    live_event::{Chatter, Said},
};
use ralph_core::time::Timestamp;

use super::{
    keys::Action,
    model::{Focus, Model, Pane},
    stream::Stream,
    tests::going,
    view,
};
use crate::reporters::line::Look;

const SIZE: (u16, u16) = (120, 40);

/// Three reads that went well and a command that failed, with twelve lines of output each.
fn calls() -> Model {
    let mut stream = Stream::default();
    let output: Vec<String> = (0..12).map(|nth| format!("output {nth}")).collect();
    let output = output.join("\n");
    for (nth, name) in (0..).zip(["Read", "Read", "Read", "Bash"]) {
        let id = format!("call {nth}");
        let input = format!("input {nth} {}", "long ".repeat(40));
        let start = AgentEvent::ToolStart { id: id.clone(), name: name.into(), input };
        let (output, is_error) = (output.clone(), name == "Bash");
        let end = AgentEvent::ToolEnd { id, output, lines: 12, chars: 99, is_error };
        for (place, event) in [(nth * 10, start), (nth * 10 + 1, end)] {
            let said = Chatter { at: Timestamp(0), iteration: 1, said: Said::Agent(event) };
            stream.take(place, &said);
        }
    }
    let mut model = Model { focus: Focus::Pane, pane: Pane::Stream, ..going() };
    model.shown.stream = stream;
    model.measure(SIZE);
    model
}

fn act(model: &mut Model, actions: &[Action]) {
    for action in actions {
        model.measure(SIZE);
        assert_eq!(model.act(*action), None);
    }
    model.measure(SIZE);
}

fn rows(model: &Model) -> Vec<String> {
    let rows = view::stream_rows(model, 78).into_iter();
    rows.map(|(_, row)| row.render(Look::default(), Some(78)).trim().to_owned()).collect()
}

#[test]
fn enter_unfolds_calls_and_then_the_chosen_one() {
    let mut model = calls();
    let shown = rows(&model);
    assert_eq!((shown[0].as_str(), shown.len()), ("▶ Read x3", 1 + 1 + 10 + 1));
    act(&mut model, &[Action::First, Action::Open]);
    assert_eq!(rows(&model).len(), 3 + 1 + 10 + 1);
    assert!(rows(&model)[1].contains("Read input 1"), "{:?}", rows(&model));
    act(&mut model, &[Action::Move(1), Action::Open]);
    let shown = rows(&model);
    assert_eq!(shown.len(), 3 + 11 + 1 + 10 + 1);
    assert_eq!((shown[2].as_str(), shown[12].as_str()), ("│ output 0", "(2 more lines: o)"));
    assert_eq!(model.chosen_call(), Some(11));
    act(&mut model, &[Action::Open, Action::Move(2), Action::Open]);
    assert_eq!(rows(&model).len(), 4, "the failure is closed: {:?}", rows(&model));
}

#[test]
fn long_lines_are_broken_on_demand() {
    let mut model = calls();
    let is_whole = |model: &Model| rows(model).concat().matches("long").count() >= 40;
    assert!(!is_whole(&model));
    act(&mut model, &[Action::Wrap]);
    assert!(is_whole(&model), "{:?}", rows(&model));
    act(&mut model, &[Action::Wrap]);
    assert!(!is_whole(&model));
}

#[test]
fn a_chosen_try_stays_when_the_next_one_begins() {
    let mut model = going();
    let task = model.task().unwrap_or_default();
    let known = model.timeline.tasks.get(&task).map(|task| task.steps.clone());
    let steps = known.unwrap_or_default();
    assert!(steps.len() > 1, "{steps:?}");
    act(&mut model, &[Action::Try(1)]);
    let chosen = model.step().map(|step| step.iteration);
    assert_eq!(chosen, steps.get(steps.len() - 2).map(|step| step.iteration));
    let mut next = steps.last().cloned();
    if let Some(step) = &mut next {
        step.iteration += 1;
    }
    for task in model.timeline.tasks.values_mut() {
        task.steps.extend(next.clone());
    }
    model.list();
    assert_eq!(model.step().map(|step| step.iteration), chosen);
    act(&mut model, &[Action::Follow]);
    assert_ne!(model.step().map(|step| step.iteration), chosen);
}

#[test]
fn the_wheel_moves_what_is_under_it_and_a_click_chooses() {
    let mut model = calls();
    let (list, pane) = ((3, 4), (80, 8));
    let (chosen, focus) = (model.chosen, model.focus);
    model.point(MouseEventKind::ScrollUp, pane, SIZE);
    assert!(model.pick.is_some() && model.chosen == chosen);
    let pick = model.pick;
    model.point(MouseEventKind::ScrollUp, list, SIZE);
    assert_eq!(
        (model.pick, model.focus),
        (if model.chosen == chosen { pick } else { None }, focus)
    );
    let mut model = calls();
    model.point(MouseEventKind::Down(MouseButton::Left), (80, 4), SIZE);
    assert_eq!(model.pick.map(|pick| (pick.key, pick.row)), Some(((0, 0), 0)));
    let row = u16::try_from(model.rows.len()).unwrap_or_default() + 2;
    model.point(MouseEventKind::Down(MouseButton::Left), (3, row), SIZE);
    assert_eq!((model.focus, Some(&model.chosen)), (Focus::List, model.rows.last()));
    model.point(MouseEventKind::Down(MouseButton::Left), (3, 0), SIZE);
    assert_eq!(model.focus, Focus::List);
}
