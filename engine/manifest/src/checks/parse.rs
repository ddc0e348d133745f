//! Nodes to a manifest.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::{CheckId, RepoPath};

use super::{
    Check, ChecksManifest, DEFAULT_TIMEOUT, DeclaredSkip, Duplicates, Ecosystem, Identity, LimitSettings, MAX_CHECKS,
    MAX_PATTERNS, MAX_SCRATCH, PathRule, ReportFormat, ReportSpec, check::Parts, path,
};
use crate::{
    Argv, ByteSize, EnvClass, EnvName, Environment, PathPattern,
    faults::{Fault, Faults, Span},
    invalid::{InvalidValue, quoted},
    yaml::{self, Entries, Node},
};

/// Who wrote a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The repository: may not name variables that inject code or reach agents.
    Repository,
    /// The operator: may, and every check of theirs is required.
    Operator,
}

pub(super) fn manifest(root: &Node, faults: &mut Faults) -> Option<ChecksManifest> {
    let mut entries = Entries::of(root, "the manifest", faults)?;
    if let Some(node) = entries.get("version") {
        yaml::integer(node, "version", 1..=1, faults);
    }
    let checks = entries.need("checks", "write `checks:` with a list of checks; an empty list is `checks: []`", faults);
    let rules = entries.get("paths");
    entries.close(faults);

    let checks = checks.map(|node| self::checks(node, "checks", Author::Repository, faults)).unwrap_or_default();
    let paths = rules.map(|node| path_rules(node, faults)).unwrap_or_default();
    Some(ChecksManifest { checks, paths })
}

/// A list of checks with unique ids.
pub(crate) fn checks(node: &Node, what: &str, author: Author, faults: &mut Faults) -> Vec<Check> {
    let items = yaml::list(node, what, faults);
    if items.len() > MAX_CHECKS {
        let fault = Fault::new(format!("{} checks are more than {MAX_CHECKS}", items.len()), "merge some of them");
        faults.add(fault.at(node.span, "too many"));
        return Vec::new();
    }
    let mut seen = BTreeMap::new();
    items.iter().filter_map(|item| check(item, author, &mut seen, faults)).collect()
}

/// One check; `seen` has the ids before it and where they stand.
pub(crate) fn check(
    node: &Node,
    author: Author,
    seen: &mut BTreeMap<CheckId, Span>,
    faults: &mut Faults,
) -> Option<Check> {
    let mut entries = Entries::of(node, "a check", faults)?;
    let id = entries.need("id", "give it a unique name, such as `id: unit`", faults);
    let description = entries.get("description");
    let (run, argv) = (entries.get("run"), entries.get("argv"));
    let required = entries.get("required");
    let timeout = entries.get("timeout");
    let cwd = entries.get("cwd");
    let env = entries.get("env");
    let report = entries.get("report");
    let skips = entries.get("declared_skips");
    let scratch = entries.get("scratch");
    let dependencies = entries.get("dependencies");
    let limits = entries.get("limits");
    let start = entries.start();
    entries.close(faults);

    let id = id.and_then(|node| {
        let id = yaml::parsed(node, "id", faults, |text| {
            CheckId::new(text).map_err(|error| InvalidValue::of_id(text, &error))
        })?;
        if let Some(first) = seen.insert(id.clone(), node.span) {
            let fault = Fault::new(
                format!("two checks have the id {}", quoted(id.as_str())),
                "give each check an id of its own",
            );
            faults.add(fault.at(node.span, "again here").at(first, "first here"));
        }
        Some(id)
    });
    let description = description.and_then(|node| yaml::text(node, "description", faults)).map(str::to_owned);
    let argv = command(run, argv, start, faults);
    let required = required.and_then(|node| required_flag(node, author, faults)).unwrap_or(true);
    let timeout = timeout.and_then(|node| yaml::parsed(node, "timeout", faults, str::parse)).unwrap_or(DEFAULT_TIMEOUT);
    let cwd = cwd.and_then(|node| yaml::parsed(node, "cwd", faults, path::directory)).unwrap_or_else(RepoPath::root);
    let env = env.and_then(|node| environment(node, author, faults)).unwrap_or_default();
    let has_report = report.is_some();
    let report = report.and_then(|node| report_spec(node, faults));
    let declared_skips = skips.map(|node| declared_skips(node, has_report, faults)).unwrap_or_default();
    let scratch = scratch
        .map(|node| scratch_paths(node, report.as_ref().map(|(spec, span)| (&spec.path, *span)), faults))
        .unwrap_or_default();
    let dependencies = dependencies.map(|node| ecosystems(node, faults)).unwrap_or_default();
    let limits = limits.map(|node| self::limits(node, faults)).unwrap_or_default();

    let report = report.map(|(spec, _)| spec);
    let parts = Parts {
        id: id?,
        description,
        argv: argv?,
        required,
        timeout,
        cwd,
        env,
        report,
        declared_skips,
        scratch,
        dependencies,
        limits,
    };
    Check::new(parts).map_err(|error| faults.add(Fault::from(error).at(start, "this check"))).ok()
}

/// Exactly one of `run` and `argv`.
fn command(run: Option<&Node>, argv: Option<&Node>, start: Span, faults: &mut Faults) -> Option<Argv> {
    match (run, argv) {
        (Some(run), None) => {
            let line = yaml::text(run, "run", faults)?;
            match Argv::split(line) {
                Ok(argv) => Some(argv),
                Err(error) => {
                    let at = run.piece(error.range(), line, faults.text());
                    faults.add(Fault::from(error.problem().clone()).at(at, "here"));
                    None
                }
            }
        }
        (None, Some(node)) => {
            let items = yaml::list(node, "argv", faults);
            let words: Option<Vec<_>> =
                items.iter().map(|item| yaml::text_of(item, "argv", faults).map(str::to_owned)).collect();
            let broken = !matches!(node.value, yaml::Value::List(_));
            let words = words.filter(|_| !broken)?;
            Argv::new(words).map_err(|error| faults.add(Fault::from(error).at(node.span, "`argv`"))).ok()
        }
        (Some(run), Some(argv)) => {
            let fault = Fault::new("a check has both `run` and `argv`", "keep one of the two");
            faults.add(fault.at(argv.span, "and this").at(run.span, "this"));
            None
        }
        (None, None) => {
            let fault = Fault::new("a check has nothing to run", "add `run: npm test` or `argv: [npm, test]`");
            faults.add(fault.at(start, "no `run` and no `argv` in here"));
            None
        }
    }
}

fn required_flag(node: &Node, author: Author, faults: &mut Faults) -> Option<bool> {
    let required = yaml::flag(node, "required", faults)?;
    if author == Author::Operator && !required {
        faults.add(
            Fault::new("a command of the operator is always required", "remove `required`, or the command")
                .at(node.span, "here"),
        );
    }
    Some(required)
}

fn environment(node: &Node, author: Author, faults: &mut Faults) -> Option<Environment> {
    let mut entries = Entries::of(node, "`env`", faults)?;
    let (allow, set) = (entries.get("allow"), entries.get("set"));
    entries.close(faults);

    let mut env = Environment::default();
    for (name, span) in allow.map(|node| names(node, "allow", faults)).unwrap_or_default() {
        if may_name(&name, span, author, faults) {
            env.allow.insert(name);
        }
    }
    for (name, span, value) in set.map(|node| yaml::each(node, "set", faults)).unwrap_or_default() {
        let name = match EnvName::new(name) {
            Ok(name) => name,
            Err(error) => {
                faults.add(Fault::from(error).at(span, "name"));
                continue;
            }
        };
        let allowed = may_name(&name, span, author, faults);
        let Some(text) = yaml::text_of(value, name.as_str(), faults) else { continue };
        if text.contains('\0') {
            faults.add(
                Fault::new("a value holds a NUL character", "remove it; no program can be given one")
                    .at(value.span, "here"),
            );
        } else if env.allow.contains(&name) {
            let fault = Fault::new(format!("{} is both allowed and set", quoted(name.as_str())), "keep one of the two");
            faults.add(fault.at(span, "set here"));
        } else if allowed {
            env.set.insert(name, text.to_owned());
        }
    }
    Some(env)
}

/// A list of variable names, each once.
pub(crate) fn names(node: &Node, what: &str, faults: &mut Faults) -> Vec<(EnvName, Span)> {
    unique(node, what, faults, |text| EnvName::new(text))
}

fn may_name(name: &EnvName, span: Span, author: Author, faults: &mut Faults) -> bool {
    let why = match name.class() {
        EnvClass::Injection => "loads code into programs",
        EnvClass::Agent => "reaches an agent that holds keys",
        EnvClass::Credential | EnvClass::Plain => return true,
    };
    if author == Author::Operator {
        return true;
    }
    let fault = Fault::new(
        format!("{} {why}; a repository may not name it", quoted(name.as_str())),
        "only operator policy may: name it in `verification.environment.allow` of policy.yaml",
    );
    faults.add(fault.at(span, "refused"));
    false
}

fn report_spec(node: &Node, faults: &mut Faults) -> Option<(ReportSpec, Span)> {
    let mut entries = Entries::of(node, "a report", faults)?;
    let path = entries.need("path", "write where the command puts it, such as `path: reports/unit.xml`", faults);
    let format = entries.need("format", "write `junit`, `tap` or `go-json`", faults);
    let identity = entries.get("identity");
    let duplicates = entries.get("duplicates");
    let atomic = entries.get("atomic");
    entries.close(faults);

    let place = path.map(|node| node.span).unwrap_or(node.span);
    let path = path.and_then(|node| yaml::parsed(node, "path", faults, path::entry));
    let format = format.and_then(|node| yaml::word(node, "format", ReportFormat::ALL, ReportFormat::as_str, faults));
    let chosen = identity.and_then(|node| yaml::word(node, "identity", Identity::ALL, Identity::as_str, faults));
    let duplicates =
        duplicates.and_then(|node| yaml::word(node, "duplicates", Duplicates::ALL, Duplicates::as_str, faults));
    let atomic = atomic.and_then(|node| yaml::flag(node, "atomic", faults)).unwrap_or(false);

    let identity_of = chosen.unwrap_or(Identity::Classname);
    if let (Some(node), Some(format)) = (identity, format)
        && format != ReportFormat::Junit
        && identity_of != Identity::Classname
    {
        let fault =
            Fault::new(format!("a {format} report has one identity only"), "remove `identity`; it is for junit");
        faults.add(fault.at(node.span, "here"));
    }
    let spec = ReportSpec {
        path: path?,
        format: format?,
        identity: identity_of,
        duplicates: duplicates.unwrap_or(Duplicates::Reject),
        atomic,
    };
    Some((spec, place))
}

fn declared_skips(node: &Node, has_report: bool, faults: &mut Faults) -> Vec<DeclaredSkip> {
    let items = yaml::list(node, "declared_skips", faults);
    if !has_report && !items.is_empty() {
        let fault = Fault::new(
            "`declared_skips` needs a report to be held against",
            "declare a `report` for this check, or remove the skips",
        );
        faults.add(fault.at(node.span, "no report in this check"));
    }
    let mut seen = BTreeMap::new();
    let mut skips = Vec::new();
    for item in items {
        let Some(mut entries) = Entries::of(item, "a declared skip", faults) else { continue };
        let skip = SkipNodes::of(&mut entries, faults);
        entries.close(faults);
        let Some((skip, span)) = skip.read(faults) else { continue };
        if let Some(first) = seen.insert(skip.test_id.clone(), span) {
            let fault =
                Fault::new(format!("the test {} is declared twice", quoted(&skip.test_id)), "keep one of the two");
            faults.add(fault.at(span, "again here").at(first, "first here"));
        }
        skips.push(skip);
    }
    skips
}

/// The members every declaration has, the operator's too.
pub(crate) struct SkipNodes<'n> {
    test_id: Option<&'n Node>,
    cause: Option<&'n Node>,
    renamed_to: Option<&'n Node>,
}

impl<'n> SkipNodes<'n> {
    pub(crate) fn of(entries: &mut Entries<'n>, faults: &mut Faults) -> Self {
        Self {
            test_id: entries.need("test_id", "write the test's id exactly as the report shows it", faults),
            cause: entries.need("cause", "write why the test may be skipped", faults),
            renamed_to: entries.get("renamed_to"),
        }
    }

    /// The declaration and where its test id stands.
    pub(crate) fn read(self, faults: &mut Faults) -> Option<(DeclaredSkip, Span)> {
        let test_id =
            self.test_id.and_then(|node| yaml::text(node, "test_id", faults).map(|text| (text.to_owned(), node.span)));
        let cause = self.cause.and_then(|node| yaml::text(node, "cause", faults)).map(str::to_owned);
        let renamed_to = self.renamed_to.and_then(|node| yaml::text(node, "renamed_to", faults)).map(str::to_owned);
        let (test_id, span) = test_id?;
        if let (Some(node), true) = (self.renamed_to, renamed_to.as_ref() == Some(&test_id)) {
            faults.add(
                Fault::new("a test is renamed to itself", "write its new id, or remove `renamed_to`")
                    .at(node.span, "the same id"),
            );
        }
        Some((DeclaredSkip { test_id, cause: cause?, renamed_to }, span))
    }
}

fn scratch_paths(node: &Node, report: Option<(&RepoPath, Span)>, faults: &mut Faults) -> Vec<RepoPath> {
    let mut kept: Vec<(RepoPath, Span)> = Vec::new();
    let items = yaml::list(node, "scratch", faults);
    if items.len() > MAX_SCRATCH {
        let fault = Fault::new(
            format!("{} scratch directories are more than {MAX_SCRATCH}", items.len()),
            "declare the directory they are all in",
        );
        faults.add(fault.at(node.span, "too many"));
        return Vec::new();
    }
    for item in items {
        let Some(path) = yaml::parsed(item, "scratch", faults, path::entry) else { continue };
        let other =
            kept.iter().map(|(path, span)| (path, *span)).chain(report).find(|(other, _)| path::overlap(&path, other));
        match other {
            Some((other, span)) => {
                let fault = Fault::new(
                    format!("the scratch directory {} overlaps {}", quoted(path.as_str()), quoted(other.as_str())),
                    "keep scratch directories apart from each other and from the report",
                );
                faults.add(fault.at(item.span, "this").at(span, "and this"));
            }
            None => kept.push((path, item.span)),
        }
    }
    let mut paths: Vec<_> = kept.into_iter().map(|(path, _)| path).collect();
    paths.sort();
    paths
}

fn ecosystems(node: &Node, faults: &mut Faults) -> BTreeSet<Ecosystem> {
    let items = yaml::list(node, "dependencies", faults);
    let mut found = BTreeSet::new();
    for item in items {
        let Some(ecosystem) = yaml::word(item, "dependencies", Ecosystem::ALL, Ecosystem::as_str, faults) else {
            continue;
        };
        if !found.insert(ecosystem) {
            faults.add(
                Fault::new(format!("`{ecosystem}` is listed twice"), "keep one of the two").at(item.span, "again here"),
            );
        }
    }
    found
}

pub(crate) fn limits(node: &Node, faults: &mut Faults) -> LimitSettings {
    let Some(mut entries) = Entries::of(node, "`limits`", faults) else { return LimitSettings::default() };
    let memory = entries.get("memory");
    let processes = entries.get("processes");
    let output = entries.get("output");
    let file_size = entries.get("file_size");
    entries.close(faults);
    let mut size =
        |node: Option<&Node>, what| node.and_then(|node| yaml::parsed(node, what, faults, str::parse::<ByteSize>));
    let (memory, output, file_size) = (size(memory, "memory"), size(output, "output"), size(file_size, "file_size"));
    let processes = processes
        .and_then(|node| yaml::integer(node, "processes", 1..=u64::from(LimitSettings::MAX_PROCESSES), faults))
        .and_then(|number| u32::try_from(number).ok());
    LimitSettings { memory, processes, output, file_size }
}

fn path_rules(node: &Node, faults: &mut Faults) -> Vec<PathRule> {
    let mut left = MAX_PATTERNS;
    let mut rules = Vec::new();
    for item in yaml::list(node, "paths", faults) {
        let Some(mut entries) = Entries::of(item, "a path rule", faults) else { continue };
        let patterns =
            entries.need("match", "write the paths it is about, such as `match: [\"migrations/**\"]`", faults);
        let require = entries.need("require", "write the ids of the checks it requires", faults);
        entries.close(faults);
        let (Some(patterns), Some(require)) = (patterns, require) else { continue };
        let Some(rest) = left.checked_sub(patterns.items()) else {
            let fault = Fault::new(
                format!("the manifest holds more than {MAX_PATTERNS} path patterns"),
                "write fewer, wider ones",
            );
            faults.add(fault.at(patterns.span, "too many"));
            return rules;
        };
        left = rest;
        let matches = unique(patterns, "match", faults, |text| PathPattern::new(text));
        let ids = unique(require, "require", faults, |text| {
            CheckId::new(text).map_err(|error| InvalidValue::of_id(text, &error))
        });
        rules.push(PathRule {
            matches: at_least_one(matches, patterns, "match", faults),
            require: at_least_one(ids, require, "require", faults),
        });
    }
    rules
}

/// The values of a list whose emptiness would be a rule without effect.
fn at_least_one<T>(values: Vec<(T, Span)>, node: &Node, what: &str, faults: &mut Faults) -> Vec<T> {
    if matches!(&node.value, yaml::Value::List(items) if items.is_empty()) {
        faults.add(
            Fault::new(format!("{} is an empty list", quoted(what)), "name at least one, or remove the rule")
                .at(node.span, "empty"),
        );
    }
    values.into_iter().map(|(value, _)| value).collect()
}

/// The values of a list of texts, each once.
pub(crate) fn unique<T>(
    node: &Node,
    what: &str,
    faults: &mut Faults,
    parse: impl Fn(&str) -> Result<T, InvalidValue>,
) -> Vec<(T, Span)> {
    let mut seen = BTreeMap::new();
    let mut values = Vec::new();
    for item in yaml::list(node, what, faults) {
        let Some(value) = yaml::parsed(item, what, faults, &parse) else { continue };
        let yaml::Value::Text(text) = &item.value else { continue };
        if let Some(first) = seen.insert(text.as_str(), item.span) {
            let fault =
                Fault::new(format!("{} is listed twice in {}", quoted(text), quoted(what)), "keep one of the two");
            faults.add(fault.at(item.span, "again here").at(first, "first here"));
        }
        values.push((value, item.span));
    }
    values
}
