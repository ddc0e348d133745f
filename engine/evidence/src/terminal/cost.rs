//! Dollars as micro-dollars, in exact decimal arithmetic.

use runmill_model::canonical::write_number;

use crate::shape::numbers::SAFE;

/// The amount in micro-dollars, rounded down on the shortest decimal text of the number; none beyond 2^53 - 1.
///
/// Multiplying the double would be wrong: 0.29 is a little less than 29/100 and would give 289999.
pub(super) fn micros(usd: f64) -> Option<i64> {
    let mut text = Vec::new();
    write_number(&mut text, usd).ok()?;
    let text = std::str::from_utf8(&text).ok()?;
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.trim_start_matches('+').parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    // The amount is `digits` times ten to the power of `scale`.
    let scale = exponent - i32::try_from(fraction.len()).ok()? + 6;
    let number: u128 = digits.parse().ok()?;
    let scaled = match u32::try_from(scale) {
        Ok(up) => number.checked_mul(10_u128.checked_pow(up)?)?,
        Err(_) => 10_u128.checked_pow(scale.unsigned_abs()).map_or(0, |unit| number / unit),
    };
    i64::try_from(scaled).ok().filter(|micros| *micros <= SAFE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_the_shortest_decimal_text() {
        for (usd, expect) in [
            (0.0, Some(0)),
            (0.29, Some(290_000)),
            (10.250_000_9, Some(10_250_000)),
            (1e-7, Some(0)),
            (5e-324, Some(0)),
            (1e-6, Some(1)),
            (1.999_999_9, Some(1_999_999)),
            (9_007_199_254.740_99, Some(9_007_199_254_740_990)),
            (9_007_199_254.740_992, None),
            (1e10, None),
            (1e21, None),
            (f64::MAX, None),
        ] {
            assert_eq!(micros(usd), expect, "{usd}");
        }
    }
}
