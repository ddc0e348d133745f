//! runmill-stdlib.
