//! File snapshots, redacted in one place: ids, digests, durations and temporary paths differ from run to run.

use super::{Repo, Runmill};

/// Compares `text` with `snapshots/<area>/<name>.snap`.
pub fn snapshot(repo: &Repo, area: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(format!("{}/snapshots/{area}", env!("CARGO_MANIFEST_DIR")));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.remove_input_file();
    let root = repo.root().to_str().unwrap();
    let root = root.replace('.', r"\.").replace('+', r"\+");
    settings.add_filter(&root, "[TMP]");
    settings.add_filter(r"sha256:[0-9a-f]{64}", "sha256:[DIGEST]");
    settings.add_filter(r"\b[0-9a-f]{40}\b", "[COMMIT]");
    settings.add_filter(r"\b[0-9a-f]{10}\b", "[SHORT]");
    // A colour ends in a letter, after which no word begins.
    settings.add_filter(r"(␛\[\d+m)[0-9a-f]{10}\b", "$1[SHORT]");
    // What follows a duration is padded to a column.
    settings.add_filter(r"\b\d+(\.\d+)? m?s +", "[TIME]  ");
    settings.add_filter(r"\b\d+(\.\d+)? m?s\b", "[TIME]");
    settings.add_filter(r"the slowest `[^`]+`", "the slowest `[CHECK]`");
    // Which limits a machine can enforce, and how, is noted where it is not all of them.
    settings.add_filter(r"(?m)^[^\n]*note: [^\n]* (memory|process) limit: [^\n]*\n(  [^\n]*\n)*", "");
    settings.add_filter(r"\b\d{8}t\d{6}-[0-9a-f]{8}\b", "[RUN]");
    settings.add_filter(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\b", "[WHEN]");
    settings.add_filter(r"\d+\.\d [KM]iB\b", "[SIZE]");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Runs a verb with and without colour, at 80 columns, and compares what it shows with `snapshots/<area>/<name>.snap` and
/// its coloured twin, after `steady` has taken out what only this screen lets differ.
#[track_caller]
pub fn screen(
    repo: &Repo,
    (area, name): (&str, &str),
    exit: i32,
    steady: fn(&str) -> String,
    run: impl Fn() -> Runmill,
) {
    for (color, suffix) in [("never", ""), ("always", "-colour")] {
        let output = run().args(["--color", color]).output();
        assert_eq!(output.exit, exit, "{}{}", output.stdout, output.stderr);
        let plain = color == "never";
        assert_eq!(output.stdout.contains('\u{1b}'), !plain, "{}", output.stdout);
        let wide = output.stdout.lines().find(|line| plain && line.chars().count() > 80);
        assert_eq!(wide, None, "more than 80 columns");
        let shown = output.stdout.replace('\u{1b}', "␛");
        snapshot(repo, area, &format!("{name}{suffix}"), &steady(&shown));
    }
}
