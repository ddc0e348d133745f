//! Looking for processes by an argument that nothing else on the machine has.

use std::{
    fs,
    sync::atomic::{AtomicU32, Ordering},
};

/// A number of seconds, far longer than any test, that no other process is told to sleep.
pub fn unique_seconds() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("86{:07}.{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The ids of processes that have `argument` among their arguments, zombies not included.
pub fn alive(argument: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes
        .filter(|id: &u32| {
            let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).any(|word| word == argument.as_bytes())
        })
        .collect()
}

/// Waits until a process with `argument` among its arguments is there.
pub fn process_with_argument(argument: &str) -> u32 {
    loop {
        if let Some(id) = alive(argument).first() {
            return *id;
        }
        std::thread::yield_now();
    }
}
