//! The operator's policy that `init` writes.

/// The name of the schema beside the policy.
pub const SCHEMA: &str = "policy.schema.json";

/// A policy under which a person owns the merge, and a check without a report is a warning.
pub const TEXT: &str = "\
# yaml-language-server: $schema=./policy.schema.json
#
# The operator's policy for one project. It lies outside of the repository, so that no change can edit it, and it outranks
# what the repository says. Everything it loosens is named in each verdict.
version: 1

# runmill judges, a person merges.
autonomy: pr-only

verification:
  # A check that writes no report cannot prove which tests ran. `true` blocks such a check; `false` warns.
  fail_on_skipped_check: false
";

#[cfg(test)]
mod tests {
    use runmill_manifest::policy;

    use super::*;

    #[test]
    fn is_a_policy_that_loosens_one_thing() {
        let policy = policy::parse("policy.yaml", TEXT).unwrap();
        assert!(!policy.verification().fails_on_skipped_check() && !policy.autonomy().is_unattended());
        assert_eq!(policy.relaxations().len(), 1);
        assert!(TEXT.starts_with(&format!("# yaml-language-server: $schema=./{SCHEMA}\n")));
    }
}
