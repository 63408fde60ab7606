//! Runs gates and checks as commands on the captured tree and reports what happened.
