//! runmill-evidence.
