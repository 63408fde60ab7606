//! A way to the server that can be cut.

use std::{net::SocketAddr, sync::Arc};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// Lets everything pass to one port until it is cut.
pub(crate) struct Bridge {
    pub(crate) port: u16,
    is_whole: Arc<watch::Sender<bool>>,
}

impl Bridge {
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let is_whole = Arc::new(watch::channel(true).0);
        tokio::spawn(pass(
            listener,
            SocketAddr::from(([127, 0, 0, 1], port)),
            Arc::clone(&is_whole),
        ));
        Self { port: own, is_whole }
    }

    pub(crate) fn cut(&self) {
        self.is_whole.send_replace(false);
    }

    pub(crate) fn mend(&self) {
        self.is_whole.send_replace(true);
    }
}

async fn pass(listener: TcpListener, to: SocketAddr, is_whole: Arc<watch::Sender<bool>>) {
    loop {
        let (mut near, _) = listener.accept().await.unwrap();
        let mut state = is_whole.subscribe();
        if !*state.borrow() {
            continue;
        }
        tokio::spawn(async move {
            let Ok(mut far) = TcpStream::connect(to).await else { return };
            tokio::select! {
                _ = copy_bidirectional(&mut near, &mut far) => {}
                _ = state.wait_for(|is_whole| !is_whole) => {}
            }
        });
    }
}
