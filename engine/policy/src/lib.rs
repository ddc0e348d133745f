//! The policy host: hardened evaluation of rules over a sealed fact graph.
//!
//! Purpose: read a pack's rules, refuse what the gate refuses before anything runs, and judge every fact of the kind
//! a rule is on in one isolated call with its own fuel and its own trace of what it read. Non-goals: no effects, no
//! judgement of its own, no discovery of packs on disk. Place in the line: after `model`; `stdlib` fills its
//! [`Registry`] with what rules may call. This is the only crate that names the policy language's engine, and none of
//! the engine's types shows in its public face.

mod checker;
pub mod coverage;
mod crew;
pub mod explain;
pub mod host;
mod language;
pub mod limits;
mod load;
pub mod pack;
mod plan;
mod program;
mod reference;
pub mod registry;
mod session;
pub mod source;
mod spread;
mod worker;

pub use coverage::{Coverage, Covering};
pub use explain::{Explanation, Place, Question, Read, Step, StepKind};
pub use host::{Discovered, Evaluated, Host};
pub use limits::Limits;
pub use pack::{On, Pack, RuleInfo};
pub use registry::{Call, Fault, Function, Offered, Registry};
pub use source::{LibFile, PackSource, RuleFile};
