//! Processes: started through the shim, drained in constant memory, ended as whole trees.
