//! Fingerprints of failures: the same failure gives the same hash, whatever the clock or the paths say.
