//! Objects as they are in the repository, many at a time.

use super::{binding::Git, error::GitError};

/// Most bytes of one object, and of those that are read at once.
const LARGEST: u64 = 64 << 20;
/// Most bytes of all.
const MOST: u64 = 1 << 30;

/// One object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Object<'a> {
    pub(crate) id: &'a [u8],
    pub(crate) kind: &'a [u8],
    pub(crate) bytes: &'a [u8],
}

/// The objects in what `cat-file --batch` prints; names that git did not know are left out.
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

/// Shows each of these objects; gives those that are too large.
pub(crate) fn each(
    git: &Git,
    ids: &[&str],
    see: &mut dyn FnMut(Object<'_>),
) -> Result<Vec<String>, GitError> {
    let asked = |ids: &[&str]| ids.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let check = git.call(&["cat-file", "--batch-check", "--buffer"]).reads();
    let sizes = check.stdin(asked(ids)).ok()?;
    let sizes = String::from_utf8_lossy(&sizes).into_owned();
    let (mut batch, mut bytes, mut all, mut unread) = (Vec::new(), 0, 0, Vec::new());
    let mut read = |batch: &mut Vec<&str>| -> Result<(), GitError> {
        let call = git.call(&["cat-file", "--batch", "--buffer"]).reads();
        let out = call.stdin(asked(batch)).ok()?;
        objects(&out).into_iter().for_each(&mut *see);
        batch.clear();
        Ok(())
    };
    for (line, id) in sizes.lines().zip(ids) {
        let size = line.rsplit(' ').next().and_then(|size| size.parse::<u64>().ok()).unwrap_or(0);
        if size > LARGEST || all + size > MOST {
            unread.push((*id).to_owned());
            continue;
        }
        if bytes + size > LARGEST {
            read(&mut batch)?;
            bytes = 0;
        }
        batch.push(*id);
        (bytes, all) = (bytes + size, all + size);
    }
    if !batch.is_empty() {
        read(&mut batch)?;
    }
    Ok(unread)
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
