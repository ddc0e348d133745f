//! Questions to a person at a terminal.

use std::io::{self, BufRead, IsTerminal, Write};

/// Asks, where somebody is there to answer.
pub struct Asker {
    answers: Answers,
}

enum Answers {
    /// Nobody is asked; what is proposed is taken.
    Proposed,
    /// A person types them.
    Typed,
    #[cfg(test)]
    Scripted(std::collections::VecDeque<bool>),
}

impl Asker {
    /// Asks a person at a terminal, unless `silent`.
    pub fn new(silent: bool) -> Self {
        let person = !silent && io::stdin().is_terminal() && io::stdout().is_terminal();
        Self { answers: if person { Answers::Typed } else { Answers::Proposed } }
    }

    /// One that gives these answers.
    #[cfg(test)]
    pub fn scripted(answers: &[bool]) -> Self {
        Self { answers: Answers::Scripted(answers.iter().copied().collect()) }
    }

    /// Yes or no; `proposed` where nobody answers.
    pub fn is_wanted(&mut self, question: &str, proposed: bool) -> bool {
        match &mut self.answers {
            Answers::Proposed => proposed,
            Answers::Typed => typed(question, proposed, &mut io::stdin().lock(), &mut io::stdout().lock()),
            #[cfg(test)]
            Answers::Scripted(answers) => answers.pop_front().expect("a question that was expected"),
        }
    }
}

/// Asks until the answer is one; the end of the input is the proposal.
fn typed(question: &str, proposed: bool, input: &mut impl BufRead, output: &mut impl Write) -> bool {
    let choice = if proposed { "[Y/n]" } else { "[y/N]" };
    loop {
        let asked = write!(output, "{question} {choice} ").and_then(|()| output.flush());
        let mut line = String::new();
        if asked.is_err() || input.read_line(&mut line).map_or(true, |bytes| bytes == 0) {
            return proposed;
        }
        match line.trim().to_lowercase().as_str() {
            "" => return proposed,
            "y" | "yes" => return true,
            "n" | "no" => return false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_yes_no_or_the_proposal() {
        let mut said = Vec::new();
        let mut ask = |proposed, text: &str| typed("Really?", proposed, &mut text.as_bytes(), &mut said);
        assert!(ask(true, "\n") && !ask(false, "\n") && ask(false, "yes\n") && !ask(true, "N\n"));
        assert!(ask(true, "") && ask(false, "what\ny\n"));
        assert!(String::from_utf8(said).unwrap().contains("Really? [y/N] "));
    }
}
