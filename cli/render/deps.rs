//! Prepared dependencies, as a person sees them.

use runmill_provision::{Standing, Whose};

use super::{
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};
use crate::command::deps::{Entry, PreparedDocument, StatusDocument};

/// What was prepared.
pub fn prepared(document: &PreparedDocument, paint: Paint) -> String {
    if document.dependencies.is_empty() {
        return format!("no check at {} names dependencies, so nothing was prepared\n", document.commit.short());
    }
    let mut out = String::new();
    for receipt in &document.dependencies {
        let mut what = match receipt.ecosystem {
            Whose::Operator => "as the policy names it".to_owned(),
            Whose::Ecosystem(_) => count(receipt.packages.len(), "package"),
        };
        if !receipt.omitted.is_empty() {
            what.push_str(&format!(", {} left out as optional", receipt.omitted.len()));
        }
        let place = match receipt.ecosystem {
            // The one thing that is in it is the directory.
            Whose::Operator => receipt.packages.iter().map(|path| plain::text(path)).collect(),
            Whose::Ecosystem(ecosystem) => place(ecosystem.as_str(), receipt.dir.as_str()),
        };
        out.push_str(&format!("{} {}  {what}\n", paint.text(Tone::Good, "✓"), paint.text(Tone::Strong, &place)));
        out.push_str(&format!("  {}\n", paint.text(Tone::Faint, &receipt.fingerprint.to_string())));
    }
    let number = count(document.dependencies.len(), "set");
    out.push_str(&format!("\n{number} of dependencies prepared as {} locks them\n", document.commit.short()));
    out
}

/// How everything stands.
pub fn status(document: &StatusDocument, paint: Paint, width: usize) -> String {
    let name = format!("{} {}", plain::text(&document.revision), document.commit.short());
    if document.dependencies.is_empty() {
        return format!("no check at {name} names dependencies\n");
    }
    let mut out = String::new();
    document.dependencies.iter().for_each(|found| entry(&mut out, found, paint, width));
    out.push_str(&format!("\nagainst what {name} locks\n"));
    out
}

fn entry(out: &mut String, entry: &Entry, paint: Paint, width: usize) {
    let (tone, mark, word) = match entry.standing {
        Standing::Prepared => (Tone::Good, "✓", "prepared"),
        Standing::Present => (Tone::Good, "✓", "installed, not prepared yet"),
        Standing::Ahead => (Tone::Bad, "✗", "ahead"),
        Standing::Behind => (Tone::Bad, "✗", "behind"),
        Standing::Missing => (Tone::Bad, "✗", "missing"),
        Standing::Stale => (Tone::Bad, "✗", "stale"),
    };
    let place = place(&entry.ecosystem, entry.cwd.as_str());
    out.push_str(&format!("{} {}  {word}\n", paint.text(tone, mark), paint.text(Tone::Strong, &place)));
    let flow = Flow::new(width.max(40));
    let mut wrapped = |text: &str, first: &str| {
        flow.labelled(first, text).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    };
    entry.message.iter().for_each(|text| wrapped(text, "  "));
    entry.help.iter().for_each(|text| wrapped(text, "  fix: "));
}

/// What was removed.
pub fn collected(removed: usize, kept: usize, in_use: usize) -> String {
    format!("{removed} removed, {kept} kept, {in_use} in use\n")
}

fn place(ecosystem: &str, dir: &str) -> String {
    if dir == "." { ecosystem.to_owned() } else { format!("{ecosystem} in {}", plain::text(dir)) }
}
