//! Packs that are locked or signed: whether a folder still is what somebody vouched for.

use runmill_evidence::{
    run::{PackStatement, RunTrust},
    timestamp::Instant,
};
use runmill_host::clock::Clock;
use runmill_model::{Code, Problem, Problems};
use runmill_rules::Settings;

use crate::PackFolder;

/// The file of a pack that says what it is made of.
pub const LOCK: &str = "pack.lock.json";
/// The file of a pack that says who vouches for it.
pub const SIGNATURE: &str = "pack.sig.json";

/// What a pack is, to be locked or signed.
///
/// # Errors
/// What keeps the folder from being a pack.
pub fn statement(folder: &PackFolder, clock: Clock) -> Result<PackStatement, Problems> {
    let source = runmill_rules::assemble(folder.name(), folder.files(), &Settings::default())?;
    Ok(PackStatement {
        issued_at: clock.now().to_string(),
        name: source.name.to_string(),
        version: source.version,
        digest: source.digest,
        files: runmill_rules::judging_digests(folder.files()),
    })
}

/// The lock of a folder that is as it was locked.
///
/// # Errors
/// RM-POLICY-006: there is no lock, or something changed since; what, is named.
pub fn locked(folder: &PackFolder) -> Result<PackStatement, Problems> {
    let now = statement(folder, Clock::Fixed(Default::default()))?;
    let text = folder.files().get(LOCK).ok_or_else(|| {
        let message = format!("the pack `{}` has no `{LOCK}`", folder.name());
        Problem::new(Code::Policy006, message, "write it with `runmill rules lock`")
    })?;
    let lock: Lock = serde_json::from_str(text).map_err(|error| {
        let message = format!("the `{LOCK}` of `{}` is no lock: {error}", folder.name());
        Problem::new(Code::Policy006, message, "review the pack, then write it anew with `runmill rules lock`")
    })?;
    let was = PackStatement { files: lock.files, digest: lock.digest, ..now.clone() };
    unchanged(folder, &was, &now)?;
    Ok(now)
}

#[derive(serde::Deserialize)]
struct Lock {
    digest: runmill_model::Digest,
    files: std::collections::BTreeMap<String, runmill_model::Digest>,
}

/// The signed statement of a folder that is as it was signed, by whom it has to be, and who signed.
///
/// # Errors
/// RM-POLICY-006: it is not; what changed, is named.
pub fn verify(
    folder: &PackFolder,
    trust: &RunTrust,
    signer: Option<&str>,
    now: Instant,
) -> Result<(PackStatement, Vec<String>), Problem> {
    let refused = |why: String, help: &str| {
        Problem::new(Code::Policy006, format!("the pack `{}` is not accepted: {why}", folder.name()), help)
    };
    let signature = folder
        .files()
        .get(SIGNATURE)
        .ok_or_else(|| refused(format!("it has no `{SIGNATURE}`"), "have it signed with `runmill rules sign`"))?;
    let verified = PackStatement::verify(signature.as_bytes(), trust, signer, now);
    let (signed, signers) =
        verified.map_err(|refusal| refused(refusal.to_string(), "have it signed by a key that is trusted for it"))?;
    let is = statement(folder, Clock::Fixed(Default::default()));
    let is = is.map_err(|problems| refused(problems.to_string(), "repair the pack"))?;
    unchanged(folder, &signed, &is)?;
    Ok((signed, signers))
}

fn unchanged(folder: &PackFolder, was: &PackStatement, is: &PackStatement) -> Result<(), Problem> {
    let changed = was.changed(&is.files);
    if changed.is_empty() && was.digest == is.digest && was.name == is.name && was.version == is.version {
        return Ok(());
    }
    let what = if changed.is_empty() { "its digest is another".to_owned() } else { changed.join(", ") };
    let message = format!("the pack `{}` is not the one that was locked or signed: {what}", folder.name());
    let help = "review what changed, then lock and sign it again";
    Err(Problem::new(Code::Policy006, message, help))
}
