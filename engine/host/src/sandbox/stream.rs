//! Output streams: hashed whole, kept in part, without secrets.
