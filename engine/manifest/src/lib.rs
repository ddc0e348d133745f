//! runmill-manifest.
