//! What a person sees, and every bad input.

mod bad_input;
mod defaults;
mod demo;
mod evidence_verify;
mod live;
mod report_read;
mod screens;
