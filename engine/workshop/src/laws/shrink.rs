//! Fewer facts with the same effect, until each one that is left is needed.

use runmill_model::Kind;

use crate::cases::Observations;

/// As few facts as possible, and those as plain as possible, so that something `still` holds.
pub(super) fn shrunk(observations: &Observations, still: impl Fn(&Observations) -> bool) -> Observations {
    let mut left = observations.clone();
    loop {
        let smaller = candidates(&left).find(|smaller| still(smaller));
        match smaller {
            Some(smaller) => left = smaller,
            None => return left,
        }
    }
}

/// Everything that is one step smaller: without a fact, then with a field as a fixture has it by itself, then with one item
/// fewer in a list.
fn candidates(observations: &Observations) -> impl Iterator<Item = Observations> {
    let removable = observations.keys().filter(|(kind, _)| !matches!(kind, Kind::Change | Kind::Policy));
    let facts = removable.map(|(kind, key)| observations.without(*kind, key));
    facts.chain(observations.plainer()).chain(observations.shorter())
}
