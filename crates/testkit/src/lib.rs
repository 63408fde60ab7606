//! What tests share: stand-ins for the model and for time, and nothing that ships.
