//! Effects: git, sealed checkouts, the sandbox, processes, the clock.
//!
//! Purpose: everything of a run that touches the machine. The other crates get values from here and hand values back.
//! Non-goals: no judgement, no parsing of reports or manifests, no storage. Place in the line: between the plan and the
//! fact graph; the pipeline calls it.
//!
//! # What is defended, and how, in the order of the line
//!
//! 1. **The commit.** [`git`] writes the exact bytes of a commit once into a private directory, and proves them.
//! 2. **The environment.** [`environment`] builds it from an allow-list. Names that inject code into interpreters, that lead to
//!    an agent or that look like credentials are dropped unless the operator named them. [`toolchain`] finds what PATH needs.
//! 3. **The view.** Each invocation gets its own mount namespace with a read-only view of the commit at [`sandbox::CHECKOUT`], the
//!    same path on both sides. Nothing an invocation does outlives its namespace: no directory has to be deleted.
//! 4. **The machine.** The rest of the file system is read-only; temporary, run-time and home directories, the user's own
//!    repository and unix sockets are hidden; `/dev` and `/proc` are fresh; process ids, IPC and network are its own.
//! 5. **The process.** No capability, no new privilege, no namespace or mount system call; Landlock repeats the file rules. It writes
//!    to its temporary directory, its scratch directories and its report, nowhere else.
//! 6. **The end.** Process 1 of the namespace waits for the main process, counts what it left running, kills it, reads the report
//!    and goes; the kernel ends whatever is left. A timeout, an interrupt or the death of runmill ends the same way.
//! 7. **The evidence.** [`sandbox::Exited`] carries digests of the whole streams and a bounded preview in which
//!    [`redact`] has replaced secrets, also those cut by a write or by the edge of the preview.
//!
//! It fails closed: [`sandbox::Sandbox::probe`] is the only way to a [`sandbox::Sandbox`], and attacks one first.

#![expect(clippy::disallowed_methods, reason = "this crate is one of the five homes of effects")]

pub mod clock;
pub mod environment;
pub mod folder;
pub mod gh;
pub mod git;
pub mod interrupt;
pub mod platform;
pub mod redact;
pub mod sandbox;
pub mod shell;
pub mod throwaway;
pub mod toolchain;
