//! runmill-rules.
