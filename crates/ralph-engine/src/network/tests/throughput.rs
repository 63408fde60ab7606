//! How fast a tunnel is, against the same copy without one, measured in turns.

use std::{
    io::{self, Read, Write},
    net::{TcpListener, TcpStream},
    time::Instant,
};

use super::{Cast, LONG, beside};

const MB: f64 = 1024.0 * 1024.0;

/// Megabytes per second of the best of several rounds: directly, and through the gateway.
fn measure(bytes: usize, rounds: usize) -> io::Result<(f64, f64)> {
    let scene = Cast::default().start()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let (mut direct, mut tunnelled) = (0.0_f64, 0.0_f64);
    for _ in 0..rounds {
        let client = TcpStream::connect(listener.local_addr()?)?;
        let (server, _) = listener.accept()?;
        direct = direct.max(copy(client, server, bytes)?);
        let (client, server) = scene.open_tunnel()?;
        tunnelled = tunnelled.max(copy(client, server, bytes)?);
    }
    Ok((direct, tunnelled))
}

fn copy(mut to: TcpStream, mut from: TcpStream, bytes: usize) -> io::Result<f64> {
    let block = vec![42; 1 << 18];
    from.set_read_timeout(Some(LONG))?;
    let began = Instant::now();
    let sent = beside(move || (0..bytes / block.len()).try_for_each(|_| to.write_all(&block)));
    let mut buffer = vec![0; 1 << 18];
    let mut got = 0;
    while got < bytes {
        match from.read(&mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => got += count,
        }
    }
    let took = began.elapsed().as_secs_f64();
    sent()?;
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    Ok(bytes as f64 / MB / took)
}

/// What is measured and wanted: a little of a machine that has other things to do, or what `just proxy-throughput`
/// wants of one that has not.
fn measure_of_the_day() -> (usize, usize, f64) {
    match std::env::var("RALPH_PROXY_THROUGHPUT") {
        Ok(all) if all == "full" => (64 << 20, 30, 0.5),
        _ => (16 << 20, 8, 0.125),
    }
}

#[test]
fn a_tunnel_has_at_least_half_the_throughput_of_a_direct_copy() -> io::Result<()> {
    let (bytes, rounds, wanted) = measure_of_the_day();
    let (direct, tunnelled) = measure(bytes, rounds)?;
    let ratio = tunnelled / direct;
    println!("direct {direct:.0} MB/s, tunnelled {tunnelled:.0} MB/s, ratio {ratio:.2}");
    assert!(ratio >= wanted, "direct {direct:.0} MB/s, tunnelled {tunnelled:.0} MB/s");
    Ok(())
}
