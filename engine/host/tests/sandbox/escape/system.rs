//! Raw system calls.

#![expect(unsafe_code, reason = "attacks are system calls that no safe crate makes")]

use std::{ffi::CString, io};

/// A number that is no error, for a refusal that has none.
pub const NO_EFFECT: i32 = 0;

/// Calls the kernel. Every pointer among the arguments must be to something that lives through the call and is large enough.
pub fn call<const N: usize>(number: i64, arguments: [i64; N]) -> io::Result<i64> {
    let mut all = [0_i64; 6];
    all[..N].copy_from_slice(&arguments);
    let [a, b, c, d, e, f] = all;
    // SAFETY: as the function says; callers pass numbers, texts that end with a zero, and buffers of their own.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// The same, when only success matters.
pub fn try_call<const N: usize>(number: i64, arguments: [i64; N]) -> io::Result<()> {
    call(number, arguments).map(drop)
}

/// A text for the kernel.
pub fn text(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// Its address.
pub fn at<T: ?Sized>(value: &T) -> i64 {
    std::ptr::from_ref(value).cast::<u8>() as i64
}

/// The address of something that the kernel writes to.
pub fn at_mut<T: ?Sized>(value: &mut T) -> i64 {
    std::ptr::from_mut(value).cast::<u8>() as i64
}

/// Succeeds if this is true; otherwise a refusal without an error number.
pub fn through_if(is_through: bool) -> io::Result<()> {
    if is_through { Ok(()) } else { Err(io::Error::from_raw_os_error(NO_EFFECT)) }
}

/// Runs `attack` in a child, whose error number is its exit status; a signal that ends it counts as its negative number.
pub fn in_child(attack: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    // SAFETY: the attacker has one thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let status = attack().map_or_else(|error| error.raw_os_error().unwrap_or(255), |()| 0);
        std::process::exit(status);
    }
    let mut status = 0;
    call(libc::SYS_wait4, [i64::from(child), at_mut(&mut status), 0, 0])?;
    if libc::WIFSIGNALED(status) {
        return Err(io::Error::from_raw_os_error(-libc::WTERMSIG(status)));
    }
    match libc::WEXITSTATUS(status) {
        0 => Ok(()),
        255 => Err(io::Error::from_raw_os_error(NO_EFFECT)),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}
