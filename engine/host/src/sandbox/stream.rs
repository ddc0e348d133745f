//! Output streams: hashed whole, kept in part, without secrets.

use std::collections::VecDeque;

use runmill_model::Hasher;

use super::{Hear, Keep, Stream};
use crate::redact::{Redactor, Secrets};

/// Who hears a stream, and what they must not hear.
#[derive(Clone, Copy)]
pub(super) struct Heard<'a> {
    pub(super) secrets: &'a Secrets,
    pub(super) hear: Hear<'a>,
    pub(super) keep: Keep,
}

/// A stream while it is read. Its memory does not grow with the stream.
pub(super) struct Capture<'a> {
    hasher: Hasher,
    bytes: u64,
    redactor: Redactor<'a>,
    hear: Hear<'a>,
    keep: Keep,
    /// Clean bytes of the last push, kept for its room.
    clean: Vec<u8>,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    omitted: u64,
}

impl<'a> Capture<'a> {
    pub(super) fn new(Heard { secrets, hear, keep }: Heard<'a>) -> Self {
        Self {
            hasher: Hasher::new(),
            bytes: 0,
            redactor: Redactor::new(secrets),
            hear,
            keep,
            clean: Vec::new(),
            head: Vec::new(),
            tail: VecDeque::new(),
            omitted: 0,
        }
    }

    /// Number of raw bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
        self.bytes += piece.len() as u64;
        self.redactor.push(piece, &mut self.clean);
        self.take();
    }

    pub(super) fn finish(mut self) -> Stream {
        self.redactor.finish(&mut self.clean);
        self.take();
        Stream {
            digest: self.hasher.finish(),
            bytes: self.bytes,
            truncated: self.omitted > 0,
            head: self.head,
            tail: self.tail.into(),
            omitted: self.omitted,
        }
    }

    fn take(&mut self) {
        if !self.clean.is_empty() {
            (self.hear)(&self.clean);
        }
        let room = self.keep.head.saturating_sub(self.head.len()).min(self.clean.len());
        let (head, rest) = self.clean.split_at(room);
        self.head.extend_from_slice(head);
        // Only the end of a large piece can stay in the tail.
        let skipped = rest.len().saturating_sub(self.keep.tail);
        let kept = rest.get(skipped..).unwrap_or_default();
        let dropped = (self.tail.len() + kept.len()).saturating_sub(self.keep.tail);
        self.tail.drain(..dropped);
        self.tail.extend(kept);
        self.omitted += (skipped + dropped) as u64;
        self.clean.clear();
    }
}

#[cfg(test)]
mod tests {
    use runmill_model::Digest;

    use super::*;

    fn capture(secrets: &Secrets, pieces: &[&[u8]]) -> Stream {
        let mut capture = Capture::new(Heard { secrets, hear: &|_| {}, keep: Keep::default() });
        for piece in pieces {
            capture.push(piece);
        }
        capture.finish()
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let stream = capture(&Secrets::none(), &[b"one ", b"two"]);
        assert_eq!((stream.text().as_str(), stream.bytes, stream.truncated), ("one two", 7, false));
        assert_eq!(stream.digest, Digest::of(b"one two"));
    }

    #[test]
    fn a_long_stream_keeps_both_ends_and_the_digest_of_all() {
        let whole: Vec<u8> = (0..3_000_000_u32).map(|at| b'a' + (at % 26) as u8).collect();
        let pieces: Vec<_> = whole.chunks(70_001).collect();
        let stream = capture(&Secrets::none(), &pieces);
        assert_eq!(stream.digest, Digest::of(&whole));
        assert_eq!(stream.head, whole[..Stream::HEAD]);
        assert_eq!(stream.tail, whole[whole.len() - Stream::TAIL..]);
        assert_eq!(stream.omitted as usize, whole.len() - Stream::HEAD - Stream::TAIL);
        assert!(stream.truncated);
        assert_eq!(capture(&Secrets::none(), &[&whole]), stream);
    }

    #[test]
    fn whoever_hears_a_stream_hears_all_of_it_without_secrets() {
        let secrets = Secrets::from_values([&b"swordfish"[..]]);
        let heard = std::cell::RefCell::new(Vec::new());
        let hear = |piece: &[u8]| heard.borrow_mut().extend_from_slice(piece);
        let mut capture = Capture::new(Heard { secrets: &secrets, hear: &hear, keep: Keep::default() });
        for piece in [&b"the sword"[..], b"fish of ", b"the king"] {
            capture.push(piece);
            assert!(!String::from_utf8_lossy(&heard.borrow()).contains("sword"));
        }
        assert_eq!(capture.finish().text(), "the [redacted] of the king");
        assert_eq!(*heard.borrow(), b"the [redacted] of the king");
    }

    #[test]
    fn a_secret_across_the_edge_of_the_head_is_in_neither_part() {
        let secrets = Secrets::from_values([&b"swordfish"[..]]);
        let mut whole = vec![b'.'; Stream::HEAD - 4];
        whole.extend_from_slice(b"swordfish");
        whole.extend_from_slice(&vec![b'.'; Stream::TAIL]);
        let (before, after) = whole.split_at(Stream::HEAD);
        let stream = capture(&secrets, &[before, after]);
        let kept = stream.text();
        assert!(!kept.contains("swor") && !kept.contains("fish"), "{}", kept.len());
        assert_eq!(stream.digest, Digest::of(&whole));
    }
}
