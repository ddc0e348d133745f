//! The false greens, one group a file, as small repositories that must come out as said; then the properties.

mod adversary;
mod at_once;
mod ci_jobs;
mod crashes;
mod dependencies;
mod environment;
mod first_day;
mod forge;
mod hooks;
#[cfg(feature = "real-world")]
mod installed;
#[cfg(feature = "real-world")]
mod interop;
mod landlock;
mod many;
mod mcp;
mod merge;
mod monorepo;
mod network;
mod nothing_ran;
mod older_program;
mod operator;
mod operator_paths;
mod ordinary_user;
mod orphans;
mod output;
mod own_runner;
mod portable;
mod processes;
mod projects;
mod properties;
mod proposals;
mod receipts;
mod remote;
mod reports;
mod repository_packs;
mod reuse;
mod rule_faults;
pub mod rules_off;
mod second_try;
mod secrets;
mod sessions;
mod stand_in;
mod target_governs;
mod told;
mod tree_moves;
mod words_of_runners;
