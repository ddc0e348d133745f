//! Manifests and a test runner in plain `sh`, so that any shape of suite is a list of lines.

/// `run.sh ID`: runs the tests that `ID.txt` lists, one a line as `pass|fail|skip NAME`, writes them as JUnit to
/// `ID.xml`, and exits 1 when one fails.
pub const RUNNER: &str = r#"
emit() {
    echo '<testsuite name="suite">'
    while read -r outcome name; do
        case $outcome in
            pass) echo "<testcase name=\"$name\"/>" ;;
            fail) echo "<testcase name=\"$name\"><failure message=\"no\"/></testcase>" ;;
            skip) echo "<testcase name=\"$name\"><skipped/></testcase>" ;;
        esac
    done < "$1.txt"
    echo '</testsuite>'
}
emit "$1" > "$1.xml"
! grep -q '^fail ' "$1.txt"
"#;

/// `.runmill/checks.yaml` with these checks.
pub fn manifest(checks: impl IntoIterator<Item = String>) -> String {
    let checks: String = checks.into_iter().collect();
    if checks.is_empty() { "checks: []\n".to_owned() } else { format!("checks:\n{checks}") }
}

/// A check that runs the tests of `ID.txt` and reports them in `ID.xml` (see [`RUNNER`]).
pub fn listed(id: &str) -> String {
    listed_with(id, "")
}

/// The same with further keys, one a line.
pub fn listed_with(id: &str, keys: &str) -> String {
    let report = format!("report: {{ path: {id}.xml, format: junit }}");
    check(id, &["sh", "run.sh", id], &format!("{report}\n{keys}"))
}

/// A check that runs a line of shell and reports nothing, with further keys, one a line.
pub fn shell(id: &str, script: &str, keys: &str) -> String {
    check(id, &["sh", "-c", script], keys)
}

fn check(id: &str, argv: &[&str], keys: &str) -> String {
    let argv = serde_json::to_string(argv).unwrap();
    let keys = keys.lines().filter(|line| !line.is_empty()).map(|line| format!("    {line}\n"));
    format!("  - id: {id}\n    argv: {argv}\n{}", keys.collect::<String>())
}
