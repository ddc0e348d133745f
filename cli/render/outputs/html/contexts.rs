//! What a forge reported about a required context.

use runmill_model::facts::RemoteCheck;

use super::{
    Page,
    markup::{code, line, text},
    top::moment,
};
use crate::render::outputs::told::Check;

impl Page<'_> {
    pub(super) fn context(&self, out: &mut String, check: &Check) {
        let found = self.observed(&check.id);
        let forge = self.graph.facts().forge.first();
        let asked = forge.map_or("No observation of a forge was given to this run.".to_owned(), |forge| {
            let repository = code(&forge.repository);
            format!(
                "As {repository} reported it at {}, for commit {}.",
                text(&moment(&forge.observed_at)),
                code(forge.sha.short())
            )
        });
        line(out, &format!("<p class=\"faint\">{asked}</p>"));
        if found.is_empty() {
            line(out, "<p class=\"empty\">Nothing was reported under this name.</p>");
            return;
        }
        line(out, "<ul class=\"judged-list\">");
        found.into_iter().for_each(|it| line(out, &reported(it)));
        line(out, "</ul>");
    }

    /// What the rules saw of it.
    fn observed(&self, context: &str) -> Vec<&RemoteCheck> {
        let facts = self.graph.facts();
        let declared = facts.remote_requirements.iter().find(|it| it.context.as_str() == context);
        let reported = facts.remote_checks.iter();
        declared.map(|declared| reported.filter(|check| declared.is_about(check)).collect()).unwrap_or_default()
    }
}

fn reported(it: &RemoteCheck) -> String {
    let by = it.app.as_deref().unwrap_or("a commit status");
    let workflow = it.workflow.as_deref().map(|path| format!(" in {}", code(path))).unwrap_or_default();
    let conclusion = it.conclusion.as_deref().unwrap_or("no conclusion yet");
    let times = [("started", &it.started_at), ("ended", &it.completed_at)];
    let times = times.into_iter().filter_map(|(word, at)| Some(format!(", {word} {}", text(&moment(at.as_deref()?)))));
    format!(
        "<li><p><b>{}</b>, {}, reported by {}{workflow}</p><p class=\"faint\">for commit {}{}</p></li>",
        text(conclusion),
        text(&it.status),
        text(by),
        code(it.head_sha.short()),
        times.collect::<String>()
    )
}
