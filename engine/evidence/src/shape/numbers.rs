//! Numbers and fixed values.

use super::{Issues, Place, Shape};
use crate::json::Json;

/// The largest integer that every double up to it represents: 2^53 - 1.
pub(crate) const SAFE: i64 = 9_007_199_254_740_991;

/// An integral number between two bounds, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Int<const LOW: i64, const HIGH: i64 = SAFE>(i64);

/// An integer from 0.
pub(crate) type Count = Int<0>;
/// An integer from 1.
pub(crate) type Positive = Int<1>;

impl<const LOW: i64, const HIGH: i64> Int<LOW, HIGH> {
    pub(crate) const fn get(self) -> i64 {
        self.0
    }
}

impl<const LOW: i64, const HIGH: i64> Shape for Int<LOW, HIGH> {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let safe = SAFE as f64;
        let number = match json {
            Json::Number(number) if number.fract() == 0.0 && (-safe..=safe).contains(number) => *number as i64,
            _ => return issues.add(place, "is not an integer"),
        };
        if (LOW..=HIGH).contains(&number) {
            Some(Self(number))
        } else {
            issues.add(place, format_args!("is not between {LOW} and {HIGH}"))
        }
    }
}

/// A finite number from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Amount(f64);

impl Amount {
    pub(crate) const fn get(self) -> f64 {
        self.0
    }
}

impl Shape for Amount {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        match json {
            Json::Number(number) if number.is_finite() && *number >= 0.0 => Some(Self(*number)),
            _ => issues.add(place, "is not a finite number from 0"),
        }
    }
}

/// The value `true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct True;

impl Shape for True {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        match json {
            Json::Bool(true) => Some(Self),
            _ => issues.add(place, "is not true"),
        }
    }
}

/// The value `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Null;

impl Shape for Null {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        match json {
            Json::Null => Some(Self),
            _ => issues.add(place, "is not null"),
        }
    }
}
