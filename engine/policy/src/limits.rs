//! What one call of a rule may cost. Every limit is set by name: the engine's own defaults differ between debug and
//! release builds.

/// The limits of one call. The same in every build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Steps of one call, callbacks included. At most 200,000: beyond that a chain of closures could overflow the stack
    /// when it is dropped.
    pub fuel: u64,
    /// Nested function calls.
    pub call_levels: usize,
    /// Nesting of expressions, in rules and in functions.
    pub expression_depth: usize,
    /// Variables in scope at once.
    pub variables: usize,
    /// Functions in one file, the rule's own closures included.
    pub functions: usize,
    /// Modules one rule can reach: the files of its pack's `lib/`.
    pub modules: usize,
    /// Length of one file of a pack, in bytes.
    pub file: usize,
    /// Length of a text, in bytes.
    pub text: usize,
    /// Elements of a script array, elements of nested arrays included.
    pub array: usize,
    /// Entries of a script map.
    pub map: usize,
}

impl Limits {
    /// The highest fuel: closures nested deeper than this could overflow the stack of an evaluation thread.
    pub const MAX_FUEL: u64 = 200_000;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: Self::MAX_FUEL,
            call_levels: 32,
            expression_depth: 64,
            variables: 64,
            functions: 64,
            modules: 64,
            file: 64 << 10,
            text: 1 << 20,
            array: 1_000,
            map: 64,
        }
    }
}
