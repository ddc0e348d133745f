//! What an invocation may use.

use serde::Serialize;

use crate::{
    ByteSize,
    faults::Faults,
    yaml::{self, Entries, Node},
};

/// The limits of an invocation. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    #[serde(serialize_with = "bytes")]
    memory: ByteSize,
    processes: u32,
    #[serde(serialize_with = "bytes")]
    output: ByteSize,
    #[serde(serialize_with = "bytes")]
    file_size: ByteSize,
}

impl Default for Limits {
    /// 4 GiB of memory, 512 processes, 64 MiB of output, files of 1 GiB.
    fn default() -> Self {
        Self {
            memory: ByteSize::mebibytes(4 << 10),
            processes: 512,
            output: ByteSize::mebibytes(64),
            file_size: ByteSize::mebibytes(1 << 10),
        }
    }
}

impl Limits {
    /// Memory of all processes together.
    pub const fn memory(&self) -> ByteSize {
        self.memory
    }

    /// Processes and threads at one time, from 1.
    pub const fn processes(&self) -> u32 {
        self.processes
    }

    /// Bytes of each stream; more ends the invocation.
    pub const fn output(&self) -> ByteSize {
        self.output
    }

    /// The largest file an invocation may write.
    pub const fn file_size(&self) -> ByteSize {
        self.file_size
    }
}

/// Limits as somebody wrote them: any may be left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LimitSettings {
    memory: Option<ByteSize>,
    processes: Option<u32>,
    output: Option<ByteSize>,
    file_size: Option<ByteSize>,
}

impl LimitSettings {
    /// The highest number of processes that can be asked for.
    pub const MAX_PROCESSES: u32 = 1 << 20;

    /// Memory, if it was written.
    pub const fn memory(&self) -> Option<ByteSize> {
        self.memory
    }

    /// Processes, if they were written.
    pub const fn processes(&self) -> Option<u32> {
        self.processes
    }

    /// Output, if it was written.
    pub const fn output(&self) -> Option<ByteSize> {
        self.output
    }

    /// File size, if it was written.
    pub const fn file_size(&self) -> Option<ByteSize> {
        self.file_size
    }

    /// These limits, with the defaults where nothing was written.
    pub fn with_defaults(&self) -> Limits {
        self.under(&Self::default())
    }

    /// These limits as a check's, under the operator's: where the operator wrote one it is the ceiling of what the
    /// check wrote, and stands in for the default where the check wrote nothing.
    pub fn under(&self, operator: &Self) -> Limits {
        let defaults = Limits::default();
        Limits {
            memory: capped(self.memory, operator.memory, defaults.memory),
            processes: capped(self.processes, operator.processes, defaults.processes),
            output: capped(self.output, operator.output, defaults.output),
            file_size: capped(self.file_size, operator.file_size, defaults.file_size),
        }
    }
}

fn capped<T: Ord + Copy>(own: Option<T>, ceiling: Option<T>, default: T) -> T {
    match (own, ceiling) {
        (Some(own), Some(ceiling)) => own.min(ceiling),
        (own, ceiling) => own.or(ceiling).unwrap_or(default),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn bytes<S: serde::Serializer>(size: &ByteSize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(size.bytes())
}

/// Limits as somebody wrote them.
pub(crate) fn read(node: &Node, faults: &mut Faults) -> LimitSettings {
    let Some(mut entries) = Entries::of(node, "`limits`", faults) else { return LimitSettings::default() };
    let memory = entries.get("memory");
    let processes = entries.get("processes");
    let output = entries.get("output");
    let file_size = entries.get("file_size");
    entries.close(faults);
    let mut size =
        |node: Option<&Node>, what| node.and_then(|node| yaml::parsed(node, what, faults, str::parse::<ByteSize>));
    let (memory, output, file_size) = (size(memory, "memory"), size(output, "output"), size(file_size, "file_size"));
    let processes = processes
        .and_then(|node| yaml::integer(node, "processes", 1..=u64::from(LimitSettings::MAX_PROCESSES), faults))
        .and_then(|number| u32::try_from(number).ok());
    LimitSettings { memory, processes, output, file_size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_limit_is_ceiling_and_default() {
        let check = LimitSettings { processes: Some(900), ..LimitSettings::default() };
        let operator =
            LimitSettings { processes: Some(64), memory: Some(ByteSize::mebibytes(8)), ..LimitSettings::default() };
        let limits = check.under(&operator);
        assert_eq!((limits.processes(), limits.memory()), (64, ByteSize::mebibytes(8)));
        assert_eq!(limits.output(), Limits::default().output());
        assert_eq!(check.with_defaults().processes(), 900);
    }
}
