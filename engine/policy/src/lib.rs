//! runmill-policy.
