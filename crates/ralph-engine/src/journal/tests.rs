//! Journals on a real disk: what is written comes back, and nothing that was damaged does.

use std::{fs, path::Path, sync::Arc};

use ralph_core::{
    effect::DirtyPolicy,
    event::{Decision, Event, FORMAT, RunStart, Source},
    plan::{Plan, Task},
    prompt::Library,
    run::RunState,
    settings::Settings,
    time::Timestamp,
};

use super::{JournalError, Snapshot, Tail, Writer, read, reader::read_from, recover};

type Tested = Result<(), Box<dyn std::error::Error>>;

fn start() -> Event {
    Event::RunStarted(Box::new(RunStart {
        version: "test".into(),
        source: Source::Plan,
        settings: Settings::default(),
        plan: Arc::new(Plan {
            tasks: vec![Task { id: "T-1".into(), title: "one".into(), ..Task::default() }],
            ..Plan::default()
        }),
        gates: Vec::new(),
        max_iterations: 3,
        max_iterations_why: "test".into(),
        is_limit_given: false,
        branch: "ralph/test".into(),
        dirty: DirtyPolicy::Refuse,
        linked_worktree: false,
        plan_file: None,
        memory: ralph_core::memory::context::Context::default(),
        ok_on_limit: false,
        isolation: ralph_core::isolation::Isolation::off(),
        library: Library::default(),
        seal: String::new(),
        proposals: Vec::new(),
        flags: Vec::new(),
        abilities: std::collections::BTreeMap::new(),
    }))
}

fn decision(seq: u64) -> Decision {
    let event = if seq == 0 { start() } else { Event::Warned { text: format!("number {seq}") } };
    let at = Timestamp(1_000 * i64::try_from(seq).unwrap_or(0));
    Decision { v: FORMAT, run: "r".into(), lane: 0, seq, at, events: vec![event] }
}

fn journal(path: &Path, count: u64) -> Result<Vec<Decision>, JournalError> {
    let decisions: Vec<_> = (0..count).map(decision).collect();
    let mut writer = Writer::create(path)?;
    decisions.iter().try_for_each(|decision| writer.append(decision))?;
    Ok(decisions)
}

fn read_all(path: &Path) -> Result<(Vec<Decision>, Tail), JournalError> {
    let mut found = Vec::new();
    let (_, tail) = read(path, 0, 0, |decision| found.push(decision))?;
    Ok((found, tail))
}

#[test]
fn what_is_written_comes_back() -> Tested {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.jsonl");
    let written = journal(&path, 4)?;
    assert_eq!(read_all(&path)?, (written.clone(), Tail::Clean));
    assert_eq!(Some(recover(&path)?.state), RunState::fold(&written));
    Ok(())
}

#[test]
fn every_truncation_gives_whole_decisions_and_nothing_else() -> Tested {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.jsonl");
    let written = journal(&path, 4)?;
    let whole = fs::read(&path)?;
    for length in 0..whole.len() {
        let cut = whole.get(..length).unwrap_or_default();
        let mut found = Vec::new();
        let (_, tail) = read_from(cut, &path, (0, 0), &mut |decision| found.push(decision))?;
        assert_eq!(Some(found.as_slice()), written.get(..found.len()), "cut at {length}");
        let ends_with_line = length == 0 || whole.get(length - 1) == Some(&b'\n');
        assert_eq!(tail == Tail::Clean, ends_with_line, "cut at {length}");
    }
    Ok(())
}

#[test]
fn no_bit_flip_lets_a_corrupt_record_through() -> Tested {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.jsonl");
    let written = journal(&path, 4)?;
    let mut bytes = fs::read(&path)?;
    let lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len).collect();
    let last_line = bytes.len() - lines.last().copied().unwrap_or(0);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            flip(&mut bytes, at, bit);
            let mut found = Vec::new();
            let read = read_from(bytes.as_slice(), &path, (0, 0), &mut |one| found.push(one));
            assert_eq!(Some(found.as_slice()), written.get(..found.len()), "byte {at} bit {bit}");
            match read {
                Ok((_, Tail::Torn { .. })) => {
                    assert!(
                        at >= last_line,
                        "byte {at} bit {bit}: damage before the tail was missed"
                    );
                }
                Err(JournalError::Damaged { .. }) => {}
                other => return Err(format!("byte {at} bit {bit}: {other:?}").into()),
            }
            flip(&mut bytes, at, bit);
        }
    }
    Ok(())
}

fn flip(bytes: &mut [u8], at: usize, bit: u32) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

#[test]
fn a_torn_tail_is_kept_beside_and_writing_goes_on() -> Tested {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.jsonl");
    let written = journal(&path, 3)?;
    let whole = fs::read(&path)?;
    fs::write(&path, whole.get(..whole.len() - 5).unwrap_or_default())?;
    let recovered = recover(&path)?;
    assert!(matches!(recovered.tail, Tail::Torn { .. }));
    let mut writer = Writer::reopen(&path, recovered.length)?;
    writer.append(&decision(2))?;
    assert_eq!(read_all(&path)?, (written, Tail::Clean));
    assert!(path.with_extension(format!("torn-{}", recovered.length)).exists());
    Ok(())
}

#[test]
fn a_newer_format_is_refused() -> Tested {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.jsonl");
    let mut writer = Writer::create(&path)?;
    writer.append(&Decision { v: FORMAT + 1, ..decision(0) })?;
    assert!(matches!(read_all(&path), Err(JournalError::TooNew { .. })));
    Ok(())
}

#[test]
fn a_snapshot_gives_the_same_state_and_a_damaged_one_is_ignored() -> Tested {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.jsonl");
    let written = journal(&path, 2)?;
    let state = RunState::fold(&written).ok_or("no state")?;
    Snapshot::write(folder.path(), fs::metadata(&path)?.len(), &state)?;
    let mut writer = Writer::reopen(&path, fs::metadata(&path)?.len())?;
    writer.append(&decision(2))?;
    let expected = RunState::fold(&[written, vec![decision(2)]].concat());
    assert_eq!(Some(recover(&path)?.state), expected);
    let snapshot = folder.path().join("snapshot");
    let mut bytes = fs::read(&snapshot)?;
    flip(&mut bytes, 20, 0);
    fs::write(&snapshot, bytes)?;
    assert_eq!(Some(recover(&path)?.state), expected);
    Ok(())
}

#[test]
fn a_decision_of_another_run_is_damage() -> Tested {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.jsonl");
    journal(&path, 2)?;
    let mut writer = Writer::reopen(&path, fs::metadata(&path)?.len())?;
    writer.append(&Decision { run: "other".into(), ..decision(2) })?;
    writer.append(&decision(3))?;
    assert!(matches!(read_all(&path), Err(JournalError::Damaged { line: 3, .. })));
    Ok(())
}
