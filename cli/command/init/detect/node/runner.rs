//! The test runner a script starts, and the flags that make it write a report.

use crate::command::init::draft::REPORT;

/// A script of `package.json`.
pub struct Script<'s> {
    text: &'s str,
    /// The runner that further words of the command line reach.
    pub runner: Option<Runner>,
    /// Words after the runner's name.
    arguments: Vec<&'s str>,
}

/// Runners whose flags are known, see `docs/reporters.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    Vitest,
    /// It reports through the package jest-junit.
    JestWithoutReporter,
    Mocha,
    NodeTest,
}

impl<'s> Script<'s> {
    /// Looks at the last command of a script: that is where the manager appends words.
    pub fn of(text: &'s str) -> Self {
        let last = text.rsplit("&&").next().unwrap_or(text).trim();
        let is_plain = !last.contains(['|', ';', '>', '<', '&', '`', '$', '(']);
        let mut words = last.split_whitespace().skip_while(|word| leads(word));
        let mut nothing = Self { text, runner: None, arguments: Vec::new() };
        if !is_plain {
            return nothing;
        }
        let program = words.next().unwrap_or_default();
        let arguments: Vec<_> = words.collect();
        let says = |flag: &str| arguments.iter().any(|word| word.trim_start_matches('-').starts_with(flag));
        let runner = match program {
            "vitest" if !says("watch") => Some(Runner::Vitest),
            "jest" if !says("watch") => Some(Runner::JestWithoutReporter),
            "mocha" if !says("watch") => Some(Runner::Mocha),
            "node" if arguments.contains(&"--test") && !says("watch") => Some(Runner::NodeTest),
            _ => None,
        };
        // Whoever chose a reporter knows where it writes, and we do not.
        nothing.runner = runner.filter(|_| !says("reporter") && !says("test-reporter") && !says("outputFile"));
        nothing.arguments = arguments;
        nothing
    }

    /// The whole command, where words at the end of the script would not reach the runner: node reads no flag after a file.
    pub fn whole(&self, runner: Runner) -> Option<Vec<String>> {
        let files = self.arguments.iter().any(|word| !word.starts_with('-'));
        if runner != Runner::NodeTest || !files {
            return None;
        }
        let flags = runner.flags().join(" ");
        let command = self.text.replacen("--test", &format!("--test {flags}"), 1);
        let needs_shell =
            self.text.contains(['*', '?', '[', '{', '~', '"', '\'', '\\', '&', '=']) || !self.text.starts_with("node ");
        if needs_shell {
            return Some(["sh", "-c", &command].map(str::to_owned).to_vec());
        }
        Some(command.split_whitespace().map(str::to_owned).collect())
    }
}

/// Words in front of a program: variables, and commands that start another one.
fn leads(word: &str) -> bool {
    matches!(word, "npx" | "cross-env" | "env") || (word.contains('=') && !word.starts_with('-'))
}

impl Runner {
    /// The flags that add a report to what it prints.
    pub fn flags(self) -> &'static [&'static str] {
        const _: () = assert!(REPORT.len() == 8, "the flags below spell it out");
        match self {
            Self::Vitest => &["--reporter=default", "--reporter=junit", "--outputFile.junit={report}"],
            Self::JestWithoutReporter => &["--reporters=default", "--reporters=jest-junit"],
            Self::Mocha => &["--reporter", "xunit", "--reporter-option", "output={report}"],
            Self::NodeTest => &[
                "--test-reporter=spec",
                "--test-reporter-destination=stdout",
                "--test-reporter=junit",
                "--test-reporter-destination={report}",
            ],
        }
    }

    /// The variables its reporter reads.
    pub fn env(self) -> Vec<(&'static str, String)> {
        match self {
            Self::JestWithoutReporter => [
                ("JEST_JUNIT_OUTPUT_FILE", REPORT),
                ("JEST_JUNIT_CLASSNAME", "{filepath}"),
                ("JEST_JUNIT_TITLE", "{classname} {title}"),
            ]
            .map(|(name, value)| (name, value.to_owned()))
            .to_vec(),
            Self::Vitest | Self::Mocha | Self::NodeTest => Vec::new(),
        }
    }
}
