//! `runmill evidence keygen`: a signing key and its public half.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::{SignedDuration, Timestamp};
use runmill_evidence::SigningKey;
use runmill_host::clock::Clock;
use runmill_model::{Code, Problem, Problems};
use serde::Serialize;
use zeroize::Zeroizing;

use super::key_file::{self, NamedKey, Readers};
use crate::{exit::Exit, render::Output};

/// Make a signing key (Ed25519), and the entry by which others trust it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Writes the private key, readable by its owner only, and beside it `KEY.pub.json` for `evidence trust add`. Nothing is written over.

The key may sign for a year from now on; change `valid_until` in the entry before it is trusted, where that is not wanted.")]
pub struct KeygenArgs {
    /// The new file for the private key, such as `ci.pem`
    #[arg(long, value_name = "KEY.pem")]
    out: Utf8PathBuf,
    /// How signatures name the key [default: `ed25519:` and 16 hex digits of its digest]
    #[arg(long, value_name = "ID", value_parser = key_id)]
    key_id: Option<String>,
}

/// How long a new key may sign.
const VALID: SignedDuration = SignedDuration::from_hours(365 * 24);

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    key_id: &'a str,
    private_key: &'a Utf8Path,
    public_key: &'a Utf8Path,
    valid_from: &'a str,
    valid_until: Option<&'a str>,
}

/// Makes the key and writes both files.
pub fn run(args: &KeygenArgs, output: &Output) -> Result<Exit, Problems> {
    let mut seed = Zeroizing::new([0; 32]);
    let filled = rustix::rand::getrandom(&mut *seed, rustix::rand::GetRandomFlags::empty());
    if filled != Ok(seed.len()) {
        let message = "the system gives no random bytes to make a key from";
        return Err(Problem::new(Code::Evidence003, message, "try again when the machine has started").into());
    }
    let key = SigningKey::from_seed(&seed);
    let id = args.key_id.clone().unwrap_or_else(|| key.default_id());
    let named = NamedKey { id, key };
    let from = whole_second(Clock::System.now());
    let entry = key_file::entry(&named, from, from.checked_add(VALID).ok())?;
    let pem = named.key.to_pem().map_err(|error| error.problem(args.out.as_str()))?;
    let public = key_file::public_path(&args.out);
    let text = serde_json::to_string_pretty(&entry).unwrap_or_default() + "\n";
    // The public half first: where it cannot be written, no key is left without one.
    key_file::create(&public, &text, Readers::Everybody)?;
    if let Err(problem) = key_file::create(&args.out, &pem, Readers::Owner) {
        let _still_there = std::fs::remove_file(&public);
        return Err(problem.into());
    }
    let document = Document {
        schema: "runmill.keygen/v1",
        key_id: &entry.key_id,
        private_key: &args.out,
        public_key: &public,
        valid_from: &entry.valid_from,
        valid_until: entry.valid_until.as_deref(),
    };
    let said = || {
        let until = entry.valid_until.as_deref().unwrap_or("for ever");
        let (out, id) = (&args.out, &entry.key_id);
        format!(
            "made the key `{id}`\n  may sign until {until}\n  {out}  keep it secret; whoever has it signs as you\n  {public}  \
             give it to those who verify: `runmill evidence trust add`"
        )
    };
    Ok(output.show(&document, said, Exit::Ready))
}

fn whole_second(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// As trust documents have it.
pub fn key_id(text: &str) -> Result<String, String> {
    let first = text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    let rest = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte));
    if first && rest && text.len() <= 256 {
        Ok(text.to_owned())
    } else {
        Err("write 1 to 256 letters, digits and `. _ : -`, starting with a letter or digit".to_owned())
    }
}
