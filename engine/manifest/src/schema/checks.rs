//! The shape of `.runmill/checks.yaml`.

use super::shape::{Member, Shape};
use crate::checks::{Duplicates, Ecosystem, Identity, LimitSettings, MAX_CHECKS, MAX_SCRATCH, ReportFormat};

/// The form of a check's id.
pub(super) const ID: &str = "^[A-Za-z0-9][A-Za-z0-9._:-]*$";
/// The form of a variable's name.
pub(super) const ENV: &str = "^[A-Za-z_][A-Za-z0-9_]*$";
/// A path inside the checkout.
const PATH: &str = "^(?!/|~|.*\\\\|(.*/)?\\.\\.(/|$)).+$";
const TIME: &str = "^[1-9][0-9]*[smh]$";
const SIZE: &str = "^[1-9][0-9]*(B|KiB|MiB|GiB)$";

pub(super) fn document() -> Shape {
    Shape::object([
        Shape::constant(1).doc("The version of this file's form.").default(1).named("version"),
        checks("The checks that a change must pass. An empty list blocks every change.").needed("checks"),
        Shape::list(path_rule())
            .doc("Rules that require checks when certain paths changed, beside those that are always required.")
            .named("paths"),
    ])
}

/// A list of checks.
pub(super) fn checks(doc: &str) -> Shape {
    let most = u64::try_from(MAX_CHECKS).unwrap_or(u64::MAX);
    Shape::list(check()).doc(&format!("{doc} At most {most}."))
}

fn check() -> Shape {
    Shape::object(members()).one_of(["run", "argv"]).doc("A named command that must pass.")
}

fn members() -> Vec<Member> {
    vec![
        id("Its name, unique in this file.").needed("id"),
        Shape::text().doc("What it is, for people.").named("description"),
        Shape::text()
            .doc("The command, split into words by the rules of POSIX. No shell is involved: for `&&`, `|`, `>` and variables write `argv: [sh, -c, ..]`.")
            .named("run"),
        Shape::some(Shape::any_text()).doc("The program and its arguments, word by word.").named("argv"),
        Shape::flag()
            .doc("Whether every change must pass it. `false`: only where something else requires it, such as a path rule or a proposal.")
            .default(true)
            .named("required"),
        time("How long one run may take, such as `90s`, `10m` or `2h`; at most 30 days.").default("10m").named("timeout"),
        path("The directory it runs in, inside the checkout.").default(".").named("cwd"),
        environment().named("env"),
        report().named("report"),
        Shape::list(declared_skip())
            .doc("Tests that may be skipped or missing, each with its reason. Needs a `report`. A declaration counts once it is on the target branch.")
            .named("declared_skips"),
        Shape::list(path("A directory."))
            .doc(&format!("Directories it writes into: empty and private for each run. Git must ignore them. At most {MAX_SCRATCH}, none inside another."))
            .named("scratch"),
        Shape::list(Shape::words(Ecosystem::ALL.iter().map(|word| word.as_str())))
            .doc("Whose installed dependencies it needs: they are held against the lock file of the commit, and laid over the tree read-only.")
            .named("dependencies"),
        limits("What one run may use.").named("limits"),
    ]
}

/// An id of a check.
pub(super) fn id(doc: &str) -> Shape {
    Shape::pattern(ID).doc(doc)
}

/// A duration.
pub(super) fn time(doc: &str) -> Shape {
    Shape::pattern(TIME).doc(doc)
}

/// A path inside the checkout.
pub(super) fn path(doc: &str) -> Shape {
    Shape::pattern(PATH).doc(doc)
}

/// Names of variables.
pub(super) fn env_names(doc: &str) -> Shape {
    Shape::list(Shape::pattern(ENV)).doc(doc)
}

fn environment() -> Shape {
    Shape::object([
        env_names("Variables to pass on from the environment runmill was started in.").named("allow"),
        Shape::map(ENV, Shape::any_text()).doc("Variables and their values.").named("set"),
    ])
    .doc("Variables beside those that every check has. Those that inject code or lead to an agent are the operator's to allow.")
}

fn report() -> Shape {
    let words = |words: &[&'static str]| Shape::words(words.iter().copied());
    let all = |doc: &str, spellings: Vec<&'static str>| words(&spellings).doc(doc);
    Shape::object([
        path("Where the command writes it, from the root of the checkout. It must not be committed.").needed("path"),
        all("Its form.", ReportFormat::ALL.iter().map(|word| word.as_str()).collect()).needed("format"),
        all("What tells two tests of a JUnit report apart, beside the name.", Identity::ALL.iter().map(|word| word.as_str()).collect())
            .default(Identity::Classname.as_str())
            .named("identity"),
        all("What an id that is listed more than once means: the report is refused, or the entries count together and all must pass.", Duplicates::ALL.iter().map(|word| word.as_str()).collect())
            .default(Duplicates::Reject.as_str())
            .named("duplicates"),
        Shape::flag()
            .doc("Whether the reporter replaces the file by renaming another one onto it.")
            .default(false)
            .named("atomic"),
    ])
    .doc("The test report that the command writes: what proves which tests ran.")
}

fn declared_skip() -> Shape {
    Shape::object(skip_members())
}

/// What every declaration has.
pub(super) fn skip_members() -> Vec<Member> {
    vec![
        Shape::text().doc("The test's id, exactly as the report shows it.").needed("test_id"),
        Shape::text().doc("Why.").needed("cause"),
        Shape::text().doc("The id the test has now.").named("renamed_to"),
    ]
}

/// Limits, each of which may be left out.
pub(super) fn limits(doc: &str) -> Shape {
    let size = |doc: &str, default: &str| Shape::pattern(SIZE).doc(doc).default(default);
    Shape::object([
        size("Memory of all its processes together.", "4GiB").named("memory"),
        Shape::whole(1..=u64::from(LimitSettings::MAX_PROCESSES))
            .doc("Processes and threads at one time.")
            .default(512)
            .named("processes"),
        size("Bytes of each stream of output; more ends the run.", "64MiB").named("output"),
        size("The largest file it may write.", "1GiB").named("file_size"),
    ])
    .doc(doc)
}

fn path_rule() -> Shape {
    Shape::object([
        Shape::some(Shape::text())
            .doc("Patterns as in `.gitignore`. Either name of a renamed file counts.")
            .needed("match"),
        Shape::some(id("The id of a check.")).doc("The checks that are required then.").needed("require"),
    ])
}
