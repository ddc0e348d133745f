//! Closed objects: every member is required, no other is allowed.

use super::{Issues, Place, Shape};
use crate::json::{Json, Object};

/// The members of a closed object while they are read.
pub(crate) struct Members<'a> {
    object: &'a Object,
    place: &'a Place<'a>,
}

impl<'a> Members<'a> {
    /// The members of an object that may have no other names than these.
    pub(crate) fn of(json: &'a Json, place: &'a Place<'a>, names: &[&str], issues: &mut Issues) -> Option<Self> {
        let Json::Object(object) = json else { return issues.add(place, "is not an object") };
        for (name, _) in object.iter().filter(|(name, _)| !names.contains(name)) {
            issues.add::<()>(&place.member(name), "is not a member of this object");
        }
        Some(Self { object, place })
    }

    /// The members of an object that may have others too.
    pub(crate) fn of_open(json: &'a Json, place: &'a Place<'a>, issues: &mut Issues) -> Option<Self> {
        match json {
            Json::Object(object) => Some(Self { object, place }),
            _ => issues.add(place, "is not an object"),
        }
    }

    /// Reads one member.
    pub(crate) fn read<T: Shape>(&self, name: &str, issues: &mut Issues) -> Option<T> {
        let place = self.place.member(name);
        match self.object.get(name) {
            Some(json) => T::read(json, &place, issues),
            None => issues.add(&place, "is missing"),
        }
    }
}

/// Declares structs that are read from closed objects. A field is spelled like its member unless `= "name"` says otherwise.
macro_rules! closed {
    ($($(#[$meta:meta])* struct $name:ident { $($field:ident $(= $wire:literal)?: $type:ty,)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone)]
        #[allow(dead_code, reason = "a closed schema names every member, also those that only have to be well-formed")]
        pub(crate) struct $name { $(pub(crate) $field: $type,)* }

        impl $crate::shape::Shape for $name {
            fn read(
                json: &$crate::json::Json,
                place: &$crate::shape::Place<'_>,
                issues: &mut $crate::shape::Issues,
            ) -> Option<Self> {
                let names = [$($crate::shape::closed!(@wire $field $($wire)?)),*];
                let members = $crate::shape::Members::of(json, place, &names, issues)?;
                $(let $field = members.read($crate::shape::closed!(@wire $field $($wire)?), issues);)*
                Some(Self { $($field: $field?,)* })
            }
        }
    )*};
    (@wire $field:ident) => { stringify!($field) };
    (@wire $field:ident $wire:literal) => { $wire };
}

pub(crate) use closed;
