//! Which files a call deletes and writes.

use super::super::{call::Call, walk::found};

/// Programs that delete what they are given.
const DELETERS: [&str; 21] = [
    "rmtrash",
    "safe-rm",
    "rip",
    "scrub",
    "nwipe",
    "trash-rm",
    "gunlink",
    "gshred",
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "srm",
    "wipe",
    "trash",
    "trash-put",
    "rimraf",
    "del-cli",
    "gio",
    "grm",
    "del",
];

/// Paths that a call deletes or moves away.
pub(super) fn deleted(call: &Call) -> Vec<String> {
    let owned = |paths: Vec<&str>| paths.into_iter().map(str::to_owned).collect::<Vec<_>>();
    if call.is(&["gio"]) {
        return if call.arg(0) == "trash" {
            owned(call.words().into_iter().skip(1).collect())
        } else {
            Vec::new()
        };
    }
    if DELETERS.contains(&call.name.as_str()) {
        return owned(call.operands(&["-n", "-s", "--size"]));
    }
    match call.name.as_str() {
        "find" if call.has_word(&["-delete"]) => found(call, 0),
        "mv" => {
            let operands = call.operands(&["-t", "--target-directory", "-S"]);
            let keep = usize::from(call.value(&["-t", "--target-directory"]).is_none());
            let most = operands.len().saturating_sub(keep);
            owned(operands.into_iter().take(most).collect())
        }
        "tar" | "gtar" | "bsdtar" if call.has_word(&["--remove-files"]) => {
            owned(call.operands(&["-f", "-C", "--file"]))
        }
        "zip" if call.has(&["-m", "--move"]) => owned(call.words().into_iter().skip(1).collect()),
        "7z" | "7za" if call.has_word(&["-sdel"]) => {
            owned(call.words().into_iter().skip(2).collect())
        }
        "gzip" | "bzip2" | "xz" | "lzma" | "compress" | "gunzip" | "bunzip2" | "unxz"
            if !call.has(&["-k", "-c", "--keep", "--stdout", "-l", "-t"]) =>
        {
            owned(call.words())
        }
        "zstd" | "lz4" | "brotli" if call.has(&["--rm"]) => owned(call.words()),
        "cmake" if call.arg(0) == "-E" => {
            let removes = ["rm", "remove", "remove_directory"].contains(&call.arg(1));
            if removes { owned(call.words().into_iter().skip(1).collect()) } else { Vec::new() }
        }
        "rclone" if !call.has(&["-n", "--dry-run"]) => rclone(&call.words()),
        "rsync" if call.has_word(&["--remove-source-files"]) => {
            let words = call.words();
            owned(words.iter().take(words.len().saturating_sub(1)).copied().collect())
        }
        "rsync"
            if call.args.iter().any(|arg| arg.starts_with("--delete"))
                && !call.has(&["-n", "--dry-run"]) =>
        {
            owned(call.words().into_iter().last().into_iter().collect())
        }
        _ => Vec::new(),
    }
}

/// Local paths that `rclone` empties.
fn rclone(words: &[&str]) -> Vec<String> {
    let paths = match words {
        ["purge" | "delete" | "deletefile" | "rmdir" | "rmdirs", paths @ ..] => paths,
        ["sync", _, target] => std::slice::from_ref(target),
        ["move" | "moveto", source, _] => std::slice::from_ref(source),
        _ => &[],
    };
    paths.iter().filter(|path| !path.contains(':')).map(|path| (*path).to_owned()).collect()
}

/// Paths that a call writes.
pub(super) fn written(call: &Call) -> Vec<String> {
    let mut paths: Vec<String> = call.written().map(str::to_owned).collect();
    let mut add = |more: Vec<&str>| paths.extend(more.into_iter().map(str::to_owned));
    let valued = [
        "-m", "-o", "-g", "-S", "-t", "-s", "-n", "-e", "-f", "-d", "--mode", "--size", "--suffix",
    ];
    match call.name.as_str() {
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" | "ditto" => {
            let target = call.value(&["-t", "--target-directory"]);
            let flags = ["-S", "-t", "--suffix", "--target-directory"];
            let is_plain = call.is(&["cp", "mv", "ln"]);
            let operands = call.operands(if is_plain { &flags } else { &valued });
            let last = operands.last().copied().filter(|_| operands.len() > 1);
            add(target.or(last).into_iter().collect());
        }
        "tee" | "truncate" | "sponge" | "fallocate" | "mknod" | "mkfifo" => {
            add(call.operands(&["-s", "-r", "-l", "-o"]));
        }
        "touch" | "mkdir" => add(call.operands(&["-m", "-d", "-t", "-r"])),
        "dd" => add(call.args.iter().filter_map(|arg| arg.strip_prefix("of=")).collect()),
        "sed" | "gsed" | "perl" | "ruby" if in_place(call) => {
            let skip = usize::from(!call.has(&["-e", "--expression"]));
            add(call.operands(&["-e", "-f"]).into_iter().skip(skip).collect());
        }
        "sed" | "gsed" => add(call.args.iter().filter_map(|arg| sed_file(arg)).collect()),
        "yq" | "ed" | "ex" | "patch" | "crudini" => add(call.words().into_iter().collect()),
        "curl" => add(call.values(&["-o", "--output", "--output-dir"]).collect()),
        "wget" => {
            add(call.values(&["-O", "-P", "--output-document", "--directory-prefix"]).collect());
        }
        "sort" | "openssl" | "gpg" | "pandoc" => {
            add(call.values(&["-o", "-out", "--output"]).collect());
        }
        "find" => add(call.values(&["-fprintf", "-fprint", "-fls", "-fprint0"]).collect()),
        "tar" | "bsdtar" if !call.has(&["-t", "--list"]) => {
            add(call.values(&["-C", "--directory"]).collect());
        }
        "unzip" => add(call.values(&["-d"]).collect()),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "chflags" => {
            let takes_away =
                call.args.iter().any(|arg| is_minus_mode(arg)) || call.has_exact(&["--reference"]);
            add(call.operands(&["-m"]).into_iter().skip(usize::from(!takes_away)).collect());
        }
        _ => {}
    }
    paths
}

/// A mode such as `-x`, which looks like an option.
fn is_minus_mode(arg: &str) -> bool {
    arg.strip_prefix('-')
        .is_some_and(|mode| !mode.is_empty() && mode.chars().all(|c| "rwxXst".contains(c)))
}

/// A file that a script of sed writes.
fn sed_file(script: &str) -> Option<&str> {
    let (_, path) = script.split_once("w /").or_else(|| script.split_once("w ~"))?;
    let at = script.len() - path.len() - 1;
    script.get(at..)
}

fn in_place(call: &Call) -> bool {
    call.args.iter().any(|arg| {
        arg.starts_with("--in-place")
            || (arg.starts_with('-')
                && !arg.starts_with("--")
                && arg.len() < 8
                && arg.contains('i'))
    })
}
