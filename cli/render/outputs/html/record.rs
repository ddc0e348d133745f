//! The receipts: what was judged, by whom, and how to prove it.

use super::{
    Page,
    markup::{code, line, prose, row, text},
};

impl Page<'_> {
    pub(super) fn record(&self, out: &mut String) {
        let Self { told, inspection, explained, .. } = self;
        line(out, "<section id=\"record\"><h2>Record</h2>\n<dl class=\"facts\">");
        row(
            out,
            "Run",
            &format!("{} <span class=\"faint\">by runmill {}</span>", code(&told.run), text(&inspection.engine)),
        );
        row(out, "Verdict", &text(&told.verdict));
        row(out, "Started", &text(&inspection.started_at));
        row(out, "Ended", &text(&inspection.ended_at));
        row(out, "Target", &code(&told.target));
        row(out, "Base", &code(&told.base));
        row(out, "Candidate", &code(&told.candidate));
        row(out, "Merged", &told.merged.as_deref().map(code).unwrap_or_default());
        row(out, "Conflicts", &told.conflicts.iter().map(|path| code(path)).collect::<Vec<_>>().join(", "));
        row(out, "Mode", &text(&told.mode));
        row(out, "Manifest read from", &text(&told.manifest.read_from));
        for it in &told.manifest.ignored_proposals {
            row(out, "Ignored proposal", &format!("{}: {}", code(&it.id), prose(&it.reason)));
        }
        row(out, "Policy", &self.policy());
        for pack in &told.packs {
            row(out, "Pack", &format!("{} {} {}", text(&pack.name), text(&pack.version), code(&pack.digest)));
        }
        row(out, "Facts", &code(&told.facts_digest));
        for (name, digest) in &inspection.documents {
            row(out, "Document", &format!("{} {}", text(name), code(&digest.to_string())));
        }
        row(
            out,
            "Judged again",
            if explained.reproduced {
                "comes out exactly as recorded"
            } else {
                "this version of runmill finds something else; the record stands, and what was read is left out"
            },
        );
        line(out, "</dl>");
        let run = text(&told.run);
        line(out, "<p>The page shows a record; it proves nothing by itself. Where the record is:</p>");
        line(
            out,
            &format!(
                "<pre tabindex=\"0\">runmill runs verify          # nobody edited a record\nrunmill replay {run}\nrunmill explain {run}</pre>"
            ),
        );
        line(out, "</section>");
    }

    fn policy(&self) -> String {
        match self.told.policy.get("digest").and_then(serde_json::Value::as_str) {
            Some(digest) => code(digest),
            None => self.told.policy.as_str().map(text).unwrap_or_default(),
        }
    }
}
