//! The shared trees of the two sides: which is still good, what its hash is, and which takes which along.

use std::sync::Arc;

use runmill_model::{Digest, Side, TreeHash};

/// One shared tree for each side, once it is laid out.
pub(crate) struct Shelves<T> {
    base: Shelf<T>,
    candidate: Shelf<T>,
    /// The two trees have inodes in common.
    linked: bool,
}

struct Shelf<T> {
    tree: Option<Arc<T>>,
    /// Invocations on the tree at this moment.
    running: usize,
    /// Its hash, as long as nothing has run since it was taken.
    hash: Option<Digest>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { tree: None, running: 0, hash: None }
    }
}

impl<T> Default for Shelves<T> {
    fn default() -> Self {
        Self { base: Shelf::default(), candidate: Shelf::default(), linked: false }
    }
}

impl<T> Shelves<T> {
    /// Starts an invocation on the tree of a side: the tree and its hash, when that still holds. None without a tree.
    pub(crate) fn take(&mut self, side: Side) -> Option<(Arc<T>, Option<Digest>)> {
        let shelf = self.of(side);
        let tree = Arc::clone(shelf.tree.as_ref()?);
        let hash = shelf.hash.take().filter(|_| shelf.running == 0);
        shelf.running += 1;
        Some((tree, hash))
    }

    /// The tree that a new one of this side may link its files from.
    pub(crate) fn source(&mut self, side: Side, hashing: TreeHash) -> Option<Arc<T>> {
        let beside = self.of(other(side));
        if hashing == TreeHash::Sealed {
            // A link changes the file status that the hash of the tree is made of.
            if beside.running > 0 {
                return None;
            }
            beside.hash = None;
        }
        beside.tree.clone()
    }

    /// Puts a new tree on the shelf of a side and starts an invocation on it.
    pub(crate) fn put(&mut self, side: Side, tree: &Arc<T>, sharing: Sharing) {
        *self.of(side) = Shelf { tree: Some(Arc::clone(tree)), running: 1, hash: None };
        self.linked = sharing == Sharing::Linked;
    }

    /// Ends an invocation, with the hashes around it. A tree that moved goes, and so does the one that has files from it.
    pub(crate) fn give_back(&mut self, side: Side, tree: &Arc<T>, before: Digest, after: Digest) {
        let linked = self.linked;
        let shelf = self.of(side);
        if !shelf.tree.as_ref().is_some_and(|held| Arc::ptr_eq(held, tree)) {
            return;
        }
        if before == after {
            shelf.running = shelf.running.saturating_sub(1);
            shelf.hash = (shelf.running == 0).then_some(after);
            return;
        }
        *shelf = Shelf::default();
        if linked {
            *self = Self::default();
        }
    }

    fn of(&mut self, side: Side) -> &mut Shelf<T> {
        match side {
            Side::Base => &mut self.base,
            Side::Candidate => &mut self.candidate,
        }
    }
}

/// Whether a new tree has files from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    Linked,
    Alone,
}

fn other(side: Side) -> Side {
    match side {
        Side::Base => Side::Candidate,
        Side::Candidate => Side::Base,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(bytes: &[u8]) -> Digest {
        Digest::of(bytes)
    }

    /// Both sides laid out, an invocation done on each.
    fn both(sharing: Sharing) -> Shelves<&'static str> {
        let mut shelves = Shelves::default();
        for (side, tree, sharing) in [(Side::Base, "base", Sharing::Alone), (Side::Candidate, "candidate", sharing)] {
            let tree = Arc::new(tree);
            shelves.put(side, &tree, sharing);
            shelves.give_back(side, &tree, hash(b"first"), hash(b"first"));
        }
        shelves
    }

    #[test]
    fn the_hash_after_is_the_hash_before_while_nothing_else_runs() {
        let mut shelves = both(Sharing::Linked);
        let (tree, first) = shelves.take(Side::Base).unwrap();
        assert_eq!(first, Some(hash(b"first")));
        let (_, second) = shelves.take(Side::Base).unwrap();
        assert_eq!(second, None);
        shelves.give_back(Side::Base, &tree, hash(b"first"), hash(b"first"));
        assert_eq!(shelves.take(Side::Base).unwrap().1, None);
        for _ in 0..2 {
            shelves.give_back(Side::Base, &tree, hash(b"first"), hash(b"first"));
        }
        assert_eq!(shelves.take(Side::Base).unwrap().1, Some(hash(b"first")));
    }

    #[test]
    fn a_tree_that_moved_goes_and_takes_along_the_one_it_shares_files_with() {
        for (sharing, stays) in [(Sharing::Linked, false), (Sharing::Alone, true)] {
            for moved in [Side::Base, Side::Candidate] {
                let mut shelves = both(sharing);
                let (tree, _) = shelves.take(moved).unwrap();
                shelves.give_back(moved, &tree, hash(b"before"), hash(b"after"));
                assert!(shelves.take(moved).is_none());
                assert_eq!(shelves.take(other(moved)).is_some(), stays, "{sharing:?}");
            }
        }
    }

    #[test]
    fn a_view_of_a_tree_that_is_gone_says_nothing_about_the_next() {
        let mut shelves = both(Sharing::Linked);
        let (base, _) = shelves.take(Side::Base).unwrap();
        let (candidate, _) = shelves.take(Side::Candidate).unwrap();
        shelves.give_back(Side::Base, &base, hash(b"before"), hash(b"after"));
        let again = Arc::new("again");
        shelves.put(Side::Candidate, &again, Sharing::Alone);
        shelves.give_back(Side::Candidate, &candidate, hash(b"before"), hash(b"after"));
        assert!(Arc::ptr_eq(&shelves.take(Side::Candidate).unwrap().0, &again));
    }

    #[test]
    fn no_stat_hash_is_compared_across_a_link() {
        let mut shelves = both(Sharing::Alone);
        assert!(shelves.source(Side::Base, TreeHash::Content).is_some());
        assert!(shelves.source(Side::Base, TreeHash::Sealed).is_some());
        let (_, known) = shelves.take(Side::Candidate).unwrap();
        assert_eq!(known, None, "the hash of before the link is forgotten");
        assert!(shelves.source(Side::Base, TreeHash::Sealed).is_none(), "something runs on the other");
        assert!(shelves.source(Side::Base, TreeHash::Content).is_some());
        assert!(Shelves::<()>::default().source(Side::Base, TreeHash::Content).is_none());
    }
}
