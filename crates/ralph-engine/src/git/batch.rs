//! Reads what `git cat-file --batch` prints.

/// One object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Object<'a> {
    pub(crate) id: &'a [u8],
    pub(crate) kind: &'a [u8],
    pub(crate) bytes: &'a [u8],
}

/// The objects in a batch; names that git did not know are left out.
pub(crate) fn objects(out: &[u8]) -> Vec<Object<'_>> {
    let (mut rest, mut all) = (out, Vec::new());
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (head, after) =
            (rest.get(..end).unwrap_or_default(), rest.get(end + 1..).unwrap_or_default());
        let mut words = head.split(|byte| *byte == b' ');
        let (id, kind, size) = (words.next(), words.next(), words.next());
        let size = size.and_then(|size| std::str::from_utf8(size).ok()?.parse::<usize>().ok());
        rest = after;
        if let (Some(id), Some(kind), Some(size)) = (id, kind, size)
            && let Some(bytes) = after.get(..size)
        {
            all.push(Object { id, kind, bytes });
            rest = after.get(size + 1..).unwrap_or_default();
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_by_their_size_and_unknown_names_are_left_out() {
        let out = b"aa blob 3\na\nb\n:x missing\nbb commit 0\n\n";
        let found: Vec<_> =
            objects(out).into_iter().map(|one| (one.id, one.kind, one.bytes)).collect();
        assert_eq!(
            found,
            [(&b"aa"[..], &b"blob"[..], &b"a\nb"[..]), (&b"bb"[..], &b"commit"[..], &b""[..])]
        );
    }
}
