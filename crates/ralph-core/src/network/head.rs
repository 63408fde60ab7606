//! The head of an HTTP/1 message: the first line and the headers, read without forgiveness.
//!
//! Two readers that disagree about a message are how requests are smuggled; what is odd is refused.

/// Most headers of one message.
const MOST_HEADERS: usize = 200;

/// The headers of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub headers: Vec<Header>,
}

/// The first line of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestLine {
    pub method: String,
    pub target: String,
}

/// One header; the name in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    pub value: Vec<u8>,
}

impl Head {
    /// Where the head ends in these bytes, just behind its empty line.
    pub fn end(bytes: &[u8]) -> Option<usize> {
        bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
    }

    /// Reads a request's whole head; `None` if it is malformed.
    pub fn request(bytes: &[u8]) -> Option<(RequestLine, Self)> {
        Self::read(bytes, request_line)
    }

    /// Reads an answer's whole head, with its status; `None` if it is malformed.
    pub fn answer(bytes: &[u8]) -> Option<(u16, Self)> {
        Self::read(bytes, status_code)
    }

    /// The values of all headers of this name.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.headers.iter().filter(move |one| one.name == name).map(|one| one.value.as_slice())
    }

    fn read<T>(bytes: &[u8], first: fn(&[u8]) -> Option<T>) -> Option<(T, Self)> {
        let mut lines = lines(bytes.strip_suffix(b"\r\n\r\n")?);
        let start = first(lines.next()?)?;
        let headers: Vec<Header> =
            lines.map(header).take(MOST_HEADERS + 1).collect::<Option<_>>()?;
        (headers.len() <= MOST_HEADERS).then_some((start, Self { headers }))
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.windows(2).position(|two| two == b"\r\n");
        rest = end.map(|end| &text[end + 2..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

fn request_line(line: &[u8]) -> Option<RequestLine> {
    // The target is not looked at here: it is read strictly by whoever knows which form it should have.
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_known = matches!(version, "HTTP/1.1" | "HTTP/1.0") && words.next().is_none();
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_known && is_method && !target.is_empty())
        .then(|| RequestLine { method: method.to_owned(), target: target.to_owned() })
}

fn status_code(line: &[u8]) -> Option<u16> {
    let rest = line.strip_prefix(b"HTTP/1.1 ").or_else(|| line.strip_prefix(b"HTTP/1.0 "))?;
    let (digits, rest) = rest.split_at_checked(3)?;
    let status = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (rest.first().is_none_or(|byte| *byte == b' ') && (100..600).contains(&status))
        .then_some(status)
}

fn header(line: &[u8]) -> Option<Header> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let is_text = |byte: &u8| *byte == b'\t' || (*byte >= 0x20 && *byte != 0x7f);
    if name.is_empty() || !name.iter().all(is_token) || !value.iter().all(is_text) {
        return None;
    }
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    Some(Header { name, value: value.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_apart() {
        let head = Head::request(b"POST /a?b HTTP/1.1\r\nX-Api-Key:  one \r\nEmpty:\r\n\r\n");
        let header = |name: &str, value: &[u8]| Header { name: name.into(), value: value.into() };
        assert_eq!(
            head,
            Some((
                RequestLine { method: "POST".into(), target: "/a?b".into() },
                Head { headers: vec![header("x-api-key", b"one"), header("empty", b"")] },
            ))
        );
        assert!(
            Head::request(b"GET / HTTP/1.1\r\n\r\n")
                .is_some_and(|(_, head)| head.headers.is_empty())
        );
    }

    #[test]
    fn an_answer_needs_no_reason() {
        for line in ["HTTP/1.1 200 OK", "HTTP/1.0 200", "HTTP/1.1 200 "] {
            let head = Head::answer(format!("{line}\r\n\r\n").as_bytes());
            assert_eq!(head.map(|(status, _)| status), Some(200), "{line}");
        }
        for line in ["HTTP/2 200", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 700", "ICY 200"] {
            assert!(Head::answer(format!("{line}\r\n\r\n").as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn odd_heads_are_refused() {
        for text in [
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1 \r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "get / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nA : b\r\n\r\n",
            "GET / HTTP/1.1\r\n folded: b\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\0\r\n\r\n",
            "GET / HTTP/1.1\r\nA\r\n\r\n",
            "GET / HTTP/1.1\r\n: b\r\n\r\n",
        ] {
            assert!(Head::request(text.as_bytes()).is_none(), "{text:?}");
        }
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MOST_HEADERS + 1));
        assert_eq!(Head::request(many.as_bytes()), None);
    }

    #[test]
    fn the_end_of_a_head_is_behind_its_empty_line() {
        assert_eq!(Head::end(b"GET / HTTP/1.1\r\n\r\nbody"), Some(18));
        assert_eq!(Head::end(b"GET / HTTP/1.1\r\n"), None);
    }
}
