//! runmill-pipeline.
