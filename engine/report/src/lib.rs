//! runmill-report.
