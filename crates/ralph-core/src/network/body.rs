//! Where the body of an HTTP/1 message ends. The bytes themselves are passed on as they are, but for trailers: they are
//! headers that nobody judged, so they end here.

use super::head::Head;

/// Longest line between two chunks.
const LONGEST_LINE: usize = 4096;

/// What is still to come of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// So many bytes.
    Length(u64),
    /// Chunks, the last of which is empty.
    Chunked(Chunks),
    /// Everything until the connection ends.
    UntilClosed,
}

/// How far a body in chunks has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunks {
    at: At,
    line: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// In the line that gives the size of the next chunk.
    Size,
    /// In a chunk, its line end included, with so many bytes left.
    Data(u64),
    /// In the lines behind the last chunk.
    Trailer,
    Over,
}

impl Body {
    /// The body that follows the head of a request; `None` if nobody can tell where it ends.
    pub fn of_request(head: &Head) -> Option<Self> {
        declared(head, Self::Length(0))
    }

    /// The body that follows the head of an answer with this status to a request by this method.
    pub fn of_answer(head: &Head, status: u16, method: &str) -> Option<Self> {
        if method == "HEAD" || matches!(status, 100..200 | 204 | 304) {
            return Some(Self::Length(0));
        }
        declared(head, Self::UntilClosed)
    }

    /// Whether the body has ended.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Length(left) => *left == 0,
            Self::Chunked(chunks) => chunks.at == At::Over,
            Self::UntilClosed => false,
        }
    }

    /// How many of these bytes, which come next, are the body's; `None` if they are malformed. What is passed on of them
    /// is added to `out`.
    pub fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let taken = match self {
            Self::Length(left) => within(left, bytes.len()),
            Self::Chunked(chunks) => return chunks.take(bytes, out),
            Self::UntilClosed => bytes.len(),
        };
        out.extend_from_slice(&bytes[..taken]);
        Some(taken)
    }
}

impl Chunks {
    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let mut taken = 0;
        while taken < bytes.len() && self.at != At::Over {
            if let At::Data(left) = &mut self.at {
                let data = within(left, bytes.len() - taken);
                out.extend_from_slice(&bytes[taken..taken + data]);
                taken += data;
                if *left == 0 {
                    self.at = At::Size;
                }
                continue;
            }
            self.line.push(bytes[taken]);
            taken += 1;
            if let Some(line) = self.line.strip_suffix(b"\r\n") {
                let is_trailer = self.at == At::Trailer && !line.is_empty();
                self.at = next(self.at, line)?;
                if !is_trailer {
                    out.extend_from_slice(&self.line);
                }
                self.line.clear();
            } else if self.line.len() > LONGEST_LINE || self.line.ends_with(b"\n") {
                return None;
            }
        }
        Some(taken)
    }
}

fn next(at: At, line: &[u8]) -> Option<At> {
    if at == At::Trailer {
        return Some(if line.is_empty() { At::Over } else { At::Trailer });
    }
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    let is_plain = (1..=15).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_plain)?;
    match u64::from_str_radix(text, 16).ok()? {
        0 => Some(At::Trailer),
        size => Some(At::Data(size + 2)),
    }
}

fn within(left: &mut u64, available: usize) -> usize {
    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(available);
    *left -= taken as u64;
    taken
}

/// The body that the headers declare, or `default` if they declare none. A length that two readers could take for two
/// things is refused.
fn declared(head: &Head, default: Body) -> Option<Body> {
    let lengths: Vec<&[u8]> = head.values("content-length").collect();
    let encodings: Vec<&[u8]> = head.values("transfer-encoding").collect();
    match (lengths.as_slice(), encodings.as_slice()) {
        ([], []) => Some(default),
        ([one], []) => {
            let is_plain = (1..=18).contains(&one.len()) && one.iter().all(u8::is_ascii_digit);
            let text = std::str::from_utf8(one).ok().filter(|_| is_plain)?;
            text.parse().ok().map(Body::Length)
        }
        ([], [one]) if one.eq_ignore_ascii_case(b"chunked") => {
            Some(Body::Chunked(Chunks { at: At::Size, line: Vec::new() }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(headers: &str) -> Option<Body> {
        let head = Head::request(format!("POST / HTTP/1.1\r\n{headers}\r\n").as_bytes());
        head.and_then(|(_, head)| Body::of_request(&head))
    }

    fn answer(line: &str, method: &str) -> Option<Body> {
        let head = Head::answer(format!("HTTP/1.1 {line}\r\n\r\n").as_bytes());
        head.and_then(|(status, head)| Body::of_answer(&head, status, method))
    }

    #[test]
    fn a_body_of_known_length_ends_there() -> Result<(), &'static str> {
        let mut body = body("Content-Length: 5\r\n").ok_or("no body")?;
        let mut out = Vec::new();
        assert_eq!(body.take(b"abc", &mut out), Some(3));
        assert!(!body.is_over());
        assert_eq!(body.take(b"deGET /", &mut out), Some(2));
        assert!(body.is_over());
        assert_eq!(out, b"abcde");
        Ok(())
    }

    #[test]
    fn chunks_end_with_the_empty_one_at_any_border_and_no_trailer_goes_on()
    -> Result<(), &'static str> {
        let chunks = b"4;x=y\r\nWiki\r\n0a \r\n0\r\n\r\n01234\r\n0\r\n".as_slice();
        let text = [chunks, b"X-HTTP-Method-Override: DELETE\r\nTrailer: a\r\n\r\n"].concat();
        let whole = [text.as_slice(), b"GET / HTTP/1.1"].concat();
        for step in 1..=whole.len() {
            let mut body = body("Transfer-Encoding: chunked\r\n").ok_or("no body")?;
            let (mut taken, mut out) = (0, Vec::new());
            for piece in whole.chunks(step) {
                taken += body.take(piece, &mut out).ok_or("malformed")?;
            }
            assert_eq!((taken, body.is_over()), (text.len(), true), "{step}");
            assert_eq!(out, [chunks, b"\r\n"].concat(), "{step}");
        }
        Ok(())
    }

    #[test]
    fn a_length_that_can_be_read_in_two_ways_is_refused() {
        for headers in [
            "Content-Length: 5\r\nContent-Length: 5\r\n",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: +5\r\n",
            "Content-Length: 5, 5\r\n",
            "Content-Length: 0x5\r\n",
            "Content-Length:\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: xchunked\r\n",
        ] {
            assert!(body(headers).is_none(), "{headers:?}");
        }
        assert_eq!(body(""), Some(Body::Length(0)));
    }

    #[test]
    fn odd_chunks_are_refused() -> Result<(), &'static str> {
        for text in ["\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", "1\n", "1111111111111111\r\n", "g\r\n"]
        {
            let mut body = body("Transfer-Encoding: chunked\r\n").ok_or("no body")?;
            let taken = body.take(text.as_bytes(), &mut Vec::new());
            assert_eq!(taken, None, "{text:?}");
        }
        let mut body = body("Transfer-Encoding: chunked\r\n").ok_or("no body")?;
        assert!(body.take(&[b'0'; LONGEST_LINE + 2], &mut Vec::new()).is_none());
        Ok(())
    }

    #[test]
    fn answers_without_a_length_end_with_the_connection() {
        assert_eq!(answer("200 OK", "GET"), Some(Body::UntilClosed));
        assert_eq!(answer("200 OK\r\nContent-Length: 7", "HEAD"), Some(Body::Length(0)));
        assert_eq!(answer("204 None", "GET"), Some(Body::Length(0)));
        assert_eq!(answer("100 Continue", "POST"), Some(Body::Length(0)));
    }
}
