//! `runmill runs gc`: old records go, the lines of their runs stay.

use std::time::Duration;

use clap::Args;
use runmill_host::clock::Clock;
use runmill_manifest::ByteSize;
use runmill_model::{Problems, RunId};
use runmill_store::{Collected, Retention, Store};
use serde::Serialize;

use crate::{
    args::{Format, Global},
    command::stored,
    exit::Exit,
    render::{self, Output},
};

const DAY: u64 = 24 * 60 * 60;
/// What goes when nobody says: older than this, and the oldest beyond this size.
const OLD: Duration = Duration::from_secs(90 * DAY);
const LARGE: u64 = 2 << 30;
/// These many runs never go, however old and large they are, unless somebody says otherwise.
const NEWEST: usize = 10;

/// `runmill runs gc`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without a flag, records older than 90 days go, and the oldest ones until the rest takes no more \
                        than 2 GiB. What a kept record stands on never goes."
)]
pub struct GcArgs {
    /// Remove records that ended longer ago than this, such as `30d` or `12h`
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Option<Duration>,
    /// Remove the oldest records until the rest takes no more than this, such as `500MiB`
    #[arg(long, value_name = "SIZE")]
    max_size: Option<ByteSize>,
    /// Never remove the newest records, this many
    #[arg(long, value_name = "N", default_value_t = NEWEST)]
    keep: usize,
    /// Say what would go, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

/// `runmill.collection/v1`.
#[derive(Debug, Serialize)]
struct CollectionDocument<'a> {
    schema: &'static str,
    dry_run: bool,
    /// The runs whose records went, oldest first.
    runs: &'a [RunId],
    blobs: u64,
    bytes: u64,
    kept_runs: u64,
    kept_bytes: u64,
}

/// Removes what is not kept.
pub fn run(global: &Global, args: &GcArgs, output: &Output) -> Result<Exit, Problems> {
    let dir = stored::state_dir(global)?;
    let now = Clock::System.now();
    let retention = retention(args);
    let collected = if stored::is_blank(&dir) {
        Ok(Collected::default())
    } else if args.dry_run {
        Store::read(&dir).and_then(|store| store.plan_gc(&retention, now))
    } else {
        Store::open(&dir).and_then(|store| store.gc(&retention, now))
    };
    let collected = collected.map_err(|error| error.problem())?;
    if output.format() == Format::Json {
        let Collected { runs, blobs, bytes, kept_runs, kept_bytes } = &collected;
        return Ok(output.document(&CollectionDocument {
            schema: "runmill.collection/v1",
            dry_run: args.dry_run,
            runs,
            blobs: *blobs,
            bytes: *bytes,
            kept_runs: *kept_runs,
            kept_bytes: *kept_bytes,
        }));
    }
    let done = if args.dry_run { render::runs::Done::Planned } else { render::runs::Done::Removed };
    let (paint, width) = output.style();
    Ok(output.text(&render::runs::collection(&collected, done, paint, width), Exit::Ready))
}

/// What was asked for alone, or the default.
fn retention(args: &GcArgs) -> Retention {
    let asked = args.older_than.is_some() || args.max_size.is_some();
    let (older_than, max_bytes) =
        if asked { (args.older_than, args.max_size.map(ByteSize::bytes)) } else { (Some(OLD), Some(LARGE)) };
    Retention { older_than, max_bytes, keep_latest: args.keep, ..Retention::default() }
}

/// A whole number and `s`, `m`, `h` or `d`.
pub fn age(text: &str) -> Result<Duration, String> {
    let wrong = || "write a whole number and a unit, such as `30d`, `12h` or `90m`".to_owned();
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => DAY,
        _ => return Err(wrong()),
    };
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: Option<u64> = digits.then(|| number.parse().ok()).flatten();
    number.and_then(|number| number.checked_mul(seconds)).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ages_in_days_and_less_and_refuses_anything_else() {
        assert_eq!(age("30d"), Ok(Duration::from_secs(30 * DAY)));
        assert_eq!(age("12h"), Ok(Duration::from_secs(12 * 3600)));
        assert_eq!((age("0s"), age("5m")), (Ok(Duration::ZERO), Ok(Duration::from_secs(300))));
        for wrong in
            ["", "d", "30", "-1d", "+1d", "1.5h", "30 d", "3w", "é", "99999999999999999999d", "18446744073709551615d"]
        {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_wish_replaces_the_whole_default_and_the_newest_stay() {
        let asking = |older_than, max_size| GcArgs { older_than, max_size, keep: NEWEST, dry_run: false };
        let kept = |args: GcArgs| {
            let Retention { older_than, max_bytes, keep_latest, .. } = retention(&args);
            (older_than, max_bytes, keep_latest)
        };
        assert_eq!(kept(asking(None, None)), (Some(OLD), Some(LARGE), NEWEST));
        assert_eq!(kept(asking(Some(Duration::ZERO), None)), (Some(Duration::ZERO), None, NEWEST));
        let size = ByteSize::new(5).unwrap();
        assert_eq!(kept(asking(None, Some(size))), (None, Some(5), NEWEST));
    }
}
