//! Which functions of any language delete, write, read, start, send and print. Names are compared in small
//! letters without signs, so that one entry stands for the spellings of many languages.

/// What a function does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Delete,
    Write,
    Read,
    /// Reads or writes, as its mode says.
    Open,
    Move,
    Copy,
    Link,
    Mode,
    /// Starts a program or hands a text to a shell.
    Start,
    /// Runs a text as code of its own language.
    Evaluate,
    /// Asks another machine.
    Fetch,
    /// Opens a connection without a protocol.
    Connect,
    Print,
    Kill,
}

const DELETE: &[&str] = &[
    "remove",
    "rm",
    "rmdir",
    "rmtree",
    "rmrf",
    "rmr",
    "rmf",
    "removetree",
    "removedirall",
    "removedirs",
    "removedir",
    "removeall",
    "removefile",
    "removedirectory",
    "removedirectoryrecursive",
    "removepathforcibly",
    "removeentry",
    "removeentrysecure",
    "removeitem",
    "unlink",
    "delete",
    "deletefile",
    "deletedirectory",
    "deletedir",
    "deleterecursively",
    "deltree",
    "deldir",
    "deldirr",
    "rimraf",
    "emptydir",
    "trash",
    "sendtotrash",
    "send2trash",
    "truncate",
    "removerecursively",
];

const WRITE: &[&str] = &[
    "writefile",
    "appendfile",
    "writetext",
    "writebytes",
    "writetextfile",
    "fileputcontents",
    "createwritestream",
    "outputfile",
    "outputjson",
    "writejson",
    "spew",
    "writelines",
    "binwrite",
    "writeregion",
    "appendtofile",
    "writestring",
    "filewrite",
    "bunwrite",
    "iowrite",
    "cattofile",
    "spit",
    "writefileutf8",
    "savetxt",
    "fileappend",
];

const READ: &[&str] = &[
    "readfile",
    "readtext",
    "readbytes",
    "readlines",
    "readtextfile",
    "filegetcontents",
    "slurp",
    "createreadstream",
    "insertfilecontents",
    "readalltext",
    "readalllines",
    "fileread",
    "ioread",
    "binread",
    "readstring",
    "scan",
    "loadtxt",
    "fileinput",
    "bunfile",
    "readjson",
    "foreachline",
    "readchar",
    "file",
    "iolines",
    "filereadlines",
    "readallbytes",
    "parsefile",
    "showfile",
    "highlightfile",
    "lines",
];

const START: &[&str] = &[
    "system",
    "popen",
    "popen2",
    "popen3",
    "popen4",
    "exec",
    "execsync",
    "execfile",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "execl",
    "execle",
    "execlp",
    "execlpe",
    "spawn",
    "spawnl",
    "spawnlp",
    "spawnv",
    "spawnvp",
    "spawnve",
    "posixspawn",
    "posixspawnp",
    "run",
    "call",
    "checkcall",
    "checkoutput",
    "getoutput",
    "getstatusoutput",
    "shellexec",
    "passthru",
    "procopen",
    "pcntlexec",
    "capture2",
    "capture2e",
    "capture3",
    "pipeline",
    "execa",
    "shellcommand",
    "shellcommandtostring",
    "callprocess",
    "startprocess",
    "callcommand",
    "callprocessshellcommand",
    "readprocess",
    "command",
    "cmd",
    "execute",
    "system2",
    "shell",
    "syscmd",
    "esyscmd",
    "createsubprocessshell",
    "createsubprocessexec",
    "processbuilder",
    "doshellscript",
    "sh",
    "bash",
    "runprogram",
    "shellout",
    "systemcmd",
];

const EVALUATE: &[&str] = &[
    "eval",
    "exec",
    "function",
    "loadstring",
    "load",
    "instanceeval",
    "classeval",
    "moduleeval",
    "runinthiscontext",
    "runinnewcontext",
    "runincontext",
    "compile",
    "evalstring",
    "execstring",
    "createfunction",
    "dostring",
];

const FETCH: &[&str] = &[
    "get",
    "post",
    "put",
    "patch",
    "request",
    "urlopen",
    "urlretrieve",
    "fetch",
    "getstore",
    "mirror",
    "postform",
    "getprint",
    "downloadstring",
    "downloadfile",
    "urlconnection",
    "openuri",
    "uriopen",
    "postdata",
    "send",
    "sendall",
    "sendto",
    "submit",
    "upload",
    "uploadfile",
    "uploadstring",
    "download",
    "axios",
    "got",
];

const CONNECT: &[&str] = &[
    "connect",
    "createconnection",
    "fsockopen",
    "pfsockopen",
    "tcpsocket",
    "opentcpstream",
    "stream_socket_client",
    "streamsocketclient",
    "tcpconnect",
];

const PRINT: &[&str] = &[
    "print",
    "println",
    "puts",
    "log",
    "echo",
    "p",
    "pp",
    "pprint",
    "say",
    "write",
    "printf",
    "info",
    "error",
    "warn",
    "vardump",
    "printr",
    "varexport",
    "inspect",
    "message",
    "display",
    "cat",
    "dump",
    "writeln",
    "debug",
    "princ",
    "fprintf",
];

/// The name of a function as the tables spell it.
pub(super) fn plain(path: &str) -> String {
    let last = path.rsplit('.').next().unwrap_or_default();
    let plain: String =
        last.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    match plain.strip_suffix("sync") {
        Some(rest) if rest.len() > 1 => rest.to_owned(),
        _ => plain,
    }
}

/// What a function does, by the last part of its name and what that belongs to.
pub(super) fn of(path: &str) -> Option<Effect> {
    let name = plain(path);
    let name = name.as_str();
    let owner = path.rsplit('.').nth(1).map(plain).unwrap_or_default();
    let two = format!("{owner}{name}");
    let has = |table: &[&str]| table.contains(&name) || table.contains(&two.as_str());
    if path.ends_with("File") {
        return None;
    }
    let effect = match name {
        "open" | "fopen" | "openfile" | "openas" | "newfile" => Effect::Open,
        "rename" | "move" | "renameto" | "mv" | "renamepath" => Effect::Move,
        "copyfile" | "copy" | "cp" | "cpr" | "copytree" | "copy2" | "copyr" => Effect::Copy,
        "symlink" | "link" | "lns" | "createsymboliclink" | "makesymlink" => Effect::Link,
        "chmod" | "lchmod" | "chmodr" | "fchmod" => Effect::Mode,
        "kill" | "killpg" | "posixkill" => Effect::Kill,
        "new" | "read" | "readall" if ["file", "io"].contains(&owner.as_str()) => Effect::Open,
        "new" if owner == "tcpsocket" => Effect::Connect,
        "write" if ["file", "io", "bun", "pathname"].contains(&owner.as_str()) => Effect::Write,
        _ if has(EVALUATE) => Effect::Evaluate,
        _ if has(START) => Effect::Start,
        _ if has(DELETE) => Effect::Delete,
        _ if has(WRITE) => Effect::Write,
        _ if has(READ) => Effect::Read,
        _ if has(CONNECT) => Effect::Connect,
        _ if has(FETCH) => Effect::Fetch,
        _ if has(PRINT) => Effect::Print,
        _ => return None,
    };
    Some(effect)
}

/// Whether a name is worth reading arguments for that stand behind it without parentheses.
pub(super) fn is_known(path: &str) -> bool {
    of(path).is_some()
        || ["require", "join", "getenv", "expanduser", "glob", "shift"]
            .contains(&plain(path).as_str())
}

/// Whether a member acts on what it belongs to even where nobody gives it arguments: `"…".execute`.
pub(super) fn acts_on_owner(path: &str) -> bool {
    let name = plain(path);
    [
        "execute", "reverse", "split", "unlink", "rmtree", "rmdir", "delete", "home", "homedir",
        "ppid", "read",
    ]
    .contains(&name.as_str())
}

/// Modules whose `remove`, `delete` and the like mean files.
pub(super) fn is_about_files(path: &str) -> bool {
    let owner = path.rsplit('.').nth(1).map(plain).unwrap_or_default();
    let modules = [
        "os",
        "fs",
        "file",
        "files",
        "dir",
        "fileutils",
        "shutil",
        "deno",
        "promises",
        "path",
        "pathlib",
        "pathname",
        "fsextra",
        "filesystem",
        "sys",
        "unix",
    ];
    let generic = ["remove", "delete", "rm", "truncate", "trash"];
    modules.contains(&owner.as_str()) || !generic.contains(&plain(path).as_str())
}
