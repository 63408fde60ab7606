//! The way to the server, as the environment names it. The variables are those of the engine's own tools.

use std::{collections::BTreeMap, fs, str::FromStr as _, time::Duration};

use temporalio_client::{
    Client, ClientOptions, ClientTlsOptions, Connection, ConnectionOptions, TlsOptions, Url,
};

use crate::error::{CommandError, chain, exit};

const DEFAULT_ADDRESS: &str = "127.0.0.1:7233";
const DEFAULT_NAMESPACE: &str = "default";

/// Where the server is and what it asks for.
#[derive(Debug, Clone)]
pub struct Server {
    target: Url,
    pub namespace: String,
    api_key: Option<String>,
    tls: Option<TlsOptions>,
}

impl Server {
    /// As the environment of this process says.
    pub(crate) fn from_environment() -> Result<Self, CommandError> {
        Self::read(&std::env::vars().filter(|(name, _)| name.starts_with("TEMPORAL_")).collect())
    }

    fn read(variables: &BTreeMap<String, String>) -> Result<Self, CommandError> {
        let get = |name: &str| variables.get(name).filter(|value| !value.is_empty());
        let api_key = get("TEMPORAL_API_KEY").cloned();
        let tls = tls(variables, api_key.is_some())?;
        let address = get("TEMPORAL_ADDRESS").map_or(DEFAULT_ADDRESS, String::as_str);
        let scheme = if tls.is_some() { "https" } else { "http" };
        let target = if address.contains("://") {
            address.to_owned()
        } else {
            format!("{scheme}://{address}")
        };
        let target = Url::from_str(&target).ok().filter(Url::has_host).ok_or_else(|| {
            let what = format!("TEMPORAL_ADDRESS is {address:?}, which is not an address");
            CommandError::usage(what, "write HOST:PORT, such as 127.0.0.1:7233")
        })?;
        let namespace =
            get("TEMPORAL_NAMESPACE").map_or(DEFAULT_NAMESPACE, String::as_str).to_owned();
        Ok(Self { target, namespace, api_key, tls })
    }

    /// The address for people.
    pub fn address(&self) -> String {
        let host = self.target.host_str().unwrap_or_default();
        self.target.port_or_known_default().map_or(host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// A client under this name.
    pub async fn connect(
        &self,
        identity: &str,
    ) -> Result<Client, temporalio_client::errors::ClientConnectError> {
        let options = ConnectionOptions::new(self.target.clone())
            .identity(identity)
            .maybe_api_key(self.api_key.clone())
            .maybe_tls_options(self.tls.clone())
            .connect_timeout(Duration::from_secs(5))
            .build();
        let connection = Connection::connect(options).await?;
        Ok(Client::new(connection, ClientOptions::new(self.namespace.clone()).build())?)
    }

    /// The same for a command of a person.
    pub(crate) async fn client(&self) -> Result<Client, CommandError> {
        self.client_named(&format!("ralph-fleet@{}", std::process::id())).await
    }

    /// The same under a name of its own.
    pub(crate) async fn client_named(&self, name: &str) -> Result<Client, CommandError> {
        self.connect(name).await.map_err(|error| {
            let what = format!("cannot reach the server at {}", self.address());
            let help = "start it, or set TEMPORAL_ADDRESS to another one";
            CommandError::new(exit::USAGE, what, help)
                .because(chain(&error).pop().into_iter().collect())
        })
    }
}

/// What a TLS connection needs; none means a plain one.
fn tls(
    variables: &BTreeMap<String, String>,
    has_key: bool,
) -> Result<Option<TlsOptions>, CommandError> {
    let get = |name: &str| {
        variables.get(&format!("TEMPORAL_TLS{name}")).filter(|value| !value.is_empty())
    };
    let is_any_set =
        ["_SERVER_CA_CERT_PATH", "_CLIENT_CERT_PATH", "_CLIENT_KEY_PATH", "_SERVER_NAME"]
            .into_iter()
            .any(|name| get(name).is_some());
    let is_on = match get("").map(String::as_str) {
        Some("true" | "1") => true,
        Some("false" | "0") => false,
        Some(other) => {
            let what = format!("TEMPORAL_TLS is {other:?}, which is neither true nor false");
            return Err(CommandError::usage(what, "set it to true or false, or unset it"));
        }
        None => has_key || is_any_set,
    };
    if !is_on {
        return Ok(None);
    }
    let file = |name: &str| {
        let path = get(name)?;
        Some(fs::read(path).map_err(|error| {
            let what = format!("cannot read {path}");
            CommandError::usage(what, format!("check TEMPORAL_TLS{name}"))
                .because(vec![error.to_string()])
        }))
    };
    let client =
        match (file("_CLIENT_CERT_PATH").transpose()?, file("_CLIENT_KEY_PATH").transpose()?) {
            (Some(certificate), Some(key)) => Some(
                ClientTlsOptions::builder()
                    .client_cert(certificate)
                    .client_private_key(key)
                    .build(),
            ),
            (None, None) => None,
            _ => {
                let help =
                    "set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH together";
                return Err(CommandError::usage(
                    "a client certificate needs its key, and a key needs its certificate",
                    help,
                ));
            }
        };
    let options = TlsOptions::builder()
        .maybe_server_root_ca_cert(file("_SERVER_CA_CERT_PATH").transpose()?)
        .maybe_domain(get("_SERVER_NAME").cloned())
        .maybe_client_tls_options(client)
        .build();
    Ok(Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Server, CommandError> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Server::read(&pairs.collect())
    }

    #[test]
    fn a_plain_address_needs_nothing_else() {
        let server = read(&[("TEMPORAL_ADDRESS", "engine.internal:7233")]).unwrap();
        assert_eq!(
            (server.address().as_str(), server.namespace.as_str()),
            ("engine.internal:7233", "default")
        );
        assert!(server.tls.is_none() && server.target.scheme() == "http");
        assert_eq!(read(&[]).unwrap().address(), DEFAULT_ADDRESS);
    }

    #[test]
    fn a_key_turns_tls_on_unless_it_is_turned_off() {
        let server = read(&[("TEMPORAL_API_KEY", "k"), ("TEMPORAL_NAMESPACE", "team")]).unwrap();
        assert!(server.tls.is_some() && server.target.scheme() == "https");
        assert!(
            read(&[("TEMPORAL_API_KEY", "k"), ("TEMPORAL_TLS", "false")]).unwrap().tls.is_none()
        );
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_variable() {
        for (name, value) in [
            ("TEMPORAL_TLS", "maybe"),
            ("TEMPORAL_ADDRESS", "not an address"),
            ("TEMPORAL_TLS_SERVER_CA_CERT_PATH", "/nowhere/ca.pem"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            let said = format!("{error} {}", error.help());
            assert!(said.contains(name) && error.exit_code() == exit::USAGE, "{said}");
        }
        let half = read(&[("TEMPORAL_TLS_CLIENT_CERT_PATH", "/dev/null")]).unwrap_err();
        assert!(half.to_string().contains("needs its key"), "{half}");
    }
}
