//! Ratios of one run: what the line costs beside the floor under it.
//!
//! `cargo run --release -- verdict` judges 100,000 tests on each side, beside plain Rust on the same sealed graph.
//! `cargo run --release -- views RUNMILL [DIR]` judges three checks over 50,000 files, beside `git worktree add`.
//! `cargo run --release -- reports` reads reports of each format, beside other readers of the same bytes;
//! `cargo run --release -- reports memory` shows the peak with 60 MiB of captured output;
//! `cargo run --release -- reports write DIR` writes those reports, for the readers of other languages in `peers/`.
//! `cargo run --release -- packs` judges the cases of the built-in pack, and 100 rules beside the same in Rego.
//! Take the ratios, not the times; run it on a quiet machine, with DIR on a file system in memory.

mod packs;
mod reports;
mod verdict;
mod views;

use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["verdict"] => verdict::run(),
        ["packs"] => packs::run(),
        ["reports"] => reports::run(),
        ["reports", "memory"] => reports::memory(),
        ["reports", "write", dir] => reports::write(dir),
        ["views", runmill] => views::run(runmill, "/dev/shm"),
        ["views", runmill, dir] => views::run(runmill, dir),
        _ => {
            eprintln!("usage: runmill-bench verdict | packs | views RUNMILL [DIR] | reports [memory | write DIR]");
            std::process::exit(2);
        }
    }
}

/// The median time of the rounds of two contestants, alternated.
fn alternate(rounds: usize, mut one: impl FnMut(), mut other: impl FnMut()) -> (Duration, Duration) {
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ones.push(timed(&mut one));
        others.push(timed(&mut other));
    }
    (median(ones), median(others))
}

fn timed(work: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ratio(ours: Duration, floor: Duration) -> f64 {
    ours.as_secs_f64() / floor.as_secs_f64()
}
