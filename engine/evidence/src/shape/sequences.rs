//! Arrays and open objects.

use std::{cmp::Ordering, ops::Deref};

use runmill_model::canonical::compare_names;

use super::{Issues, Place, Shape};
use crate::json::{Json, Object};

/// An array whose length is between two bounds, both included.
#[derive(Debug, Clone)]
pub(crate) struct List<T, const LOW: usize, const HIGH: usize>(Vec<T>);

/// An array that may be empty.
pub(crate) type UpTo<T, const HIGH: usize> = List<T, 0, HIGH>;
/// An array of any length; the size of the document bounds it.
pub(crate) type Any<T> = List<T, 0, { usize::MAX }>;
/// An array of at least one item; the size of the document bounds it.
pub(crate) type Some1<T> = List<T, 1, { usize::MAX }>;

impl<T, const LOW: usize, const HIGH: usize> Deref for List<T, LOW, HIGH> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Shape, const LOW: usize, const HIGH: usize> Shape for List<T, LOW, HIGH> {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let Json::List(items) = json else { return issues.add(place, "is not an array") };
        if !(LOW..=HIGH).contains(&items.len()) {
            return issues.add(place, format_args!("has {} items, not {LOW} to {HIGH}", items.len()));
        }
        let mut read = Vec::with_capacity(items.len());
        let mut complete = true;
        for (index, item) in items.iter().enumerate() {
            match T::read(item, &place.item(index), issues) {
                Some(item) => read.push(item),
                None => complete = false,
            }
        }
        complete.then_some(Self(read))
    }
}

/// An array of at most 2048 texts, strictly increasing by UTF-16 code units.
#[derive(Debug, Clone)]
pub(crate) struct Sorted<T>(UpTo<T, 2048>);

impl<T> Deref for Sorted<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Shape + AsRef<str>> Shape for Sorted<T> {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let list = UpTo::<T, 2048>::read(json, place, issues)?;
        match first_unsorted(list.iter().map(AsRef::as_ref)) {
            None => Some(Self(list)),
            Some(index) => issues.add(&place.item(index), "does not come after the item before it"),
        }
    }
}

/// The place of the first text that is not greater than the one before it, by UTF-16 code units.
pub(crate) fn first_unsorted<'a>(texts: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut previous: Option<&str> = None;
    for (index, text) in texts.enumerate() {
        if previous.is_some_and(|previous| compare_names(previous, text) != Ordering::Less) {
            return Some(index);
        }
        previous = Some(text);
    }
    None
}

/// An object with any members of any JSON.
#[derive(Debug, Clone)]
pub(crate) struct Open(pub(crate) Object);

impl Shape for Open {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        match Json::read(json, place, issues)? {
            Json::Object(object) => Some(Self(object)),
            _ => issues.add(place, "is not an object"),
        }
    }
}
