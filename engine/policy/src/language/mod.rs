//! The policy language: how its engine is built, what it may not do, and how values cross into it.

pub(crate) mod arithmetic;
pub(crate) mod callbacks;
pub(crate) mod closures;
pub(crate) mod context;
pub(crate) mod engine;
pub(crate) mod faults;
pub(crate) mod file;
pub(crate) mod functions;
pub(crate) mod gate;
pub(crate) mod known;
pub(crate) mod metadata;
pub(crate) mod properties;
pub(crate) mod scopes;
pub(crate) mod shown;
pub(crate) mod text;
pub(crate) mod tokens;
pub(crate) mod values;
