//! The MCP servers of each kind of iteration: which set is given, and where the knowledge graph is kept.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::vocabulary::Kind;

/// The servers of a memory iteration where the project names none of its own.
pub const MEMORY_SET: &str = include_str!("mcp/memory.json").trim_ascii();
/// The servers of coding iterations where the project names none: none.
pub const CODING_SET: &str = include_str!("mcp/coding.json").trim_ascii();

/// Variable by which the knowledge-graph server is told its file.
const GRAPH_VARIABLE: &str = "MEMORY_FILE_PATH";

/// The set of an iteration: the project's own, or ralph's. Reviewers get none: nobody looks over their shoulder.
pub fn of_kind(kind: Kind, own: &BTreeMap<String, String>) -> &str {
    let (name, default) = match kind {
        Kind::Compact => ("memory", MEMORY_SET),
        Kind::Implement | Kind::Fix | Kind::Prompt => ("coding", CODING_SET),
        Kind::Review | Kind::Plan | Kind::Apply => return "",
    };
    own.get(name).map_or(default, String::as_str)
}

/// Name of the knowledge graph in a call's own folder.
pub const GRAPH: &str = "graph.jsonl";

/// The set for a call whose own folder this is: a server that keeps a knowledge graph gets the copy there.
/// `None` if there is no server in it.
pub fn placed(set: &str, folder: &str) -> Option<String> {
    let mut set: Map<String, Value> = serde_json::from_str(set).ok()?;
    let servers = set.get_mut("mcpServers")?.as_object_mut()?;
    if servers.is_empty() {
        return None;
    }
    for server in servers.values_mut() {
        if let Some(path) = graph_path(server) {
            *path = format!("{folder}/{GRAPH}").into();
        }
    }
    Some(Value::Object(set).to_string())
}

/// Whether a server of the set keeps a knowledge graph.
pub fn keeps_graph(set: &str) -> bool {
    let mut set: Value = serde_json::from_str(set).unwrap_or_default();
    let servers = set.get_mut("mcpServers").and_then(Value::as_object_mut);
    servers.is_some_and(|servers| servers.values_mut().any(|one| graph_path(one).is_some()))
}

fn graph_path(server: &mut Value) -> Option<&mut Value> {
    server.get_mut("env")?.get_mut(GRAPH_VARIABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_gets_its_own_set_and_the_projects_where_there_is_one() {
        let own = BTreeMap::from([("coding".to_owned(), "{}".to_owned())]);
        assert_eq!(of_kind(Kind::Implement, &own), "{}");
        assert_eq!(of_kind(Kind::Compact, &own), MEMORY_SET);
        assert_eq!(of_kind(Kind::Fix, &BTreeMap::new()), CODING_SET);
        assert_eq!(of_kind(Kind::Review, &own), "");
    }

    #[test]
    fn the_graph_is_kept_in_the_calls_own_folder() {
        let set = placed(MEMORY_SET, "/calls/7").unwrap_or_default();
        assert!(set.contains("\"MEMORY_FILE_PATH\":\"/calls/7/graph.jsonl\""), "{set}");
        assert!(set.contains("@upstash/context7-mcp"), "{set}");
        assert!(keeps_graph(MEMORY_SET) && !keeps_graph(CODING_SET) && !keeps_graph("no json"));
    }

    #[test]
    fn a_set_without_servers_is_none() {
        for set in [CODING_SET, "", "[]", "{}", r#"{"mcpServers": []}"#] {
            assert_eq!(placed(set, "/f"), None, "{set}");
        }
    }
}
