//! Compaction with the real CLI and the real knowledge-graph server, both as they are installed.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};
use testkit::model::Step;

use crate::{
    Tested,
    clis::MEMORY_SERVER,
    ground::{Caller, Ground, does},
    island::on_island,
};

const COMPACTS: &str = "# Compact what is known";

fn context() -> Value {
    json!({
        "project_summary": "A scratch project with one piece of work done.",
        "completed_work": ["T-1"],
        "active_constraints": [{"constraint": "work/ holds one file per task", "source_iteration": "1"}],
        "architectural_decisions": ["Files are written by hand"],
        "file_knowledge": [{"path": "work/T-1", "purpose": "the first piece of work"}],
    })
}

fn entity() -> Value {
    let entity = json!({"name": "work folder", "entityType": "component", "observations": ["one file per task"]});
    json!({"entities": [entity]})
}

#[test]
fn an_agent_compacts_with_the_knowledge_graph_server_and_its_answer_is_the_context() -> Tested {
    let name =
        "memory::an_agent_compacts_with_the_knowledge_graph_server_and_its_answer_is_the_context";
    on_island(name, || {
        let spare = tempfile::tempdir()?;
        fs::set_permissions(spare.path(), fs::Permissions::from_mode(0o755))?;
        // In a sandbox only the programs in `PATH` are visible.
        let server = MEMORY_SERVER.command(spare.path())?;
        let folder = server.parent().unwrap_or(spare.path()).display().to_string();
        let steps = |work: &str| {
            let compacts = vec![
                Step::calls("mcp__memory__create_entities", entity()).when(COMPACTS),
                Step::reports(context()).when(COMPACTS),
            ];
            [does(work, "T-1", "right\n"), compacts, does(work, "T-2", "right\n")].concat()
        };
        let mut ground = Ground::with(2, Caller::KeyHolder, steps, |run| {
            run.set("[memory]\ninterval = 1")?;
            let graph = json!({"MEMORY_FILE_PATH": ".ralph/memory/graph.jsonl"});
            let set = json!({"mcpServers": {"memory": {"command": "mcp-server-memory", "args": [], "env": graph}}});
            run.write("work/.ralph/mcp/memory.json", &set.to_string())
        })?;
        ground.run = ground.run.with_env("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin"));
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(0);
        assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
        assert_eq!(ground.run.statuses(), ["done", "done"]);
        let graph = ground.run.read("work/.ralph/memory/graph.jsonl");
        let stream = ground.run.git(&["ls-files", "--others", ".ralph/runs"])?;
        let stream = stream.lines().find(|line| line.contains("compactions/0001/agent.ndjson"));
        let stream = ground.run.read(&format!("work/{}", stream.unwrap_or_default()));
        assert!(
            graph.contains("work folder") && graph.contains("one file per task"),
            "{graph}: {stream}"
        );
        let stored: Value =
            serde_json::from_str(&ground.run.read("work/.ralph/memory/context.json"))?;
        let context = &stored["context"];
        assert_eq!(context["project_summary"], "A scratch project with one piece of work done.");
        assert_eq!(context["active_constraints"][0]["constraint"], "work/ holds one file per task");
        let told = ground.model.asked().into_iter().filter(|asked| {
            asked.conversation.contains("# Task T-2")
                && asked.conversation.contains("work/ holds one file per task")
        });
        assert!(told.count() > 0, "the context did not reach the next agent");
        assert_eq!(ground.run.git(&["rev-list", "--count", "main..ralph/scratch"])?, "2");
        Ok(())
    })
}
