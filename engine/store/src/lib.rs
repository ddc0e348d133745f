//! runmill-store.
