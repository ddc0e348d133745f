//! A verdict as a check run of GitHub, within its limits.

use serde::{Deserialize, Serialize};

use crate::{
    api::RepositoryName,
    client::{Client, Page},
    refusal::Refusal,
};

/// How many annotations one question may carry.
const AT_ONCE: usize = 50;

/// How a check run ends. There is no word here for what GitHub shows in a friendly colour and lets pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// The verdict is ready.
    Success,
    /// It is anything else that is over.
    Failure,
}

/// A remark beside a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Annotation {
    /// The file, as a path in the repository.
    pub path: String,
    /// The 1-based line.
    pub start_line: u64,
    /// The last one.
    pub end_line: u64,
    /// `failure`, `warning` or `notice`.
    pub annotation_level: &'static str,
    /// At most 255 characters.
    pub title: String,
    /// At most 64 KB.
    pub message: String,
}

/// What is said of a commit.
#[derive(Debug, Clone)]
pub struct Announcement {
    /// The name of the check run.
    pub name: &'static str,
    /// The commit.
    pub head_sha: String,
    /// What the check run is known by when it is published again.
    pub external_id: String,
    /// How it ends; none while something is awaited.
    pub conclusion: Option<Conclusion>,
    /// One line.
    pub title: String,
    /// At most 65,535 characters.
    pub summary: String,
    /// At most 65,535 characters.
    pub text: String,
    /// In an order that is always the same.
    pub annotations: Vec<Annotation>,
}

/// A check run that says it.
#[derive(Debug, Clone, Deserialize)]
pub struct Published {
    /// The forge's number for it.
    pub id: u64,
    /// Where people see it.
    pub html_url: Option<String>,
    external_id: Option<String>,
    head_sha: String,
    output: Option<Told>,
}

#[derive(Debug, Clone, Deserialize)]
struct Told {
    annotations_count: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct Runs {
    total_count: u64,
    check_runs: Vec<Published>,
}

impl Page for Runs {
    type Item = Published;
    fn total(&self) -> Option<u64> {
        Some(self.total_count)
    }
    fn items(&self) -> &[Published] {
        &self.check_runs
    }
    fn number(item: &Published) -> Option<u64> {
        Some(item.id)
    }
}

#[derive(Serialize)]
struct Body<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_sha: Option<&'a str>,
    external_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusion: Option<Conclusion>,
    output: Output<'a>,
}

#[derive(Serialize)]
struct Output<'a> {
    title: &'a str,
    summary: &'a str,
    text: &'a str,
    annotations: &'a [Annotation],
}

/// Says it: anew, or in the place of what was said of the same run. Annotations that are there are not sent again. A check run
/// ends with the last question, so that one that was broken off is never a success.
///
/// # Errors
/// Why the forge did not take it.
pub fn publish(client: &Client<'_>, repository: &RepositoryName, it: &Announcement) -> Result<Published, Refusal> {
    let of_commit = repository.path(&["commits", &it.head_sha, "check-runs"]);
    let known = client.get_paged::<Runs>(&of_commit, &[("check_name", it.name), ("filter", "all")])?;
    let mut known =
        known.into_iter().find(|run| run.external_id.as_ref() == Some(&it.external_id) && run.head_sha == it.head_sha);
    let told = known.as_ref().and_then(|run| run.output.as_ref()?.annotations_count).unwrap_or(0);
    let left = it.annotations.get(told..).unwrap_or_default();
    let batches: Vec<&[Annotation]> = if left.is_empty() { vec![&[]] } else { left.chunks(AT_ONCE).collect() };
    let last = batches.len().saturating_sub(1);
    for (at, annotations) in batches.iter().enumerate() {
        let conclusion = it.conclusion.filter(|_| at == last);
        let body = |head_sha| Body {
            name: it.name,
            head_sha,
            external_id: &it.external_id,
            status: if conclusion.is_some() { "completed" } else { "in_progress" },
            conclusion,
            output: Output { title: &it.title, summary: &it.summary, text: &it.text, annotations },
        };
        let said: Published = match &known {
            None => client.post(&repository.path(&["check-runs"]), &body(Some(&it.head_sha)))?,
            Some(run) => client.patch(&repository.path(&["check-runs", &run.id.to_string()]), &body(None))?,
        };
        if said.head_sha != it.head_sha {
            return Err(client.unusable(&repository.path(&["check-runs"]), "it is about another commit"));
        }
        known = Some(said);
    }
    known.ok_or_else(|| client.unusable(&repository.path(&["check-runs"]), "nothing was said"))
}
