//! What a fact says that a fixture leaves out: everything in order, nothing found.

use runmill_model::{Digest, Kind};
use serde_json::{Value, json};

/// The fields of a fact of this kind and key.
///
/// # Errors
/// The key has not the form of such a key.
pub fn of(kind: Kind, key: &str) -> Result<Value, String> {
    let tree = Digest::of(b"tree").to_string();
    let nothing = Digest::of(b"").to_string();
    let fields = match kind {
        Kind::Change => json!({
            "observed_by": "orchestrator", "target": "a".repeat(40), "base": "a".repeat(40), "candidate": "c".repeat(40),
            "changed_paths": ["src/lib.rs"], "mode": "pr-only", "contains_target": true, "read_from": "base-ref",
            "focus_markers": [], "new_test_files": [], "test_files": [], "merged": null, "conflicts": [],
            "target_branch": "main",
        }),
        Kind::Policy => json!({
            "observed_by": "operator", "digest": null, "mode": "pr-only", "fail_on_missing_check": true,
            "fail_on_skipped_check": true, "isolation": "namespaces", "checkout": "sealed", "tree_hash": "content",
        }),
        Kind::MergePolicy => json!({
            "observed_by": "operator", "mode": "pr-only", "automatic_merge": false, "manifest": ".runmill/checks.yaml",
        }),
        Kind::ApprovalPath => json!({ "observed_by": "operator", "pattern": key, "usable": true, "matched": [] }),
        Kind::ApprovalLabel => json!({ "observed_by": "operator", "label": key }),
        Kind::ApprovalCondition => json!({ "observed_by": "operator", "condition": key }),
        Kind::Budgets => json!({
            "observed_by": "operator", "max_cost_per_issue_micros": null, "daily_cost_micros": null,
            "daily_window": null, "max_wall_minutes_per_issue": null, "cost_enforcement": null,
            "clamp_invocation_timeout_to_remaining": null, "max_invocations": null,
            "max_implementer_invocations": null, "max_local_review_invocations": null,
            "max_fixer_invocations": null, "max_pr_review_invocations": null, "max_pr_fixer_invocations": null,
        }),
        Kind::RecordedVerdict => json!({
            "observed_by": "orchestrator", "run": "20300101t000000-1", "outcome": "ready", "facts_digest": nothing,
            "reproduced": true, "satisfied": [], "waiting": [], "relaxations": [],
        }),
        Kind::Check => json!({
            "observed_by": "repository", "id": key, "description": null, "origin": "repository", "required": true,
            "required_by_candidate": true, "in_target": true, "in_candidate": true, "redefined_by_candidate": false,
            "argv": ["run", key], "cwd": ".", "timeout_ms": 600_000, "report_path": null, "report_format": null,
            "identity": null, "duplicates": null, "definition_digest": Digest::of(key.as_bytes()).to_string(),
            "baseline": null, "folder": ".",
        }),
        Kind::PathRule => {
            let [origin, position, require] = parts(key, '#')?;
            let position: u32 = position.parse().map_err(|_| format!("`{position}` is no position"))?;
            json!({
                "observed_by": "repository", "origin": origin, "position": position, "patterns": [], "require": require,
            })
        }
        Kind::RemoteRequirement => json!({
            "observed_by": "operator", "context": key, "app": null, "workflow": null, "in_policy": true,
            "in_protection": false,
        }),
        Kind::Forge => json!({
            "observed_by": "forge", "digest": nothing, "repository": "owner/name", "sha": "c".repeat(40),
            "base_branch": "main", "first_observed_at": "2030-01-01T00:00:00.000Z",
            "observed_at": "2030-01-01T00:05:00.000Z", "observed_for_ms": 300_000, "deadline_ms": 600_000,
            "deadline_at": "2030-01-01T00:10:00.000Z", "protection_readable": true,
            "labels": null,
        }),
        Kind::RemoteCheck => {
            let (context, position) = key.rsplit_once('#').unwrap_or((key, ""));
            let position: u32 = position.parse().map_err(|_| format!("`{key}` has no position after a `#`"))?;
            json!({
                "observed_by": "forge", "context": context, "position": position, "app": "github-actions",
                "workflow": ".github/workflows/ci.yml", "suite": "1", "number": null, "head_sha": "c".repeat(40),
                "status": "completed", "conclusion": "success", "started_at": "2030-01-01T00:01:00.000Z",
                "completed_at": "2030-01-01T00:04:00.000Z",
            })
        }
        Kind::Declaration => {
            let [check, origin, test_id] = parts(key, '#')?;
            json!({
                "observed_by": "repository", "check": check, "test_id": test_id, "cause": "agreed", "renamed_to": null,
                "origin": origin, "in_target": true, "in_candidate": true, "counts": true,
            })
        }
        Kind::Proposal => json!({ "observed_by": "agent", "text": key }),
        Kind::Requirement => {
            let [of, name] = parts(key, ':')?;
            let named = |kind: &str| (of == kind).then_some(name);
            let source = if of == "context" { "github" } else { "repository-policy" };
            json!({
                "observed_by": "orchestrator", "check": named("check"), "context": named("context"),
                "sources": [source], "reasons": ["required"],
            })
        }
        Kind::Invocation => {
            let [check, side] = parts(key, '@')?;
            let commit = if side == "base" { "a" } else { "c" };
            json!({
                "observed_by": "orchestrator", "check": check, "side": side, "executor": "orchestrator",
                "commit": commit.repeat(40), "status": "passed", "exit_code": 0, "signal": null, "duration_ms": 1_000,
                "tree_before": tree, "tree_after": tree, "isolation": "namespaces", "checkout": "sealed",
                "reused_from": null, "sandbox_digest": nothing, "platform_digest": nothing, "dependencies_digest": null,
                "stdout_digest": nothing, "stdout_bytes": 0, "stdout_truncated": false,
                "stderr_digest": nothing, "stderr_bytes": 0, "stderr_truncated": false,
                "leftovers": 0, "zero_test_notices": [], "focus_notices": [], "skipped_in_output": null, "notes": [],
            })
        }
        Kind::Report => {
            let [check, side] = parts(key, '@')?;
            json!({
                "observed_by": "orchestrator", "check": check, "side": side, "state": "accepted", "format": "junit",
                "digest": null, "reason": null, "message": null, "fix": null, "line": null, "column": null,
                "test_id": null, "passed": [], "failed": [], "skipped": [], "flaky": [], "repeats": [], "warnings": [],
            })
        }
        Kind::PriorRun => {
            let [check, run] = parts(key, '@')?;
            json!({
                "observed_by": "orchestrator", "run": run, "check": check, "commit": "c".repeat(40), "status": "failed",
                "ended_at": "2030-01-01T00:00:00Z",
            })
        }
        Kind::Waiver => json!({
            "observed_by": "operator", "fingerprint": key, "reason": "agreed", "approver": "owner",
            "expires": "2030-01-01", "expired": false,
        }),
        Kind::Worktree => json!({
            "observed_by": "orchestrator", "root": "/project", "head": "a".repeat(40), "changed_paths": ["src/lib.rs"],
            "diff": tree, "head_after": "a".repeat(40), "changed_paths_after": ["src/lib.rs"], "diff_after": tree,
            "expected_head": null, "expected_diff": null,
        }),
        Kind::Command => json!({
            "observed_by": "orchestrator", "id": key, "defined": true, "version": "1",
            "definition_digest": Digest::of(key.as_bytes()).to_string(), "argv": ["run", key], "timeout_ms": 600_000,
            "sandbox": "read-only", "required": false, "executor": "orchestrator", "status": "passed", "exit_code": 0,
            "signal": null, "duration_ms": 1_000, "stdout_digest": nothing, "stdout_bytes": 0,
            "stderr_digest": nothing, "stderr_bytes": 0, "notes": [],
        }),
        Kind::Session => json!({
            "observed_by": "orchestrator", "session": "20300101t000000-1",
            "sandbox_mode": "workspace-write", "contract_digest": tree, "max_attempts": 3, "attempts": 0, "missing": [],
        }),
        Kind::Event => {
            let place: u32 = key.parse().map_err(|_| format!("`{key}` is no place of six digits"))?;
            json!({
                "observed_by": "orchestrator", "place": place, "kind": "begun",
                "name": null, "profile": null, "began": null, "outcome": null, "sandbox": null,
                "definition_digest": null, "diff_before": null, "diff_after": null,
            })
        }
    };
    Ok(fields)
}

fn parts<const N: usize>(key: &str, separator: char) -> Result<[&str; N], String> {
    let parts: Vec<_> = key.splitn(N, separator).collect();
    parts.try_into().map_err(|_| format!("`{key}` is no key of {N} parts with `{separator}` between them"))
}
