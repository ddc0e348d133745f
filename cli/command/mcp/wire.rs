//! Standard input as the protocol reads it, and signals as something that can be awaited.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use runmill_host::interrupt::Interrupt;
use tokio::{
    io::{AsyncRead, ReadBuf},
    net::UnixStream,
};

use super::calls::Calls;

/// An input whose end stops every call at once. Without it, they would first be waited for.
pub struct Input<R> {
    inner: R,
    calls: Calls,
}

impl<R> Input<R> {
    /// This input.
    pub fn new(inner: R, calls: Calls) -> Self {
        Self { inner, calls }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Input<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = ready!(Pin::new(&mut self.inner).poll_read(cx, buf));
        if read.is_err() || buf.filled().len() == before {
            self.calls.stop();
        }
        Poll::Ready(read)
    }
}

/// Waits until an interrupt is raised.
pub async fn raised(interrupt: &Interrupt) -> io::Result<()> {
    let watched = std::os::unix::net::UnixStream::from(interrupt.watched().try_clone_to_owned()?);
    watched.set_nonblocking(true)?;
    UnixStream::from_std(watched)?.readable().await
}
