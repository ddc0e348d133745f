//! `runmill evidence verify` of bundles that other programs made: reads the files, hands them to the verifier, says how it
//! came out.
//!
//! Nothing is created and nothing but the named files and bodies is opened: no store, no socket, no checkout.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::OwnedFd,
    path::{Component, Path, PathBuf},
};

use runmill_evidence::{
    Artifacts, BodyFault, Check, CheckOutcome, Documents, EvidenceError, Report, ReportPaths, Strictness, Thoroughness,
    Verification, Verifier, artifacts::BODY_LIMIT, error::Document, json::DOCUMENT_LIMIT, timestamp::Instant,
};
use runmill_model::{Code, Digest, Problem};
use rustix::{
    fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat},
    io::Errno,
};
use serde::Serialize;

/// What every verification is given.
#[derive(Debug, Clone, clap::Args)]
pub struct VerifyArgs {
    /// The bundle: a signed run, or another program's delivery or terminal cleanup bundle
    pub bundle: PathBuf,
    /// The trust document: which keys may sign, and when
    #[arg(long, value_name = "FILE")]
    pub trust: PathBuf,
    /// What the bundle must be about; write it from sources of your own, never from the bundle
    #[arg(long, value_name = "FILE")]
    pub expectations: PathBuf,
    /// Where bodies are that the bundle names by digest: `DIR/HEX` or `DIR/sha256/HEX`; each is hashed again
    #[arg(long, value_name = "DIR")]
    pub artifacts_dir: Option<PathBuf>,
    /// Refuse on advisory findings too
    #[arg(long)]
    pub strict: bool,
    /// List everything that was checked and how it came out
    #[arg(long)]
    pub explain: bool,
}

/// Verifies and returns the exit code: 0 verified, 3 refused, 1 unusable input.
///
/// # Errors
/// Writing to `out` or `err` failed.
pub fn verify(args: &VerifyArgs, json: bool, quiet: bool, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<u8> {
    match judge(args) {
        Err(fault) if json => write_json(out, &fault.document()).map(|()| UNUSABLE),
        Err(fault) => fault.write(err).map(|()| UNUSABLE),
        Ok((verification, report)) => {
            if json {
                write_json(out, &report)?;
            } else {
                write_human(out, &verification, args, quiet)?;
            }
            Ok(if verification.outcome.is_ok() { VERIFIED } else { REFUSED })
        }
    }
}

pub const VERIFIED: u8 = 0;
pub const UNUSABLE: u8 = 1;
pub const REFUSED: u8 = 3;

fn judge(args: &VerifyArgs) -> Result<(Verification, Report), Fault> {
    let bundle = read_document(Document::Bundle, &args.bundle, DOCUMENT_LIMIT)?;
    let trust = read_document(Document::Trust, &args.trust, DOCUMENT_LIMIT)?;
    let expectations = read_document(Document::Expectations, &args.expectations, DOCUMENT_LIMIT)?;
    let directory = args.artifacts_dir.as_deref().map(ArtifactDirectory::open).transpose()?;
    let thoroughness = if args.explain { Thoroughness::Everything } else { Thoroughness::FirstFailure };
    let verifier = Verifier {
        now: now(),
        strictness: if args.strict { Strictness::Refuse } else { Strictness::Report },
        thoroughness,
        artifacts: directory.as_ref().map(|directory| directory as &dyn Artifacts),
    };
    let documents = Documents { bundle: &bundle, trust: &trust, expectations: &expectations };
    let verification = verifier.verify(&documents).map_err(|error| Fault::of_evidence(&error, args))?;
    let report = Report::new(&verification, thoroughness, paths(args));
    Ok((verification, report))
}

/// The paths as a report tells them.
pub fn paths(args: &VerifyArgs) -> ReportPaths {
    ReportPaths {
        bundle_path: shown(&args.bundle),
        trust_path: shown(&args.trust),
        expectations_path: shown(&args.expectations),
        artifacts_directory: args.artifacts_dir.as_deref().map(shown),
    }
}

/// The time of day.
#[expect(clippy::disallowed_methods, reason = "the command line is where the clock is read")]
pub fn now() -> Instant {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Instant::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Reads a regular file that is no symbolic link and has at most `limit` bytes.
pub fn read_document(document: Document, path: &Path, limit: u64) -> Result<Vec<u8>, Fault> {
    let fault = |reason: &str| Fault::new(format!("the {document} `{}` {reason}", path.display()), DOCUMENT_HELP);
    let file = openat(CWD, path, OPEN_FILE, Mode::empty()).map_err(|errno| fault(&open_fault(errno)))?;
    let stat = fstat(&file).map_err(|errno| fault(&open_fault(errno)))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(fault("is not a regular file"));
    }
    let mut bytes = Vec::new();
    let read = File::from(file).take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| fault(&format!("cannot be read: {error}")))?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length > limit {
        let bytes = length.max(u64::try_from(stat.st_size).unwrap_or(length));
        let error = EvidenceError::TooLarge { document, bytes, limit };
        return Err(Fault::new(error.to_string(), error.help()));
    }
    Ok(bytes)
}

const DOCUMENT_HELP: &str = "name a regular file that may be read, and no symbolic link to one";
const DIRECTORY_HELP: &str =
    "name the directory that holds the bodies, or the store above its `sha256`, and no symbolic link to it";

/// A link is not followed, and a pipe that took the place of a file does not block.
const OPEN_FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const OPEN_DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

fn open_fault(errno: Errno) -> String {
    match errno {
        Errno::LOOP => "is a symbolic link".to_owned(),
        Errno::NOENT => "does not exist".to_owned(),
        other => format!("cannot be opened: {}", io::Error::from(other)),
    }
}

/// A directory with artifact bodies named by their digest, and the `sha256` directory of a store inside it.
pub struct ArtifactDirectory {
    flat: OwnedFd,
    store: Option<OwnedFd>,
}

impl ArtifactDirectory {
    /// Opens a directory, and no symbolic link to one.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let fault =
            |reason: &str| Fault::new(format!("the artifact directory `{}` {reason}", path.display()), DIRECTORY_HELP);
        if path.to_string_lossy().contains(char::is_control) {
            return Err(fault("has control characters in its name"));
        }
        // Without a trailing `/` or `/.`, which would make the system follow a link.
        let plain = absolute(path);
        let flat = openat(CWD, &plain, OPEN_DIRECTORY, Mode::empty()).map_err(|errno| match errno {
            Errno::LOOP | Errno::NOTDIR => fault("is not a directory, or a symbolic link"),
            other => fault(&open_fault(other)),
        })?;
        let store = openat(&flat, "sha256", OPEN_DIRECTORY, Mode::empty()).ok();
        Ok(Self { flat, store })
    }

    fn open_body(&self, hex: &str) -> Result<OwnedFd, BodyFault> {
        let opened = match openat(&self.flat, hex, OPEN_FILE, Mode::empty()) {
            Err(Errno::NOENT) => match &self.store {
                Some(store) => openat(store, hex, OPEN_FILE, Mode::empty()),
                None => Err(Errno::NOENT),
            },
            opened => opened,
        };
        opened.map_err(|errno| match errno {
            Errno::NOENT => BodyFault::Missing,
            // NXIO is a socket, or a pipe nobody writes to.
            Errno::LOOP | Errno::NXIO => BodyFault::NotRegular,
            other => unreadable(other),
        })
    }
}

impl Artifacts for ArtifactDirectory {
    fn read(&self, digest: &Digest, piece: &mut dyn FnMut(&[u8])) -> Result<(), BodyFault> {
        let body = self.open_body(&digest.hex())?;
        let before = fstat(&body).map_err(unreadable)?;
        if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
            return Err(BodyFault::NotRegular);
        }
        if before.st_nlink != 1 {
            return Err(BodyFault::Linked);
        }
        let size = u64::try_from(before.st_size).unwrap_or(u64::MAX);
        if size > BODY_LIMIT {
            return Err(BodyFault::TooLarge);
        }
        let length = read_pieces(&body, size, piece)?;
        let after = fstat(&body).map_err(unreadable)?;
        if length != size || state(&before) != state(&after) { Err(BodyFault::Changed) } else { Ok(()) }
    }
}

/// Hands over what the file has, in pieces of up to 256 KiB, and returns how many bytes that were.
fn read_pieces(body: &OwnedFd, size: u64, piece: &mut dyn FnMut(&[u8])) -> Result<u64, BodyFault> {
    const PIECE: usize = 256 * 1024;
    // One byte more than there should be, so that one read sees a small body and its end.
    let capacity = usize::try_from(size).map_or(PIECE, |size| size.saturating_add(1).min(PIECE));
    let mut buffer = vec![0; capacity];
    let mut length: u64 = 0;
    loop {
        let count = match rustix::io::read(body, &mut buffer) {
            Ok(0) => return Ok(length),
            Ok(count) => count,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(unreadable(errno)),
        };
        length = length.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        if length > BODY_LIMIT {
            return Err(BodyFault::TooLarge);
        }
        piece(buffer.get(..count).unwrap_or_default());
    }
}

/// What changes when a file changes: device, inode, size, modification time.
fn state(stat: &Stat) -> (u64, u64, i64, i64, i64) {
    (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or(0))
}

fn unreadable(errno: Errno) -> BodyFault {
    BodyFault::Unreadable(io::Error::from(errno).to_string())
}

/// The path as it is reported: absolute, without `.` and `..`.
fn shown(path: &Path) -> String {
    absolute(path).to_string_lossy().into_owned()
}

fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// An input that cannot be judged, as RM-EVIDENCE-001.
pub struct Fault {
    message: String,
    help: &'static str,
    labels: Vec<LabelMember>,
}

impl Fault {
    /// A fault without a place.
    pub fn new(message: String, help: &'static str) -> Self {
        Self { message, help, labels: Vec::new() }
    }

    /// The fault of a document, with the file it is in.
    pub fn of_evidence(error: &EvidenceError, args: &VerifyArgs) -> Self {
        let mut fault = Self::new(error.to_string(), error.help());
        if let EvidenceError::Json { document, fault: place } = error {
            let path = match document {
                Document::Bundle => &args.bundle,
                Document::Trust => &args.trust,
                Document::Expectations => &args.expectations,
            };
            let file = path.display().to_string();
            fault.labels.push(LabelMember {
                file,
                line: place.line,
                column: place.column,
                text: place.message.clone(),
            });
        }
        fault
    }

    /// As others tell their problems.
    pub fn problem(self) -> Problem {
        Problem::new(Code::Evidence001, self.message, self.help)
    }

    /// As `runmill.error/v1`.
    pub fn document(&self) -> impl Serialize + '_ {
        ErrorDocument {
            schema: "runmill.error/v1",
            code: Code::Evidence001,
            message: &self.message,
            help: self.help,
            labels: &self.labels,
        }
    }

    /// As a person reads it.
    pub fn write(&self, err: &mut dyn Write) -> io::Result<()> {
        writeln!(err, "{}: {}", Code::Evidence001, self.message)?;
        writeln!(err, "  help: {}", self.help)
    }
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    schema: &'static str,
    code: Code,
    message: &'a str,
    help: &'static str,
    labels: &'a [LabelMember],
}

#[derive(Serialize)]
struct LabelMember {
    file: String,
    line: usize,
    column: usize,
    text: String,
}

/// Writes a document and ends the line.
pub fn write_json(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}

fn write_human(out: &mut dyn Write, verification: &Verification, args: &VerifyArgs, quiet: bool) -> io::Result<()> {
    if args.explain && !quiet {
        for check in &verification.checks {
            write_check(out, check)?;
        }
    }
    if !quiet && !args.explain {
        for finding in &verification.findings {
            writeln!(out, "advice ({}): {}", finding.name, finding.message)?;
        }
    }
    match &verification.outcome {
        Ok(_) if quiet => Ok(()),
        Ok(verified) => {
            let level = if verified.bodies.is_some() {
                "statement, signature and artifact bodies"
            } else {
                "statement and signature"
            };
            writeln!(out, "verified {} by `{}`: {level}", verified.bundle_digest, verified.key_id)
        }
        Err(refusal) => writeln!(out, "refused ({}): {}", refusal.class, refusal.reason),
    }
}

/// Writes one check that was made, in a line.
pub fn write_check(out: &mut dyn Write, check: &Check) -> io::Result<()> {
    let mark = match check.outcome {
        CheckOutcome::Passed => "passed",
        CheckOutcome::Failed => "FAILED",
        CheckOutcome::Advised => "advice",
        CheckOutcome::Skipped => "skipped",
    };
    write!(out, "{mark:<8}{:<17}{}", check.class.as_str(), check.name)?;
    if !check.subject.is_empty() {
        write!(out, " `{}`", check.subject)?;
    }
    if !check.reason.is_empty() {
        write!(out, ": {}", check.reason)?;
    }
    writeln!(out)
}
