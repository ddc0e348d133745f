//! A verdict as a check run of GitHub: what of it fits, and that the rest was left out.

use runmill_forge::{Annotation, Announcement, Conclusion};

use super::{
    markdown,
    told::{Standing, Told},
};

/// GitHub's bound of summary and text, in characters.
const TEXT: usize = 65_535;
/// GitHub's bound of a title, in characters.
const TITLE: usize = 255;
/// GitHub's bound of a message is 64 KB; no character needs more than four bytes.
const MESSAGE: usize = 16_000;
/// Where remarks stand: findings are about checks, not about lines.
const PLACE: &str = ".runmill/checks.yaml";

/// What is said of the candidate.
pub fn announcement(told: &Told) -> Announcement {
    let conclusion = match told.verdict.as_str() {
        "ready" => Some(Conclusion::Success),
        "indeterminate" if !told.waiting.is_empty() => None,
        _ => Some(Conclusion::Failure),
    };
    let mut summary = format!("**{}**: {}. Run `{}`.\n", told.verdict, told.sentence(), told.run);
    for waiting in &told.waiting {
        summary.push_str(&format!("\nStill awaited: {}", waiting.told()));
    }
    if !told.relaxations.is_empty() {
        summary.push_str("\nRelaxed by the operator:\n");
        told.relaxations.iter().for_each(|relaxation| summary.push_str(&format!("- {relaxation}\n")));
    }
    Announcement {
        name: "runmill",
        head_sha: told.candidate.clone(),
        external_id: told.run.clone(),
        conclusion,
        title: cut(&format!("{}: {}", told.verdict, told.sentence()), TITLE),
        summary: cut(&summary, TEXT),
        text: cut(&markdown::verdict(told), TEXT),
        annotations: annotations(told),
    }
}

fn annotations(told: &Told) -> Vec<Annotation> {
    let remark = |level, title: &str, message: &str| Annotation {
        path: PLACE.to_owned(),
        start_line: 1,
        end_line: 1,
        annotation_level: level,
        title: cut(title, TITLE),
        message: cut(message, MESSAGE),
    };
    let mut all: Vec<Annotation> = Vec::new();
    for (standing, finding) in told.open() {
        let (level, word) = match standing {
            Standing::Blocks => ("failure", "blocks"),
            Standing::Open => ("failure", if finding.waiting { "waits" } else { "fault" }),
            Standing::Waived => ("warning", "waived"),
            Standing::Warns => ("warning", "warns"),
        };
        let mut message = format!("{}\n{}", finding.message, finding.fix);
        if let Some(waiver) = told.waiver(finding) {
            message.push_str(&format!("\nwaived by {} until {}: {}", waiver.approver, waiver.expires, waiver.reason));
        }
        finding.tests.iter().for_each(|test| message.push_str(&format!("\n{test}")));
        all.push(remark(level, &format!("{} {word}: {}", finding.code, finding.rule), &message));
    }
    all.extend(told.relaxations.iter().map(|relaxed| remark("warning", "relaxed by the operator", relaxed)));
    all
}

/// The text, or as much of it as fits beside the words that say how much is missing.
fn cut(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let note =
        |left_out: usize| format!("\n… {left_out} more characters are left out; `runmill inspect` has all of them");
    let kept = most.saturating_sub(note(length).chars().count());
    let start: String = text.chars().take(kept).collect();
    format!("{start}{}", note(length - kept))
}
