//! What a run in a scratch project left behind: its plan file, its journal, what the agent was asked.

use std::{fs, io};

use ralph_core::{input::Wish, plan::person::TaskWish};
use ralph_engine::{inbox, layout::Layout};
use serde_json::Value;

use crate::test_run::TestRun;

impl TestRun {
    /// The plan file.
    pub fn plan(&self) -> Value {
        serde_json::from_str(&self.read("work/.ralph/plan.json")).unwrap_or_default()
    }

    /// One task of the plan file; null if it has none of this id.
    pub fn task(&self, id: &str) -> Value {
        task_of(&self.plan(), id)
    }

    /// One task as the plan file had it when the agent's nth call began, from 1.
    pub fn task_at(&self, nth: usize, id: &str) -> Value {
        let plan = self.read(&format!("state/plan.{nth}"));
        task_of(&serde_json::from_str(&plan).unwrap_or_default(), id)
    }

    /// The status of each task in the plan file.
    pub fn statuses(&self) -> Vec<String> {
        let tasks = self.plan()["tasks"].as_array().cloned().unwrap_or_default();
        tasks.iter().map(|task| task["status"].as_str().unwrap_or("?").to_owned()).collect()
    }

    /// How often the agent was called.
    pub fn calls(&self) -> usize {
        self.read("state/calls").lines().count()
    }

    /// What each call was for: `implement T-1`, `review T-1`, `fix T-1`.
    pub fn kinds(&self) -> Vec<String> {
        self.read("state/kinds").lines().map(str::to_owned).collect()
    }

    /// The prompt of the agent's nth call, from 1.
    pub fn prompt(&self, nth: usize) -> String {
        self.read(&format!("state/prompt.{nth}"))
    }

    /// The events of this name in the journals of all runs, oldest first, each with the time of its line as `at`.
    pub fn events(&self, name: &str) -> io::Result<Vec<Value>> {
        let mut found = self.journal()?;
        found.retain(|event| event["event"] == name);
        Ok(found)
    }

    /// All events of the journals of all runs, oldest first, each with the time of its line as `at`.
    pub fn journal(&self) -> io::Result<Vec<Value>> {
        let runs = fs::read_dir(self.path("work/.git/ralph/runs"))?;
        let mut runs: Vec<_> = runs.map(|run| Ok(run?.path())).collect::<io::Result<_>>()?;
        runs.sort();
        let mut found = Vec::new();
        for run in runs {
            for line in fs::read_to_string(run.join("journal.jsonl"))?.lines() {
                let line: Value = serde_json::from_str(line)?;
                found.extend(line["events"].as_array().into_iter().flatten().map(|event| {
                    let mut event = event.clone();
                    event["at"] = line["at"].clone();
                    event
                }));
            }
        }
        Ok(found)
    }

    /// The evidence with which a task ended, and its labels.
    pub fn evidence(&self, task: &str) -> io::Result<(Vec<Value>, Vec<Value>)> {
        let mut events = self.events("evidence_recorded")?;
        events.retain(|event| event["task"] == task);
        let last = events.pop().unwrap_or_default();
        let all = |name: &str| last[name].as_array().cloned().unwrap_or_default();
        Ok((all("evidence"), all("labels")))
    }

    /// Says something about a task, as a person does beside the run.
    pub fn wish(&self, change: TaskWish) -> io::Result<()> {
        let layout = Layout::new(&self.work().join(".git"), &self.work());
        inbox::put(&layout, &Wish::Task { change })
    }
}

fn task_of(plan: &Value, id: &str) -> Value {
    let mut tasks = plan["tasks"].as_array().into_iter().flatten();
    tasks.find(|task| task["id"] == id).cloned().unwrap_or_default()
}
