//! Annotations of GitHub Actions, as workflow commands.

use super::{
    NoVerdict,
    told::{Standing, Told},
};

/// Test ids told in one annotation.
const TESTS: usize = 10;

/// A verdict: what blocks first, and every relaxation.
pub fn verdict(told: &Told) -> String {
    let mut out = String::new();
    for (standing, finding) in told.open() {
        let (command, word) = match standing {
            Standing::Blocks => ("error", "blocks"),
            Standing::Open => ("error", if finding.waiting { "waits" } else { "fault" }),
            Standing::Waived => ("warning", "waived"),
            Standing::Warns => ("warning", "warns"),
        };
        let mut text = format!("{}\n{}", finding.message, finding.fix);
        if let Some(waiver) = told.waiver(finding) {
            text.push_str(&format!("\nwaived by {} until {}: {}", waiver.approver, waiver.expires, waiver.reason));
        }
        finding.tests.iter().take(TESTS).for_each(|test| text.push_str(&format!("\n{test}")));
        if finding.tests.len() > TESTS {
            text.push_str(&format!("\n{} more", finding.tests.len() - TESTS));
        }
        line(&mut out, command, &format!("{} {word}: {}", finding.code, finding.rule), &text);
    }
    told.relaxations.iter().for_each(|relaxation| line(&mut out, "warning", "relaxed by the operator", relaxation));
    told.waiting.iter().for_each(|waiting| line(&mut out, "notice", "still awaited", &waiting.told()));
    let command = if told.verdict == "ready" { "notice" } else { "error" };
    line(&mut out, command, &format!("runmill: {}", told.verdict), &format!("{}\nrun {}", told.sentence(), told.run));
    out
}

/// That there is no verdict, and why.
pub fn none(why: &NoVerdict<'_>) -> String {
    let mut out = String::new();
    for problem in why.problems.iter() {
        let text = format!("{}\n{}", problem.message, problem.help);
        line(&mut out, "error", &format!("{} no verdict", problem.code), &text);
    }
    out
}

/// One command. What a command or its properties could take for their own is written as GitHub reads it back.
fn line(out: &mut String, command: &str, title: &str, text: &str) {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = data(title).replace(':', "%3A").replace(',', "%2C");
    out.push_str(&format!("::{command} title={property}::{}\n", data(text)));
}
