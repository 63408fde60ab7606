//! The binary is its own shim.
use std::{error::Error, time::Instant};

use ralph_core::ids::RunId;
use ralph_engine::process::{
    Containment, Flow, Listener, Nobody, ProcessEnd, ProcessSpec, Stream, Supervisor,
};

struct Ear(Vec<u8>);

impl Listener for Ear {
    fn output(&mut self, _stream: Stream, bytes: &[u8]) -> Flow {
        self.0.extend_from_slice(bytes);
        Flow::Continue
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn tick(&mut self, _now: Instant) -> Flow {
        Flow::Continue
    }
}

#[test]
fn the_binary_runs_a_process_as_its_own_shim() -> Result<(), Box<dyn Error>> {
    for containment in [Containment::Auto, Containment::Group] {
        let spec = ProcessSpec {
            program: "sh".into(),
            args: vec!["-c".into(), "cat; exit 5".into()],
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
            cwd: std::env::temp_dir(),
            stdin: b"through the shim".to_vec(),
            merge_stderr: false,
            run: RunId::from("shim-test"),
            enclosed: None,
        };
        let shim = env!("CARGO_BIN_EXE_ralph").into();
        let supervisor = Supervisor { shim, containment, ..Supervisor::default() };
        let mut ear = Ear(Vec::new());
        let finished = supervisor.supervise(&spec, &mut ear, &mut Nobody)?;
        assert_eq!(finished.end, ProcessEnd::Exited { code: 5 });
        assert_eq!(ear.0, b"through the shim");
    }
    Ok(())
}
