//! The last steps of the main process before its program: everything is given up.

use rustix::{
    process::{Pid, Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit, setsid},
    thread::{
        CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits, set_no_new_privs,
    },
};

use super::{
    files::{Landlock, Rules},
    filter, raw,
    step::Step,
};
use crate::sandbox::{
    SandboxError, Spec,
    protocol::{Order, ProcessLimits},
};

/// No kernel has more capabilities.
const CAPABILITIES: u32 = 64;

/// Gives up everything the check does not need.
pub(super) fn give_up(order: &Order, rules: &Rules) -> Result<Landlock, SandboxError> {
    set_parent_process_death_signal(Some(Signal::KILL)).step("tie the check to process 1")?;
    raw::reset_signals().step("reset signals")?;
    setsid().step("start a session")?;
    set_limits(&order.spec, &order.limits)?;
    set_no_new_privs(true).step("forbid new privileges")?;
    drop_capabilities(CapabilitySet::empty())?;
    let landlock = rules.enforce()?;
    filter::apply(order.config.isolation)?;
    Ok(landlock)
}

/// Drops every capability but these, for good.
pub(super) fn drop_capabilities(kept: CapabilitySet) -> Result<(), SandboxError> {
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    clear_ambient_capability_set().step("clear ambient capabilities")?;
    let held = capabilities(None::<Pid>).step("look at capabilities")?;
    // Without a user namespace an ordinary user has none to drop, and may forbid none: no new privileges are what holds then.
    if held.effective.contains(CapabilitySet::SETPCAP) {
        set_capabilities_secure_bits(bits).step("lock the security bits")?;
        for number in 0..CAPABILITIES {
            // A number the kernel does not know is refused, and so is every one above it.
            let known = CapabilitySet::from_bits_retain(1 << number);
            if remove_capability_from_bounding_set(known).is_err() {
                break;
            }
        }
    }
    let kept = kept & held.permitted;
    set_capabilities(
        None::<Pid>,
        CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() },
    )
    .step("drop capabilities")
}

fn set_limits(spec: &Spec, limits: &ProcessLimits) -> Result<(), SandboxError> {
    // A core handler of the host would be started outside, with the check's memory, whatever the limit: but not where it is one byte.
    let fixed = [(Resource::Core, Some(1)), (Resource::Fsize, Some(spec.limits.file_size))];
    // Reserved address space costs nothing, and many run-times reserve much of it: data is limited, not addresses.
    let variable = [(Resource::Data, limits.memory), (Resource::Nproc, limits.processes)];
    for (resource, wanted) in fixed.into_iter().chain(variable) {
        let Some(wanted) = wanted else { continue };
        let most = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let both = Some(wanted.min(most));
        setrlimit(resource, Rlimit { current: both, maximum: both }).step(format!("set the limit {resource:?}"))?;
    }
    Ok(())
}
