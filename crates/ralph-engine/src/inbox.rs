//! The inbox: people's requests to a running loop, one file each, obeyed once and then removed.

use std::{
    fs, io,
    path::Path,
    sync::atomic::{AtomicU32, Ordering},
};

use ralph_core::{
    input::{Request, Wish},
    plan::person::TaskWish,
};

use crate::{
    atomic_write::{self, Access},
    clock,
    layout::Layout,
    project_file, safe_files,
};

/// How many requests this process has put.
static PUT: AtomicU32 = AtomicU32::new(0);

/// Puts a request into the inbox; it appears there whole or not at all.
pub fn put(layout: &Layout, wish: &Wish) -> io::Result<()> {
    let inbox = layout.inbox();
    let folder = safe_files::folder(layout.base_of(&inbox), &inbox)?;
    // The number tells requests of one millisecond apart and keeps their order.
    let number = PUT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{:013}-{}-{number:06}.json", clock::now().0, std::process::id());
    let text = serde_json::to_vec(wish)?;
    let is_new = atomic_write::create_in(&folder, name.as_ref(), &text, Access::Private)?;
    if is_new { Ok(()) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

/// The requests that wait, oldest first. Files that cannot be understood are set aside.
pub fn read(inbox: &Path) -> io::Result<Vec<Request>> {
    let mut requests = Vec::new();
    for name in names(inbox)? {
        let path = inbox.join(&name);
        match project_file::read(&path, project_file::LARGEST_TEXT)
            .map(|text| serde_json::from_slice::<Wish>(&text))
        {
            Ok(Ok(wish)) => requests.push(Request { id: name, wish }),
            Ok(Err(_)) => fs::rename(&path, path.with_extension("bad"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(requests)
}

/// The wishes that wait, oldest first, for whoever only looks: nothing is set aside.
pub fn peek(inbox: &Path) -> Vec<Wish> {
    let names = names(inbox).unwrap_or_default();
    let wish = |name: &String| {
        let text = project_file::read(&inbox.join(name), project_file::LARGEST_TEXT).ok()?;
        serde_json::from_slice(&text).ok()
    };
    names.iter().filter_map(wish).collect()
}

/// Removes a request that was obeyed. A file that is gone already is fine.
pub fn remove(inbox: &Path, id: &str) -> io::Result<()> {
    match fs::remove_file(inbox.join(id)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes requests that were meant for an earlier process: to stop, to pause, to go on. All others wait for the
/// next run.
pub fn clear(inbox: &Path) -> io::Result<()> {
    let requests = read(inbox)?;
    let past = requests.iter().filter(|request| is_for_a_process(&request.wish));
    past.into_iter().try_for_each(|request| remove(inbox, &request.id))
}

/// Removes what was said about a task that is no more: each prompt is a work of its own.
pub(crate) fn forget(inbox: &Path, is_past: impl Fn(&TaskWish) -> bool) -> io::Result<()> {
    let requests = read(inbox)?;
    let past =
        requests.iter().filter(|one| matches!(&one.wish, Wish::Task { change } if is_past(change)));
    past.into_iter().try_for_each(|request| remove(inbox, &request.id))
}

fn is_for_a_process(wish: &Wish) -> bool {
    match wish {
        Wish::Stop | Wish::StopNow | Wish::Pause { .. } | Wish::Resume => true,
        Wish::Task { .. } | Wish::Steer { .. } => false,
    }
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
        if !name.starts_with('.') && Path::new(&name).extension().is_some_and(|end| end == "json") {
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
        assert_eq!(requests.iter().map(|r| r.wish.clone()).collect::<Vec<_>>(), [Wish::Stop]);
        assert_eq!(peek(&layout.inbox()), [Wish::Stop]);
        for request in &requests {
            remove(&layout.inbox(), &request.id)?;
        }
        assert!(read(&layout.inbox())?.is_empty());
        assert!(layout.inbox().join("0-odd.bad").exists());
        Ok(())
    }

    #[test]
    fn requests_of_one_moment_are_all_kept_in_their_order() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let layout = Layout::new(folder.path(), folder.path());
        for number in 0..50 {
            put(&layout, if number % 2 == 0 { &Wish::Stop } else { &Wish::StopNow })?;
        }
        let requests = read(&layout.inbox())?;
        let wishes = requests.iter().map(|request| &request.wish);
        assert!(wishes.eq([Wish::Stop, Wish::StopNow].iter().cycle().take(50)), "{requests:?}");
        Ok(())
    }

    #[test]
    fn a_new_owner_clears_away_what_was_for_the_process_before_it() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let layout = Layout::new(folder.path(), folder.path());
        let steer = Wish::Steer { task: None, text: "use tabs".into(), now: false };
        for wish in
            [Wish::Stop, Wish::StopNow, Wish::Pause { now: true }, Wish::Resume, steer.clone()]
        {
            put(&layout, &wish)?;
        }
        clear(&layout.inbox())?;
        let left: Vec<Wish> = read(&layout.inbox())?.into_iter().map(|one| one.wish).collect();
        assert_eq!(left, [steer]);
        clear(&folder.path().join("nowhere"))
    }
}
