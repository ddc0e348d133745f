//! Durations for people.

use std::time::Duration;

/// `0.3 s`, `2 min 5 s`.
pub fn exact(duration: Duration) -> String {
    match duration.as_secs() {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        whole => format!("{} min {} s", whole / 60, whole % 60),
    }
}

/// `3 s`, `10 min`, `1 h 5 min`: whole seconds, and nothing that is zero.
pub fn whole(duration: Duration) -> String {
    let (hours, minutes, seconds) = (duration.as_secs() / 3600, duration.as_secs() / 60 % 60, duration.as_secs() % 60);
    let parts = [(hours, "h"), (minutes, "min"), (if hours > 0 { 0 } else { seconds }, "s")];
    let told: Vec<_> =
        parts.iter().filter(|(many, _)| *many > 0).map(|(many, unit)| format!("{many} {unit}")).collect();
    if told.is_empty() { "0 s".to_owned() } else { told.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_matters_and_no_more() {
        let whole_of = |seconds| whole(Duration::from_secs(seconds));
        assert_eq!([0, 3, 60, 65, 600].map(whole_of), ["0 s", "3 s", "1 min", "1 min 5 s", "10 min"]);
        assert_eq!([3600, 7265].map(whole_of), ["1 h", "2 h 1 min"]);
        assert_eq!(exact(Duration::from_millis(340)), "0.3 s");
        assert_eq!(exact(Duration::from_secs(125)), "2 min 5 s");
    }
}
