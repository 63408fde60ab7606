//! What the server is, whether it knows the search attributes of loops, and whether anybody decides there.

use std::collections::BTreeMap;

use temporalio_client::{
    Client,
    tonic::{self, IntoRequest as _},
};
use temporalio_common::protos::temporal::api::{
    enums::v1::IndexedValueType,
    operatorservice::v1::{AddSearchAttributesRequest, ListSearchAttributesRequest},
    workflowservice::v1::{DescribeNamespaceRequest, GetSystemInfoRequest},
};

use super::check::Check;
use crate::{
    commands::pollers,
    connect::Server,
    error::exit,
    search_attributes::{ACCOUNT, COST, DONE, REPO, STATE, TASKS, TENANT},
    wire::{BRAIN_QUEUE, account_queue},
};

/// Attributes by name.
type Attributes = BTreeMap<&'static str, IndexedValueType>;

/// Its version and the namespace.
pub(super) async fn version(server: &Server, client: &Client) -> Check {
    let name = "server";
    let mut service = client.connection().workflow_service();
    let namespace = server.namespace.clone();
    let request = DescribeNamespaceRequest {
        namespace: namespace.clone(),
        ..DescribeNamespaceRequest::default()
    };
    if let Err(status) = service.describe_namespace(request.into_request()).await {
        let detail = format!(
            "{} answers, but not for the namespace {namespace}: {}",
            server.address(),
            status.message()
        );
        return Check::bad(
            name,
            detail,
            "create it, or set TEMPORAL_NAMESPACE to another one",
            exit::USAGE,
        );
    }
    match service.get_system_info(GetSystemInfoRequest::default().into_request()).await {
        Ok(info) => {
            let version = info.into_inner().server_version;
            Check::ok(name, format!("{version} at {}, namespace {namespace}", server.address()))
        }
        Err(status) => Check::bad(name, status.message(), "check TEMPORAL_ADDRESS", exit::USAGE),
    }
}

/// Attributes that loops set.
fn wanted() -> Attributes {
    let words = [STATE, TENANT, ACCOUNT, REPO].map(|key| (key.name(), key.indexed_value_type()));
    let numbers = [DONE, TASKS, COST].map(|key| (key.name(), key.indexed_value_type()));
    words.into_iter().chain(numbers).collect()
}

/// Whether loops can say how they are; creates what is missing if asked to.
pub(super) async fn attributes(server: &Server, client: &Client, is_fixing: bool) -> Check {
    let name = "attributes";
    let request = ListSearchAttributesRequest { namespace: server.namespace.clone() };
    let known = match client
        .connection()
        .operator_service()
        .list_search_attributes(request.into_request())
        .await
    {
        Ok(answer) => answer.into_inner().custom_attributes,
        Err(status) => {
            let fix =
                "check them with the server's own tools; not every server supports this request";
            return Check::warning(name, format!("cannot be listed: {}", status.message()), fix);
        }
    };
    let (mut wrong, mut missing) = (Vec::new(), Attributes::new());
    for (name, kind) in wanted() {
        match known.get(name) {
            None => drop(missing.insert(name, kind)),
            Some(known) if *known != kind as i32 => wrong.push(name),
            Some(_) => {}
        }
    }
    let names = missing.keys().copied().collect::<Vec<_>>().join(", ");
    if !wrong.is_empty() {
        let fix = "remove them from the namespace, then run ralph fleet doctor --fix";
        Check::bad(name, format!("wrong type: {}", wrong.join(", ")), fix, exit::USAGE)
    } else if missing.is_empty() {
        Check::ok(name, "all seven exist")
    } else if is_fixing {
        create(&server.namespace, client, &missing).await
    } else {
        let fix = "ralph fleet doctor --fix creates them";
        Check::bad(name, format!("the server lacks {names}"), fix, exit::USAGE)
    }
}

async fn create(namespace: &str, client: &Client, missing: &Attributes) -> Check {
    let names = missing.keys().copied().collect::<Vec<_>>().join(", ");
    let request = AddSearchAttributesRequest {
        search_attributes: missing
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), *kind as i32))
            .collect(),
        namespace: namespace.to_owned(),
    };
    match client.connection().operator_service().add_search_attributes(request.into_request()).await
    {
        Ok(_) => Check::ok("attributes", format!("created {names}")),
        Err(status) => {
            let commands: Vec<String> =
                missing.iter().map(|(name, kind)| command(namespace, name, *kind)).collect();
            let detail = format!("cannot create {names}: {}", status.message());
            Check::bad("attributes", detail, commands.join("; "), exit::USAGE)
        }
    }
}

fn command(namespace: &str, name: &str, kind: IndexedValueType) -> String {
    let kind = if kind == IndexedValueType::Int { "Int" } else { "Keyword" };
    format!(
        "temporal operator search-attribute create --namespace {namespace} --name {name} --type {kind}"
    )
}

/// Whether somebody decides.
pub(super) async fn brains(client: &Client) -> Check {
    let found = pollers::brains(client).await;
    polled("brains", BRAIN_QUEUE, found, "ralph fleet worker --role brain")
}

/// Whether somebody holds agents of this account.
pub(super) async fn hands(client: &Client, account: &str) -> Check {
    let found = pollers::hands(client, account).await;
    polled("hands", &account_queue(account), found, &pollers::starts_hands(account))
}

fn polled(
    name: &'static str,
    queue: &str,
    found: Result<usize, tonic::Status>,
    fix: &str,
) -> Check {
    match found {
        Ok(0) => Check::warning(
            name,
            format!("nobody has polled the queue {queue} in the last minutes"),
            fix,
        ),
        Ok(count) => Check::ok(name, format!("{count} polling the queue {queue}")),
        Err(status) => Check::warning(name, status.message(), "check the server"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_is_named_creates_the_attribute_with_its_type() {
        let wanted = wanted();
        assert_eq!(wanted.len(), 7);
        assert_eq!(
            command("team", "RalphDone", wanted["RalphDone"]),
            "temporal operator search-attribute create --namespace team --name RalphDone --type Int"
        );
        assert!(command("team", "RalphState", wanted["RalphState"]).ends_with("--type Keyword"));
    }
}
