//! Test identities in one byte arena with dense ids, and sets of them as bit sets.
//!
//! Per-test work never happens in script: a rule over 100,000 tests is a handful of these set operations.

use std::{fmt, hash::BuildHasher, sync::Arc};

use fixedbitset::FixedBitSet;
use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A test of one graph: a dense number, 0-based. In a sealed graph the numbers follow the order of the shown ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TestId(u32);

impl TestId {
    /// The dense number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    len: u32,
    /// Where the group (classname, package) ends in the shown id; `NO_GROUP` when the identity has none.
    group: u32,
}

const NO_GROUP: u32 = u32::MAX;
const JOINT: &str = "::";

/// Every test identity of a graph. An identity is a pair (group or none, name), shown as `group::name` or `name`.
#[derive(Clone, Default)]
pub struct TestArena {
    bytes: String,
    spans: Vec<Span>,
    /// Keyed by the hash of the shown id, so that identities that are shown alike are found together.
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// The arena is full: more than 4 billion tests, or an id longer than 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many tests, or a test id that is too long")]
pub struct ArenaFull;

impl TestArena {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of identities.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no identity.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Makes room for so many more identities.
    pub fn reserve(&mut self, tests: usize) {
        let (bytes, spans, hasher) = (&self.bytes, &self.spans, &self.hasher);
        self.table.reserve(tests, |&id| hasher.hash_one(shown_in(bytes, spans, id)));
        self.spans.reserve(tests);
    }

    /// The id of an identity, new or known. `group` is the JUnit classname or Go package; TAP has none.
    ///
    /// # Errors
    /// [`ArenaFull`].
    pub fn intern(&mut self, group: Option<&str>, name: &str) -> Result<TestId, ArenaFull> {
        let start = self.bytes.len();
        let split = match group {
            Some(group) => {
                self.bytes.push_str(group);
                self.bytes.push_str(JOINT);
                u32::try_from(group.len()).map_err(|_| ArenaFull)?
            }
            None => NO_GROUP,
        };
        self.bytes.push_str(name);
        let shown = self.bytes.get(start..).unwrap_or_default();
        let len = u32::try_from(shown.len()).map_err(|_| ArenaFull)?;
        let hash = self.hasher.hash_one(shown);
        let same = |&id: &u32| self.split(TestId(id)) == split && self.shown(TestId(id)) == shown;
        if let Some(&known) = self.table.find(hash, same) {
            self.bytes.truncate(start);
            return Ok(TestId(known));
        }
        let id = u32::try_from(self.spans.len()).ok().filter(|id| *id < NO_GROUP).ok_or(ArenaFull)?;
        self.spans.push(Span { start, len, group: split });
        let (bytes, spans, hasher) = (&self.bytes, &self.spans, &self.hasher);
        self.table.insert_unique(hash, id, |&id| hasher.hash_one(shown_in(bytes, spans, id)));
        Ok(TestId(id))
    }

    /// The id as a person sees it: `group::name`, or `name`. Empty for an id of another arena.
    pub fn shown(&self, id: TestId) -> &str {
        shown_in(&self.bytes, &self.spans, id.0)
    }

    /// The group of an identity, where it has one.
    pub fn group(&self, id: TestId) -> Option<&str> {
        let split = self.split(id);
        (split != NO_GROUP).then(|| self.shown(id).get(..split as usize).unwrap_or_default())
    }

    /// Every identity that is shown as `text`. More than one only when two different pairs look alike.
    pub fn shown_as<'a>(&'a self, text: &'a str) -> impl Iterator<Item = TestId> + 'a {
        self.table.iter_hash(self.hasher.hash_one(text)).map(|&id| TestId(id)).filter(move |&id| self.shown(id) == text)
    }

    /// Every id, in order.
    pub fn ids(&self) -> impl Iterator<Item = TestId> + use<> {
        (0..u32::try_from(self.spans.len()).unwrap_or(u32::MAX)).map(TestId)
    }

    fn split(&self, id: TestId) -> u32 {
        self.spans.get(id.index()).map_or(NO_GROUP, |span| span.group)
    }

    /// The arena in the order of shown ids (ties: without a group first, then by the group's length), and the new id
    /// of each old one.
    pub(crate) fn sorted(self) -> (Self, Vec<TestId>) {
        let mut order: Vec<TestId> = self.ids().collect();
        let key = |id: TestId| (self.shown(id), self.split(id).wrapping_add(1));
        if order.is_sorted_by_key(|id| key(*id)) {
            return (self, order);
        }
        order.sort_unstable_by(|a, b| key(*a).cmp(&key(*b)));
        let mut sorted = Self { hasher: self.hasher.clone(), ..Self::default() };
        sorted.bytes.reserve(self.bytes.len());
        sorted.spans.reserve(order.len());
        let mut renumbered = vec![TestId(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            let new = u32::try_from(new).unwrap_or(u32::MAX);
            let shown = self.shown(*old);
            let span = Span {
                start: sorted.bytes.len(),
                len: u32::try_from(shown.len()).unwrap_or(0),
                group: self.split(*old),
            };
            sorted.bytes.push_str(shown);
            sorted.spans.push(span);
            if let Some(slot) = renumbered.get_mut(old.index()) {
                *slot = TestId(new);
            }
        }
        let (bytes, spans, hasher) = (&sorted.bytes, &sorted.spans, &sorted.hasher);
        let mut table = HashTable::with_capacity(spans.len());
        for id in 0..u32::try_from(spans.len()).unwrap_or(u32::MAX) {
            let hash = |&id: &u32| hasher.hash_one(shown_in(bytes, spans, id));
            table.insert_unique(hash(&id), id, hash);
        }
        sorted.table = table;
        (sorted, renumbered)
    }
}

fn shown_in<'a>(bytes: &'a str, spans: &[Span], id: u32) -> &'a str {
    spans.get(id as usize).and_then(|span| bytes.get(span.start..span.start + span.len as usize)).unwrap_or_default()
}

impl fmt::Debug for TestArena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids().map(|id| self.shown(id))).finish()
    }
}

/// An identity as it stands in a document: the name, and the group where there is one.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTest {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    group: Option<String>,
    name: String,
}

impl Serialize for TestArena {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.ids().map(|id| {
            let group = self.group(id);
            let name = self.shown(id).get(group.map_or(0, |group| group.len() + JOINT.len())..).unwrap_or_default();
            WireTest { group: group.map(str::to_owned), name: name.to_owned() }
        }))
    }
}

impl<'de> Deserialize<'de> for TestArena {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut arena = Self::new();
        for test in Vec::<WireTest>::deserialize(deserializer)? {
            let before = arena.len();
            arena.intern(test.group.as_deref(), &test.name).map_err(serde::de::Error::custom)?;
            if arena.len() == before {
                return Err(serde::de::Error::custom(format!("test `{}` is listed twice", test.name)));
            }
        }
        Ok(arena)
    }
}

/// A set of tests of one graph. Cheap to clone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TestSet(Arc<FixedBitSet>);

impl TestSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a test; true when it was not there.
    pub fn insert(&mut self, id: TestId) -> bool {
        let bits = Arc::make_mut(&mut self.0);
        bits.grow(id.index() + 1);
        !bits.put(id.index())
    }

    /// Whether the test is there.
    pub fn contains(&self, id: TestId) -> bool {
        self.0.contains(id.index())
    }

    /// The number of tests.
    pub fn len(&self) -> usize {
        self.0.count_ones(..)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_clear()
    }

    /// The tests, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = TestId> + '_ {
        self.0.ones().map(|id| TestId(u32::try_from(id).unwrap_or(u32::MAX)))
    }

    /// The tests in either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.with(other, |bits, other| bits.union_with(other))
    }

    /// The tests in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.with(other, |bits, other| bits.intersect_with(other))
    }

    /// The tests here and not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.with(other, |bits, other| bits.difference_with(other))
    }

    fn with(&self, other: &Self, change: impl FnOnce(&mut FixedBitSet, &FixedBitSet)) -> Self {
        let mut bits = FixedBitSet::clone(&self.0);
        change(&mut bits, &other.0);
        Self(Arc::new(bits))
    }

    pub(crate) fn renumbered(&self, new: &[TestId]) -> Self {
        self.iter().filter_map(|id| new.get(id.index()).copied()).collect()
    }
}

impl FromIterator<TestId> for TestSet {
    fn from_iter<I: IntoIterator<Item = TestId>>(ids: I) -> Self {
        let mut set = Self::new();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

impl fmt::Debug for TestSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.ones()).finish()
    }
}

impl Serialize for TestSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.ones())
    }
}

impl<'de> Deserialize<'de> for TestSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<u32>::deserialize(deserializer)?.into_iter().map(TestId).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_pairs_even_when_shown_alike() {
        let mut arena = TestArena::new();
        let pair = arena.intern(Some("a"), "b").unwrap();
        let name = arena.intern(None, "a::b").unwrap();
        assert_ne!(pair, name);
        assert_eq!(arena.intern(Some("a"), "b").unwrap(), pair);
        assert_eq!(arena.shown_as("a::b").count(), 2);
        assert_eq!((arena.group(pair), arena.group(name)), (Some("a"), None));
    }

    #[test]
    fn sorting_renumbers_and_keeps_look_ups() {
        let mut arena = TestArena::new();
        let ids: Vec<_> = ["c", "a", "b"].into_iter().map(|name| arena.intern(None, name).unwrap()).collect();
        let (sorted, new) = arena.sorted();
        assert_eq!(new.iter().map(|id| id.index()).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!(sorted.shown_as("c").next(), Some(TestId(2)));
        assert_eq!(ids.into_iter().collect::<TestSet>().renumbered(&new).len(), 3);
    }

    #[test]
    fn set_operations_work_across_lengths() {
        let (a, b): (TestSet, TestSet) =
            ([TestId(1), TestId(70)].into_iter().collect(), [TestId(1)].into_iter().collect());
        assert_eq!(a.difference(&b).iter().collect::<Vec<_>>(), [TestId(70)]);
        assert_eq!(b.union(&a).len(), 2);
        assert_eq!(b.intersection(&a).len(), 1);
        assert!(b.difference(&a).is_empty());
    }
}
