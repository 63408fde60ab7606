//! What tests are made with: the simulator of whole runs. Never part of the product.

pub mod sim;
