//! The inbox: people's requests to a running loop, one file each, obeyed once and then removed.

use std::{fs, io, io::Write, path::Path};

use ralph_core::input::{Request, Wish};

use crate::{clock, layout::Layout};

/// Puts a request into the inbox; it appears there whole or not at all.
pub fn put(layout: &Layout, wish: &Wish) -> io::Result<()> {
    let inbox = layout.inbox();
    fs::create_dir_all(&inbox)?;
    let mut file = tempfile::Builder::new()
        .prefix(".put-")
        .tempfile_in(&inbox)?;
    file.write_all(&serde_json::to_vec(wish)?)?;
    file.as_file().sync_all()?;
    let name = format!("{:013}-{}.json", clock::now().0, std::process::id());
    file.persist_noclobber(inbox.join(name))
        .map_err(|error| error.error)?;
    Ok(())
}

/// The requests that wait, oldest first. Files that cannot be understood are set aside.
pub fn read(inbox: &Path) -> io::Result<Vec<Request>> {
    let mut requests = Vec::new();
    for name in names(inbox)? {
        let path = inbox.join(&name);
        match fs::read(&path).map(|text| serde_json::from_slice::<Wish>(&text)) {
            Ok(Ok(wish)) => requests.push(Request { id: name, wish }),
            Ok(Err(_)) => fs::rename(&path, path.with_extension("bad"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(requests)
}

/// Removes a request that was obeyed. A file that is gone already is fine.
pub fn remove(inbox: &Path, id: &str) -> io::Result<()> {
    match fs::remove_file(inbox.join(id)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes requests that were meant for an earlier process.
pub fn clear(inbox: &Path) -> io::Result<()> {
    names(inbox)?
        .iter()
        .try_for_each(|name| remove(inbox, name))
}

fn names(inbox: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(inbox) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.')
            && Path::new(&name)
                .extension()
                .is_some_and(|end| end == "json")
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_back_once_and_odd_files_are_set_aside() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let layout = Layout::new(folder.path(), folder.path());
        assert!(read(&layout.inbox())?.is_empty());
        put(&layout, &Wish::Stop)?;
        fs::write(layout.inbox().join("0-odd.json"), "{")?;
        let requests = read(&layout.inbox())?;
        assert_eq!(
            requests.iter().map(|r| r.wish.clone()).collect::<Vec<_>>(),
            [Wish::Stop]
        );
        for request in &requests {
            remove(&layout.inbox(), &request.id)?;
        }
        assert!(read(&layout.inbox())?.is_empty());
        assert!(layout.inbox().join("0-odd.bad").exists());
        Ok(())
    }
}
