//! The least a program can do with an agent's stream: parse each line, borrowed, and write it to a file.
//!
//! A yardstick for `just overhead`; it supervises nothing and must stay as plain as it is.
//!
//! usage: `minimal_reader FILE PROMPT PROGRAM [ARGUMENT ...]`

use std::{
    collections::BTreeMap,
    env,
    fs::File,
    io::{BufRead, BufReader, BufWriter, Error, Result, Write},
    process::{Command, ExitCode, Stdio},
};

use serde_json::value::RawValue;

fn main() -> Result<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    let (Some(file), Some(prompt), Some(program)) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err(Error::other("usage: minimal_reader FILE PROMPT PROGRAM [ARGUMENT ...]"));
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(prompt.as_encoded_bytes())?;
    }
    let stdout = child.stdout.take().ok_or_else(|| Error::other("no standard output"))?;
    copy_lines(BufReader::with_capacity(1 << 16, stdout), BufWriter::new(File::create(file)?))?;
    Ok(if child.wait()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Parses and writes line after line; returns how many were JSON objects.
fn copy_lines(mut from: impl BufRead, mut to: impl Write) -> Result<u64> {
    let (mut line, mut objects) = (Vec::new(), 0);
    while from.read_until(b'\n', &mut line)? > 0 {
        objects += u64::from(serde_json::from_slice::<BTreeMap<&str, &RawValue>>(&line).is_ok());
        to.write_all(&line)?;
        line.clear();
    }
    to.flush()?;
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_copied_and_objects_are_counted() -> Result<()> {
        let stream = b"{\"type\":\"a\"}\nnot json\n{\"type\":\"b\"}";
        let mut copy = Vec::new();
        assert_eq!(copy_lines(&stream[..], &mut copy)?, 2);
        assert_eq!(copy, stream);
        Ok(())
    }
}
