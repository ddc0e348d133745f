//! runmill-host.
