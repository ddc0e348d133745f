//! The false greens, one group a file, as small repositories that must come out as said; then the properties.

mod environment;
mod network;
mod nothing_ran;
mod operator;
mod ordinary_user;
mod output;
mod processes;
mod projects;
mod properties;
mod proposals;
mod reports;
mod rule_faults;
mod rules_off;
mod target_governs;
mod tree_moves;
