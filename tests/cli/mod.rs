//! What a person sees, and every bad input.

mod approve;
mod bad_input;
mod completions;
mod defaults;
mod demo;
mod doctor;
mod doctor_dependencies;
mod documentation;
mod evidence_export;
mod evidence_sign;
mod evidence_verify;
mod evidence_walk_through;
mod explain_code;
mod explain_run;
mod facts;
pub mod init;
mod inspect;
mod live;
mod outputs;
pub mod pages;
mod replay;
mod report_read;
mod rules;
mod rules_signed;
mod runs;
mod schema;
mod screens;
