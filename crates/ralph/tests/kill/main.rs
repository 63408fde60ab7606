//! SIGKILL at every effect boundary and inside git, and full disks, with real processes.

mod full_disk;
mod git;
mod points;
