//! Tests of the policy host. They see what everybody sees: packs as texts, graphs, findings. The holes of the language
//! are shown on a bare engine first, so that an upgrade that changes one is noticed.

mod evaluation;
mod false_greens;
mod features;
mod gate;
mod harness;
mod holes;
mod metadata;
