//! Strict reading.
