//! Jobs of continuous integration.

use super::{CiChoice, tree::Tree};

/// A CI whose job can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ci {
    Github,
    Gitlab,
}

/// What a job has to care for.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// A check without a report, which only a policy lets pass.
    pub policy: bool,
    /// Prepared dependencies.
    pub dependencies: bool,
}

impl Ci {
    /// The CIs to write for: the chosen one, or those the repository has.
    pub fn wanted(choice: Option<CiChoice>, tree: &Tree) -> Vec<Self> {
        match choice {
            Some(CiChoice::Github) => vec![Self::Github],
            Some(CiChoice::Gitlab) => vec![Self::Gitlab],
            Some(CiChoice::None) => Vec::new(),
            None => [Self::Github, Self::Gitlab].into_iter().filter(|ci| ci.is_used(tree)).collect(),
        }
    }

    fn is_used(self, tree: &Tree) -> bool {
        match self {
            Self::Github => tree.below(".github/workflows").next().is_some(),
            Self::Gitlab => tree.has(".gitlab-ci.yml"),
        }
    }

    /// Where its job is written, from the root.
    pub fn path(self) -> &'static str {
        match self {
            Self::Github => ".github/workflows/runmill.yml",
            Self::Gitlab => ".gitlab/runmill.yml",
        }
    }

    /// What a person must do to have the job run, and count.
    pub fn decision(self) -> &'static str {
        match self {
            Self::Github => {
                "`.github/workflows/runmill.yml`: fill in how runmill and the project's tools get onto the runner, then \
                 require the job `runmill` in the branch's protection"
            }
            Self::Gitlab => {
                "`.gitlab/runmill.yml`: add `include: [{ local: .gitlab/runmill.yml }]` to `.gitlab-ci.yml`, and fill in how \
                 runmill and the project's tools get into the image"
            }
        }
    }

    /// The text of its job.
    pub fn text(self, needs: Needs) -> String {
        let template = match self {
            Self::Github => include_str!("ci/github.yml"),
            Self::Gitlab => include_str!("ci/gitlab.yml"),
        };
        let keep = |line: &str| match line.trim_start() {
            line if line.starts_with("#if-policy ") => needs.policy,
            line if line.starts_with("#if-dependencies ") => needs.dependencies,
            line if line.starts_with("#if-no-policy ") => !needs.policy,
            _ => true,
        };
        let shown = |line: &str| {
            let marks = ["#if-policy ", "#if-no-policy ", "#if-dependencies "];
            marks.iter().fold(line.to_owned(), |line, mark| line.replacen(mark, "", 1))
        };
        template.lines().filter(|line| keep(line)).map(|line| shown(line) + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_yaml_and_names_the_target() {
        for ci in [Ci::Github, Ci::Gitlab] {
            for (policy, dependencies) in [(false, false), (true, false), (false, true), (true, true)] {
                let text = ci.text(Needs { policy, dependencies });
                let _: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
                assert!(!text.contains("#if"), "{text}");
                assert_eq!(text.contains("--policy"), policy, "{text}");
                assert_eq!(text.matches("runmill check").count(), 1, "{text}");
                assert_eq!(text.contains("lock files"), dependencies, "{text}");
            }
        }
    }
}
