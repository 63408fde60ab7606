//! As much HTTP as one loopback client needs: one request for each connection, then it is closed.

use std::io::{self, BufRead, BufReader, Read, Write};

use serde_json::Value;

/// Most bytes of a request's body.
const MOST: usize = 64 * 1024 * 1024;

/// One request.
pub(super) struct Request {
    pub method: String,
    /// Path without its query.
    pub path: String,
    pub body: Vec<u8>,
}

/// Reads a request.
pub(super) fn read(stream: &mut impl Read) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let line = line(&mut reader)?;
    let mut words = line.split(' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let (method, target) = (word(), word());
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let header = self::line(&mut reader)?;
        let Some((name, value)) = header.split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => is_chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let body = if is_chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    let path = target.split('?').next().unwrap_or_default().to_owned();
    Ok(Request { method, path, body })
}

/// Writes the head of an answer that ends with the connection.
pub(super) fn head(
    stream: &mut impl Write,
    status: u16,
    kind: &str,
    headers: &[(String, String)],
) -> io::Result<()> {
    write!(stream, "HTTP/1.1 {status} scripted\r\nconnection: close\r\ncontent-type: {kind}\r\n")?;
    write!(stream, "request-id: req_scripted\r\n")?;
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n")
}

/// Answers with a JSON document.
pub(super) fn json(
    stream: &mut impl Write,
    status: u16,
    headers: &[(String, String)],
    document: &Value,
) -> io::Result<()> {
    head(stream, status, "application/json", headers)?;
    write!(stream, "{document}")
}

/// Writes one event of a stream, under the name of its type where it has one.
pub(super) fn event(stream: &mut impl Write, data: &Value) -> io::Result<()> {
    if let Some(name) = data["type"].as_str() {
        writeln!(stream, "event: {name}")?;
    }
    write!(stream, "data: {data}\n\n")?;
    stream.flush()
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(reader)?;
        let size = size.split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
        body.extend(exactly(reader, size)?);
        line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > MOST {
        return Err(io::Error::other("the request is too long"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}
