//! Rules of this repository as tests.
