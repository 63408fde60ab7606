//! What every command is given.

use std::path::PathBuf;

use temporalio_client::Client;

use crate::{connect::Server, error::CommandError, print::Printer};

/// The surroundings of one command.
pub(crate) struct Context {
    pub(crate) folder: PathBuf,
    pub(crate) printer: Printer,
}

impl Context {
    /// A client of the server that the environment names.
    pub(crate) async fn client(&self) -> Result<Client, CommandError> {
        Server::from_environment()?.client().await
    }
}
