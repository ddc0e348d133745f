//! What a forge reported about a required context.

use runmill_model::facts::RemoteCheck;

use super::{
    Page,
    markup::{code, line, text},
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
                text(&forge.observed_at),
                code(forge.sha.short())
            )
        });
        line(out, &format!("<p class=\"faint\">{asked}</p>"));
        if found.is_empty() {
            line(out, "<p class=\"empty\">Nothing was reported under this name.</p>");
            return;
        }
        line(
            out,
            "<table class=\"read\"><thead><tr><th scope=\"col\">Reported by</th><th scope=\"col\">Status</th><th scope=\"col\">Ended</th></tr></thead><tbody>",
        );
        for it in found {
            let by = it.app.as_deref().unwrap_or("a commit status");
            let workflow = it.workflow.as_deref().map(|path| format!(" {}", code(path))).unwrap_or_default();
            let conclusion = it.conclusion.as_deref().unwrap_or("not yet");
            let ended = it.completed_at.as_deref().or(it.started_at.as_deref()).unwrap_or("–");
            line(
                out,
                &format!(
                    "<tr><td>{}{workflow}</td><td>{}, <b>{}</b></td><td>{} <span class=\"faint\">on {}</span></td></tr>",
                    text(by),
                    text(&it.status),
                    text(conclusion),
                    text(ended),
                    code(it.head_sha.short())
                ),
            );
        }
        line(out, "</tbody></table>");
    }

    /// What the rules saw of it.
    fn observed(&self, context: &str) -> Vec<&RemoteCheck> {
        let facts = self.graph.facts();
        let declared = facts.remote_requirements.iter().find(|it| it.context.as_str() == context);
        let reported = facts.remote_checks.iter();
        declared.map(|declared| reported.filter(|check| declared.is_about(check)).collect()).unwrap_or_default()
    }
}
