//! The packs of a run: the contract, which is always there, the operator's, those given for this run, and those of the
//! repository.

use camino::Utf8Path;
use runmill_evidence::{run::RunTrust, timestamp::Instant};
use runmill_host::clock::Clock;
use runmill_manifest::{OperatorPolicy, pack::ParamValue, policy};
use runmill_model::{Code, Level, PackName, Problem, Problems, gates, receipt, session, verdict::CONTRACT};
use runmill_policy::{Pack, PackSource, Registry};
use runmill_rules::Settings;

use crate::{CheckRequest, PolicyFile, repository_packs::at_revision, signed_pack};

pub use runmill_host::folder::Folder as PackFolder;

/// Reads a pack's folder.
///
/// # Errors
/// RM-POLICY-005: the folder cannot be read, or holds what no pack holds.
pub fn load(dir: &Utf8Path) -> Result<PackFolder, Problems> {
    runmill_host::folder::read(dir).map_err(|error| {
        Problem::new(Code::Policy005, error.to_string(), "name a folder that holds a `pack.kdl`").into()
    })
}

/// The packs of a run.
pub(crate) struct Packs {
    pub(crate) packs: Vec<Pack>,
    /// Packs of the repository in whose place the operator's own of that name judges.
    pub(crate) replaced: Vec<PackName>,
}

/// Loads every pack, checked, with the operator's parameters and levels. `repository` are the packs of the target, `revision`
/// what a person called it.
///
/// # Errors
/// Every problem of every pack; exit 2.
pub(crate) fn all(
    policy: &OperatorPolicy,
    request: &CheckRequest,
    repository: &[PackFolder],
    revision: &str,
    clock: Clock,
) -> Result<Packs, Problems> {
    let base =
        request.policy.as_ref().and_then(|file| Utf8Path::new(&file.name).parent()).unwrap_or(Utf8Path::new("."));
    refuse_changed_params(policy)?;
    refuse_settings_of_gates(policy)?;
    let load = Load::new(policy).trusting(request.policy.as_ref(), clock);
    let mut packs: Vec<Pack> = Vec::new();
    let mut problems = Vec::new();
    let used = policy.verification().packs();
    if !used.iter().any(|used| names_contract(used.source())) {
        collect(load.builtin(CONTRACT, &Settings::default()), &mut packs, &mut problems);
    }
    for used in used.iter().filter(|used| !judges_other_runs(used.source())) {
        collect(load.used(used, base), &mut packs, &mut problems);
    }
    let operators: Vec<PackName> = packs.iter().map(|pack| pack.name().clone()).collect();
    for folder in &request.packs {
        collect(load.added(folder), &mut packs, &mut problems);
    }
    let mut replaced = Vec::new();
    for folder in repository {
        match load.added(folder) {
            Ok(pack) if operators.contains(pack.name()) => replaced.push(pack.name().clone()),
            loaded => collect(loaded.map_err(|found| at_revision(found, revision)), &mut packs, &mut problems),
        }
    }
    let mut names: Vec<&PackName> = packs.iter().map(Pack::name).collect();
    names.sort();
    for pair in names.windows(2) {
        if let [a, b] = pair
            && a == b
        {
            let message = format!("two packs are both named `{a}`");
            problems.push(Problem::new(Code::Policy005, message, "give the added pack a name of its own"));
        }
    }
    Problems::from_list(problems).map_or(Ok(Packs { packs, replaced }), Err)
}

/// The built-in packs that judge receipts and sessions. What the operator says of them concerns those alone.
const OF_OTHER_RUNS: [&str; 2] = [receipt::REGISTRY, session::PROFILES];

fn judges_other_runs(source: &policy::PackSource) -> bool {
    matches!(source, policy::PackSource::Builtin(name) if OF_OTHER_RUNS.contains(&name.as_str()))
}

/// The gates of a merge judge as they are: to loosen one is to merge without it.
fn refuse_settings_of_gates(policy: &OperatorPolicy) -> Result<(), Problem> {
    let names = |used: &policy::PackUse| names_builtin(used.source(), gates::GATES);
    if !policy.verification().packs().iter().any(names) {
        return Ok(());
    }
    let message =
        format!("`{}` judges recorded runs in `runmill policy explain`, and nothing of it can be set", gates::GATES);
    Err(Problem::new(Code::Config002, message, "take it out of `packs`; what it asks for stands under `risk`"))
}

/// The built-in pack that judges a receipt or a session, with the operator's levels.
///
/// # Errors
/// RM-CONFIG-002: the operator names a rule or parameter that it does not have.
pub(crate) fn of_run(policy: &OperatorPolicy, name: &str) -> Result<Pack, Problems> {
    let load = Load::new(policy);
    let is_it =
        |used: &&policy::PackUse| matches!(used.source(), policy::PackSource::Builtin(own) if own.as_str() == name);
    match policy.verification().packs().iter().find(is_it) {
        Some(used) => load.used(used, Utf8Path::new(".")),
        None => load.builtin(name, &Settings::default()),
    }
}

/// What the operator loosened of such a pack.
pub(crate) fn relaxations_of(policy: &OperatorPolicy, name: &str) -> Vec<String> {
    let of_pack =
        |it: &policy::Relaxation| matches!(it, policy::Relaxation::Level { pack, .. } if pack.to_string() == name);
    policy.relaxations().iter().filter(|it| of_pack(it)).map(ToString::to_string).collect()
}

/// Findings are told apart by the pack they are from, so nobody else may speak as the floor or as a built-in pack.
fn refuse_taken_name(name: &PackName) -> Result<(), Problems> {
    if *name != PackName::floor() && !runmill_rules::builtin_names().contains(&name.as_str()) {
        return Ok(());
    }
    let message = format!("the pack name `{name}` is taken");
    Err(Problem::new(Code::Policy005, message, "give the added pack a name of its own").into())
}

/// Parameters of the contract that the operator set otherwise than they are by default.
pub(crate) fn changed_params(policy: &OperatorPolicy) -> Vec<String> {
    let used = policy.verification().packs().iter().filter(|used| names_contract(used.source()));
    used.flat_map(|used| used.params())
        .filter(|(name, given)| runmill_rules::builtin_default(CONTRACT, name).as_ref() != Some(given.value()))
        .map(|(name, given)| format!("pack {CONTRACT}: parameter {name} is {}", shown(given.value())))
        .collect()
}

fn shown(value: &ParamValue) -> String {
    match value {
        ParamValue::Bool(value) => value.to_string(),
        ParamValue::Int(value) => value.to_string(),
        ParamValue::Text(text) => format!("`{text}`"),
        ParamValue::List(texts) => format!("`{}`", texts.join("`, `")),
    }
}

/// Where a machine owns the merge, the contract judges as it is.
pub(crate) fn refuse_changed_params(policy: &OperatorPolicy) -> Result<(), Problems> {
    if !policy.autonomy().is_unattended() {
        return Ok(());
    }
    let problems = changed_params(policy).into_iter().map(|changed| {
        let message = format!("{changed}, which {} does not allow", policy.autonomy());
        Problem::new(
            Code::Config003,
            message,
            "take the parameter out, or let a person own the merge with `autonomy: pr-only`",
        )
    });
    Problems::from_list(problems.collect()).map_or(Ok(()), Err)
}

fn collect(loaded: Result<Pack, Problems>, packs: &mut Vec<Pack>, problems: &mut Vec<Problem>) {
    match loaded {
        Ok(pack) => packs.push(pack),
        Err(found) => problems.extend(found),
    }
}

fn names_contract(source: &policy::PackSource) -> bool {
    names_builtin(source, CONTRACT)
}

fn names_builtin(source: &policy::PackSource, wanted: &str) -> bool {
    matches!(source, policy::PackSource::Builtin(name) if name.as_str() == wanted)
}

/// How packs of this run are loaded.
pub(crate) struct Load {
    registry: Registry,
    /// Whether unproven coverage blocks.
    gates_on_skipped: bool,
    /// Who may sign packs, and the time of day; nobody where there is no trust document.
    trust: Option<(Vec<u8>, Instant)>,
}

impl Load {
    /// As a policy has it.
    pub(crate) fn new(policy: &OperatorPolicy) -> Self {
        let gates_on_skipped = policy.verification().fails_on_skipped_check();
        Self { registry: runmill_stdlib::registry(), gates_on_skipped, trust: None }
    }

    /// With the trust document beside the policy.
    pub(crate) fn trusting(self, file: Option<&PolicyFile>, clock: Clock) -> Self {
        let now = Instant::from_millis(clock.now().as_millisecond());
        Self { trust: file.and_then(|file| file.trust.clone()).map(|trust| (trust, now)), ..self }
    }

    /// Whether the key that the operator named signed this folder.
    fn refuse_unsigned(&self, folder: &PackFolder, signer: &str) -> Result<(), Problem> {
        let Some((trust, now)) = &self.trust else {
            let message =
                format!("the pack `{}` must be signed by `{signer}`, and nothing says who that is", folder.name());
            let help = "trust the key in `trust.json` beside the policy: `runmill evidence trust add`";
            return Err(Problem::new(Code::Policy006, message, help));
        };
        let trust = RunTrust::parse(trust).map_err(|error| {
            let message = format!("`trust.json` beside the policy cannot be used: {error}");
            Problem::new(Code::Policy006, message, "write it with `runmill evidence trust add`")
        })?;
        signed_pack::verify(folder, &trust, Some(signer), *now).map(|_| ())
    }

    fn builtin(&self, name: &str, settings: &Settings) -> Result<Pack, Problems> {
        self.pack(runmill_rules::builtin(name, settings)?)
    }

    /// A pack that is added, under its own settings.
    fn added(&self, folder: &PackFolder) -> Result<Pack, Problems> {
        let source = runmill_rules::assemble(folder.name(), folder.files(), &Settings::default())?;
        let pack = self.pack(source)?;
        refuse_taken_name(pack.name()).map(|()| pack)
    }

    /// A pack that the operator uses, under the operator's settings.
    pub(crate) fn used(&self, used: &policy::PackUse, base: &Utf8Path) -> Result<Pack, Problems> {
        let params = used.params().iter().map(|(name, given)| (name.clone(), given.value().clone())).collect();
        let settings = Settings { params, levels: used.levels().clone() };
        let pack = match used.source() {
            policy::PackSource::Builtin(name) => {
                if let Some(signer) = used.signer() {
                    let message =
                        format!("the built-in pack `{name}` is part of this program, and `{signer}` did not sign it");
                    return Err(Problem::new(Code::Policy006, message, "name it by `digest` instead").into());
                }
                self.builtin(name.as_str(), &settings)?
            }
            policy::PackSource::Directory(path) => {
                let folder = load(&base.join(path))?;
                used.signer().map_or(Ok(()), |signer| self.refuse_unsigned(&folder, signer))?;
                self.pack(runmill_rules::assemble(folder.name(), folder.files(), &settings)?)?
            }
        };
        if !matches!(used.source(), policy::PackSource::Builtin(_)) {
            refuse_taken_name(pack.name())?;
        }
        match used.digest() {
            Some(named) if named != pack.digest() => {
                let message = format!("pack `{}` is {}, and the operator named {named}", pack.name(), pack.digest());
                Err(Problem::new(Code::Policy006, message, "review the pack, then name its new digest").into())
            }
            _ => Ok(pack),
        }
    }

    /// `fail_on_skipped_check: false` turns RM-VERIFY-009 into a warning, and nothing else.
    pub(crate) fn pack(&self, source: PackSource) -> Result<Pack, Problems> {
        let pack = Pack::load(source.clone(), &self.registry)?;
        let unknown = source.levels.keys().filter(|id| !pack.rules().iter().any(|rule| rule.head.rule == **id));
        let unknown = unknown.map(|id| {
            let message = format!("pack `{}` has no rule `{id}`", pack.name());
            Problem::new(Code::Config002, message, "correct the id under `levels`, or take it out")
        });
        if let Some(problems) = Problems::from_list(unknown.collect()) {
            return Err(problems);
        }
        if self.gates_on_skipped {
            return Ok(pack);
        }
        let softened = pack.rules().iter().filter(|rule| rule.head.code == Code::Verify009);
        let softened = softened.filter(|rule| rule.operator_level != Some(Level::Off));
        let mut levels = source.levels.clone();
        levels.extend(softened.map(|rule| (rule.head.rule.clone(), Level::Warn)));
        Pack::load(PackSource { levels, ..source }, &self.registry)
    }
}
