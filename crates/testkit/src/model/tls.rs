//! A service in the internet as its clients see it: TLS with a certificate for `model.example` and `api.anthropic.com`
//! from an authority that only tests trust.

use std::{
    io::{self, Write as _},
    net::TcpStream,
    sync::Arc,
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

/// The authority, in the form of a file that clients are told to trust.
pub const AUTHORITY: &str = include_str!("../../fixtures/tls/authority.pem");

pub(super) type Secured = StreamOwned<ServerConnection, TcpStream>;

/// The server's certificate and key.
pub(super) fn config() -> io::Result<Arc<ServerConfig>> {
    let certificate =
        CertificateDer::from_pem_slice(include_bytes!("../../fixtures/tls/server.pem"));
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../../fixtures/tls/server.key.pem"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .map_err(io::Error::other)?
        .with_no_client_auth();
    let certificate = certificate.map_err(io::Error::other)?;
    let key = key.map_err(io::Error::other)?;
    builder.with_single_cert(vec![certificate], key).map(Arc::new).map_err(io::Error::other)
}

/// Serves one client, and tells it that the answer is whole.
pub(super) fn over(
    config: Arc<ServerConfig>,
    stream: TcpStream,
    serve: impl FnOnce(&mut Secured) -> io::Result<()>,
) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut secured = StreamOwned::new(connection, stream);
    serve(&mut secured)?;
    secured.conn.send_close_notify();
    secured.flush()
}
